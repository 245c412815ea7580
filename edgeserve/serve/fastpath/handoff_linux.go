// This file is the net.Conn of a connection that Fiber gets: its Read and Write wait. A streamed
// response is written through one too.

package fastpath

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// handoffConn is a connection while Fiber has it, a new one for each handoff: Fiber may close one
// after it has accepted the next of the same connection.
type handoffConn struct {
	net.Conn // for its addresses
	c        *conn
	changed  sync.Cond // of c.mu: what Read or Write waits for may have happened

	// Guarded by c.mu:

	unread       int       // bytes of the borrowed request that Fiber has not read
	headDeadline time.Time // of a head that the event loop began to read; zero means no deadline
	hasRead      bool
	request      received // while Fiber finds the ends of requests
	hasWritten   bool
	idle         bool // nothing was read since the last write
	atEOF        bool // the response is complete; Fiber has read the end after the borrowed request
	readEOF      bool // Fiber has read the client's EOF
	closed       bool // by Fiber

	writeTimeout time.Duration // for the client to take some more of a response
}

// handOff passes the connection to Fiber, for a request of size bytes (c.in has some) or for good.
func (c *conn) handOff(v verdict, size int) {
	h := c.borrow(size)
	if v == handOffConn {
		c.state = detached
		if c.headStarted {
			h.headDeadline = c.readDeadline
		}
	}
	c.headStarted, c.requestSize, c.chunks, c.lineBytes, c.readDeadline = false, 0, nil, 0, time.Time{}
	c.l.enqueue(h)
}

// borrow takes the connection from the event loop, for a request of which size bytes are unread.
func (c *conn) borrow(size int) *handoffConn {
	h := &handoffConn{Conn: c.Conn, c: c, unread: size, writeTimeout: c.l.cfg.Write}
	h.changed.L = &c.mu
	c.state, c.handoff = borrowed, h
	c.writeDeadline = time.Now().Add(c.l.cfg.Write) // Fiber sets none for its error responses
	return h
}

// stream sends a head and a body that is read meanwhile, and closes the body. It waits for the
// client, unlocked. A body that ends early ends the connection.
func (c *conn) stream(head []byte, body Stream) {
	h := c.borrow(0)
	c.mu.Unlock()
	defer c.mu.Lock()
	defer func() { _ = h.Close() }() // the event loop takes the connection back after a whole response
	defer func() { _ = body.Close() }()
	w := streamWriters.Get().(*bufio.Writer)
	defer streamWriters.Put(w)
	w.Reset(h)
	_, err := w.Write(head)
	if err == nil {
		_, err = io.CopyN(w, body, body.Size())
	}
	h.atEOF = errors.Join(err, w.Flush()) == nil
}

var streamWriters = sync.Pool{New: func() any { return bufio.NewWriterSize(nil, 32<<10) }}

func (c *conn) reclaim() {
	c.state, c.handoff = active, nil
	c.reserve(0)
	c.responded, c.readDeadline = true, time.Now().Add(c.l.cfg.Idle)
	if len(c.in) == 0 {
		c.in = nil
	}
	if c.queueIfWork() {
		c.loop.wake(time.Now())
	}
}

func (h *handoffConn) ended() bool { return h.closed || h.c.state == closed }

// Read returns bytes of the requests that Fiber has to answer.
func (h *handoffConn) Read(p []byte) (int, error) {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if h.c.state == borrowed {
		if h.unread == 0 {
			h.atEOF = h.hasWritten
			return 0, io.EOF
		}
		p = p[:min(len(p), h.unread)]
	}
	n, err := h.readAvailable(p)
	h.unread -= n
	h.hasRead, h.idle = true, h.idle && n == 0
	if h.c.state == detached {
		h.request.read(p[:n])
	}
	return n, err
}

func (h *handoffConn) readAvailable(p []byte) (int, error) {
	for c := h.c; ; {
		switch {
		case h.ended():
			return 0, net.ErrClosed
		case len(c.in) > 0:
			n := copy(p, c.in)
			c.in = c.in[n:]
			return n, nil
		case c.readable:
			if n := c.receive(p); n > 0 {
				return n, nil
			}
		case c.eof:
			h.readEOF = true
			return 0, io.EOF
		case expired(c.readDeadline, time.Now()):
			if n := c.receive(p); n > 0 { // epoll has not reported it yet
				return n, nil
			}
			return 0, os.ErrDeadlineExceeded
		default:
			h.changed.Wait()
		}
	}
}

// Write sends p, and waits until the socket has taken all bytes.
func (h *handoffConn) Write(p []byte) (n int, err error) {
	c := h.c
	c.mu.Lock()
	defer c.mu.Unlock()
	h.hasWritten, h.idle, h.request.responded = true, true, true
	for !h.ended() {
		m, err := tryWrite(c.fd, p[n:], nil, nil)
		if c.sent += int64(m); m > 0 {
			c.extendWriteDeadline(h.writeTimeout)
		}
		switch n += m; {
		case n == len(p):
			return n, nil
		case err == 0 || err == syscall.EINTR:
			continue
		case err != syscall.EAGAIN:
			return n, os.NewSyscallError("write", err)
		case c.stalled(time.Now(), h.writeTimeout) && !c.madeProgress(h.writeTimeout):
			return n, os.ErrDeadlineExceeded
		}
		h.changed.Wait()
	}
	return n, net.ErrClosed
}

// Close ends the handoff. The event loop takes the connection back if Fiber has answered the borrowed request and read
// the EOF after it. Otherwise the connection closes.
func (h *handoffConn) Close() error {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if h.ended() {
		return net.ErrClosed
	}
	h.closed = true
	h.changed.Broadcast()
	switch {
	case h.atEOF:
		h.c.reclaim()
	case h.idle && expired(h.c.readDeadline, time.Now()):
		h.c.teardown() // no response is on its way
	case h.hasWritten:
		h.c.linger()
	default:
		h.c.teardown()
	}
	return nil
}

// SetReadDeadline sets the deadline of Read. Before the first Read it does not extend the deadline
// of a head that began in the event loop.
func (h *handoffConn) SetReadDeadline(t time.Time) error {
	return h.ifOpen(func() {
		if !h.hasRead && !h.headDeadline.IsZero() && t.After(h.headDeadline) {
			t = h.headDeadline
		}
		h.c.readDeadline = t
		h.limitIdle()
	})
}

// limitIdle gives the connection the grace of a drain while Fiber waits for its next request.
func (h *handoffConn) limitIdle() {
	if h.idle && h.c.state == detached && h.c.l.draining.Load() {
		h.c.readDeadline = earlier(h.c.readDeadline, time.Now().Add(h.c.l.grace))
	}
}

// SetWriteDeadline sets the deadline of Write. It restarts whenever the client takes bytes.
func (h *handoffConn) SetWriteDeadline(t time.Time) error {
	return h.ifOpen(func() { h.c.writeDeadline, h.writeTimeout = t, time.Until(t) })
}

// SetDeadline sets both.
func (h *handoffConn) SetDeadline(t time.Time) error {
	_ = h.SetWriteDeadline(t)
	return h.SetReadDeadline(t)
}

func (h *handoffConn) ifOpen(do func()) error {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	if h.ended() {
		return net.ErrClosed
	}
	do()
	return nil
}

func (h *handoffConn) hasReadEOF() bool {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	return h.readEOF
}

func (h *handoffConn) received() []byte {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	return h.request.bytes()
}

func (h *handoffConn) endIsKnown() bool {
	h.c.mu.Lock()
	defer h.c.mu.Unlock()
	return h.c.state != detached
}
