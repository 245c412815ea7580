// These tests hold the rule, and the words that builds and publishers share.

package removal

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestRemoval shows which changes of an environment a Limit lets pass, and what it says of the others.
func TestRemoval(t *testing.T) {
	percent := func(n int) *int { return &n }
	tests := []struct {
		name   string
		limit  Limit
		change Change
		want   string // "" if the change passes
	}{
		{"a release that removes nothing passes", Limit{}, Change{ID: "a", Before: 10, After: 10}, ""},
		{"half of the items may go", Limit{}, Change{ID: "a", Before: 10, After: 5, Removed: 5}, ""},
		{"more than half may not go", Limit{}, Change{ID: "a", Before: 1000, After: 499, Removed: 501}, "a: 1000 items now, 499 in the new release, which lacks 501 of the current items: 50.1% (at most 50% may go)"},
		{"the share is rounded up", Limit{}, Change{ID: "a", Before: 100_001, After: 50_000, Removed: 50_001}, "a: 100001 items now, 50000 in the new release, which lacks 50001 of the current items: 50.1% (at most 50% may go)"},
		{"items that others replace have gone too", Limit{}, Change{ID: "a", Before: 10, After: 12, Removed: 10}, "a: 10 items now, 12 in the new release, which lacks 10 of the current items: 100% (at most 50% may go)"},
		{"an environment may not lose all items", Limit{}, Change{ID: "a", Before: 1, Removed: 1}, "a: 1 item now, none in the new release"},
		{"not even if all may go", Limit{Max: percent(100)}, Change{ID: "a", Before: 3, Removed: 3}, "a: 3 items now, none in the new release"},
		{"an environment that was empty may stay empty", Limit{}, Change{ID: "a"}, ""},
		{"an environment may not disappear", Limit{Max: percent(100)}, Change{ID: "a", Before: 3, Removed: 3, Dropped: true}, "a: 3 items now; the new release does not have the environment"},
		{"unless it was empty", Limit{}, Change{ID: "a", Dropped: true}, ""},
		{"with a bound of 0 nothing may go", Limit{Max: percent(0)}, Change{ID: "a", Before: 1000, After: 1000, Removed: 1}, "a: 1000 items now, 1000 in the new release, which lacks 1 of the current items: 0.1% (at most 0% may go)"},
		{"exactly the bound may go", Limit{Max: percent(10)}, Change{ID: "a", Before: 10, After: 9, Removed: 1}, ""},
		{"a removal that is allowed passes", Limit{Allow: true}, Change{ID: "a", Before: 3, Dropped: true}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.limit.Check([]Change{{ID: "other", Before: 1, After: 1}, tt.change})
			var refused *Error
			if errors.As(err, &refused) != (tt.want != "") {
				t.Fatalf("got %v", err)
			}
			if tt.want == "" {
				return
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != 3 || lines[1] != "  "+tt.want || !strings.Contains(lines[2], "--allow-removal") {
				t.Errorf("got %s", err)
			}
		})
	}
}

func TestCompareManifests(t *testing.T) {
	manifest := func(envs ...release.Environment) *release.Manifest { return &release.Manifest{Environments: envs} }
	got := CompareManifests(
		manifest(release.Environment{ID: "a", Items: 5}, release.Environment{ID: "b", Items: 2}, release.Environment{ID: "c", Items: 1}),
		manifest(release.Environment{ID: "a", Items: 3}, release.Environment{ID: "b", Items: 9}, release.Environment{ID: "d", Items: 1}))
	want := []Change{{ID: "a", Before: 5, After: 3, Removed: 2}, {ID: "b", Before: 2, After: 9}, {ID: "c", Before: 1, Removed: 1, Dropped: true}}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}
