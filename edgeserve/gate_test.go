package edgeserve

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 1)
		limit, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if !g.enter(limit) {
			t.Fatal("the first caller is turned away")
		}
		second := make(chan bool, 1)
		go func() { second <- g.enter(limit) }()
		synctest.Wait()
		if g.enter(limit) {
			t.Fatal("the third caller neither runs nor finds the queue full")
		}
		g.leave()
		if !<-second {
			t.Fatal("the caller that waited is turned away although a slot came free")
		}
		start := time.Now()
		if g.enter(limit) || time.Since(start) != time.Second {
			t.Fatalf("a caller without a slot waited %s", time.Since(start))
		}
		if n := g.waiting.Load(); n != 0 {
			t.Errorf("%d are said to wait", n)
		}
	})
}
