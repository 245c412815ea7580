// This file is the command that multiplies items.

package main

import (
	"flag"
	"os"

	"bench/corpus"
)

// multiply prints items as NDJSON.
func multiply(args []string) error {
	fs := flag.NewFlagSet("bench multiply", flag.ContinueOnError)
	path := fs.String("items", "", "NDJSON `file`, optionally .gz, one item per line (default: synthetic items)")
	n := fs.Int("to", 1_000_000, "`number` of items to make")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *path == "" {
		return corpus.Write(os.Stdout, corpus.Synthetic(*n))
	}
	items, err := corpus.Read(*path)
	if err != nil {
		return err
	}
	return corpus.Write(os.Stdout, corpus.Multiply(items, *n))
}
