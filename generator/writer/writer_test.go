package writer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestWriter shows the order in which files are made, which is that of files.sha256, and what is said
// of a manifest that is too large. Tests of package generator compare whole releases.
func TestWriter(t *testing.T) {
	t.Run("the pages of a list come in the order of their names", func(t *testing.T) {
		for _, n := range []int{0, 1, 9, 10, 11, 99, 100, 1234} {
			var got []string
			for i := range decimals(n) {
				got = append(got, fmt.Sprintf("page-%d.json", i))
			}
			if len(got) != n || !slices.IsSorted(got) {
				t.Errorf("%d: %q", n, got)
			}
		}
	})
	t.Run("pages end where their reader stops", func(t *testing.T) {
		for stop := 1; stop <= 120; stop++ {
			n := 0
			for range decimals(120) {
				if n++; n == stop {
					break
				}
			}
			if n != stop {
				t.Errorf("%d pages, want %d", n, stop)
			}
		}
	})
	t.Run("items are compared as their file names are, with the extension", func(t *testing.T) {
		names := []string{"a", "a-", "a-b", "a0", "aA", "a_", "aa", "b", "-", "0"}
		for _, a := range names {
			for _, b := range names {
				if got, want := compareNames(a, b), strings.Compare(a+".", b+"."); got != want {
					t.Errorf("%q, %q: %d, want %d", a, b, got, want)
				}
			}
		}
	})
	t.Run("a manifest that is too large names what fills it", func(t *testing.T) {
		field := release.Field{Path: strings.Repeat("x", release.MaxManifest), Type: "text"}
		w := &Writer{manifest: &release.Manifest{Environments: []release.Environment{{ID: "demo", Fields: []release.Field{field}}}}}
		err := w.writeManifest(w.manifest)
		if err == nil || !strings.Contains(err.Error(), "or use fewer keys in Data (671089") {
			t.Error(err)
		}
	})
}
