// This file is the diff command.

package main

import (
	"bufio"
	"cmp"
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
	printers := map[string]diffPrinter{"text": &diffText{out}, "json": &diffJSON{w: out}, "purge": &diffPurge{out}}
	p := printers[*format]
	if p == nil {
		return &usageError{fmt.Sprintf("unknown format %q", *format), hint}
	}
	rest = append(rest, *public)
	summary, err := diffReleases(ctx, place(*public, rest[0]), place(*public, rest[1]), p.file)
	if err != nil {
		return err
	}
	return cmp.Or(p.end(summary), out.Flush())
}

// place returns a release's directory from a path or a build ID.
func place(public, name string) string {
	if release.IsBuild(name) {
		return filepath.Join(public, release.ReleasesDir, name)
	}
	return name
}

// diffReleases compares the releases in two directories.
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

// diffPrinter prints differences as they are found.
type diffPrinter interface {
	file(diff.File) error
	end(*diff.Summary) error
}

// diffText prints text.
type diffText struct{ w io.Writer }

func (p *diffText) file(f diff.File) error {
	_, err := fmt.Fprintf(p.w, "%-7s %s\n", f.Kind, f.Name)
	return err
}

func (p *diffText) end(s *diff.Summary) error {
	if s.Old == s.New {
		_, err := fmt.Fprintf(p.w, "%s: no difference\n", s.Old)
		return err
	}
	_, err := fmt.Fprintf(p.w, "%s -> %s: files added %d, changed %d, removed %d\n", s.Old, s.New, s.Added, s.Changed, s.Removed)
	return err
}

// diffJSON prints one JSON object. It streams the list of files, which can exceed the
// memory.
type diffJSON struct {
	w     io.Writer
	begun bool
}

func (p *diffJSON) file(f diff.File) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return p.write(b)
}

// write writes an element of the list; nil only starts the list.
func (p *diffJSON) write(b []byte) error {
	lead := ","
	if !p.begun {
		p.begun, lead = true, `{"files":[`
	}
	_, err := fmt.Fprintf(p.w, "%s%s", lead, b)
	return err
}

func (p *diffJSON) end(s *diff.Summary) error {
	b, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if !p.begun {
		if err := p.write(nil); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(p.w, "],%s\n", b[1:])
	return err
}

// diffPurge prints what caches must purge.
type diffPurge struct{ w io.Writer }

func (p *diffPurge) file(f diff.File) error {
	for _, url := range f.URLs {
		if _, err := fmt.Fprintln(p.w, url); err != nil {
			return err
		}
	}
	if !f.Item() {
		return nil // the summary has the key
	}
	_, err := fmt.Fprintln(p.w, f.Key)
	return err
}

func (p *diffPurge) end(s *diff.Summary) error {
	_, err := io.WriteString(p.w, lines(s.Keys))
	return err
}
