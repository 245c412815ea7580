// This file imports the trees with the real generator, builds releases of the items, and compares what these hold.

package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// treeItem is an item that an import made.
type treeItem struct {
	env string

	ContentID, Name, Status           string
	CreatedAt, PublishedAt, ExpiresAt string
	Source                            struct{ ID string }
	Data                              struct {
		Path, Language, HTML string
		Links                struct{ ContentIDs []string }
	}
}

// TestTrees imports each tree. A release of all its items has the pages of want.txt, with their links and pictures; a
// release with the defaults has the published ones, and no word of the others.
func TestTrees(t *testing.T) {
	t.Parallel()
	generator := binaries(t, "generator")["generator"]
	eachTree(t, "", func(t *testing.T, tr *siteTree) {
		dir := t.TempDir()
		site, content := tr.write(t, dir), filepath.Join(dir, "content")
		run := func(args ...string) string {
			t.Helper()
			out, err := exec.Command(generator, args...).CombinedOutput()
			if err != nil {
				t.Fatalf("generator %s: %v\n%s", strings.Join(args, " "), err, out)
			}
			return string(out)
		}
		said := run(append([]string{"import", "markdown", tr.system, site, "--env", "e", "--content", content}, tr.flags...)...)
		build := func(name string, flags ...string) (release string, items map[string]treeItem) {
			release = filepath.Join(dir, name)
			run(append([]string{"build", "--content", content, "--out", release, "--quiet"}, flags...)...)
			return release, treeItems(t, release)
		}
		release, all := build("all", "--status=all", "--scheduled", "--expired")
		tr.comparePages(t, all)
		tr.compareLeads(t, release, all)
		compareTexts(t, all)

		release, visible := build("public")
		var wrong faults
		for _, p := range tr.pages {
			if _, ok := visible[p.file]; ok != (p.status == "Published") {
				wrong.add("%s: %v", p, ok)
			}
		}
		wrong.report(t, "a release with the defaults")
		if out, err := exec.Command("grep", "-rliaF", "confidential", release+"/").Output(); err == nil {
			t.Errorf("a release with the defaults has hidden texts: %s", out)
		}
		if t.Failed() {
			t.Logf("the import said:\n%s", said)
		}
	})
}

// faults are sentences about the pages of a tree. Trees with 200 equal pages have many.
type faults []string

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

// report fails the test with the first faults.
func (f faults) report(t *testing.T, about string) {
	t.Helper()
	const most = 10
	if len(f) > 0 {
		t.Errorf("%s: %d are wrong:\n%s", about, len(f), strings.Join(f[:min(most, len(f))], "\n"))
	}
}

// treeItems reads the items of a release, by the files of their pages.
func treeItems(t *testing.T, release string) map[string]treeItem {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(release, "cda/rest/v1/*/contents/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	items := map[string]treeItem{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Data treeItem }
		if err := json.Unmarshal(text, &body); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, twice := items[body.Data.Source.ID]; twice {
			t.Errorf("two items of the file %q", body.Data.Source.ID)
		}
		body.Data.env = filepath.Base(filepath.Dir(filepath.Dir(name)))
		items[body.Data.Source.ID] = body.Data
	}
	return items
}

// comparePages compares items with the pages of want.txt.
func (tr *siteTree) comparePages(t *testing.T, items map[string]treeItem) {
	t.Helper()
	var wrong faults
	known := map[string]bool{}
	for _, p := range tr.pages {
		known[p.file] = true
		item, ok := items[p.file]
		if !ok {
			wrong.add("%s: there is no item", p)
			continue
		}
		got := treePage{p.file, "/" + item.Data.Path, item.Name, instant(t, item.CreatedAt), item.status(t), item.Data.Language}
		if got.language == "" {
			got.language = "-"
		}
		want := p
		if want.date == "git" {
			want.date = instant(t, tr.commits[p.file])
		}
		for _, column := range []struct{ want, got *string }{{&want.path, &got.path}, {&want.date, &got.date}, {&want.language, &got.language}} {
			if *column.want == anything {
				*column.got = anything
			}
		}
		if got != want {
			wrong.add("%s instead of\n%s", got, want)
		}
	}
	for file := range items {
		if !known[file] {
			wrong.add("%s is not a page", file)
		}
	}
	wrong.report(t, "the items")
}

// instant writes a time as the trees do.
func instant(t *testing.T, text string) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Error(err)
	}
	return at.UTC().Format(time.RFC3339)
}

// status is that of a page: builds leave published items out by their times.
func (i treeItem) status(t *testing.T) string {
	t.Helper()
	now := instant(t, time.Now().Format(time.RFC3339))
	switch {
	case i.Status != "Published":
		return i.Status
	case i.PublishedAt != "" && instant(t, i.PublishedAt) > now:
		return "scheduled"
	case i.ExpiresAt != "" && instant(t, i.ExpiresAt) <= now:
		return "expired"
	}
	return i.Status
}

var (
	itemLink   = regexp.MustCompile(` data-content-id="([^"]*)"`)
	mediaLink  = regexp.MustCompile(`(?:src|href)="(/cda/media/[^"]*)"`)
	codeInHTML = regexp.MustCompile(`(?s)<pre>.*?</pre>|<code>.*?</code>`)
	leftInText = regexp.MustCompile(`\{\{[<% ]|\{%|\{#|\[\[|^:::|(?m)^!!! |%% |\{ ?[:.]|-8<-|\[TOC\]`)
)

// compareLeads compares where items lead to with links.txt.
func (tr *siteTree) compareLeads(t *testing.T, release string, items map[string]treeItem) {
	t.Helper()
	files := map[string]string{}
	for file, item := range items {
		files[item.env+item.ContentID] = file
	}
	var wrong faults
	for file, item := range items {
		var links, references []string
		for _, match := range itemLink.FindAllStringSubmatch(item.Data.HTML, -1) {
			links = append(links, "-> "+files[item.env+match[1]])
		}
		for _, id := range item.Data.Links.ContentIDs {
			references = append(references, "-> "+files[item.env+id])
		}
		if a, b := distinct(links), distinct(references); !slices.Equal(a, b) {
			wrong.add("%s leads to %q, and has references to %q", file, a, b)
		}
		a, b := distinct(append(links, pictures(t, release, item)...)), tr.wantedLeads(file)
		if !slices.Equal(a, b) {
			wrong.add("%s leads to %q instead of %q:\n%s", file, a, b, item.Data.HTML)
		}
	}
	wrong.report(t, "the links")
}

// pictures returns the names of the files that a text shows or names. Each is a file of the release.
func pictures(t *testing.T, release string, item treeItem) (names []string) {
	t.Helper()
	for _, match := range mediaLink.FindAllStringSubmatch(item.Data.HTML, -1) {
		if _, err := os.Stat(filepath.Join(release, match[1])); err != nil {
			t.Errorf("%s: %v", item.Source.ID, err)
		}
		names = append(names, "=> "+letters(path.Base(match[1])))
	}
	return names
}

// wantedLeads is what links.txt says about a file.
func (tr *siteTree) wantedLeads(file string) (leads []string) {
	for line := range strings.Lines(tr.leads[file]) {
		kind, to, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if kind == "=>" {
			to = letters(path.Base(to))
		}
		leads = append(leads, kind+" "+to)
	}
	return distinct(leads)
}

// distinct returns a list in order, without repetitions.
func distinct(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// letters returns a name without what addresses write otherwise.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// compareTexts tests that no marks of a generator are in texts, except in code.
func compareTexts(t *testing.T, items map[string]treeItem) {
	t.Helper()
	var wrong faults
	for file, item := range items {
		if found := leftInText.FindString(codeInHTML.ReplaceAllString(item.Data.HTML, "")); found != "" {
			wrong.add("%s has %q:\n%s", file, found, item.Data.HTML)
		}
	}
	wrong.report(t, "the texts")
}
