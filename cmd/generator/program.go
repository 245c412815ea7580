// This file defines the program: its commands in the order of their purposes.

package main

import (
	"context"
	"os"
	"strings"

	"contentedge/cmd/cli"
)

// program is the name that the program has in its help, its version and its messages.
const program = "generator"

// Purposes of commands, which head them in the help.
const (
	purposeContent = "Get content"
	purposeBuild   = "Build a release"
	purposeLook    = "Look into a release"
	purposeStore   = "Publish"
)

// defaultPublic is where releases are if nothing names another directory.
const defaultPublic = "public"

func newProgram(c console) *cli.Program { return newProgramWith(c, c.build) }

// newProgramWith returns the program with another function in place of a build.
func newProgramWith(c console, build func(context.Context, *buildSettings) error) *cli.Program {
	root := &cli.Command{
		Name: program, Summary: "make releases of content",
		Long: "Plans, builds, verifies, inspects, queries, tests, compares and publishes releases of content, and writes configurations of web servers for them.",
		Examples: []cli.Example{
			{Line: "generator build --content content --out public", Text: "make a release of content"},
			{Line: "generator publish s3://bucket/live", Text: "make it current in a store"},
		},
		Commands: []*cli.Command{
			pullCommand(c), importCommand(c),
			buildCommand(c, build), planCommand(c),
			verifyCommand(c), testCommand(c), queryCommand(c), diffCommand(c), inspectCommand(c), whyCommand(c), openapiCommand(c), typesCommand(c),
			publishCommand(c), loadCommand(c), releasesCommand(c), keysCommand(c), hostsCommand(c), wasmCommand(c),
		},
		Exits: []cli.Exit{
			{Status: "0", Text: "done"},
			{Status: "1", Text: "the machine, the network or a store failed, or a release or a site is damaged"},
			{Status: "2", Text: "refused: content, a search, or a removal; the last line begins with " + strings.TrimSpace(refusedLine)},
			{Status: "3", Text: "wrong settings, or a plan above its limits"},
			{Status: "130, 143", Text: "interrupted"},
		},
	}
	return &cli.Program{Root: root, Formats: cli.Formats(), Out: c.out, Err: c.err, Environ: os.Environ()}
}
