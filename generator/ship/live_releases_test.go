package ship

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/removal"
)

// TestLiveRepair restores a release in place that others damaged, that lost files, or of which a killed publication of
// another release wrote a part.
func TestLiveRepair(t *testing.T) {
	w := newWorld(t)
	public := build(t, 0)
	w.publishLive(public)
	item := release.LiveKey("cda/rest/v1/site/contents/Content_0001.json")
	c := PublishConfig{Store: w.s, Removal: removal.Limit{Allow: true}}
	if r, err := Repair(t.Context(), c); err != nil || r.Sent != 0 {
		t.Fatalf("nothing to repair: %+v, %v", r, err)
	}
	damage := func() {
		t.Helper()
		_, err := putBytes(t.Context(), w.s, item, []byte("mine"), store.PutOptions{})
		err = errors.Join(err, w.s.Delete(t.Context(), release.LiveKey(release.ManifestName)), w.s.Delete(t.Context(), release.ReleaseKey(mustRead(w).Build, release.ManifestName)))
		_, e := putBytes(t.Context(), w.s, release.LiveKey("cda/rest/v1/site/contents/other.json"), []byte("mine"), store.PutOptions{})
		_, e2 := putBytes(t.Context(), w.s, release.LiveKey("robots.txt"), []byte("mine"), store.PutOptions{})
		if err = errors.Join(err, e, e2); err != nil {
			t.Fatal(err)
		}
	}
	damage()
	if _, err := Repair(t.Context(), c); !errors.Is(err, ErrNotWhole) {
		t.Fatalf("without the public directory: %v", err)
	}
	c.Public = build(t, 3)
	if _, err := Repair(t.Context(), c); err == nil || !strings.Contains(err.Error(), "is current") {
		t.Fatalf("from another release: %v", err)
	}
	c.Public, c.DryRun = public, true
	var warned string
	c.Warn = func(message string) { warned = message }
	w.requests("")
	if r, err := Repair(t.Context(), c); err != nil || r.Sent != 3 || len(w.requests("PUT")) > 0 || !strings.Contains(warned, "robots.txt") {
		t.Fatalf("dry: %+v, %v, warned %q", r, err, warned)
	}
	c.DryRun = false
	if r, err := Repair(t.Context(), c); err != nil || r.Sent != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := w.s.Delete(t.Context(), release.LiveKey("robots.txt")); err != nil {
		t.Fatal(err)
	}
	w.equalLive(public)

	ctx, kill := context.WithCancel(t.Context())
	w.cut(40, kill)
	_, err := Publish(ctx, w.inPlace(build(t, 4)))
	kill()
	w.faults(nil)
	if err == nil {
		t.Fatal("the publication was not killed")
	}
	w.leaseOver()
	if _, err := Repair(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w.equalLive(public)
}

// TestLiveForeignIsRepaired: repair ends the refusal that a foreign change found in the middle leaves.
func TestLiveForeignIsRepaired(t *testing.T) {
	w := newWorld(t)
	first, next := build(t, 0), build(t, 3)
	w.publishLive(first)
	item := release.LiveKey("cda/rest/v1/site/contents/Content_0001.json")
	w.at(func(r *http.Request) bool {
		return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/live/live/")
	}, func() {
		if _, err := putBytes(context.Background(), w.s, item, []byte("mine"), store.PutOptions{}); err != nil {
			t.Error(err)
		}
	})
	if _, err := Publish(t.Context(), w.inPlace(next)); !errors.Is(err, ErrForeign) {
		t.Fatalf("got %v", err)
	}
	if _, err := Repair(t.Context(), PublishConfig{Store: w.s, Public: first}); err != nil {
		t.Fatal(err)
	}
	w.equalLive(first)
	w.publishLive(next)
}

// TestLiveForeignOfTheFirst: a foreign change beside the first publication in place, in an empty store and in one of
// another kind, is said once. There is no release in place that repair could restore, so the next attempt goes through.
func TestLiveForeignOfTheFirst(t *testing.T) {
	for name, complete := range map[string]bool{"an empty store": false, "a complete store": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if complete {
				w.publish(build(t, 0))
			}
			w.at(func(r *http.Request) bool {
				return r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/live/live/")
			}, func() {
				if _, err := putBytes(context.Background(), w.s, release.LiveKey(release.ChecksumsName), []byte("mine"), store.PutOptions{}); err != nil {
					t.Error(err)
				}
			})
			next := build(t, 3)
			if _, err := Publish(t.Context(), w.inPlace(next)); !errors.Is(err, ErrForeign) || !strings.HasSuffix(err.Error(), "then publish again") {
				t.Fatalf("got %v", err)
			}
			w.publishLive(next)
		})
	}
}

// TestLiveHasNoOtherRelease: neither promotion nor rollback, nor a publication of another kind, leaves readers without
// files; what says so names the command that helps.
func TestLiveHasNoOtherRelease(t *testing.T) {
	w := newWorld(t)
	first, next := build(t, 0), build(t, 3)
	old := w.publishLive(first).Build
	w.publishLive(next)
	c := PublishConfig{Store: w.s}
	want := "generator publish " + w.s.String() + " --public DIR, with the public directory of release " + old
	if _, err := Promote(t.Context(), c, old); !errors.Is(err, ErrInPlace) || !strings.Contains(err.Error(), want) {
		t.Errorf("promote: %v", err)
	}
	if _, err := Rollback(t.Context(), c); !errors.Is(err, ErrInPlace) || !strings.Contains(err.Error(), want) {
		t.Errorf("rollback: %v", err)
	}
	if m, err := Promote(t.Context(), c, mustRead(w).Build); err != nil || m.Changed {
		t.Errorf("promote the current one: %+v, %v", m, err)
	}
	if _, err := Renew(t.Context(), c, 0); err != nil || mustRead(w).Kind != release.KindInPlace {
		t.Errorf("renew: %v", err)
	}
	for _, complete := range []bool{true, false} {
		other := PublishConfig{Store: w.s, Public: first, Complete: complete}
		if !complete {
			other.Kind = release.KindNodes
		}
		if _, err := Publish(t.Context(), other); !errors.Is(err, ErrLoses) {
			t.Errorf("another kind: %v", err)
		}
	}
	c.Sign.Propose, c.Public = true, first
	if _, err := Publish(t.Context(), c); err == nil {
		t.Error("a proposal")
	}
	w.equalLive(next)
}

// TestLiveFromComplete makes a store of complete releases one in place, and back.
func TestLiveFromComplete(t *testing.T) {
	w := newWorld(t)
	first, next := build(t, 0), build(t, 3)
	w.publish(first)
	c := w.inPlace(first)
	c.Removal = removal.Limit{}
	if _, err := Publish(t.Context(), c); !errors.Is(err, ErrLoses) {
		t.Fatalf("got %v", err)
	}
	if r := w.publishLive(first); !r.Changed || r.Sent != r.Files {
		t.Errorf("the same release: %+v", r)
	}
	w.publishLive(next)
	if _, err := GC(t.Context(), PublishConfig{Store: w.s}, 0); err != nil {
		t.Fatal(err)
	}
	w.equalLive(next)
	w.nodesFind(t)
	if r, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: first, Complete: true, Removal: removal.Limit{Allow: true}}); err != nil || r.Kind != release.KindComplete {
		t.Fatalf("%+v, %v", r, err)
	}
	w.equal(first)
	w.publishLive(next)
}

// TestLiveChanges: the changes from the current release are written, and diff reads a store in place.
func TestLiveChanges(t *testing.T) {
	w := newWorld(t)
	first, next := build(t, 0), build(t, 3)
	from := w.publishLive(first).Build
	stored, err := Current(t.Context(), w.s, nil)
	if err != nil || stored.Manifest.Build != from {
		t.Fatalf("%v", err)
	}
	if b, err := stored.Read(t.Context(), "cda/rest/v1/site/contents/Content_0001.json", 1<<20); err != nil || len(b) == 0 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	c := w.inPlace(next)
	c.ChangesFrom, c.Warn = 3, func(message string) { t.Error(message) }
	r, err := Publish(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := get(t.Context(), w.s, changesKey(from, r.Build), 1<<20)
	if err != nil || !strings.Contains(string(b), "Content_0001") {
		t.Errorf("%s, %v", b, err)
	}
}

// TestLiveFromNodes makes a store for nodes one in place. gc then removes what the releases for nodes shared.
func TestLiveFromNodes(t *testing.T) {
	w := newWorld(t)
	first, next := build(t, 0), build(t, 3)
	for _, public := range []string{first, next} {
		if _, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: public, Kind: release.KindNodes}); err != nil {
			t.Fatal(err)
		}
	}
	c := w.inPlace(next)
	c.Removal = removal.Limit{}
	if _, err := Publish(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	w.equalLive(next)
	w.publishLive(build(t, 4))
	r, err := GC(t.Context(), PublishConfig{Store: w.s}, 0)
	if err != nil || r.Objects == 0 || len(r.Removed) == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	w.nodesFind(t)
	w.equalLive(build(t, 4))
}
