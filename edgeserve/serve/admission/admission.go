// Package admission decides which searches may run now, so that expensive ones cannot take the
// processors from cheap requests.
//
// Every search starts in a lane. After 1 ms of work it needs a slot; there are about as many as
// processors. Clients take turns to wait. A search that cannot get a slot within half of the
// timeout is refused at once.
//
// A running search yields after each quantum to goroutines whose sockets are ready. The Go
// scheduler checks its network poller only when no goroutine is runnable, or every 10 ms: a few
// long searches would delay other requests by a tenth of a second.
package admission

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/serve/clientnet"
)

const (
	laneWork = time.Millisecond // the working time without a slot; enough for most searches
	// timeoutPerWait is how many times the longest wait the timeout of a search is. The other half
	// is for the work: a search admitted with less would probably reach its deadline in vain.
	timeoutPerWait = 2
	lanesPerSlot   = 2  // few, as lanes and slots share the processors
	waitingPerSlot = 32 // searches that wait for a slot: parsed bodies take memory
)

var errShed = errors.New("no slot in time")

// Controller admits searches. Make it with New.
type Controller struct {
	// Meter is called instead of reading the clock, for tests that measure the work between two
	// readings: no search then yields, waits for a slot or ends. Nil: the clock is read.
	Meter func()

	timeout   time.Duration
	maxWait   time.Duration // from the arrival of a search to its admission to a lane, and to a slot
	waiting   atomic.Int64
	lastYield atomic.Int64 // by a search that had waited, in nanoseconds since 1970

	mu       sync.Mutex
	lanes    line          // guarded by mu
	slots    line          // guarded by mu
	meanHold time.Duration // moving average of how long a slot is held; guarded by mu
}

// New returns a Controller with the given number of slots. The timeout is for one search, waiting included.
func New(slots int, timeout time.Duration) *Controller {
	return &Controller{timeout: timeout, maxWait: timeout / timeoutPerWait,
		lanes: line{capacity: slots * lanesPerSlot, maxWaiting: 1 << 30}, // the connections bound them
		slots: line{capacity: slots, maxWaiting: slots * waitingPerSlot}}
}

// Running is the number of searches in lanes and slots.
func (c *Controller) Running() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lanes.admitted + c.slots.admitted
}

// Slots returns how many slots searches hold, and how many there are.
func (c *Controller) Slots() (taken, all int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slots.admitted, c.slots.capacity
}

// Waiting is the number of searches that wait for a lane or a slot.
func (c *Controller) Waiting() int { return int(max(c.waiting.Load(), 0)) }

// Permit is an admitted search, released once. A nil Permit needs no admission and never yields.
type Permit struct {
	controller *Controller
	client     clientnet.Client
	line       *line // that admitted it; nil while it waits, and after it has ended
	deadline   time.Time
	shed       bool // a slot was refused
	yielder    Yielder

	waited    time.Duration // for lanes and slots
	worked    time.Duration // up to lastSeen, without a slot
	lastSeen  time.Time
	slotSince time.Time // when it got its slot
}

// Enter admits a search to a lane, for which it may wait. The search arrived at since; Enter returns nil if no lane
// comes free within half of the timeout. detach is called at most once, before the search waits or works for a quantum,
// so that it blocks no event loop. It may be nil.
func (c *Controller) Enter(client clientnet.Client, since time.Time, detach func()) *Permit {
	p := &Permit{controller: c, client: client, deadline: since.Add(c.timeout)}
	p.yielder.detach = detach
	if latest := since.Add(c.maxWait); time.Now().After(latest) || p.wait(&c.lanes, latest) != nil {
		return nil
	}
	p.start(&c.lanes)
	return p
}

func (p *Permit) start(in *line) {
	p.line = in
	p.lastSeen = time.Now()
	p.yielder.since = p.lastSeen
}

// wait returns once a line admits the client, or errShed if it does not before a time.
func (p *Permit) wait(l *line, until time.Time) error {
	c, client := p.controller, p.client
	c.mu.Lock()
	if l.tryAdmit(client) {
		c.mu.Unlock()
		return nil
	}
	var w *waiter
	if l == &c.lanes || c.delay(client) <= time.Until(until) {
		w = l.enqueue(client)
	}
	c.mu.Unlock()
	if w == nil {
		return errShed
	}
	p.Detach()
	c.waiting.Add(1)
	defer c.waiting.Add(-1)
	begun := time.Now()
	defer func() { p.waited += time.Since(begun) }()
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-w.ready:
	case <-timer.C:
	}
	c.mu.Lock()
	l.dequeue(w)
	c.mu.Unlock()
	if !w.admitted {
		return errShed
	}
	c.yieldAfterWait()
	return nil
}

// yieldAfterWait yields once a quantum for all searches that have waited: searches that worked meanwhile may have kept
// other requests waiting.
func (c *Controller) yieldAfterWait() {
	now := time.Now().UnixNano()
	if last := c.lastYield.Load(); now-last >= int64(quantum) && c.lastYield.CompareAndSwap(last, now) {
		Yield()
	}
}

// delay estimates how long one more search of a client waits for its slot.
func (c *Controller) delay(client clientnet.Client) time.Duration {
	return c.meanHold * time.Duration(c.slots.ahead(client)) / time.Duration(c.slots.capacity)
}

// Release ends the search and admits the next one.
func (p *Permit) Release() {
	p.controller.mu.Lock()
	defer p.controller.mu.Unlock()
	p.leaveLine()
}

// leaveLine gives back the lane or the slot. The controller is locked.
func (p *Permit) leaveLine() {
	if p.line == &p.controller.slots {
		p.controller.meanHold += (time.Since(p.slotSince) - p.controller.meanHold) / 8
	}
	if p.line != nil {
		p.line.release(p.client)
		p.line = nil
	}
}

// Err yields if a quantum has passed. It fails after the deadline, or without a slot in time.
func (p *Permit) Err() error {
	if p.controller.Meter != nil {
		p.controller.Meter()
		return nil
	}
	now := time.Now()
	p.worked += min(now.Sub(p.lastSeen), quantum) // longer gaps are work of others
	p.lastSeen = p.yielder.Pause()
	if p.lastSeen.After(p.deadline) {
		return context.DeadlineExceeded
	}
	if p.worked < laneWork {
		return nil
	}
	return p.NeedSlot()
}

// NeedSlot moves the search from its lane into a slot, for which it may wait.
func (p *Permit) NeedSlot() error {
	c := p.controller
	if p.shed {
		return errShed
	}
	if p.line == &c.slots {
		return nil
	}
	p.Detach()
	c.mu.Lock()
	p.leaveLine()
	c.mu.Unlock()
	if err := p.wait(&c.slots, p.deadline.Add(c.maxWait-c.timeout)); err != nil {
		p.shed = true
		return err
	}
	p.start(&c.slots)
	p.slotSince = p.lastSeen
	return nil
}

// Leave gives back the lane or the slot while other machines work for the search. It calls the detach function of Enter.
func (p *Permit) Leave() {
	p.Detach()
	p.controller.mu.Lock()
	defer p.controller.mu.Unlock()
	p.leaveLine()
}

// Return admits a search that has left to a lane again, for which it may wait until its deadline.
func (p *Permit) Return() error {
	if err := p.wait(&p.controller.lanes, p.deadline); err != nil {
		p.shed = true
		return err
	}
	p.start(&p.controller.lanes)
	return nil
}

// Deadline is when the search has to end.
func (p *Permit) Deadline() time.Time { return p.deadline }

// Waited is the time that the search has waited so far.
func (p *Permit) Waited() time.Duration {
	if p == nil {
		return 0
	}
	return p.waited
}

// Shed reports whether a slot was refused.
func (p *Permit) Shed() bool { return p != nil && p.shed }

// Detach calls the detach function of Enter, once.
func (p *Permit) Detach() { p.yielder.Detach() }

// Yield yields if a quantum has passed.
func (p *Permit) Yield() {
	if p != nil {
		_ = p.Err() // the response of a caller that only yields is almost ready
	}
}
