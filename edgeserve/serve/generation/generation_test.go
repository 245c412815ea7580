package generation

import (
	"testing"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
)

// TestGeneration: a release is closed with its last reference, once, and cannot be acquired afterwards.
func TestGeneration(t *testing.T) {
	closed := 0
	g := &Generation{Dir: releasedir.Dir{Manifest: new(release.Manifest)}, OnClose: func() { closed++ }}
	g.refs.Store(1)
	if !g.Acquire() {
		t.Fatal("an open generation cannot be acquired")
	}
	g.Release()
	if closed != 0 {
		t.Fatal("closed while a reference is held")
	}
	g.Release()
	if closed != 1 || g.Acquire() {
		t.Fatalf("closed %d times; acquired after that: %v", closed, g.refs.Load() > 0)
	}
}
