// This file bounds how many searches run at once, so that many expensive ones cannot
// take the processor away from answers that cost nothing.

package edgeserve

import (
	"sync/atomic"
	"time"
)

// gate lets a number of callers through at a time. The others wait, for some time: how long
// a queue is says little, as a thousand short searches take less than one long one.
type gate struct {
	slots    chan struct{}
	patience time.Duration
	waiting  atomic.Int64
}

func newGate(slots int, patience time.Duration) gate {
	return gate{slots: make(chan struct{}, slots), patience: patience}
}

// enter waits for a slot; false means that none came free in time. leave gives it back.
func (g *gate) enter() bool {
	select {
	case g.slots <- struct{}{}:
		return true
	default:
	}
	g.waiting.Add(1)
	defer g.waiting.Add(-1)
	enough := time.NewTimer(g.patience)
	defer enough.Stop()
	select {
	case g.slots <- struct{}{}:
		return true
	case <-enough.C:
		return false
	}
}

func (g *gate) leave() { <-g.slots }
