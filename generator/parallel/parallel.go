// Package parallel runs numbered tasks in several goroutines.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/crash"
)

// Each calls do for 0 to n-1 until a call fails or ctx ends, and gives the first error or ctx's
// cause. Calls of one worker, numbered from 0, never overlap.
func Each(ctx context.Context, workers, n int, do func(worker, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for worker := range min(workers, n) {
		wg.Go(func() {
			defer crash.Exit()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(worker, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
