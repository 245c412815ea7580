// This file fits the configuration to the memory limit.

package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"contentedge/edgeserve"
	"contentedge/edgeserve/memlimit"
)

// fitMemory derives the budgets that no flag sets from the lowest of the memory limits. It
// returns the limit of the process, which GOMEMLIMIT is not.
func fitMemory(c *edgeserve.ServerConfig, asked int64, fs *flag.FlagSet) (int64, error) {
	limit := min(cmp.Or(asked, memlimit.None), memlimit.Find(os.DirFS("/")))
	least := min(limit, debug.SetMemoryLimit(-1)) // GOMEMLIMIT limits the heap by itself
	if least < edgeserve.MinMemory {
		return 0, fmt.Errorf("the memory limit is %d MiB; a node needs at least %d", least>>20, edgeserve.MinMemory>>20)
	}
	named := map[string]string{}
	fs.Visit(func(f *flag.Flag) { named[f.Name] = f.Value.String() })
	*c = c.Budgets(least)
	for _, name := range []string{"cache-bytes", "response-memory", "request-memory", "max-conns", "max-searches"} {
		if value, ok := named[name]; ok {
			if err := fs.Set(name, value); err != nil {
				return 0, err
			}
		}
	}
	return limit, nil
}

// limitHeap sets a soft heap limit below the process's limit, so that the garbage
// collector runs more often near it. A lower GOMEMLIMIT stays.
func limitHeap(limit int64) {
	if limit < memlimit.None {
		debug.SetMemoryLimit(min(edgeserve.HeapLimit(limit), debug.SetMemoryLimit(-1)))
	}
}
