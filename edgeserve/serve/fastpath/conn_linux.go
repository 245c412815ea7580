// This file is a connection in its event loop: it reads requests and answers the prepared ones.

package fastpath

import (
	"net"
	"sync"
	"syscall"
	"time"

	"contentedge/edgeserve/serve/bodies"

	"golang.org/x/sys/unix"
)

type connState uint8

const (
	active    connState = iota // the event loop reads and answers requests
	pending                    // its request waits for Compute, or the response to be sent
	borrowed                   // Fiber has it for one request
	detached                   // Fiber has it for good
	lingering                  // the last response was sent; the loop discards what arrives
	closed
)

// conn is a connection. mu guards the fields below it but inQueue. Its holder never waits for the
// client, but may be in ListenerConfig.Compute.
type conn struct {
	net.Conn // for Close and the addresses
	fd       int
	l        *Listener
	loop     *eventLoop

	mu      sync.Mutex
	state   connState
	handoff *handoffConn // Fiber's side; nil if not handed off

	readable    bool   // a read may return bytes or EOF
	hangup      bool   // epoll has reported the end of the stream
	eof         bool   // a read has returned the end of the stream
	responded   bool   // at least one response was composed
	headStarted bool   // readDeadline is the deadline of a head
	in          []byte // read, and neither answered nor read by Fiber
	requestSize int    // size of a request with an incomplete body, or unknownSize; 0 without such a request
	lineBytes   int    // complete header lines in in, in bytes, while the head is incomplete
	discardLeft int    // bytes that may still be discarded while lingering
	reserved    int    // bytes that ReserveRequest knows of

	chunks *chunkedBody // while requestSize is unknownSize

	sent    int64 // bytes of responses that the socket has taken
	unacked int   // bytes in the socket's send queue when last checked

	unsentHead, unsentBody []byte // the rest of a response that did not fit into the send buffer
	bodyDone               func() // Response.Done of unsentBody; may be nil

	readDeadline, writeDeadline time.Time // zero means no deadline

	inQueue bool // in loop.queued; guarded by loop.mu
}

// onEvents continues the connection. Events may be stale: the descriptor was another connection's.
func (c *conn) onEvents(events uint32, b *buffers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readable = c.readable || events&^unix.EPOLLOUT != 0
	c.hangup = c.hangup || events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
	switch c.state {
	case active:
		c.serve(b)
	case borrowed, detached:
		c.handoff.limitIdle()
		c.handoff.changed.Broadcast()
	case lingering:
		c.discard(b)
	}
}

// serve reads once and answers complete requests. Other ready connections precede a second read.
func (c *conn) serve(b *buffers) {
	defer c.recoverPanic(&b.request.Request)
	if c.unsent() && !c.resumeWrite() {
		return
	}
	in, ok := c.read(b)
	if !ok {
		return
	}
	in, v, size := c.serveBuffered(in, b)
	// The request may be in c.in, which changes below.
	rejected := (v == bodyIncomplete || v == bodyChunked) && c.rejectsBody(&b.request.Request)
	if c.in = append(c.in[:0], in...); len(in) == 0 {
		c.in = nil
	}
	c.requestSize = 0
	if c.state == closed || c.unsent() {
		return
	}
	switch tooLong := b.request.length > c.l.cfg.MaxBody; {
	case v == handOffOne, v == bodyIncomplete && (tooLong || rejected):
		c.handOff(handOffOne, size)
	case v == bodyChunked && !rejected:
		c.chunks = &chunkedBody{headSize: size}
		c.scanChunks(bodyIncomplete)
	case v == notHTTP:
		c.fail(errNotHTTP)
	case v == needsCompute:
		c.state, c.readDeadline = pending, time.Time{}
		c.loop.computeLater(c, b.now)
	case v == handOffConn, v == bodyChunked, size == 0 && len(in) == len(b.in):
		c.handOff(handOffConn, 0)
	default:
		c.wait(v, size)
	}
}

// read returns the bytes from the start of the next request on, in b.in or c.in. ok is false if its
// body is incomplete or its connection ends.
func (c *conn) read(b *buffers) (in []byte, ok bool) {
	n := 0
	if c.requestSize == 0 {
		n = copy(b.in, c.in)
	}
	if c.readable && n < len(b.in) {
		n += c.receive(b.in[n:])
	}
	in = b.in[:n]
	if c.requestSize == 0 {
		return in, true
	}
	if !c.reserve(len(c.in) + n) {
		c.fail(bodies.ErrNoMemory)
		return nil, false
	}
	c.in = append(c.in, in...)
	if c.requestSize == unknownSize {
		c.scanChunks(headIncomplete)
		return nil, false
	}
	if len(c.in) < c.requestSize {
		c.wait(headIncomplete, c.requestSize)
		return nil, false
	}
	return c.in, true
}

// receive reads what has arrived. A read that does not fill p has emptied the socket; epoll reports
// what follows, or has reported its end: after a hangup the next read returns that.
func (c *conn) receive(p []byte) (n int) {
	n, err := tryRead(c.fd, p)
	for err == syscall.EINTR {
		n, err = tryRead(c.fd, p)
	}
	c.readable = n == len(p) || n > 0 && c.hangup
	c.eof = c.eof || n == 0 && err != syscall.EAGAIN
	return n
}

// serveBuffered answers the requests at the start of in that have a prepared response. It returns
// the rest, the verdict on the request at its start, and its size.
func (c *conn) serveBuffered(in []byte, b *buffers) (rest []byte, v verdict, size int) {
	l, scanned := c.l, c.lineBytes
	c.lineBytes = 0
	for len(in) > 0 && !c.unsent() && c.state == active {
		v, size = l.parser.parse(in, scanned, &b.request)
		scanned = 0
		if v == headIncomplete {
			c.lineBytes = b.request.lineBytes
		}
		if v != fast {
			return in, v, size
		}
		if l.draining.Load() {
			return in, handOffOne, size
		}
		b.now = time.Now()
		b.request.Request.From = c.RemoteAddr()
		found := false
		if b.response, found = l.cfg.Lookup(&b.request.Request); !found {
			return in, needsCompute, size
		}
		in = in[size:]
		c.write(c.encode(b, time.Since(b.now)))
	}
	return in, headIncomplete, 0
}

func (c *conn) rejectsBody(r *Request) bool {
	return c.l.cfg.RejectsBody != nil && c.l.cfg.RejectsBody(r)
}

// reserve sets the memory reserved for an incomplete request. Up to HeadLimit it reserves nothing:
// every connection may have that much.
func (c *conn) reserve(n int) bool {
	if n <= c.l.cfg.HeadLimit {
		n = 0
	}
	if n == c.reserved || c.l.cfg.ReserveRequest == nil {
		return true
	}
	if !c.l.cfg.ReserveRequest(int64(c.reserved), int64(n)) {
		return false
	}
	c.reserved = n
	return true
}

// wait leaves the connection until its next event. c.in has the next request so far. size is its size if its head is
// complete, otherwise 0; v is bodyIncomplete when it has just become so.
func (c *conn) wait(v verdict, size int) {
	c.requestSize = size
	switch {
	case v == bodyIncomplete:
		c.headStarted, c.readDeadline = false, time.Now().Add(c.l.cfg.Body)
	case size == 0 && len(c.in) > 0 && !c.headStarted:
		c.headStarted, c.readDeadline = true, time.Now().Add(c.l.cfg.Head)
	}
	switch {
	case c.readable:
		c.loop.queue(c)
	case c.eof:
		c.onEOF()
	case len(c.in) == 0 && c.l.draining.Load():
		c.limitIdle()
	}
}

func (c *conn) queueIfWork() bool {
	if c.readable || c.eof || len(c.in) > 0 || c.l.draining.Load() {
		c.loop.queue(c)
		return true
	}
	return false
}

// onEOF handles the end of the stream before a request is complete. Fiber gets what has arrived, meets the end too and
// responds as it would without the fast path.
func (c *conn) onEOF() {
	switch {
	case len(c.in) == 0:
		c.teardown()
	case c.requestSize == unknownSize:
		c.refuseBody(ErrFraming)
	case c.requestSize > 0:
		c.handOff(handOffOne, c.requestSize)
	default:
		c.handOff(handOffConn, 0)
	}
}
