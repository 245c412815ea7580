// This file bounds how many searches run at once and makes them give way, so that many
// expensive ones cannot take the processor away from answers that cost nothing.

package edgeserve

import (
	"context"
	"sync/atomic"
	"time"
)

// gate lets a number of searches through at a time. The others wait, for some time: how
// long a queue is says little, as a thousand short searches take less than one long one.
//
// A search that has worked for a quantum gives way to whatever has arrived on connections,
// and so does one that has waited at the gate while others worked. The runtime by itself
// looks there only when no goroutine is ready to run, or every 10 ms, and has each run for
// as long: a few long searches would keep files waiting for a tenth of a second.
type gate struct {
	slots   chan struct{}
	timeout time.Duration
	waiting atomic.Int64
	gaveWay atomic.Int64 // when one that had waited did, in nanoseconds since 1970
}

func newGate(slots int, timeout time.Duration) *gate {
	return &gate{slots: make(chan struct{}, slots), timeout: timeout}
}

// turn is a search that is through the gate; it must end. On a nil turn, which is work that
// had no gate to pass, pause does nothing.
type turn struct {
	gate  *gate
	until time.Time // then its time is over
	pace  pace
}

// enter waits for a slot; nil means that none came free in half the gate's timeout, which
// leaves the other half to whoever gets in last. The timeout counts from the call on.
func (g *gate) enter() *turn {
	t := g.newTurn(time.Now())
	select {
	case g.slots <- struct{}{}:
		return t
	default:
	}
	g.waiting.Add(1)
	defer g.waiting.Add(-1)
	enough := time.NewTimer(g.timeout / 2)
	defer enough.Stop()
	select {
	case g.slots <- struct{}{}:
	case <-enough.C:
		return nil
	}
	now := time.Now()
	if last := g.gaveWay.Load(); now.UnixNano()-last >= int64(quantum) && g.gaveWay.CompareAndSwap(last, now.UnixNano()) {
		giveWay()
	}
	t.pace.since = time.Now()
	return t
}

// tryEnter is enter for a search that has waited elsewhere since a time. Nil means that it
// was for too long, or, if it is not late, that there is no slot now.
func (g *gate) tryEnter(since time.Time) (t *turn, late bool) {
	t = g.newTurn(since)
	t.pace.since = time.Now()
	if t.pace.since.Sub(since) > g.timeout/2 {
		return nil, true
	}
	select {
	case g.slots <- struct{}{}:
		return t, false
	default:
		return nil, false
	}
}

// newTurn is a turn whose time began at since, without its slot.
func (g *gate) newTurn(since time.Time) *turn {
	return &turn{gate: g, until: since.Add(g.timeout), pace: pace{since: since}}
}

// end lets the next one in.
func (t *turn) end() { <-t.gate.slots }

// Err is not nil once the time is over. It pauses before.
func (t *turn) Err() error {
	if t.pace.pause().After(t.until) {
		return context.DeadlineExceeded
	}
	return nil
}

// pause gives way if it is time to.
func (t *turn) pause() {
	if t != nil {
		t.pace.pause()
	}
}
