// This file bounds how many searches run at once, so that many expensive ones cannot
// take the processor away from answers that cost nothing.

package edgeserve

import (
	"context"
	"sync/atomic"
)

// gate lets a number of callers through and a number of further ones wait.
type gate struct {
	slots   chan struct{}
	waiting atomic.Int64
	queue   int64
}

func newGate(slots, queue int) gate {
	return gate{slots: make(chan struct{}, slots), queue: int64(queue)}
}

// enter waits for a slot until ctx ends; false means that there was none, or that too
// many wait already. leave gives it back.
func (g *gate) enter(ctx context.Context) bool {
	select {
	case g.slots <- struct{}{}:
		return true
	default:
	}
	defer g.waiting.Add(-1)
	if g.waiting.Add(1) > g.queue {
		return false
	}
	select {
	case g.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (g *gate) leave() { <-g.slots }
