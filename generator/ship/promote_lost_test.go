package ship

import (
	"context"
	"errors"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestPromotedIsGone removes the files of a release while it becomes current, as a gc does that ran meanwhile: the release
// before it is current again. Without a gc nobody else removes files, so nobody looks.
func TestPromotedIsGone(t *testing.T) {
	for _, gc := range []bool{true, false} {
		w := newWorld(t)
		old := w.publishNodes(build(t, 0)).Build
		now := w.publishNodes(build(t, 1)).Build
		w.at(movesPointer, func() {
			for info, err := range w.s.List(context.Background(), release.SnapshotDir+"/") {
				if err == nil {
					err = w.s.Delete(context.Background(), info.Key)
				}
				if err != nil {
					t.Error(err)
				}
			}
			if !gc {
				return
			}
			if _, err := gcLease(w.s).swap(context.Background(), leaseRecord{Holder: "another"}, ""); err != nil {
				t.Error(err)
			}
		})
		_, err := Promote(t.Context(), PublishConfig{Store: w.s}, old)
		p, _, readErr := currentPointer(t.Context(), w.s)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if gc && (!errors.Is(err, ErrNoRelease) || p.Build != now) || !gc && (err != nil || p.Build != old) {
			t.Errorf("gc %v: %v; %s is current, it was %s, and %s was promoted", gc, err, p.Build, now, old)
		}
	}
}
