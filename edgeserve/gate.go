// This file bounds how many searches run at once and makes them give way, so that many
// expensive ones cannot take the processor away from answers that cost nothing.

package edgeserve

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// shortWork is how long a search works before it needs a slot. Most have ended by then.
	shortWork = 1500 * time.Microsecond
	// shortPerSlot is how many searches a slot may be so short at a time. It is small, as
	// they share the processors with those that have slots.
	shortPerSlot = 4
	// placesPerSlot is how many may wait for each slot: what they have read takes memory.
	placesPerSlot = 32
	// ipv6Client is how many bits of an IPv6 address one client has.
	ipv6Client = 64
)

// errShed ends a search whose slot would not come in time.
var errShed = errors.New("no slot in time")

// gate admits searches. All begin in a lane for short ones; one that works for longer than
// shortWork goes on in a slot. Who has to wait does so in a line where addresses take turns.
// A search is refused at once if others would keep it waiting for more than half of the
// gate's timeout.
//
// A search that has worked for a quantum gives way to whatever has arrived on connections,
// and so does one that has waited at the gate while others worked. The runtime by itself
// looks there only when no goroutine is ready to run, or every 10 ms, and has each run for
// as long: a few long searches would keep files waiting for a tenth of a second.
type gate struct {
	timeout time.Duration
	waiting atomic.Int64
	gaveWay atomic.Int64 // when one that had waited did, in nanoseconds since 1970

	mu    sync.Mutex
	short line          // guarded by mu
	long  line          // guarded by mu
	mean  time.Duration // that a slot is held lately; guarded by mu
}

func newGate(slots int, timeout time.Duration) *gate {
	return &gate{timeout: timeout,
		short: line{size: slots * shortPerSlot, places: 1 << 30}, // connections bound them
		long:  line{size: slots, places: slots * placesPerSlot}}
}

// running is how many searches have been admitted and have not ended, nor wait.
func (g *gate) running() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.short.taken + g.long.taken
}

// turn is a search that is through the gate; it must end. On a nil turn, which is work that
// had no gate to pass, pause does nothing.
type turn struct {
	gate   *gate
	client netip.Addr
	in     *line // that it is out of the queue of; nil: none any more
	until  time.Time
	shed   bool // it was refused a slot
	pace   pace

	worked time.Duration // up to seen, without a slot
	seen   time.Time
	long   time.Time // when it got its slot
}

// clientOf is the client behind a connection's address. What is no IP address is one client.
func clientOf(from net.Addr) netip.Addr {
	tcp, ok := from.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	if addr.Is6() {
		p, _ := addr.Prefix(ipv6Client)
		return p.Addr()
	}
	return addr
}

// enter waits for a lane; nil means that none came free in half the gate's timeout, which
// leaves the other half to whoever gets in last. The timeout counts from the call on.
func (g *gate) enter(client netip.Addr) *turn {
	now := time.Now()
	t := g.newTurn(client, now)
	if g.wait(&g.short, client, now.Add(g.timeout/2)) != nil {
		return nil
	}
	t.begin(&g.short)
	return t
}

// tryEnter is enter for a search that has waited elsewhere since a time. Nil means that it
// was for too long, or, if it is not late, that there is no lane now.
func (g *gate) tryEnter(client netip.Addr, since time.Time) (t *turn, late bool) {
	t = g.newTurn(client, since)
	if time.Since(since) > g.timeout/2 {
		return nil, true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.short.take(client) {
		return nil, false
	}
	t.begin(&g.short)
	return t, false
}

// newTurn is a turn whose time began at since and that has not been admitted.
func (g *gate) newTurn(client netip.Addr, since time.Time) *turn {
	return &turn{gate: g, client: client, until: since.Add(g.timeout)}
}

// begin is called when the turn is out of the queue of a line.
func (t *turn) begin(in *line) {
	t.in = in
	t.seen = time.Now()
	t.pace.since = t.seen
}

// wait takes a place in a line's lanes, or waits for one until a time.
func (g *gate) wait(l *line, client netip.Addr, until time.Time) error {
	g.mu.Lock()
	if l.take(client) {
		g.mu.Unlock()
		return nil
	}
	var w *waiter
	if l == &g.short || g.delay(client) <= time.Until(until) {
		w = l.join(client)
	}
	g.mu.Unlock()
	if w == nil {
		return errShed
	}
	g.waiting.Add(1)
	defer g.waiting.Add(-1)
	enough := time.NewTimer(time.Until(until))
	defer enough.Stop()
	select {
	case <-w.called:
	case <-enough.C:
	}
	g.mu.Lock()
	l.quit(w)
	g.mu.Unlock()
	if !w.admitted {
		return errShed
	}
	now := time.Now()
	if last := g.gaveWay.Load(); now.UnixNano()-last >= int64(quantum) && g.gaveWay.CompareAndSwap(last, now.UnixNano()) {
		giveWay()
	}
	return nil
}

// delay is how long one more search of a client may have to wait for its slot.
func (g *gate) delay(client netip.Addr) time.Duration {
	return g.mean * time.Duration(g.long.ahead(client)) / time.Duration(g.long.size)
}

// end lets the next one in.
func (t *turn) end() {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	t.leaveLine()
}

// leaveLine gives up what the turn has. The gate is locked.
func (t *turn) leaveLine() {
	if t.in == &t.gate.long {
		t.gate.mean += (time.Since(t.long) - t.gate.mean) / 8
	}
	if t.in != nil {
		t.in.release(t.client)
		t.in = nil
	}
}

// Err is not nil once the time is over, or if there is no slot in time for a search that
// takes long. It pauses before.
func (t *turn) Err() error {
	now := time.Now()
	t.worked += min(now.Sub(t.seen), quantum) // more is somebody else's work
	t.seen = t.pace.pause()
	if t.seen.After(t.until) {
		return context.DeadlineExceeded
	}
	if t.worked < shortWork {
		return nil
	}
	return t.needSlot()
}

// needSlot has the search go on in a slot, for which it may wait.
func (t *turn) needSlot() error {
	g := t.gate
	if t.shed {
		return errShed
	}
	if t.in == &g.long {
		return nil
	}
	t.pace.leave()
	g.mu.Lock()
	t.leaveLine()
	g.mu.Unlock()
	if err := g.wait(&g.long, t.client, t.until.Add(-g.timeout/2)); err != nil {
		t.shed = true
		return err
	}
	t.begin(&g.long)
	t.long = t.seen
	return nil
}

// pause gives way if it is time to.
func (t *turn) pause() {
	if t != nil {
		_ = t.Err() // who only pauses has its answer all but ready
	}
}
