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
	slots    chan struct{}
	patience time.Duration
	waiting  atomic.Int64
	worked   atomic.Int64 // nanoseconds, while some wait, since one of them gave way
}

// quantum is how long a search works before it gives way, which takes some microseconds.
const quantum = 500 * time.Microsecond

func newGate(slots int, patience time.Duration) *gate {
	return &gate{slots: make(chan struct{}, slots), patience: patience}
}

// turn is a search that is through the gate; it must end. The nil turn is none, and never
// pauses.
type turn struct {
	gate  *gate
	until time.Time // then its time is over
	since time.Time // when its quantum began
}

// enter waits for a slot; nil means that none came free in time. The turn has so much time,
// waiting included.
func (g *gate) enter(timeout time.Duration) *turn {
	now := time.Now()
	t := &turn{gate: g, until: now.Add(timeout), since: now}
	select {
	case g.slots <- struct{}{}:
		return t
	default:
	}
	g.waiting.Add(1)
	defer g.waiting.Add(-1)
	enough := time.NewTimer(g.patience)
	defer enough.Stop()
	select {
	case g.slots <- struct{}{}:
	case <-enough.C:
		return nil
	}
	if g.worked.Load() >= int64(quantum) {
		g.worked.Store(0)
		giveWay()
	}
	t.since = time.Now()
	return t
}

// end lets the next one in.
func (t *turn) end() {
	if t.gate.waiting.Load() > 0 {
		t.gate.worked.Add(int64(time.Since(t.since)))
	}
	<-t.gate.slots
}

// Err is not nil once the time is over. It pauses before.
func (t *turn) Err() error {
	t.pause()
	if time.Now().After(t.until) {
		return context.DeadlineExceeded
	}
	return nil
}

// pause gives way if it is time to. It is to be called after every 200 us of work or so.
func (t *turn) pause() {
	if t == nil || time.Since(t.since) < quantum {
		return
	}
	giveWay()
	t.since = time.Now()
}
