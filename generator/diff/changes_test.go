package diff

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// TestFindChanges follows a site of random edits, as a search index elsewhere does: it applies what each file of
// changes says to its own copy, and then has the items of the release.
func TestFindChanges(t *testing.T) {
	rnd := rand.New(rand.NewPCG(35, 8))
	c := content{"a/Content_0": {"T", "x"}}
	put := func() {
		c[fmt.Sprintf("%s/Content_%d", []string{"a", "a-b", "b"}[rnd.IntN(3)], rnd.IntN(30))] = [2]string{"T", fmt.Sprint(rnd.IntN(3))}
	}
	for range 30 {
		put()
	}
	releases := []*checksums.List{c.build(t, 5)}
	copied := items(t, releases[0])
	for range 4 {
		for range 3 {
			put()
			keys := slices.Sorted(maps.Keys(c))
			delete(c, keys[rnd.IntN(len(keys))])
		}
		if rnd.IntN(2) == 0 { // an environment ends, or begins
			maps.DeleteFunc(c, func(key string, _ [2]string) bool { return strings.HasPrefix(key, "a-b/") })
		}
		c["a/Content_0"] = [2]string{"T", fmt.Sprint(len(releases))}
		new := c.build(t, 5)
		apply(t, copied, releases[len(releases)-1], new)
		if want := items(t, new); !maps.Equal(copied, want) {
			t.Fatalf("after the changes: %v\nin the release: %v", copied, want)
		}
		releases = append(releases, new)
	}
	first := items(t, releases[0])
	apply(t, first, releases[0], releases[len(releases)-1])
	if !maps.Equal(first, copied) {
		t.Error("the changes from the first release lead elsewhere")
	}
}

// items returns the files of the items of a release by environment and id.
func items(t *testing.T, l *checksums.List) map[string]string {
	t.Helper()
	all := map[string]string{}
	names, err := filepath.Glob(filepath.Join(l.Dir, "cda/rest/v1/*/contents/*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		env := filepath.Base(filepath.Dir(filepath.Dir(name)))
		all[env+"/"+strings.TrimSuffix(filepath.Base(name), ".json")] = string(b)
	}
	return all
}

// apply does to a copy what a file of changes says, and reads created and updated items from the new release.
func apply(t *testing.T, have map[string]string, old, new *checksums.List) {
	t.Helper()
	c, err := FindChanges(t.Context(), old, new)
	if err != nil {
		t.Fatal(err)
	}
	again, err := FindChanges(t.Context(), old, new)
	if err != nil || string(again.Encode()) != string(c.Encode()) {
		t.Errorf("another text of the same changes: %v", err)
	}
	var read struct {
		Format       int
		From, To     string
		TooMany      *bool
		Environments []struct {
			ID                        string
			Created, Updated, Removed []string
		}
	}
	if err := json.Unmarshal(c.Encode(), &read); err != nil || read.Format != 1 || read.TooMany == nil || c.Name() != read.From+"-"+read.To+".json" {
		t.Fatalf("%s: %v, named %s", c.Encode(), err, c.Name())
	}
	fetch := func(env, id string) string {
		b, err := os.ReadFile(filepath.Join(new.Dir, address.ItemFile(env, id)))
		if err != nil {
			t.Error(err)
		}
		return string(b)
	}
	last := ""
	for _, e := range read.Environments {
		if e.ID <= last || len(e.Created)+len(e.Updated)+len(e.Removed) == 0 {
			t.Errorf("%s after %s: %+v", e.ID, last, e)
		}
		last = e.ID
		for kind, ids := range map[string][]string{"created": e.Created, "updated": e.Updated, "removed": e.Removed} {
			if ids == nil || !slices.IsSorted(ids) {
				t.Errorf("%s %s: %q", e.ID, kind, ids)
			}
			for _, id := range ids {
				key := e.ID + "/" + id
				if _, there := have[key]; there != (kind != "created") {
					t.Errorf("%s is %s: was there: %t", key, kind, there)
				}
				if delete(have, key); kind != "removed" {
					have[key] = fetch(e.ID, id)
				}
			}
		}
	}
}

// TestChanges shows the file of two small releases, and of one release twice.
func TestChanges(t *testing.T) {
	old := content{"a/Content_1": {"T", "x"}, "a/Content_2": {"T", "x"}, "b/Content_1": {"T", "x"}}.build(t, 5)
	new := content{"a/Content_1": {"T", "y"}, "a/Content_3": {"T", "x"}, "b/Content_1": {"T", "x"}}.build(t, 5)
	for _, tt := range []struct {
		name string
		from *checksums.List
		want string
	}{
		{"an item changes, one comes, one goes, an environment stays", old,
			`{"format":1,"from":%q,"to":%q,"tooMany":false,"environments":[{"id":"a","created":["Content_3"],"updated":["Content_1"],"removed":["Content_2"]}]}` + "\n"},
		{"nothing", new, `{"format":1,"from":%q,"to":%q,"tooMany":false,"environments":[]}` + "\n"},
	} {
		c, err := FindChanges(t.Context(), tt.from, new)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(c.Encode()), fmt.Sprintf(tt.want, tt.from.Manifest.Build, new.Manifest.Build); got != want {
			t.Errorf("%s: %s, want %s", tt.name, got, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindChanges(ctx, old, new); err == nil {
		t.Error("a cancelled comparison succeeds")
	}
}

// TestTooManyChanges: beyond the bound nothing is named, and memory stays small.
func TestTooManyChanges(t *testing.T) {
	list := func(n int) *checksums.List {
		var b strings.Builder
		w := checksums.NewWriter(&b)
		for i := range n {
			if err := w.Add(address.ItemFile("a", fmt.Sprintf("Content_%07d", i)), checksums.Sum{}); err != nil {
				t.Fatal(err)
			}
		}
		m := &release.Manifest{Checksums: release.Checksums{Bytes: int64(b.Len()), SHA256: release.HexSHA256([]byte(b.String()))}}
		l, err := checksums.InMemory(nil, m, []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for n, many := range map[int]bool{MaxChanges: false, MaxChanges + 1: true} {
		c, err := FindChanges(t.Context(), list(0), list(n))
		if err != nil || c.TooMany != many || (len(c.Environments) == 0) != many {
			t.Errorf("%d items: too many: %t, %d environments, %v", n, c.TooMany, len(c.Environments), err)
		}
	}
}
