// This file fits the configuration to the memory limit.

package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"contentedge/edgeserve"
	"contentedge/edgeserve/memlimit"
)

// size is a flag in bytes: 262144, 64KiB, 256MiB, 1GiB.
type size int64

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

func (s *size) Set(text string) error {
	number, shift := text, 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if n, ok := strings.CutSuffix(text, unit); ok {
			number, shift = n, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > memlimit.None>>shift {
		return fmt.Errorf("%q is not a size; write 268435456 or 256MiB", text)
	}
	*s = size(n << shift)
	return nil
}

// fitMemory derives the budgets that no flag sets from the lowest of the memory limits. It
// returns the limit of the process, which GOMEMLIMIT is not.
func fitMemory(c *edgeserve.Config, asked size, fs *flag.FlagSet) (int64, error) {
	limit := int64(memlimit.None)
	if asked > 0 {
		limit = int64(asked)
	}
	limit = min(limit, memlimit.Find(os.DirFS("/")))
	least := min(limit, debug.SetMemoryLimit(-1)) // GOMEMLIMIT limits the heap by itself
	if least < edgeserve.MinMemory {
		return 0, fmt.Errorf("the memory limit is %d MiB; a node needs at least %d", least>>20, edgeserve.MinMemory>>20)
	}
	fitted, named := c.Budgets(least), *c
	*c = fitted
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "cache-bytes":
			c.CacheBytes = named.CacheBytes
		case "response-memory":
			c.ResponseBytes = named.ResponseBytes
		case "request-memory":
			c.RequestBytes = named.RequestBytes
		case "max-conns":
			c.MaxConns = named.MaxConns
		case "max-searches":
			c.MaxSearches = named.MaxSearches
		}
	})
	return limit, nil
}

// limitHeap sets a soft heap limit below the process's limit, so that the garbage
// collector runs more often near it. A lower GOMEMLIMIT stays.
func limitHeap(limit int64) {
	if limit < memlimit.None {
		debug.SetMemoryLimit(min(edgeserve.HeapLimit(limit), debug.SetMemoryLimit(-1)))
	}
}
