// This file is the wasm command.

package main

import (
	"context"

	"contentedge/cmd/cli"
	"contentedge/cmd/wasm/module"
	"contentedge/generator/hosts"
)

func wasmCommand(c console) *cli.Command {
	out := ""
	cmd := &cli.Command{
		Name: "wasm", Summary: "write the engine as a WebAssembly module", Purpose: purposeStore,
		Long: "Writes the engine as a WebAssembly module (" + module.WebAssembly + ") with the JavaScript that calls it (" + module.Script + ") and its types (" + module.Types + "). " +
			"With it, Node, Deno, browsers and workers answer requests from the files of a release as an edge server does.\n\n" +
			"A generator of a package carries the module. In a clone, it is built with go.",
		Examples: []cli.Example{{Line: "generator wasm --out site/contentedge", Text: "next to a site's own scripts"}},
	}
	cmd.Group(groupOutput).String(&out, "out", "DIR", "directory for the files; existing files are replaced").CommandLineOnly()
	cmd.Run = func(ctx context.Context, _ []string) error {
		if out == "" {
			return wrongUsage("wasm needs a directory", "name it with --out")
		}
		files, err := module.Files(ctx)
		if err != nil {
			return err
		}
		written := make([]hosts.File, len(files))
		for i, f := range files {
			written[i] = hosts.File(f)
		}
		return writeFiles(written, out, c)
	}
	return cmd
}
