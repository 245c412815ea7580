// This test follows a change through a glance and the scan after it.

package watch

import "testing"

// TestGlance: a change in a known directory is reported before the tree is scanned, and the
// scan reports it no second time.
func TestGlance(t *testing.T) {
	d := newDisk(t)
	d.seed()
	d.age()
	calls := 0
	w := &watcher{dir: d.dir, pace: brisk, skip: noDots, changed: func() { calls++ }, done: make(chan struct{})}
	defer func() { w.close(w.notify) }()
	w.look()
	<-w.done
	w.busy = false
	d.write("site/a.json", "changed")
	d.age()
	for w.first.IsZero() {
		w.step(t.Context(), nil)
	}
	if !w.glance() {
		t.Fatal("the change was not seen")
	}
	<-w.done
	w.busy = false
	if w.first.IsZero() {
		t.Error("no scan follows")
	}
	w.look()
	if w.busy || calls != 2 {
		t.Errorf("%d calls, one runs: %v; want two calls", calls, w.busy)
	}
	if w.touched = nil; w.glance() {
		t.Error("a change was seen where none is")
	}
	d.write("site/new/b.json", "in a new directory")
	d.age()
	w.look()
	<-w.done
	if calls != 3 {
		t.Errorf("%d calls, want the scan to find a change without events", calls)
	}
}
