// This file is an event loop that tests run step by step.

package fastpath

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/serve/netlimit"
)

// steppedLoop is a listener with one event loop, which runs only in step.
type steppedLoop struct {
	*Listener
	t    *testing.T
	loop *eventLoop
	buf  *buffers
}

func newSteppedLoop(t *testing.T, cfg ListenerConfig) steppedLoop {
	t.Helper()
	l, err := newListener(rawSockets(t, loopback(t)), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop(l)
		for _, loop := range l.loops {
			loop.epoll.Close()
		}
	})
	return steppedLoop{l, t, l.loops[0], newBuffers(cfg.HeadLimit)}
}

// connect returns both ends of a new connection.
func (s steppedLoop) connect() (*conn, *net.TCPConn) {
	s.t.Helper()
	client := s.dial()
	return s.add(func(nc net.Conn) net.Conn { return nc }), client
}

// connectRefused returns both ends of a connection that was refused on accept and has sent a
// request. c is nil if it was closed.
func (s steppedLoop) connectRefused() (c *conn, client *net.TCPConn) {
	s.t.Helper()
	client = s.dial()
	if _, err := io.WriteString(client, knownGet); err != nil {
		s.t.Fatal(err)
	}
	return s.add(func(nc net.Conn) net.Conn { return &netlimit.Refused{Conn: nc, Response: []byte("no")} }), client
}

func (s steppedLoop) dial() *net.TCPConn {
	s.t.Helper()
	return dial(s.t, "tcp", s.Addr().String()).(*net.TCPConn)
}

// add accepts a connection and adds it to the loop. It returns nil if the loop closed it.
func (s steppedLoop) add(wrap func(net.Conn) net.Conn) *conn {
	s.t.Helper()
	nc, err := s.Listener.Listener.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.loop.add(wrap(nc)); err != nil {
		s.t.Fatal(err)
	}
	return s.loop.conns[nc.(*socket).fd]
}

// step runs one iteration of the loop.
func (s steppedLoop) step() {
	next := s.loop.takeQueued()
	s.loop.dispatch(s.loop.poll(), s.buf)
	s.loop.serveQueued(next, s.buf)
	s.loop.computePending(s.buf)
}

// sweep checks the deadlines of all connections.
func (s steppedLoop) sweep(now time.Time) {
	for range 2 * sweepParts {
		s.loop.sweep(now)
	}
}

// stepUntil steps until cond holds.
func (s steppedLoop) stepUntil(what string, cond func() bool) {
	s.t.Helper()
	waitFor(s.t, what, cond, s.step)
}

// stepDuring steps while do runs in another goroutine, and returns do's error.
func (s steppedLoop) stepDuring(what string, do func() error) error {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	s.stepUntil(what, func() bool { return len(done) > 0 })
	return <-done
}

// send writes from the client and steps until the loop has read some of it.
func (s steppedLoop) send(c *conn, client net.Conn, text string) {
	s.t.Helper()
	before := len(c.in)
	deadline := c.readDeadline
	if _, err := io.WriteString(client, text); err != nil {
		s.t.Fatal(err)
	}
	s.stepUntil("it is read", func() bool { return len(c.in) != before || c.state != active || !c.readDeadline.Equal(deadline) })
}

// connectAndSend sends text from a new client.
func (s steppedLoop) connectAndSend(text string) (*conn, *net.TCPConn) {
	s.t.Helper()
	c, client := s.connect()
	if _, err := io.WriteString(client, text); err != nil {
		s.t.Fatal(err)
	}
	return c, client
}

// queueRequests sends a request for each target from new clients, and steps until all are
// pending.
func (s steppedLoop) queueRequests(targets []string) (conns []*conn, clients []*net.TCPConn) {
	s.t.Helper()
	for _, target := range targets {
		c, client := s.connectAndSend(strings.Replace(computedGet, "/computed/3", target, 1))
		conns, clients = append(conns, c), append(clients, client)
	}
	for len(s.loop.pending) < len(targets) {
		s.loop.dispatch(s.loop.poll(), s.buf)
	}
	return conns, clients
}

// computeAll computes all pending responses in a single call of computePending.
func (s steppedLoop) computeAll() {
	s.buf.now = time.Now().Add(hour)
	s.loop.computePending(s.buf)
}

// accepted steps until a connection is handed off, and accepts it.
func (s steppedLoop) accepted() net.Conn {
	s.t.Helper()
	s.stepUntil("a connection is handed off", func() bool { return len(s.handoffs) > 0 })
	c, err := s.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// detachedConn returns both ends of a connection that is detached within a head.
func (s steppedLoop) detachedConn() (net.Conn, *net.TCPConn) {
	s.t.Helper()
	c, client := s.connect()
	s.send(c, client, "PUT /x HTTP/1.1\r\n")
	fiber := s.accepted()
	if _, err := io.ReadFull(fiber, make([]byte, 17)); err != nil {
		s.t.Fatal(err)
	}
	return fiber, client
}

// serveOneAndClose answers a borrowed request as Fiber does.
func serveOneAndClose(t *testing.T, fiber net.Conn, request string) {
	t.Helper()
	b := make([]byte, len(request))
	if _, err := io.ReadFull(fiber, b); err != nil || string(b) != request {
		t.Fatalf("Fiber reads %q, %v", b, err)
	}
	if _, err := io.WriteString(fiber, "one"); err != nil {
		t.Fatal(err)
	}
	if n, err := fiber.Read(b); n != 0 || err != io.EOF {
		t.Fatalf("behind the request: %d, %v", n, err)
	}
	if err := fiber.Close(); err != nil {
		t.Fatal(err)
	}
}

func assertDeadline(t *testing.T, what string, got time.Time, from time.Time, after time.Duration) {
	t.Helper()
	if d := got.Sub(from); d < after || d > after+time.Minute {
		t.Errorf("%s ends %s after the start, want %s", what, d, after)
	}
}
