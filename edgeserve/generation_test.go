package edgeserve

import (
	"sync"
	"sync/atomic"
	"testing"

	"contentedge/edgeserve/release"
)

func TestGenerationNeverReopens(t *testing.T) {
	closed := 0
	g := &Generation{manifest: new(release.Manifest), onClose: func() { closed++ }}
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

// Readers hold generations while others replace them: each generation is closed once,
// and never under a reader.
func TestSwapUnderReaders(t *testing.T) {
	const swaps, readers, reads = 2000, 4, 20000
	s := &Server{headers: newHeaders(release.Standard(), nil)}
	var closed [swaps]atomic.Int32
	generation := func(i int) *Generation {
		g := &Generation{manifest: new(release.Manifest), onClose: func() { closed[i].Add(1) }}
		g.refs.Store(1)
		return g
	}
	var number sync.Map // *Generation to its index
	publish := func(i int) {
		g := generation(i)
		number.Store(g, i)
		s.Swap(g)
	}
	publish(0)
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for range reads {
				g := s.acquire()
				i, _ := number.Load(g)
				if closed[i.(int)].Load() != 0 {
					t.Error("a generation was closed under a reader")
					return
				}
				g.Release()
			}
		})
	}
	for i := 1; i < swaps; i++ {
		publish(i)
	}
	wg.Wait()
	s.Swap(nil)
	for i := range closed {
		if n := closed[i].Load(); n != 1 {
			t.Fatalf("generation %d was closed %d times", i, n)
		}
	}
}
