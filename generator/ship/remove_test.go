package ship

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// TestRemove removes stores of each kind, and nothing else of the bucket.
func TestRemove(t *testing.T) {
	storetest.Start(t)
	public, bucket := build(t, 0), openTest(t, "")
	for name, kind := range map[string]release.StoreKind{"pr-1": release.KindComplete, "pr-2": release.KindNodes, "pr-20": release.KindInPlace, "live": release.KindComplete} {
		if _, err := Publish(t.Context(), PublishConfig{Store: openTest(t, "/previews/"+name), Public: public, Kind: kind, Patches: 1, ChangesFrom: 1}); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"previews/pr-2/note.txt", "previews/pr-note.txt", "previews/pr-3/note.txt", "previews/pr-2/current.json.bak"} {
		if _, err := putBytes(t.Context(), bucket, key, []byte("x"), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name          string
		place         string
		each          string
		olderThan     time.Duration
		dry           bool
		removed, kept string
		left          string // stores and notes afterwards
	}{
		{"the parent of stores is not a store", "/previews", "", 0, false, "", "", "live pr-1 pr-2 pr-20 pr-3 pr-note.txt"},
		{"a dry run", "/previews/pr-1", "", 0, true, "pr-1", "", "live pr-1 pr-2 pr-20 pr-3 pr-note.txt"},
		{"younger than a day", "/previews/pr-1", "", 24 * time.Hour, false, "", "pr-1", "live pr-1 pr-2 pr-20 pr-3 pr-note.txt"},
		{"one store", "/previews/pr-1/", "", 0, false, "pr-1", "", "live pr-2 pr-20 pr-3 pr-note.txt"},
		{"a second time", "/previews/pr-1", "", 0, false, "", "", "live pr-2 pr-20 pr-3 pr-note.txt"},
		{"each, younger than a day", "/previews", "pr-", 24 * time.Hour, false, "", "pr-2 pr-20", "live pr-2 pr-20 pr-3 pr-note.txt"},
		{"each: notes are not part of a store", "/previews", "pr-", 0, false, "pr-2 pr-20", "", "live pr-2 pr-3 pr-note.txt"},
	} {
		r, err := Remove(t.Context(), RemoveConfig{Store: openTest(t, test.place), Each: test.each, OlderThan: test.olderThan, DryRun: test.dry})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		var removed, kept []string
		for _, s := range r.Removed {
			removed = append(removed, strings.TrimPrefix(s.Store, "s3://"+storetest.Bucket+"/previews/"))
			if s.Objects == 0 || s.Bytes == 0 {
				t.Errorf("%s: %+v", test.name, s)
			}
		}
		for _, s := range r.Kept {
			kept = append(kept, strings.TrimPrefix(s, "s3://"+storetest.Bucket+"/previews/"))
		}
		got := fmt.Sprint(removed, kept, names(t, bucket))
		if want := fmt.Sprint(strings.Fields(test.removed), strings.Fields(test.kept), strings.Fields(test.left)); got != want {
			t.Errorf("%s: %s, not %s", test.name, got, want)
		}
	}
	if r, err := Publish(t.Context(), PublishConfig{Store: openTest(t, "/previews/live"), Public: public}); err != nil || r.Changed || r.Sent > 0 {
		t.Errorf("the other store lost something: %+v, %v", r, err)
	}
}

// TestRemovePointerFirst removes the pointer before any other object.
func TestRemovePointerFirst(t *testing.T) {
	w := newWorld(t)
	w.publish(build(t, 0))
	w.requests("")
	if _, err := Remove(t.Context(), RemoveConfig{Store: w.s}); err != nil {
		t.Fatal(err)
	}
	if removed := w.requests("DELETE"); len(removed) < 10 || removed[0] != release.PointerName {
		t.Errorf("%q", removed)
	}
}

func openTest(t *testing.T, place string) *store.Store {
	t.Helper()
	s, err := store.Open("s3://"+storetest.Bucket+place, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// names lists what is in the directory of previews.
func names(t *testing.T, bucket *store.Store) []string {
	t.Helper()
	found := map[string]bool{}
	for info, err := range bucket.List(t.Context(), "previews/") {
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(info.Key, "previews/"), "/")
		found[name] = true
	}
	return slices.Sorted(maps.Keys(found))
}
