// This file is the diff command: what differs between two releases.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"contentedge/cmd/cli"
	"contentedge/cmd/outfile"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
	"contentedge/generator/checksums"
	"contentedge/generator/diff"
	"contentedge/generator/ship"
)

// comparison are the settings of diff.
type comparison struct {
	public, format  string
	trust           string
	files, proposed bool
	changes         string // the directory for the file of changes; "": none

	command *cli.Command // that they belong to
}

func diffCommand(c console) *cli.Command {
	d := comparison{public: defaultPublic, format: "text"}
	cmd := &cli.Command{
		Name: "diff", Args: "OLD [NEW]", Summary: "print the differences of two releases, and what caches must purge", Purpose: purposeLook,
		Long: "Prints the items that differ between two releases. OLD and NEW are directories of releases, build ids of releases in --public, stores (s3://BUCKET/PREFIX), " +
			"whose current release is meant, or releases in stores (s3://BUCKET/PREFIX@BUILD). The default of NEW is the current release in --public: so diff STORE says what its publication would change.",
		Examples: []cli.Example{
			{Line: "generator diff s3://bucket/live", Text: "what a publish would change"},
			{Line: "generator diff 0123456789abcdef fedcba9876543210 --files", Text: "two builds in public"},
			{Line: "generator diff s3://bucket/live@0123456789abcdef s3://bucket/live", Text: "from a release of a store to its current one"},
			{Line: "generator diff public/previous --format purge", Text: "what caches must forget"},
			{Line: "generator diff public/previous --changes-into public/changes", Text: "what a search index elsewhere must read again"},
		},
		Notes: "Formats:\n" +
			"  text   one item per line, then one file per line with --files, and a summary\n" +
			"  json   one object\n" +
			"  purge  one address or surrogate key per line, for caches; addresses begin with /.\n" +
			"         A list has too many addresses to print all: purge lists by key\n\n" +
			"The keys are item-ID for an item, lists-ENV for lists and searches, and env-ENV for a whole environment. Precompressed files have no address or key of their own.",
	}
	d.command = cmd
	addPublic(cmd.Group(groupRelease), &d.public)
	g := cmd.Group(groupSignatures)
	addTrust(g, &d.trust, "trust file of the nodes: compare with a store only if they would accept its pointer")
	g.Bool(&d.proposed, "proposed", "compare the current release of the store OLD with the proposed one").CommandLineOnly()
	g = cmd.Group(groupOutput)
	g.Bool(&d.files, "files", "print the files that differ too")
	g.String(&d.changes, "changes-into", "DIR", "write a file FROM-TO.json into a directory: the ids of the items that differ, for programs that follow the site").CommandLineOnly()
	g.String(&d.format, "format", "FORMAT", "text, json or purge").Values("text", "json", "purge")
	cmd.Run = func(ctx context.Context, args []string) error {
		places := ofPublic
		if len(args) == 2 && !release.IsBuild(args[0]) && !release.IsBuild(args[1]) {
			places = ofDirectories
		}
		variants := []string{places, ofFormat + d.format}
		if len(args) == 1 && strings.Contains(args[0], "://") {
			variants = append(variants, ofStore)
		}
		if err := refuseUnused(cmd, variants...); err != nil {
			return err
		}
		return d.run(ctx, args[0], append(args, d.public)[1], c)
	}
	return cmd
}

func (d *comparison) run(ctx context.Context, before, after string, c console) error {
	out := bufio.NewWriter(c.documents())
	var p diffPrinter
	switch d.format {
	case "text":
		out.Reset(c.out)
		p = &diffText{w: out}
	case "json":
		p = &diffJSON{w: out, files: d.files}
	case "purge":
		p = &diffPurge{w: out}
	}
	policy, err := readTrust(d.trust)
	if err != nil {
		return err
	}
	_, build := splitRelease(before)
	old, err := d.open(ctx, before, storedRelease(build, policy))
	if err != nil {
		return err
	}
	defer old.Close()
	_, build = splitRelease(after)
	stored := storedRelease(build, policy)
	if d.proposed {
		after, stored = before, func(ctx context.Context, s *store.Store) (*ship.Stored, error) { return ship.Proposed(ctx, s, policy) }
	}
	new, err := d.open(ctx, after, stored)
	if err != nil {
		return err
	}
	defer new.Close()
	dir := new.Dir
	if err := compareBySnapshots(ctx, old, new); err != nil {
		return err
	}
	summary, err := printDiff(ctx, old, new, p, d.files)
	if err != nil {
		return err
	}
	if err := d.writeChanges(ctx, old.List, new.List, c); err != nil {
		return err
	}
	if summary.Requests, err = d.requests(ctx, before, dir, c); err != nil {
		return err
	}
	p.end(summary)
	return out.Flush()
}

// writeChanges writes the file of changes, where two releases differ.
func (d *comparison) writeChanges(ctx context.Context, old, new *checksums.List, c console) error {
	if d.changes == "" || old.Manifest.Build == new.Manifest.Build {
		return nil
	}
	if old.Manifest.Build == "" || new.Manifest.Build == "" {
		c.warn("one of the two is not a release, so no file of changes is written")
		return nil
	}
	changes, err := diff.FindChanges(ctx, old, new)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(d.changes, 0o777); err != nil {
		return err
	}
	return outfile.Write(filepath.Join(d.changes, changes.Name()), changes.Encode(), nil)
}

// compared is a release that diff compares.
type compared struct {
	*checksums.List
	stored *ship.Stored                                           // nil: on a disk
	read   func(ctx context.Context, name string) ([]byte, error) // nil and nil mean that the file does not exist
	names  int                                                    // how many names of items may still be read; -1: all
}

// maxStoredNames is how many names of items are read from a store, a request for each.
const maxStoredNames = 1000

// storedRelease opens a release of a store that a policy accepts: the current one if no build is given.
func storedRelease(build string, policy *trust.Policy) func(ctx context.Context, s *store.Store) (*ship.Stored, error) {
	return func(ctx context.Context, s *store.Store) (*ship.Stored, error) {
		if build == "" {
			return ship.Current(ctx, s, policy)
		}
		return ship.StoredRelease(ctx, s, build, policy)
	}
}

// splitRelease splits the address of a release in a store, STORE@BUILD. The prefix of a store may have an @ too.
func splitRelease(name string) (address, build string) {
	at := strings.LastIndexByte(name, '@')
	if at < 0 || !strings.Contains(name, "://") || !release.IsBuild(name[at+1:]) {
		return name, ""
	}
	return name[:at], name[at+1:]
}

// open opens a release by a path, a build id or the address of a store, of which find opens it.
func (d *comparison) open(ctx context.Context, name string, find func(context.Context, *store.Store) (*ship.Stored, error)) (*compared, error) {
	if strings.Contains(name, "://") {
		address, _ := splitRelease(name)
		s, err := openStore(address, d.command)
		if err != nil {
			return nil, err
		}
		stored, err := find(ctx, s)
		if err != nil {
			return nil, err
		}
		if _, id, has := strings.Cut(address, "@"); has && stored.Manifest.Build == "" {
			return nil, wrongUsage(fmt.Sprintf("%.200s: no such store, and %.40q is not a build id", address, id), "a release in a store is STORE@BUILD, with the 16 digits that releases list prints")
		}
		read := func(ctx context.Context, name string) ([]byte, error) { return stored.Read(ctx, name, maxItemFile) }
		names := maxStoredNames
		if stored.BySnapshots() {
			names = 0 // the store has no files of items
		}
		return &compared{stored.List, stored, read, names}, nil
	}
	if release.IsBuild(name) {
		name = filepath.Join(d.public, release.ReleasesDir, name)
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
	return &compared{l, nil, read, -1}, nil
}

// side returns a release for a comparison by snapshots with another one.
func (r *compared) side(ctx context.Context, other *compared) (diff.Side, error) {
	if r.stored != nil {
		return r.stored.Side(ctx, other.Manifest)
	}
	open := func(_ context.Context, e *release.Environment) (*snapshot.Reader, error) {
		return snapshot.Open(filepath.Join(r.Dir, filepath.FromSlash(e.Snapshot.File)))
	}
	return diff.Side{Raw: r.Raw, Manifest: r.Manifest, Open: open}, nil
}

// compareBySnapshots replaces the lists of two releases by the lists of the items that differ, if a store does not
// have the files of either release.
func compareBySnapshots(ctx context.Context, old, new *compared) error {
	lacks := func(r *compared) bool { return r.stored != nil && r.stored.BySnapshots() }
	if !lacks(old) && !lacks(new) {
		return nil
	}
	b, err := new.side(ctx, old)
	if err != nil {
		return err
	}
	a, err := old.side(ctx, new)
	if err != nil {
		return err
	}
	old.Close()
	new.Close()
	old.List, new.List, err = diff.ItemLists(ctx, a, b)
	return err
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
