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

	"contentedge/edgeserve/release"
	"contentedge/generator/hosts"
)

var hostsUsage = `Usage: generator hosts NAME [flags]

Writes the configuration with which a host serves the release in a directory: every
request that has a file by that file, the rest by an edge server. A configuration with a
table of filter values (nginx, caddy) is of that release: with a later one's files it
sends values it does not know to the edge server. Write it again when the default order
or page size changes: every configuration holds them.

Requests that ask for a release (X-Release) go to the edge server. Without one the header
is not supported: a host cannot tell of which release a file is, and does not say so.

NAME is one of ` + strings.Join(hosts.Names(), ", ") + `.

  --public DIR           the release, or the directory of releases (default public)
  --edge URL             the edge server behind the host (default none: 404)
  --out DIR              where the configuration's files go; files there are replaced
                         (default: one file is printed)
  --root DIR             nginx, caddy: what --public is called where the server runs
                         (default the absolute path of --public)
  --listen [HOST]:PORT   nginx, caddy: where to listen (default :8080)
`

// runHosts writes a configuration.
func runHosts(_ context.Context, args []string, c console) error {
	name := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	set := flag.NewFlagSet("hosts", flag.ContinueOnError)
	public := set.String("public", "public", "")
	out := set.String("out", "", "")
	var config hosts.Config
	set.StringVar(&config.Edge, "edge", "", "")
	set.StringVar(&config.Root, "root", "", "")
	set.StringVar(&config.Listen, "listen", "", "")
	if _, err := parse(set, hostsUsage, args, 0, c.out); err != nil {
		return err
	}
	if name == "" {
		return &usageError{"no host is named", "run generator hosts --help"}
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
		return &usageError{err.Error(), "run generator hosts --help"}
	}
	return deliver(files, *out, c)
}

// readManifest reads the manifest of the release that a directory holds or points to.
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

// deliver writes a configuration into a directory, or prints it if it is one file.
func deliver(files []hosts.File, out string, c console) error {
	if out == "" {
		if len(files) > 1 {
			return &usageError{fmt.Sprintf("the configuration has %d files, too many to print", len(files)), "name a directory for them with --out"}
		}
		_, err := c.out.Write(files[0].Body)
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(out, f.Name)
		if err := replaceFile(name, f.Body); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.out, name); err != nil {
			return err
		}
	}
	return nil
}

// replaceFile puts a file in place whole: a server that reloads now reads the old one.
func replaceFile(name string, body []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
