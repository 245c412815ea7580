// Package parallel runs tasks in several goroutines until one fails or a context ends.
package parallel

import (
	"context"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/crash"
)

// Group is a set of goroutines that end together.
type Group struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	wg     sync.WaitGroup
}

// NewGroup returns an empty group. Its context ends at the first error, and after Wait.
func NewGroup(ctx context.Context) (*Group, context.Context) {
	g := &Group{}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	return g, g.ctx
}

// Start calls a function in a goroutine of its own. An error ends the group's context.
func (g *Group) Start(do func() error) {
	g.wg.Go(func() {
		defer crash.Exit()
		if err := do(); err != nil {
			g.cancel(err)
		}
	})
}

// Wait waits for all goroutines and returns the first error or the cause of the context's end.
func (g *Group) Wait() error {
	g.wg.Wait()
	defer g.cancel(nil)
	return context.Cause(g.ctx)
}

// Each calls do for 0 to n-1 until a call fails or ctx ends, and returns the first error or ctx's
// cause. Calls of one worker, numbered from 0, never overlap.
func Each(ctx context.Context, workers, n int, do func(worker, i int) error) error {
	group, ctx := NewGroup(ctx)
	var next atomic.Int64
	for worker := range min(workers, n) {
		group.Start(func() error {
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := do(worker, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
