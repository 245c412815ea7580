// This file is the types command.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"

	"contentedge/cmd/cli"
	"contentedge/cmd/outfile"
	"contentedge/edgeserve/terminal"
	"contentedge/generator/types"
)

// languages are the languages that types are written in.
var languages = []struct {
	name, title, file string
	write             func(to io.Writer, e *types.Environment) error
}{
	{"ts", "TypeScript", "content.ts", types.TypeScript},
	{"go", "Go", "content/content.go", types.Go},
}

func typesCommand(c console) *cli.Command {
	cmd := &cli.Command{
		Name: "types", Summary: "write types of the items, and a client, in TypeScript or Go", Purpose: purposeLook,
		Long: "Writes one file: the types of the items of each template of an environment, and a small client without dependencies. " +
			"It reads only the manifest. The same templates give the same bytes.",
	}
	for _, l := range languages {
		public, env, out := defaultPublic, "", ""
		sub := &cli.Command{
			Name: l.name, Summary: "write " + l.title,
			Examples: []cli.Example{{Line: "generator types " + l.name + " --env site --out " + l.file}},
		}
		g := sub.Group(groupRelease)
		addPublic(g, &public)
		g.String(&env, "env", "ID", "the environment (default: the only one)").Offer(environmentsIn(defaultPublic)).CommandLineOnly()
		sub.Group(groupOutput).String(&out, "out", "FILE", "file to write (default -: print)").CommandLineOnly()
		sub.Run = func(context.Context, []string) error {
			m, err := readManifest(public)
			if err != nil {
				return err
			}
			e, err := types.Of(m, env)
			if _, unknown := errors.AsType[*types.UnknownError](err); unknown {
				return wrongUsage(err.Error(), "--env names the environment")
			}
			if err != nil {
				return wrongUsage(err.Error(), sub.Hint())
			}
			var text bytes.Buffer
			if err := l.write(&text, e); err != nil {
				return err
			}
			return outfile.Write(cmp.Or(out, outfile.StandardOutput), terminal.Source(text.Bytes()), c.documents())
		}
		cmd.Commands = append(cmd.Commands, sub)
	}
	return cmd
}
