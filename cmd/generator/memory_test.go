package main

import (
	"testing"

	"contentedge/edgeserve/memlimit"
	"contentedge/generator"
)

// TestCollection: a process that the kernel limits collects as often as one with little memory to use.
func TestCollection(t *testing.T) {
	const gib, mib = 1 << 30, 1 << 20
	for _, c := range []struct {
		limit, process, soft int64
		percent              int
	}{
		{generator.DefaultMemory, memlimit.None, generator.DefaultMemory, 400},
		{8 * gib, memlimit.None, 8 * gib, 400},
		{8 * gib, 2 * gib, 1536 * mib, 400},
		{64 * mib, memlimit.None, 64 * mib, 0},
		{generator.DefaultMemory, 512 * mib, 384 * mib, 0},
		{64 * mib, 512 * mib, 64 * mib, 0},
	} {
		if soft, percent := collection(c.limit, c.process); soft != c.soft || percent != c.percent {
			t.Errorf("%d bytes to use of %d: %d, %d%%; want %d, %d%%", c.limit, c.process, soft, percent, c.soft, c.percent)
		}
	}
}
