package edgeserve

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, time.Second)
		if !g.enter() {
			t.Fatal("the first caller is turned away")
		}
		const crowd = 1000
		passed := make(chan bool, crowd)
		for range crowd {
			go func() {
				ok := g.enter()
				if ok {
					g.leave()
				}
				passed <- ok
			}()
		}
		synctest.Wait()
		if n := g.waiting.Load(); n != crowd || len(passed) > 0 {
			t.Fatalf("%d wait and %d do not, although the slot is taken", n, len(passed))
		}
		g.leave()
		for range crowd {
			if !<-passed {
				t.Fatal("one of the crowd is turned away although the slot came free")
			}
		}
		if !g.enter() {
			t.Fatal("the slot is not given back")
		}
		start := time.Now()
		if g.enter() || time.Since(start) != time.Second {
			t.Fatalf("a caller without a slot waited %s", time.Since(start))
		}
		if n := g.waiting.Load(); n != 0 {
			t.Errorf("%d are said to wait", n)
		}
	})
}
