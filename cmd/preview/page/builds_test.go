package page

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/generator"
)

// changing is a Site whose next build changed some items.
type changing struct {
	noSite
	items int
}

var longName = strings.Repeat("n", 2*maxName)

func (c *changing) Changes() generator.Changes {
	e := generator.EnvChanges{ID: "site", Lists: true}
	for i := range c.items {
		e.Items = append(e.Items, generator.ItemChange{ID: fmt.Sprint("Content_", i), Name: longName, Change: generator.Changed})
	}
	return generator.Changes{Environments: []generator.EnvChanges{e}}
}

// TestBuildsAreBounded: so many builds are kept, and so many of their changes, however many there
// are.
func TestBuildsAreBounded(t *testing.T) {
	site := &changing{items: 2 * maxListedAlone}
	p := New(PageConfig{Site: site})
	for n := range maxBuilds + 10 {
		p.Building(View{As: Editor})
		p.Built(&generator.Report{Build: fmt.Sprint(n), Environments: []generator.EnvReport{{ID: "site"}}}, 0)
	}
	if n := len(p.builds.kept); n != maxBuilds || p.builds.kept[0].Number != 11 {
		t.Errorf("%d builds from %d on", n, p.builds.kept[0].Number)
	}
	changes := 0
	for _, b := range p.builds.kept {
		changes += len(b.changed.items)
	}
	if most := maxKeptChanges + maxBuilds*maxListed; changes > most || changes < maxKeptChanges {
		t.Errorf("%d changes are kept, at most %d", changes, most)
	}
	for n, b := range map[int]Build{maxListed: p.builds.newest().cut(maxListed), maxListedAlone: p.builds.newest().cut(maxListedAlone)} {
		if c := b.Changes; len(c.Items) != n || len(c.Addresses) != n || len(c.PurgeKeys) != n || c.ItemsTotal != site.items || c.AddressesTotal != 2*site.items+1 {
			t.Errorf("%d: %d items of %d, %d addresses of %d, %d keys", n, len(c.Items), c.ItemsTotal, len(c.Addresses), c.AddressesTotal, len(c.PurgeKeys))
		}
	}
	for _, e := range p.events.kept {
		if len(e) > 100_000 {
			t.Errorf("an event of %d bytes", len(e))
		}
	}
}

// TestRepeatedBuilds: a build that repeats the last good one is not kept.
func TestRepeatedBuilds(t *testing.T) {
	p := New(PageConfig{Site: noSite{}})
	editor, visitor := View{As: Editor}, View{As: Visitor}
	for _, c := range []struct {
		view      View
		unchanged bool
		err       error
		kept      int
	}{
		{editor, true, nil, 1}, // the release of the last run may have the same bytes
		{editor, true, nil, 1},
		{editor, false, nil, 2},
		{editor, true, nil, 2},
		{visitor, true, nil, 3},
		{visitor, false, errors.New("wrong"), 4},
		{visitor, true, nil, 5},
		{visitor, true, nil, 5},
	} {
		p.Building(c.view)
		if c.err != nil {
			p.Failed(c.err, 0)
		} else {
			p.Built(&generator.Report{Build: "b", Unchanged: c.unchanged}, 0)
		}
		if n := len(p.builds.kept); n != c.kept {
			t.Errorf("%+v: %d are kept", c, n)
		}
	}
}

// TestWarningsOfRepeatedBuilds: a warning that comes or goes is told, although the release stays.
func TestWarningsOfRepeatedBuilds(t *testing.T) {
	p := New(PageConfig{Site: noSite{}})
	passed := []generator.Diagnostic{{File: "site", Message: "1 file is not read", Warning: true}}
	for n, c := range []struct {
		warnings []generator.Diagnostic
		kept     int
	}{{nil, 1}, {passed, 2}, {passed, 2}, {nil, 3}} {
		p.Building(View{As: Editor})
		p.Built(&generator.Report{Build: "b", Unchanged: true, Warnings: c.warnings}, 0)
		if p.builds.newest().DiagnosticsTotal != len(c.warnings) || len(p.builds.kept) != c.kept {
			t.Errorf("build %d: %d warnings, %d builds are kept", n+1, p.builds.newest().DiagnosticsTotal, len(p.builds.kept))
		}
	}
}

// TestReleaseOfBuilds: each build says what is served after it, which files that lacks, and how many errors there are.
func TestReleaseOfBuilds(t *testing.T) {
	p := New(PageConfig{Site: noSite{}})
	found := []generator.Diagnostic{{File: "b.json", Message: "wrong"}, {File: "a.json", Message: "odd", Warning: true}, {File: "b.json", Message: "wrong too"}, {File: "c.json", Message: "wrong"}}
	bad := slices.DeleteFunc(slices.Clone(found), func(d generator.Diagnostic) bool { return d.Warning })
	var many []generator.Diagnostic
	for n := range 2 * maxListed {
		many = append(many, generator.Diagnostic{File: fmt.Sprint(n, ".json"), Message: "wrong"})
	}
	for n, c := range []struct {
		report  *generator.Report // nil for a build that fails
		release string
		errors  int
		leftOut []string
		total   int
	}{
		{nil, releaseNone, 3, []string{}, 0},
		{&generator.Report{Build: "1", Bad: bad, Warnings: found[1:2]}, releasePartial, 3, []string{"b.json", "c.json"}, 2},
		{nil, releasePartial, 3, []string{}, 0},
		{&generator.Report{Build: "2", Bad: many}, releasePartial, 2 * maxListed, nil, 2 * maxListed},
		{&generator.Report{Build: "3", Warnings: found[1:2]}, releaseWhole, 0, []string{}, 0},
		{nil, releaseWhole, 3, []string{}, 0},
	} {
		p.Building(View{As: Editor})
		if c.report == nil {
			p.Failed(&generator.ContentError{Diagnostics: found}, 0)
		} else {
			p.Built(c.report, 0)
		}
		b := p.state().Build
		if b.Release != c.release || b.Errors != c.errors || b.LeftOutTotal != c.total || len(b.LeftOut) != min(c.total, maxListed) || c.leftOut != nil && !slices.Equal(b.LeftOut, c.leftOut) {
			t.Errorf("build %d: %s, %d errors, %d files are left out: %v", n+1, b.Release, b.Errors, b.LeftOutTotal, b.LeftOut)
		}
	}
}

// TestViewOfReleases: while a release is replaced, answers of both say the view of theirs.
func TestViewOfReleases(t *testing.T) {
	p := New(PageConfig{Site: noSite{}, View: View{As: Editor}})
	p.Building(View{As: Editor})
	p.Opening("old")
	at := View{As: Visitor, Statuses: []string{"A"}}
	p.Building(at)
	if got := p.viewOf("old"); got != Editor {
		t.Errorf("during the build: %s", got)
	}
	p.Opening("new")
	for build, want := range map[string]string{"old": Editor, "new": at.header(), "": at.header()} {
		if got := p.viewOf(build); got != want {
			t.Errorf("%q: %s, want %s", build, got, want)
		}
	}
	p.Building(View{As: Editor})
	p.Opening("new") // the same bytes for another view
	if got := p.viewOf("new"); got != Editor {
		t.Errorf("the same release: %s", got)
	}
}
