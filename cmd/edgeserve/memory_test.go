package main

import (
	"runtime"
	"testing"

	"contentedge/edgeserve/memlimit"
)

// TestSpareHeap lets garbage gather up to a part of the memory limit, at most 16 MiB, before it is collected.
func TestSpareHeap(t *testing.T) {
	defer func() { spare = nil }()
	collected := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.NextGC
	}
	before := collected()
	for limit, want := range map[int64]int{64 << 20: 4 << 20, 256 << 20: 16 << 20, memlimit.None: 16 << 20} {
		if spareHeap(limit); len(spare) != want {
			t.Errorf("%d bytes at a limit of %d, want %d", len(spare), limit, want)
		}
	}
	spareHeap(memlimit.None)
	if after := collected(); after < before+maxSpare {
		t.Errorf("the heap may grow to %d bytes instead of %d", after, before)
	}
}
