// This file is the diff command.

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"path/filepath"

	"contentedge/edgeserve/release"
	"contentedge/generator/checksums"
	"contentedge/generator/diff"
)

const diffUsage = `Usage: generator diff OLD [NEW] [flags]

Prints the files that differ between two releases, with their addresses and the surrogate
keys for purging caches. OLD and NEW are directories of releases, or build ids of releases
in --public. The default of NEW is the current release in --public.

  --public DIR           directory of releases (default public)
  --format FORMAT        text: one file per line, and a summary (default)
                         json: one object
                         purge: one address or key per line; addresses begin with /.
                         A list has too many addresses to print all: purge lists by key

The keys are item-ID for an item, lists-ENV for lists and searches, and env-ENV for a whole
environment. Precompressed files have no address or key of their own.
`

func runDiff(ctx context.Context, args []string, c console) error {
	set := flag.NewFlagSet("diff", flag.ContinueOnError)
	public := set.String("public", "public", "")
	format := set.String("format", "text", "")
	rest, err := parse(set, diffUsage, args, 2, c.out)
	if err != nil {
		return err
	}
	const hint = "run generator diff --help"
	if len(rest) == 0 {
		return &usageError{"no release given", hint}
	}
	out := bufio.NewWriter(c.out)
	var p diffPrinter
	switch *format {
	case "text":
		p = diffText{out}
	case "json":
		p = &diffJSON{out, `{"files":[`}
	case "purge":
		p = diffPurge{out}
	default:
		return &usageError{fmt.Sprintf("unknown format %q", *format), hint}
	}
	kind := ofPublic
	if len(rest) == 2 && !release.IsBuild(rest[0]) && !release.IsBuild(rest[1]) {
		kind = ofDirectories
	}
	if err := refuseUnused(set, kind); err != nil {
		return err
	}
	rest = append(rest, *public)
	summary, err := diffReleases(ctx, place(*public, rest[0]), place(*public, rest[1]), func(f diff.File) error {
		p.file(f)
		_, err := out.Write(nil) // the error of any earlier write
		return err
	})
	if err != nil {
		return err
	}
	p.end(summary)
	return out.Flush()
}

// place returns a release's directory from a path or a build ID.
func place(public, name string) string {
	if release.IsBuild(name) {
		return filepath.Join(public, release.ReleasesDir, name)
	}
	return name
}

func diffReleases(ctx context.Context, old, new string, visit func(diff.File) error) (*diff.Summary, error) {
	a, err := checksums.Open(old)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	b, err := checksums.Open(new)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return diff.Compare(ctx, a, b, visit)
}

type diffPrinter interface {
	file(diff.File)
	end(*diff.Summary)
}

type diffText struct{ w io.Writer }

func (p diffText) file(f diff.File) { fmt.Fprintf(p.w, "%-7s %s\n", f.Kind, f.Name) }

func (p diffText) end(s *diff.Summary) {
	if s.Old == s.New {
		fmt.Fprintf(p.w, "%s: no difference\n", s.Old)
		return
	}
	fmt.Fprintf(p.w, "%s -> %s: files added %d, changed %d, removed %d\n", s.Old, s.New, s.Added, s.Changed, s.Removed)
}

// diffJSON prints one JSON object, in parts: the list of files can exceed the memory.
type diffJSON struct {
	w    io.Writer
	lead string // what comes before the next file
}

func (p *diffJSON) file(f diff.File) {
	b, _ := json.Marshal(f) // texts can always be encoded
	fmt.Fprintf(p.w, "%s%s", p.lead, b)
	p.lead = ","
}

func (p *diffJSON) end(s *diff.Summary) {
	if p.lead != "," {
		io.WriteString(p.w, p.lead)
	}
	b, _ := json.Marshal(s)
	fmt.Fprintf(p.w, "],%s\n", b[1:])
}

type diffPurge struct{ w io.Writer }

func (p diffPurge) file(f diff.File) {
	io.WriteString(p.w, lines(f.URLs))
	if f.Item() { // the summary has the other keys
		fmt.Fprintln(p.w, f.Key)
	}
}

func (p diffPurge) end(s *diff.Summary) { io.WriteString(p.w, lines(s.Keys)) }
