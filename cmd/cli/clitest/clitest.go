// Package clitest checks the pages and the completions of a program against its definitions.
package clitest

import (
	"flag"
	"os"
	"testing"

	"contentedge/cmd/cli"
)

var update = flag.Bool("update", false, "rewrite the tables of pages")

// Pages compares the tables of flags and exit codes in pages with the definitions, and expects each
// flag on some page, with a variable that nothing else sets. -update rewrites the tables.
func Pages(t *testing.T, p *cli.Program, pages ...string) {
	t.Helper()
	documented := map[string]bool{}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		want, err := p.FillPage(string(text), documented)
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		if want == string(text) {
			continue
		}
		if !*update {
			t.Errorf("%s differs from the definitions: run go test with -update, and read the difference", page)
			continue
		}
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range p.Shadowed() {
		t.Errorf("%s: Kubernetes gives its variable to every container, for a service named contentedge", name)
	}
	for _, name := range p.Documentable() {
		if !documented[name] {
			t.Errorf("no page of %v has a table with %s", pages, name)
		}
	}
}
