// This file compares what the trees of Hugo say about their pages with what Hugo says.

package cmd

import (
	"bytes"
	"encoding/csv"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestTreesOfHugo compares the pages of Hugo's trees with the lists that Hugo printed. With Hugo in TEST_CONTENTEDGE_HUGO or
// on PATH it compares these with what Hugo prints now; -update writes them again.
func TestTreesOfHugo(t *testing.T) {
	t.Parallel()
	hugo := os.Getenv("TEST_CONTENTEDGE_HUGO")
	if hugo == "" {
		hugo, _ = exec.LookPath("hugo")
	}
	eachTree(t, "hugo-", func(t *testing.T, tr *siteTree) {
		if hugo != "" {
			tr.runHugo(t, hugo)
		}
		rows, err := csv.NewReader(strings.NewReader(tr.file(t, hugoList))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		listed := map[string]bool{}
		for _, row := range rows[1:] {
			listed[row[0]] = true
			i := slices.IndexFunc(tr.pages, func(p treePage) bool { return p.file == row[0] })
			if i < 0 {
				t.Errorf("Hugo has a page %s", row[0])
				continue
			}
			compareWithHugo(t, tr.pages[i], rows[0], row)
		}
		for _, p := range tr.pages {
			// Hugo does not list bundles that are only for other pages.
			if !listed[p.file] && p.status != "Private" {
				t.Errorf("Hugo has no page %s", p.file)
			}
		}
	})
}

// runHugo compares the list of a tree with that of Hugo.
func (tr *siteTree) runHugo(t *testing.T, hugo string) {
	t.Helper()
	cmd := exec.Command(hugo, "list", "all")
	cmd.Dir = tr.write(t, t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("hugo: %v\n%s", err, out)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines[1:]) // Hugo does not say in which order it lists pages of one date
	list := strings.Join(lines, "\n") + "\n"
	i := slices.IndexFunc(tr.archive.Files, func(f txtar.File) bool { return f.Name == hugoList })
	if *update {
		if i < 0 {
			i = slices.IndexFunc(tr.archive.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "site/") })
			tr.archive.Files = slices.Insert(tr.archive.Files, i, txtar.File{Name: hugoList})
		}
		tr.archive.Files[i].Data = []byte(list)
		if err := os.WriteFile(filepath.Join(treesDir, tr.name+".txtar"), txtar.Format(tr.archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if i < 0 || !bytes.Equal(tr.archive.Files[i].Data, []byte(list)) {
		t.Errorf("the list of %s is not what Hugo prints; -update writes it again:\n%s", tr.name, list)
	}
}

// compareWithHugo compares a page with Hugo's row.
func compareWithHugo(t *testing.T, p treePage, names, row []string) {
	t.Helper()
	value := func(name string) string { return row[slices.Index(names, name)] }
	at := func(name string) time.Time {
		moment, err := time.Parse(time.RFC3339, value(name))
		if err != nil {
			t.Error(err)
		}
		return moment
	}
	if title := value("title"); title != "" && title != p.title {
		t.Errorf("%s: Hugo's title is %q", p, title)
	}
	if p.date != "git" && at("date").UTC().Format(time.RFC3339) != p.date {
		t.Errorf("%s: Hugo's date is %s", p, value("date"))
	}
	status := "Published"
	switch expires := at("expiryDate"); {
	case value("draft") == "true":
		status = "Draft"
	case value("permalink") == "":
		status = "Private"
	case !expires.IsZero() && expires.Before(time.Now()):
		status = "expired"
	case value("kind") == "page" && at("publishDate").After(time.Now()): // a section has the dates of its pages
		status = "scheduled"
	}
	if status != p.status {
		t.Errorf("%s: of Hugo it is %s", p, status)
	}
	address, err := url.Parse(value("permalink"))
	path := strings.TrimPrefix(address.Path, "/"+p.language)
	if err != nil || status != "Private" && strings.Trim(path, "/") != strings.Trim(p.path, "/") {
		t.Errorf("%s: Hugo's address is %s", p, value("permalink"))
	}
}
