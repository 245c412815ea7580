package ship

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/store/storetest"
)

// setLease sets how long leases hold, for one test.
func setLease(t *testing.T, hold time.Duration) {
	was := leaseTime
	leaseTime = hold
	t.Cleanup(func() { leaseTime = was })
}

// four publishes four releases and gives the public directory and build of the first.
func (w *world) four() (public, old string) {
	public = build(w.t, 0)
	old = w.publish(public).Build
	for i := range 3 {
		w.publish(build(w.t, i+1))
	}
	return public, old
}

// at calls do once, before the first request that is chosen is passed on. Requests that
// arrived beside that one wait until do has returned.
func (w *world) at(choose func(r *http.Request) bool, do func()) {
	done := false
	w.faults(func(_ int, r *http.Request) storetest.Fault {
		if !done && choose(r) {
			done = true
			w.faults(nil)
			do()
		}
		return storetest.Fault{}
	})
}

func isLease(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, leaseName)
}

// deletes tells of a request whether it deletes an item of a release.
func deletes(old string) func(r *http.Request) bool {
	return func(r *http.Request) bool {
		return r.Method == http.MethodDelete && strings.Contains(r.URL.Path, root(old)+"cda/")
	}
}

// TestGCKeepsWhatBecomesCurrent promotes a release when gc has decided to remove it.
func TestGCKeepsWhatBecomesCurrent(t *testing.T) {
	w := newWorld(t)
	public, old := w.four()
	w.at(isLease, func() {
		if _, err := Promote(context.Background(), PublishConfig{Store: w.s}, old); err != nil {
			t.Error(err)
		}
	})
	c, err := GC(t.Context(), PublishConfig{Store: w.s, Jobs: 2}, 1)
	if err != nil || !slices.Contains(c.Kept, old) {
		t.Fatalf("%+v, %v", c, err)
	}
	w.equal(public)
}

// TestGCKeepsWhatIsAnnounced removes while a publication that found all of its files
// in the store is about to move the pointer.
func TestGCKeepsWhatIsAnnounced(t *testing.T) {
	w := newWorld(t)
	public, old := w.four()
	w.at(movesPointer, func() {
		if c, err := GC(context.Background(), PublishConfig{Store: w.s, Jobs: 2}, 1); err != nil || !slices.Contains(c.Kept, old) {
			t.Errorf("%+v, %v", c, err)
		}
	})
	if r := w.publish(public); r.Resent != 0 || r.Sent != 0 {
		t.Errorf("%+v", r)
	}
	if left := w.announced(); left != 0 {
		t.Errorf("%d announcements are left", left)
	}
}

// announced counts the announcements in the store.
func (w *world) announced() (n int) {
	for _, err := range w.s.List(w.t.Context(), announceDir) {
		if err != nil {
			w.t.Fatal(err)
		}
		n++
	}
	return n
}

// TestPublicationOutlivesGC publishes what a gc removes: one that ends, and one that was
// killed and left its lease.
func TestPublicationOutlivesGC(t *testing.T) {
	for name, killed := range map[string]bool{"ends": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			setLease(t, map[bool]time.Duration{true: 3 * time.Second, false: 10 * time.Second}[killed])
			w := newWorld(t)
			public, old := w.four()
			ctx, kill := context.WithCancel(t.Context())
			defer kill()
			begun := make(chan struct{})
			done := make(chan error, 1)
			w.faults(func(_ int, r *http.Request) storetest.Fault {
				if ctx.Err() != nil {
					return storetest.Fault{Status: http.StatusForbidden}
				}
				if deletes(old)(r) {
					select {
					case <-begun:
					default:
						close(begun)
					}
					if killed {
						kill()
					}
				}
				return storetest.Fault{}
			})
			go func() {
				_, err := GC(ctx, PublishConfig{Store: w.s, Jobs: 2}, 1)
				done <- err
			}()
			select {
			case <-begun:
			case err := <-done:
				t.Fatalf("gc ended early: %v", err)
			}
			if killed {
				if err := <-done; err == nil {
					t.Error("a killed gc ends well")
				}
				w.faults(nil)
			}
			warned := 0
			if _, err := Publish(t.Context(), PublishConfig{Store: w.s, Public: public, Warn: func(string) { warned++ }}); err != nil {
				t.Fatal(err)
			}
			w.equal(public)
			if !killed {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
			if c, err := GC(t.Context(), PublishConfig{Store: w.s, Jobs: 2}, 1); err != nil || slices.Contains(c.Removed, old) {
				t.Errorf("the next gc: %+v, %v", c, err)
			}
			w.equal(public)
		})
	}
}

// TestLateDelete has a gc delete after somebody counted its lease as lost and published
// what it removes: gc says that the current release is not whole, and what its error
// advises mends it.
func TestLateDelete(t *testing.T) {
	w := newWorld(t)
	public, old := w.four()
	w.at(deletes(old), func() {
		_, etag, err := gcLease(w.s).read(context.Background())
		if err == nil {
			_, err = gcLease(w.s).swap(context.Background(), leaseRecord{Holder: "another"}, etag)
		}
		if err != nil {
			t.Error(err)
		}
		if _, err := Publish(context.Background(), PublishConfig{Store: w.s, Public: public}); err != nil {
			t.Error(err)
		}
	})
	_, err := GC(t.Context(), PublishConfig{Store: w.s, Jobs: 1}, 1)
	if !errors.Is(err, ErrNotWhole) || !strings.Contains(err.Error(), "generator releases repair "+w.s.String()+" --public DIR") {
		t.Fatalf("got %v", err)
	}
	if _, err := Repair(t.Context(), PublishConfig{Store: w.s}); !errors.Is(err, ErrNotWhole) {
		t.Errorf("without the list: %v", err)
	}
	if r, err := Repair(t.Context(), PublishConfig{Store: w.s, Public: public}); err != nil || r.Sent < 2 {
		t.Errorf("%+v, %v", r, err)
	}
	w.equal(public)
}

// TestRepair takes objects of the current release away, or changes them.
func TestRepair(t *testing.T) {
	w := newWorld(t)
	same, other := build(t, 0), build(t, 1)
	w.publish(same)
	now := w.publish(other).Build
	item, changed := "cda/rest/v1/site/contents/Content_0039.json", "cda/rest/v1/site/contents/Content_0000.json"
	spoil := func(name, text string) {
		t.Helper()
		if err := w.s.Delete(t.Context(), root(now)+name); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			return
		}
		if _, err := w.s.Put(t.Context(), root(now)+name, strings.NewReader(text), int64(len(text)), store.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	spoil(item, "")
	spoil("cda/rest/v1/site/contents/Content_0038.json", "damaged")
	if r, err := Repair(t.Context(), PublishConfig{Store: w.s}); err != nil || r.Sent != 2 {
		t.Fatalf("from the other release: %+v, %v", r, err)
	}
	w.equal(other)
	spoil(changed, "")
	if r, err := Repair(t.Context(), PublishConfig{Store: w.s}); !errors.Is(err, ErrNotWhole) || !strings.Contains(err.Error(), changed) {
		t.Errorf("what no other release has: %+v, %v", r, err)
	}
	if r, err := Repair(t.Context(), PublishConfig{Store: w.s, Public: same}); err == nil || !strings.Contains(err.Error(), "name the public directory of that one") {
		t.Errorf("another release: %+v, %v", r, err)
	}
	info, err := os.Stat(filepath.Join(other, "current", item))
	if err != nil {
		t.Fatal(err)
	}
	spoil(item, strings.Repeat("x", int(info.Size())))
	spoil(release.ManifestName, "")
	if r, err := Repair(t.Context(), PublishConfig{Store: w.s, Public: other}); err != nil || r.Sent != 3 {
		t.Errorf("%+v, %v", r, err)
	}
	w.equal(other)
}

// TestRollbackToWhatLacksPages goes through, for nodes need no pages, and says so.
func TestRollbackToWhatLacksPages(t *testing.T) {
	w := newWorld(t)
	old := w.publish(build(t, 0)).Build
	w.publish(build(t, 1))
	if err := w.s.Delete(t.Context(), root(old)+"cda/rest/v1/site/contents/Content_0039.json"); err != nil {
		t.Fatal(err)
	}
	if _, err := Promote(t.Context(), PublishConfig{Store: w.s}, old); err == nil || !strings.Contains(err.Error(), "publish it again") {
		t.Errorf("promote: %v", err)
	}
	if _, err := Rollback(t.Context(), PublishConfig{Store: w.s}); !errors.Is(err, ErrNotWhole) {
		t.Errorf("rollback: %v", err)
	}
	if p, _, err := currentPointer(t.Context(), w.s); err != nil || p.Build != old {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestOneGC lets two remove at once: the second waits, and both end well.
func TestOneGC(t *testing.T) {
	setLease(t, 10*time.Second)
	w := newWorld(t)
	_, old := w.four()
	second := make(chan error, 1)
	w.at(deletes(old), func() {
		go func() {
			_, err := GC(context.Background(), PublishConfig{Store: w.s, Jobs: 2}, 1)
			second <- err
		}()
	})
	if _, err := GC(t.Context(), PublishConfig{Store: w.s, Jobs: 2}, 1); err != nil {
		t.Error(err)
	}
	select {
	case err := <-second:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("nothing was removed, or the second gc does not end")
	}
}
