// This file is the openapi command.

package main

import (
	"context"

	"contentedge/cmd/cli"
	"contentedge/cmd/outfile"
	"contentedge/edgeserve/engine/openapi"
	"contentedge/edgeserve/terminal"
)

func openapiCommand(c console) *cli.Command {
	public, env, out := defaultPublic, "", outfile.StandardOutput
	cmd := &cli.Command{
		Name: "openapi", Summary: "describe the interface by OpenAPI 3.1", Purpose: purposeLook,
		Long:     "Writes a document of OpenAPI 3.1 for the release in a directory: routes, parameters, header fields, errors, search bodies, and what the items of each template hold.",
		Examples: []cli.Example{{Line: "generator openapi --env site --out openapi.json"}},
	}
	g := cmd.Group(groupRelease)
	addPublic(g, &public)
	g.String(&env, "env", "ID", "describe only this environment").Default("all").Offer(environmentsIn(defaultPublic)).CommandLineOnly()
	cmd.Group(groupOutput).String(&out, "out", "FILE", "the document; an existing file is replaced (-: print)").CommandLineOnly()
	cmd.Run = func(context.Context, []string) error {
		m, err := readManifest(public)
		if err != nil {
			return err
		}
		described, err := openapi.New(m, env)
		if err != nil {
			return wrongUsage(err.Error(), "omit --env to describe all")
		}
		document := terminal.Source(described.Append(nil))
		if out == outfile.StandardOutput {
			_, err = c.documents().Write(document)
			return err
		}
		return outfile.Write(out, document, c.documents())
	}
	return cmd
}
