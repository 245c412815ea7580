// Command elasticsearch loads releases into a real Elasticsearch. scripts/elasticsearch runs it.
//
//	elasticsearch load --node URL --programs DIR CONTENT|RELEASE…
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"contentedge/edgeserve/engine/cluster/layout"

	"elasticsearch/index"
	"elasticsearch/release"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "elasticsearch: %v\n", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 || args[0] != "load" {
		return fmt.Errorf("want load")
	}
	set := flag.NewFlagSet(args[0], flag.ExitOnError)
	node := set.String("node", "", "URL of the node")
	programs := set.String("programs", "", "directory of generator and edgeserve")
	if err := set.Parse(args[1:]); err != nil {
		return err
	}
	for _, dir := range set.Args() {
		if err := load(index.New(*node), release.Programs(*programs), dir); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// load loads the environments of a release, or of content.
func load(node *index.Client, p release.Programs, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err != nil {
		built, err := os.MkdirTemp("", "elasticsearch-release-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(built)
		if err := p.Build(dir, built); err != nil {
			return err
		}
		dir = filepath.Join(built, "current")
	}
	m, err := release.Read(dir)
	if err != nil {
		return err
	}
	for _, env := range m.Environments {
		began := time.Now()
		if err := node.Load(dir, m.Build, env); err != nil {
			return err
		}
		fmt.Printf("%s: %d items in %s, %.1f s\n", env.ID, env.Items, layout.Alias(env.ID), time.Since(began).Seconds())
	}
	return nil
}
