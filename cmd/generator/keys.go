// This file is the keys command, which makes the keys that sign.

package main

import (
	"context"
	"fmt"

	"contentedge/cmd/cli"
	"contentedge/cmd/outfile"
	"contentedge/generator/signing"
)

func keysCommand(c console) *cli.Command {
	return &cli.Command{
		Name: "keys", Summary: "make and show keys that sign releases", Purpose: purposeStore,
		Long:     "Makes keys for publish --sign. " + aboutKeys,
		Commands: []*cli.Command{newKeyCommand(c), showKeyCommand(c)},
	}
}

func newKeyCommand(c console) *cli.Command {
	out := ""
	cmd := &cli.Command{
		Name: "new", Args: "NAME", Summary: "make a key, and print its line for trust files",
		Long: "Makes a key. The private key goes to a new file that only its owner can read; a file that exists is never replaced. " +
			"The printed line has the public key, for the trust files of nodes. NAME says who signs, for example news.example/ci.",
		Examples: []cli.Example{{Line: "generator keys new news.example/ci --out ci.key"}},
	}
	cmd.Group(groupSignatures).String(&out, "out", "FILE", "the new file of the private key").CommandLineOnly()
	cmd.Run = func(_ context.Context, args []string) error {
		if out == "" || out == outfile.StandardOutput {
			return wrongUsage("no file for the private key", "name one with --out; a terminal or a log would reveal the key")
		}
		private, k, err := signing.New(args[0])
		if err != nil {
			return wrongUsage(err.Error(), "")
		}
		if err := signing.Write(out, private); err != nil {
			return err
		}
		return printKey(c, k)
	}
	return cmd
}

func showKeyCommand(c console) *cli.Command {
	return &cli.Command{
		Name: "show", Args: "FILE", Summary: "print the line of a private key for trust files",
		Long:     "Prints the public key of a private one. " + aboutKeys,
		Examples: []cli.Example{{Line: "generator keys show ci.key"}, {Line: "generator keys show '$RELEASE_KEY'", Text: "of a variable"}},
		Run: func(_ context.Context, args []string) error {
			k, err := signing.Read(args[0], c.warn)
			if err != nil {
				return wrongUsage(err.Error(), "")
			}
			return printKey(c, k)
		},
	}
}

func printKey(c console, k *signing.Key) error {
	_, err := fmt.Fprintf(c.out, "key %s\n", k.Public())
	return err
}
