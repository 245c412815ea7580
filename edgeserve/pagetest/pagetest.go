// Package pagetest holds lists and tables of pages against the code that they describe.
package pagetest

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the lists of pages")

// end is the comment after a list.
const end = "<!-- end -->"

// List compares a list of a page with the one that it must have. The list is between a comment with its name and the
// comment end. -update rewrites it.
func List(t *testing.T, page, name, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	begin := "<!-- " + name + " -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	old, after, ends := strings.Cut(rest, end)
	switch {
	case !ok || !ends:
		t.Fatalf("%s has no list %q", page, name)
	case old == want:
	case *update:
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s has another list of %s: run go test with -update, and read the difference", page, name)
	}
}
