// This file closes connections of the event loop: after errors, while draining, and by lingering.

package fastpath

import (
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

var errNotHTTP = errors.New("not HTTP")

// fail sends the response to an error, and closes the connection. Before the first byte of a
// request it sends nothing: a browser would take that for the response to its next request.
func (c *conn) fail(why error) {
	if len(c.in) == 0 {
		c.teardown()
		return
	}
	if _, ok := why.(*BodyError); !ok {
		why = &ReadError{Cause: why, Received: c.in}
	}
	_, _ = tryWrite(c.fd, c.l.errorResponse(why, c.RemoteAddr()), nil, nil)
	c.linger()
}

// errorResponse returns what ListenerConfig.ErrorResponse returns, or nothing if that panics.
func (l *Listener) errorResponse(why error, from net.Addr) []byte {
	defer func() {
		if cause := recover(); cause != nil {
			l.cfg.Log.Error("ErrorResponse panicked", "cause", fmt.Sprint(cause))
		}
	}()
	return l.cfg.ErrorResponse(why, from)
}

// recoverPanic is deferred. It ends the connection whose request panicked, and keeps the process. r
// is nil if the response was already composed.
func (c *conn) recoverPanic(r *Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if why := c.l.errorResponse(&Panic{cause, r}, c.RemoteAddr()); r != nil && c.state != closed && !c.unsent() {
		_, _ = tryWrite(c.fd, why, nil, nil)
		c.linger()
		return
	}
	c.teardown()
}

func (c *conn) refuse(response []byte) {
	_, _ = tryWrite(c.fd, response, nil, nil)
	if c.l.lingering.Load() >= maxRefusedLingering {
		c.teardown()
		return
	}
	c.linger()
}

// limitIdle gives a connection between requests, whose socket has just been empty, the grace of the
// drain: until then its client may send a request, and learns that the connection closes.
func (c *conn) limitIdle() {
	now := time.Now()
	if c.readDeadline = earlier(c.readDeadline, now.Add(idleGrace(c.l.grace, c.responded))); expired(c.readDeadline, now) {
		c.teardown()
	}
}

// hasArrived reports whether the socket has bytes left to read. Closed now, it would be reset, and the client would
// lose its request.
func (c *conn) hasArrived() bool {
	n, err := unix.IoctlGetInt(c.fd, unix.SIOCINQ)
	return err == nil && n > 0
}

// linger shuts down the sending half after the last response. The loop then discards what arrives, until the client
// closes or a bound is reached.
func (c *conn) linger() {
	if c.state == closed || c.state == lingering {
		return
	}
	if c.eof || c.unsent() || unix.Shutdown(c.fd, unix.SHUT_WR) != nil {
		c.teardown()
		return
	}
	c.state = lingering
	if c.l.lingering.Add(1) > maxLingering {
		c.teardown()
		return
	}
	c.handoff, c.in, c.requestSize, c.chunks = nil, nil, 0, nil
	c.reserve(0)
	c.readDeadline, c.discardLeft = time.Now().Add(lingerTime), lingerBytes
	c.readable = true // epoll may have reported these bytes already
	c.loop.queue(c)
	c.loop.wake(time.Now())
	c.releaseBody()
}

func (c *conn) discard(b *buffers) {
	if c.readable {
		c.discardLeft -= c.receive(b.in)
	}
	switch {
	case c.eof || c.discardLeft <= 0:
		c.teardown()
	case c.readable:
		c.loop.queue(c)
	}
}

func (c *conn) forceClose() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.teardown()
}

// teardown closes the connection and releases what it holds. c.mu is held.
func (c *conn) teardown() {
	if c.state == closed {
		return
	}
	if c.state == lingering {
		c.l.lingering.Add(-1)
	}
	c.state = closed
	c.in, c.chunks, c.unsentHead, c.unsentBody = nil, nil, nil, nil
	c.reserve(0)
	c.loop.setConn(c.fd, nil)
	_ = c.Conn.Close()
	c.l.connClosed()
	if c.handoff != nil {
		c.handoff.changed.Broadcast()
	}
	c.releaseBody()
}
