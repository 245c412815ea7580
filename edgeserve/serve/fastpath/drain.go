// This file ends the connections of a listener without a fast path. Fiber itself would close idle
// ones at once, and connections whose response has promised to keep them alive.

package fastpath

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/serve/netlimit"
)

// drain knows the open connections of a FiberListener. Fiber serves them.
type drain struct {
	on    atomic.Bool
	grace time.Duration // of idle connections; set before on

	mu       sync.Mutex
	conns    map[*lingeringConn]struct{} // open; guarded by mu
	ended    bool                        // Accept has failed and no connection will follow; guarded by mu
	stopping bool                        // guarded by mu
	done     chan struct{}               // closed once stopping and ended, without a connection
}

func newDrain() *drain {
	return &drain{conns: map[*lingeringConn]struct{}{}, done: make(chan struct{})}
}

func (d *drain) add(c *lingeringConn) {
	d.mu.Lock()
	d.conns[c] = struct{}{}
	d.mu.Unlock()
	if d.on.Load() {
		c.limitIdle()
	}
}

func (d *drain) remove(c *lingeringConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.conns, c)
	d.endIfDone()
}

// acceptEnds is called when Accept fails.
func (d *drain) acceptEnds() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ended = true
	d.endIfDone()
}

// endIfDone closes done. d.mu is held.
func (d *drain) endIfDone() {
	if !d.stopping || !d.ended || len(d.conns) > 0 {
		return
	}
	select {
	case <-d.done:
	default:
		close(d.done)
	}
}

func (d *drain) open() []*lingeringConn {
	d.mu.Lock()
	defer d.mu.Unlock()
	conns := make([]*lingeringConn, 0, len(d.conns))
	for c := range d.conns {
		conns = append(conns, c)
	}
	return conns
}

// Drain ends connections one by one, also connections accepted from now on. Fiber's handler must answer with
// Connection: close. A connection closes when it has been idle for grace, counted from the call or from its last
// response, whichever is later.
func (l *FiberListener) Drain(grace time.Duration) {
	l.drain.grace = grace
	l.drain.on.Store(true)
	for _, c := range l.drain.open() {
		c.limitIdle()
	}
}

// Stop stops accepting from clients and returns when no connection is left. When ctx ends, it closes the connections
// that send nothing, and the rest when they stop sending or more returns false; then it returns ctx's error. Accept has
// to be called meanwhile.
func (l *FiberListener) Stop(ctx context.Context, more func() bool) error {
	_ = l.Close() // twice: an error says so
	l.drain.mu.Lock()
	l.drain.stopping = true
	l.drain.endIfDone()
	l.drain.mu.Unlock()
	s := stopping[*lingeringConn]{done: l.drain.done, open: l.drain.open}
	return s.await(ctx, more)
}

// forceClose ends the connection without lingering.
func (c *lingeringConn) forceClose() { _ = c.closeAtOnce() }

// closeAtOnce is forceClose with its error: net.ErrClosed if the connection was closed before.
func (c *lingeringConn) closeAtOnce() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	c.drain.remove(c)
	return c.Conn.Close()
}

// sentBytes is how many bytes of responses the client has acknowledged.
func (c *lingeringConn) sentBytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent - int64(netlimit.Unacked(c.Conn))
}
