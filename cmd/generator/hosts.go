// This file is the hosts command.

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contentedge/cmd/outfile"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/hosts"
)

var hostsUsage = `Usage: generator hosts NAME [flags]

Writes a web server's configuration for the release in a directory. The web server serves
requests that have a file, and forwards the rest to an edge server. The tables of filter
values (nginx, caddy) belong to that release: with a later release, new values go to the
edge server. Write the configuration again after a change of the default order or page size.

Requests with X-Release go to the edge server. Without an edge server that field is not
supported, because a web server cannot tell to which release a file belongs.

NAME is one of ` + strings.Join(hosts.Names(), ", ") + `.

  --public DIR           the release, or the directory of releases (default public)
  --edge URL             the edge server behind the web server (default none: 404)
  --out DIR              directory for the configuration; existing files are replaced
                         (default -: print, if it is one file)
  --root DIR             nginx, caddy: path of --public on the web server's machine
                         (default the absolute path of --public)
  --listen [HOST]:PORT   nginx, caddy: address to listen on, not the edge server's (default :80)
`

func runHosts(_ context.Context, args []string, c console) error {
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	set := flag.NewFlagSet("hosts", flag.ContinueOnError)
	public := set.String("public", "public", "")
	out := set.String("out", "", "")
	var config hosts.Deployment
	set.StringVar(&config.Edge, "edge", "", "")
	set.StringVar(&config.Root, "root", "", "")
	set.StringVar(&config.Listen, "listen", "", "")
	if _, err := parse(set, hostsUsage, args, 0, c.out); err != nil {
		return err
	}
	if name == "" {
		return wrongUsage("no web server given", "run generator hosts --help")
	}
	m, err := readManifest(*public)
	if err != nil {
		return err
	}
	config.Manifest = m
	if config.Root == "" {
		if config.Root, err = filepath.Abs(*public); err != nil {
			return err
		}
	}
	files, err := hosts.Generate(name, config)
	if err != nil {
		return wrongUsage(err.Error(), "run generator hosts --help")
	}
	if err := refuseUnused(set, name); err != nil {
		return err
	}
	return writeFiles(files, *out, c)
}

func readManifest(dir string) (*release.Manifest, error) {
	name := filepath.Join(dir, release.ManifestName)
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no release: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	m, err := release.Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// writeFiles writes a configuration to a directory, or prints a single file.
func writeFiles(files []hosts.File, out string, c console) error {
	if out == "" || out == outfile.StandardOutput {
		if len(files) > 1 {
			return wrongUsage(fmt.Sprintf("the configuration has %d files, too many to print", len(files)), "write them to a directory with --out")
		}
		_, err := c.out.Write(files[0].Body)
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(out, f.Name)
		if err := outfile.Write(name, f.Body, c.out); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.out, name); err != nil {
			return err
		}
	}
	return nil
}
