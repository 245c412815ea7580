// This file is the hosts command.

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"contentedge/cmd/cli"
	"contentedge/cmd/outfile"
	"contentedge/cmd/wasm/module"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/hosts"
)

// hostsCommand has a command for each host, with the flags that it uses.
func hostsCommand(c console) *cli.Command {
	cmd := &cli.Command{
		Name: "hosts", Summary: "write a web server's configuration for a release", Purpose: purposeStore,
		Long: "Writes a web server's configuration for the release in a directory. The web server serves requests that have a file, and forwards the rest to an edge server.\n\n" +
			"The tables of filter values (nginx, caddy) belong to that release: with a later release, new values go to the edge server. Write the configuration again " +
			"after a change of the default order or page size.\n\n" +
			"With --search a worker or the browser answers what has no file, without an edge server.\n\n" +
			"Requests with X-Release go to the edge server. Without an edge server that field is not supported, because a web server cannot tell to which release a file belongs.",
	}
	for _, h := range hosts.All() {
		cmd.Commands = append(cmd.Commands, hostCommand(h, c))
	}
	return cmd
}

func hostCommand(h hosts.Host, c console) *cli.Command {
	public, out := defaultPublic, ""
	var config hosts.Deployment
	search, envs := false, []string(nil)
	cmd := &cli.Command{Name: h.Name, Summary: "write the configuration of " + h.Title}
	if !h.NoEdge {
		cmd.Examples = append(cmd.Examples, cli.Example{Line: "generator hosts " + h.Name + " --edge http://127.0.0.1:8080 --out " + h.Name, Text: "in front of an edge server on the same machine"})
	}
	if h.Search {
		cmd.Examples = append(cmd.Examples, cli.Example{Line: "generator hosts " + h.Name + " --search --out " + h.Name, Text: "with searches, and without an edge server"})
	}
	g := cmd.Group(groupRelease)
	addPublic(g, &public)
	g = cmd.Group("Deployment")
	if !h.NoEdge {
		g.String(&config.Edge, "edge", "URL", "the edge server behind the host (default none: 404)")
	}
	if h.Search {
		g.Bool(&search, "search", "publish what searches need, so that they need no edge server: everybody who can load it has all items of an environment")
		g.Strings(&envs, "env", "ID", "with --search: publish only this environment for searches").Default("all").Offer(environmentsIn(defaultPublic)).CommandLineOnly()
	}
	if h.Server {
		g.String(&config.Root, "root", "DIR", "path of --public on the web server's machine (default the absolute path of --public)")
		g.String(&config.Listen, "listen", "[HOST]:PORT", "where the web server listens; not the address of an edge server on the same machine").Default(":80")
	}
	cmd.Group(groupOutput).String(&out, "out", "DIR", "directory for the configuration; existing files are replaced (default -: print, if it is one file)").CommandLineOnly()
	cmd.Run = func(ctx context.Context, _ []string) (err error) {
		variant := ofFiles
		if search {
			variant = ofSearch
		}
		if err := refuseUnused(cmd, variant); err != nil {
			return err
		}
		if config.Manifest, err = readManifest(public); err != nil {
			return err
		}
		if config.Root == "" {
			if config.Root, err = filepath.Abs(public); err != nil {
				return err
			}
		}
		if h.Server && !hasFiles(public, config.Manifest) {
			c.warn("the release here has no files of items and lists: the configuration passes every request to the edge server\n  hint: a proxy with a cache is enough for such a node, as in edgeserve/PROXY.md")
		}
		if search {
			if out == "" || out == outfile.StandardOutput {
				return wrongUsage("--search writes many files", "write them to a directory with --out")
			}
			return (&publisher{host: h, config: config, public: public, out: out, envs: envs, c: c, hint: cmd.Hint(), module: module.Files}).publish(ctx)
		}
		files, err := hosts.Generate(h.Name, config)
		if err != nil {
			return wrongUsage(err.Error(), cmd.Hint())
		}
		return writeFiles(files, out, c)
	}
	return cmd
}

// hasFiles reports whether a directory has the files of items and lists that a release may have. Followers of a store for
// nodes do not fetch them.
func hasFiles(dir string, m *release.Manifest) bool {
	path, err := checksums.Manifest(dir)
	return err == nil && slices.ContainsFunc(m.Environments, func(e release.Environment) bool {
		_, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(address.EnvDir(e.ID))))
		return err == nil
	})
}

func readManifest(dir string) (*release.Manifest, error) {
	path, err := checksums.Manifest(dir)
	if err != nil {
		return nil, err
	}
	m, _, err := releasedir.ReadManifest(filepath.Dir(path))
	if err == nil {
		err = m.CheckWhole()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return m, nil
}

// writeFiles writes a configuration to a directory, or prints a single file.
func writeFiles(files []hosts.File, out string, c console) error {
	if out == "" || out == outfile.StandardOutput {
		if len(files) > 1 {
			return wrongUsage(fmt.Sprintf("the configuration has %d files, too many to print", len(files)), "write them to a directory with --out")
		}
		_, err := c.documents().Write(files[0].Body)
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(out, f.Name)
		if err := outfile.Write(name, f.Body, c.documents()); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(c.out, name); err != nil {
			return err
		}
	}
	return nil
}
