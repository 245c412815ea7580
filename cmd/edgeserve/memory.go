// This file fits the configuration to the memory limit.

package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"

	"contentedge/cmd/cli"
	"contentedge/edgeserve"
	"contentedge/edgeserve/memlimit"
)

// fitMemory derives the budgets that no setting sets from the lowest of the memory limits. It
// returns the limit of the process, which GOMEMLIMIT is not.
func fitMemory(c *edgeserve.ServerConfig, asked int64, settings *cli.Command) (int64, error) {
	limit := min(cmp.Or(asked, memlimit.None), memlimit.Find(os.DirFS("/")))
	least := min(limit, debug.SetMemoryLimit(-1)) // GOMEMLIMIT limits the heap by itself
	if least < edgeserve.MinMemory {
		return 0, fmt.Errorf("the memory limit is %d MiB; a node needs at least %d", least>>20, edgeserve.MinMemory>>20)
	}
	set := *c
	*c = c.Budgets(least)
	restore(settings, "cache-bytes", &c.CacheBytes, set.CacheBytes)
	restore(settings, "response-memory", &c.ResponseBytes, set.ResponseBytes)
	restore(settings, "request-memory", &c.RequestBytes, set.RequestBytes)
	restore(settings, "max-conns", &c.MaxConns, set.MaxConns)
	restore(settings, "max-searches", &c.MaxSearches, set.MaxSearches)
	return limit, nil
}

// restore gives a budget the value that a setting sets.
func restore[T any](settings *cli.Command, name string, budget *T, value T) {
	if settings.IsSet(name) {
		*budget = value
	}
}

// limitHeap sets a soft heap limit below the process's limit, so that the garbage
// collector runs more often near it. A lower GOMEMLIMIT stays.
func limitHeap(limit int64) {
	if limit < memlimit.None {
		debug.SetMemoryLimit(min(edgeserve.HeapLimit(limit), debug.SetMemoryLimit(-1)))
	}
}

// maxSpare is the most memory that garbage may take in addition to the garbage that the runtime allows, in bytes. Some
// hundred searches of a cluster make as much.
const maxSpare = 16 << 20

// spare is a part of the heap that is never written to, so that it takes no memory of the machine.
var spare []byte

// spareHeap lets garbage gather longer in a server without snapshots. Its heap is so small that the runtime would
// collect after some dozen searches, which took a fifth of the server's time.
func spareHeap(limit int64) { spare = make([]byte, min(maxSpare, limit/16)) }
