package ship

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator"
	"contentedge/generator/checksums"
	"contentedge/generator/diff"
	"contentedge/generator/removal"
)

// publishNodes publishes a release for nodes.
func (w *world) publishNodes(public string) *Report {
	w.t.Helper()
	r, err := Publish(w.t.Context(), PublishConfig{Store: w.s, Public: public, Kind: release.KindNodes, Removal: removal.Limit{Allow: true}})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// publishAgain publishes a release for whom the store is for already.
func (w *world) publishAgain(public string) *Report {
	w.t.Helper()
	r, err := Publish(w.t.Context(), PublishConfig{Store: w.s, Public: public})
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// checkNodes fails unless the store has every object of its current release with its digest, and no other that nobody
// needs.
func (w *world) checkNodes(kept ...string) {
	w.t.Helper()
	ctx := w.t.Context()
	p, _, err := currentPointer(ctx, w.s)
	if err != nil || p.Kind != release.KindNodes {
		w.t.Fatalf("%+v, %v", p, err)
	}
	if r, err := Repair(ctx, PublishConfig{Store: w.s, DryRun: true}); err != nil || r.Sent > 0 {
		w.t.Errorf("the current release is not whole: %+v, %v", r, err)
	}
	if len(kept) == 0 {
		return
	}
	c := PublishConfig{Store: w.s, Jobs: 4}
	sw, err := newSweep(ctx, c, kept, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	for info, err := range w.s.List(ctx, "") {
		if err != nil || isShared(info.Key) && !sw.marks[info.Key] {
			w.t.Errorf("%s belongs to no kept release (%v)", info.Key, err)
		}
	}
}

// manySites makes a release of n environments of two items with a picture each, the first of which is changed.
func manySites(t *testing.T, n, changed int) string {
	t.Helper()
	content, out := t.TempDir(), filepath.Join(t.TempDir(), "public")
	for i := range n {
		text := "same"
		if i == 0 {
			text = fmt.Sprint("changed ", changed)
		}
		dir := filepath.Join(content, fmt.Sprintf("site-%04d", i))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		item := fmt.Sprintf(`{"ContentID":"a","Name":"A","TemplateName":"T","CreatedAt":"2024-01-01T00:00:00Z","Data":{"text":%q}}`+"\n", text)
		if err := os.WriteFile(filepath.Join(dir, "items.ndjson"), []byte(item), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	order, size := generator.Defaults()
	if _, err := generator.Build(t.Context(), generator.BuildConfig{Content: content, Out: out, SnapshotOnly: true, Order: order, PageSize: size}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestNodes publishes one edit after the other for nodes: as many requests, whatever the size of the site.
func TestNodes(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		name  string
		build func(changed int) string
		want  []string // of the publication of an edit
	}{
		{"a site of 40 items", func(changed int) string { return build(t, changed) }, []string{
			"GET current.json", "GET withdrawn.json", "GET releases/OLD/manifest.json", "GET media-lists/", // of the base
			"PUT cda/media/", "PUT media-lists/", "PUT releases/NEW/manifest.json", "PUT snapshots/", "PUT current.json", "PUT releases/NEW/current.json"}},
		{"120 environments", func(changed int) string { return manySites(t, 120, changed) }, []string{
			"GET current.json", "GET withdrawn.json", "GET releases/OLD/manifest.json", "GET manifests/",
			"PUT manifests/", "PUT releases/NEW/manifest.json", "PUT snapshots/", "PUT current.json", "PUT releases/NEW/current.json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w.t = t
			first := w.publishNodes(c.build(0))
			w.requests("")
			second := c.build(1)
			dry, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: second, DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			w.drain()
			r := w.publishAgain(second)
			got := w.drain()
			if r.Kind != release.KindNodes || !reflect.DeepEqual(r, dry) || r.Requests > 14 {
				t.Errorf("published %+v, the dry run said %+v", r, dry)
			}
			for i, request := range got {
				request = strings.NewReplacer(first.Build, "OLD", r.Build, "NEW").Replace(strings.TrimSpace(request))
				for _, dir := range sharedDirs {
					if at := strings.Index(request, " "+dir+"/"); at >= 0 {
						request = request[:at+len(dir)+2]
					}
				}
				got[i] = request
			}
			slices.Sort(got[4 : len(got)-2]) // sent at once, then the pointer and its copy
			if !slices.Equal(got, c.want) {
				t.Errorf("requests %q, want %q", got, c.want)
			}
			w.checkNodes()
			if r := w.publishAgain(second); r.Changed || r.Sent > 0 || r.Requests > 8 {
				t.Errorf("again: %+v", r)
			}
		})
	}
}

// drain returns all requests since the last call, without those of locks.
func (w *world) drain() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := w.sent
	w.sent = nil
	return sent
}

// A store changes its kind only where nobody loses files, or where that is permitted.
func TestKinds(t *testing.T) {
	w := newWorld(t)
	zero, one, two := w.publish(build(t, 0)), build(t, 1), build(t, 2)
	_, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: one, Kind: release.KindNodes})
	if !errors.Is(err, ErrLoses) || !strings.Contains(err.Error(), "--allow-removal") {
		t.Fatalf("a store that lacks files then: %v", err)
	}
	moved := w.publishNodes(one)
	if p, _, err := currentPointer(t.Context(), w.s); err != nil || p.Format != release.KindPointerFormat || p.Previous != zero.Build || moved.Sequence != 2 {
		t.Errorf("moved over: %+v, %+v, %v", moved, p, err)
	}
	w.checkNodes()
	third := w.publishAgain(two)
	if third.Kind != release.KindNodes || third.Sent > 4 {
		t.Errorf("the next one: %+v", third)
	}
	if m, err := Promote(t.Context(), PublishConfig{Store: w.s}, moved.Build); err != nil || m.Kind != release.KindNodes {
		t.Errorf("promoted %+v, %v", m, err)
	}
	w.checkNodes()
	if m, err := Rollback(t.Context(), PublishConfig{Store: w.s}); err != nil || m.Kind != release.KindNodes || m.Build != third.Build {
		t.Errorf("rolled back %+v, %v", m, err)
	}
	if m, err := Renew(t.Context(), PublishConfig{Store: w.s}, 0); err != nil || m.Kind != release.KindNodes {
		t.Errorf("renewed %+v, %v", m, err)
	}
	if m, err := Promote(t.Context(), PublishConfig{Store: w.s}, zero.Build); err != nil || m.Kind != release.KindComplete {
		t.Errorf("promoted a complete release: %+v, %v", m, err)
	}
	if _, err := Promote(t.Context(), PublishConfig{Store: w.s}, third.Build); !errors.Is(err, ErrLoses) {
		t.Errorf("promoted one that lacks files: %v", err)
	}
	if m, err := Promote(t.Context(), PublishConfig{Store: w.s, Removal: removal.Limit{Allow: true}}, third.Build); err != nil || m.Kind != release.KindNodes {
		t.Errorf("promoted one that lacks files, as permitted: %+v, %v", m, err)
	}
	if r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: two, Complete: true}); err != nil || r.Kind != release.KindComplete || !r.Changed {
		t.Errorf("completed: %+v, %v", r, err)
	}
	w.equal(two)
}

// gc removes what no kept release names, and nothing else.
func TestSweep(t *testing.T) {
	w := newWorld(t)
	var builds []string
	for i := range 5 {
		builds = append(builds, w.publishNodes(build(t, i)).Build)
	}
	other := "snapshots/notes.txt"
	if _, err := w.s.Put(t.Context(), other, bytes.NewReader([]byte("x")), 1, store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	dry, err := GC(t.Context(), PublishConfig{Store: w.s, DryRun: true}, 1)
	if err != nil || dry.Objects == 0 {
		t.Fatalf("%+v, %v", dry, err)
	}
	c, err := GC(t.Context(), PublishConfig{Store: w.s}, 1)
	if err != nil || c.Objects != dry.Objects || !slices.Equal(c.Removed, dry.Removed) || len(c.Removed) != 3 {
		t.Errorf("%+v, %v, the dry run said %+v", c, err, dry)
	}
	w.checkNodes(builds[3:]...)
	if _, err := w.s.Stat(t.Context(), other); err != nil {
		t.Errorf("a file of others: %v", err)
	}
	if m, err := Rollback(t.Context(), PublishConfig{Store: w.s}); err != nil || m.Build != builds[3] {
		t.Errorf("%+v, %v", m, err)
	}
	w.checkNodes()
}

// Repair finds each object that is missing or wrong, and sends it again.
func TestRepairNodes(t *testing.T) {
	w := newWorld(t)
	public := build(t, 2)
	w.publishNodes(public)
	var keys []string
	for info, err := range w.s.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if isShared(info.Key) || strings.HasSuffix(info.Key, release.ManifestName) {
			keys = append(keys, info.Key)
		}
	}
	for i, key := range keys {
		var err error
		if i%2 == 0 {
			err = w.s.Delete(t.Context(), key)
		} else {
			_, err = w.s.Put(t.Context(), key, bytes.NewReader([]byte("wrong")), 5, store.PutOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Repair(t.Context(), PublishConfig{Store: w.s}); !errors.Is(err, ErrNotWhole) {
			t.Errorf("%s: %v", key, err)
		}
		if r, err := Repair(t.Context(), PublishConfig{Store: w.s, Public: public}); err != nil || r.Sent == 0 {
			t.Errorf("%s: %+v, %v", key, r, err)
		}
		w.checkNodes()
	}
}

// Changes between releases for nodes are those between their files, found by their snapshots.
func TestChangesForNodes(t *testing.T) {
	w := newWorld(t)
	from, to := build(t, 1), build(t, 3)
	for i, kinds := range [][2]release.StoreKind{{release.KindNodes, release.KindNodes}, {release.KindComplete, release.KindNodes}} {
		c := w.nodesConfig(from)
		c.Kind, c.Complete = kinds[0], kinds[0] == release.KindComplete
		first, err := Publish(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		c = w.nodesConfig(to)
		c.ChangesFrom = 1
		second, err := Publish(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := get(t.Context(), w.s, changesKey(first.Build, second.Build), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		a, err := checksums.Open(from)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		b, err := checksums.Open(to)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		want, err := diff.FindChanges(t.Context(), a, b)
		if err != nil || string(got) != string(want.Encode()) || len(want.Environments) != 1 || len(want.Environments[0].Updated) != 3 {
			t.Errorf("%d: %s, want %s, %v", i, got, want.Encode(), err)
		}
		if err := w.s.Delete(t.Context(), changesKey(first.Build, second.Build)); err != nil {
			t.Fatal(err)
		}
	}
}
