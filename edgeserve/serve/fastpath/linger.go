// This file lets connections that Fiber reads linger when closed. Its bounds hold for all.

package fastpath

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/serve/netlimit"
)

// The bounds make lingering no better an attack than opening connections and sending nothing.
const (
	lingerTime   = 5 * time.Second // a client with the response closes within a round trip
	lingerBytes  = 4 << 20         // to be discarded: four times the body that proxies forward by default
	maxLingering = 512             // at once; others close immediately
	// maxRefusedLingering is how many connections that were refused on accept may linger: a flood of refused
	// connections leaves the rest to requests.
	maxRefusedLingering = maxLingering / 2
)

// firstGrace is the least time for the first request of a connection while draining: its client has
// just connected, and no client expects to repeat a first request.
const firstGrace = time.Second

// idleGrace is the grace of a drain for an idle connection, by whether it has had a response.
func idleGrace(grace time.Duration, responded bool) time.Duration {
	if responded {
		return grace
	}
	return max(grace, firstGrace)
}

// earlier returns the earlier deadline. A zero time means no deadline.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

type lingeringConn struct {
	net.Conn
	first     time.Duration // for the first byte; 0 once it has arrived
	head      time.Duration // for the rest of the first head
	framing   framing
	lingering *atomic.Int64 // the connections that linger
	limit     int64         // of lingering
	drain     *drain        // of the listener; may be nil
	readEOF   atomic.Bool
	reading   atomic.Int64 // calls of Read under way
	closed    atomic.Bool

	mu           sync.Mutex
	busy         bool          // a request has begun, and no response was written since; guarded by mu
	responded    bool          // guarded by mu
	sent         int64         // bytes of responses; guarded by mu
	request      received      // guarded by mu
	lastUse      time.Time     // when it was accepted or last written to; guarded by mu
	readDeadline time.Time     // zero means no deadline; guarded by mu
	writeTimeout time.Duration // for each writePart; zero means no limit; guarded by mu
}

// writePart is the part of a response that a client takes within the write timeout, in bytes. A slow client gets a response
// of any size.
const writePart = 64 << 10

// lastLook is how long a read waits for a request that arrives with the end of an idle connection.
// Closed with it unread, the connection would be reset, and the client would lose its request.
const lastLook = 5 * time.Millisecond

// Read reads until the framing breaks. It records the client's EOF, after which nothing lingers.
func (c *lingeringConn) Read(b []byte) (int, error) {
	if c.framing.broken {
		return 0, errLineEnd
	}
	c.reading.Add(1)
	n, err := c.read(b)
	c.reading.Add(-1)
	if n > 0 {
		c.mu.Lock()
		c.busy = true
		c.request.read(b[:n])
		c.mu.Unlock()
	}
	if errors.Is(err, io.EOF) {
		c.readEOF.Store(true)
	}
	if n = c.framing.follow(b[:n]); c.framing.broken {
		err = errLineEnd
	}
	return n, err
}

// read is Read of the connection. Fiber's first deadline counts from the accept on, and its end is a
// 408; here a connection that stays silent ends without one, after a time of its own.
func (c *lingeringConn) read(b []byte) (int, error) {
	if c.first == 0 {
		return c.readLast(b)
	}
	if err := c.SetReadDeadline(time.Now().Add(c.first)); err != nil {
		return 0, err
	}
	n, err := c.readLast(b)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, io.EOF
	}
	c.first = 0
	if err == nil {
		err = c.SetReadDeadline(time.Now().Add(c.head))
	}
	return n, err
}

// Write writes a part of a response.
func (c *lingeringConn) Write(b []byte) (n int, err error) {
	for err == nil && n < len(b) {
		var wrote int
		wrote, err = c.writeOne(b[n:min(n+writePart, len(b))])
		n += wrote
	}
	return n, err
}

// writeOne is Write for at most writePart bytes, with a write timeout of their own.
func (c *lingeringConn) writeOne(b []byte) (int, error) {
	c.mu.Lock()
	if c.writeTimeout > 0 {
		_ = c.Conn.SetWriteDeadline(time.Now().Add(c.writeTimeout)) // it fails for a closed connection, as Write does
	}
	c.mu.Unlock()
	n, err := c.Conn.Write(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent += int64(n)
	c.responded, c.lastUse, c.request.responded = true, time.Now(), true
	c.busy = !c.framing.atStart() // a response before the end of its request, for example 100 Continue
	return n, err
}

// SetReadDeadline sets the deadline of Read, within the grace of a drain if the connection is idle.
func (c *lingeringConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readDeadline = t
	return c.applyDeadline()
}

// SetWriteDeadline sets the time of Write from now on, which begins again with each writePart.
func (c *lingeringConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writeTimeout = 0; !t.IsZero() {
		c.writeTimeout = time.Until(t)
	}
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline sets the deadlines of Read and Write.
func (c *lingeringConn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// applyDeadline sets the deadline of the socket. c.mu is held.
func (c *lingeringConn) applyDeadline() error {
	if c.drain != nil && !c.busy && c.drain.on.Load() {
		c.readDeadline = earlier(c.readDeadline, time.Now().Add(idleGrace(c.drain.grace, c.responded)))
	}
	return c.Conn.SetReadDeadline(c.readDeadline)
}

// limitIdle gives an idle connection the grace of the drain.
func (c *lingeringConn) limitIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.applyDeadline() // it fails for a closed connection
}

// readLast is Read of the connection, with a last look at the end of an idle one.
func (c *lingeringConn) readLast(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) || !c.isIdle() || c.Conn.SetReadDeadline(time.Now().Add(lastLook)) != nil {
		return n, err
	}
	return c.Conn.Read(b)
}

func (c *lingeringConn) isIdle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.busy
}

func (c *lingeringConn) hasReadEOF() bool { return c.readEOF.Load() || c.framing.broken }

func (c *lingeringConn) received() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.request.bytes()
}

func (c *lingeringConn) endIsKnown() bool { return !c.framing.unclear }

// Close closes the sending half and returns. The connection lingers, within the bounds. An idle
// one, with a Read under way, is closed at once: no response is on its way.
func (c *lingeringConn) Close() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	if c.drain != nil {
		c.drain.remove(c)
	}
	half, ok := netlimit.Unwrap[interface{ CloseWrite() error }](c.Conn)
	if !ok || c.readEOF.Load() || c.reading.Load() > 0 || c.lingering.Load() >= c.limit || half.CloseWrite() != nil {
		return c.Conn.Close()
	}
	c.lingering.Add(1)
	go c.discard()
	return nil
}

func (c *lingeringConn) discard() {
	defer crash.Exit()
	defer c.lingering.Add(-1)
	if c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	_ = c.Conn.Close() // the owner has gone: the error has no receiver
}
