// This file is the diff command: what differs between two releases.

package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
	"contentedge/generator/diff"
	"contentedge/generator/ship"
)

const diffUsage = `Usage: generator diff OLD [NEW] [flags]

Prints the items that differ between two releases. OLD and NEW are directories of releases,
build ids of releases in --public, or stores (s3://BUCKET/PREFIX), whose current release is
meant. The default of NEW is the current release in --public: so diff STORE says what a
publish of it would change.

  --public DIR           directory of releases (default public)
  --files                print the files that differ too
  --format FORMAT        text: one item per line, then one file per line with --files,
                         and a summary (default)
                         json: one object
                         purge: one address or surrogate key per line, for caches;
                         addresses begin with /. A list has too many addresses to print
                         all: purge lists by key

The keys are item-ID for an item, lists-ENV for lists and searches, and env-ENV for a whole
environment. Precompressed files have no address or key of their own.
`

func runDiff(ctx context.Context, args []string, c console) error {
	set := flag.NewFlagSet("diff", flag.ContinueOnError)
	public := set.String("public", "public", "")
	format := set.String("format", "text", "")
	files := set.Bool("files", false, "")
	rest, err := parse(set, diffUsage, args, 2, c.out)
	if err != nil {
		return err
	}
	const hint = "run generator diff --help"
	if len(rest) == 0 {
		return wrongUsage("no release given", hint)
	}
	places := ofPublic
	if len(rest) == 2 && !release.IsBuild(rest[0]) && !release.IsBuild(rest[1]) {
		places = ofDirectories
	}
	if err := refuseUnused(set, places, ofFormat+*format); err != nil {
		return err
	}
	out := bufio.NewWriter(c.out)
	var p diffPrinter
	switch *format {
	case "text":
		p = &diffText{w: out}
	case "json":
		p = &diffJSON{w: out, files: *files}
	case "purge":
		p = diffPurge{out}
	default:
		return wrongUsage(fmt.Sprintf("unknown format %q", *format), hint)
	}
	rest = append(rest, *public)
	old, err := openCompared(ctx, *public, rest[0])
	if err != nil {
		return err
	}
	defer old.Close()
	new, err := openCompared(ctx, *public, rest[1])
	if err != nil {
		return err
	}
	defer new.Close()
	summary, err := printDiff(ctx, old, new, p, *files)
	if err != nil {
		return err
	}
	p.end(summary)
	return out.Flush()
}

// compared is a release that diff compares.
type compared struct {
	*checksums.List
	read  func(ctx context.Context, name string) ([]byte, error) // nil, nil: there is no such file
	names int                                                    // how many names of items may still be read; -1: all
}

// maxStoredNames is how many names of items are read from a store, a request for each.
const maxStoredNames = 1000

// openCompared opens a release by a path, a build id or the address of a store.
func openCompared(ctx context.Context, public, name string) (*compared, error) {
	if strings.Contains(name, "://") {
		s, err := store.Open(name, store.Options{})
		if err != nil {
			return nil, wrongUsage(err.Error(), "run generator diff --help")
		}
		stored, err := ship.Current(ctx, s)
		if err != nil {
			return nil, err
		}
		read := func(ctx context.Context, name string) ([]byte, error) { return stored.Read(ctx, name, maxItemFile) }
		return &compared{stored.List, read, maxStoredNames}, nil
	}
	if release.IsBuild(name) {
		name = filepath.Join(public, release.ReleasesDir, name)
	}
	l, err := checksums.Open(name)
	if err != nil {
		return nil, err
	}
	read := func(_ context.Context, name string) ([]byte, error) {
		b, err := os.ReadFile(filepath.Join(l.Dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return b, err
	}
	return &compared{l, read, -1}, nil
}

// maxItemFile bounds an item's file, in bytes: the largest item, its timestamps and its envelope.
const maxItemFile = 32 << 20

// itemName returns the Name of an item of the release; "" if it cannot be read.
func (r *compared) itemName(ctx context.Context, file string) (string, error) {
	if r.names == 0 {
		return "", nil
	}
	if r.names > 0 {
		r.names--
	}
	b, err := r.read(ctx, file)
	return diff.ItemName(b), err
}

// printDiff prints the items, then the files.
func printDiff(ctx context.Context, old, new *compared, p diffPrinter, files bool) (*diff.Summary, error) {
	summary, err := diff.Compare(ctx, old.List, new.List, func(f diff.File) error {
		env, id, ok := f.Item()
		if !ok || !p.wantsNames() {
			return p.other(f)
		}
		of := new
		if f.Kind == diff.Removed {
			of = old
		}
		name, err := of.itemName(ctx, f.Name)
		if err != nil {
			return err
		}
		return p.item(diffItem{Kind: f.Kind, Env: env, ID: id, Name: name})
	})
	if err != nil || !files {
		return summary, err
	}
	return diff.Compare(ctx, old.List, new.List, p.file)
}
