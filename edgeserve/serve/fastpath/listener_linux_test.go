// This file tests listeners as a whole: against the reference server, and while they drain
// and stop.

package fastpath

import (
	"errors"
	"io"
	"math/rand"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Random pipelines, however they are split, get the bytes of the reference server.
func TestSameAsReferenceServer(t *testing.T) {
	var answered atomic.Int64
	cfg := config()
	cfg.OnResponse = func(*Request, *Response, time.Duration) { answered.Add(1) }
	fastAddr, referenceAddr := serve(t, listen(t, cfg)), serve(t, loopback(t))
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	for round := range 150 {
		var b strings.Builder
		for range 1 + r.Intn(12) {
			b.WriteString(randomRequest(r))
		}
		if r.Intn(5) == 0 {
			b.WriteString(randomRequest(r)[:10]) // cut off
		}
		stream := b.String()
		want := exchange(t, referenceAddr, []string{stream})
		if got := exchange(t, fastAddr, splitRandomly(r, stream)); got != want {
			t.Fatalf("seed %d, round %d:\n%q\ngets\n%q\nwant\n%q", seed, round, stream, got, want)
		}
	}
	if answered.Load() < 150 {
		t.Errorf("only %d requests were answered by the fast path", answered.Load())
	}
}

// Long pipelines, however they are split, get the bytes of the reference server.
func TestLongStreams(t *testing.T) {
	fastAddr, referenceAddr := serve(t, listen(t, config())), serve(t, loopback(t))
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	for round := range 20 {
		var b strings.Builder
		for range 80 {
			if q := randomRequest(r); !strings.Contains(q, "chunked") {
				b.WriteString(q)
			}
		}
		b.WriteString("GET /known/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		stream := b.String()
		want := exchange(t, referenceAddr, []string{stream})
		if got := exchange(t, fastAddr, splitRandomly(r, stream)); got != want {
			t.Fatalf("seed %d, round %d:\n%q\ngets\n%q\nwant\n%q", seed, round, stream, got, want)
		}
	}
}

// Drain gives idle connections its grace, and hands requests off. A connection without a request
// gets at least firstGrace. Accept fails after the last one.
func TestDrain(t *testing.T) {
	s := newSteppedLoop(t, config())
	idle, client := s.connect()
	s.send(idle, client, knownGet)
	fresh, _ := s.connect()
	half, halfClient := s.connect()
	s.send(half, halfClient, knownGet[:9])
	handedOff, client := s.connect()
	s.send(handedOff, client, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
	fiber := s.accepted()

	const grace = firstGrace / 2
	s.Drain(grace)
	s.step()
	assertDeadline(t, "an idle connection", idle.readDeadline, time.Now().Add(-time.Second), grace)
	late, _ := s.connect()
	s.connClosed() // as acceptAll does
	s.sweep(time.Now().Add(grace))
	if idle.state != closed {
		t.Errorf("the idle one: state %d", idle.state)
	}
	if fresh.state != active || half.state != active || handedOff.state != borrowed {
		t.Fatalf("states %d, %d, %d", fresh.state, half.state, handedOff.state)
	}
	serveOneAndClose(t, fiber, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
	s.step()
	if handedOff.state != active {
		t.Fatalf("the reclaimed one has no grace: state %d", handedOff.state)
	}
	s.sweep(time.Now().Add(2 * firstGrace))
	if handedOff.state != closed || late.state != closed || fresh.state != closed || half.state != active {
		t.Fatalf("states %d, %d", fresh.state, half.state)
	}
	s.send(half, halfClient, knownGet[9:])
	if fiber = s.accepted(); half.state != borrowed || s.isDone() {
		t.Fatalf("state %d", half.state)
	}
	if err := fiber.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept: %v", err)
	}
}

// A connection whose request is being answered when the drain begins closes behind the
// response.
func TestDrainDuringLookup(t *testing.T) {
	cfg, called, proceed := blockingConfig()
	l := listen(t, cfg)
	conn := dialAndGet(t, serve(t, l), 0)
	if _, err := io.WriteString(conn, strings.Replace(knownGet, "3", "4", 1)); err != nil {
		t.Fatal(err)
	}
	<-called
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		l.Drain(0)
	}()
	for !l.draining.Load() {
		runtime.Gosched()
	}
	close(proceed)
	if b, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(b), "kkkk") {
		t.Errorf("%q, %v", b, err)
	}
	<-drained
}

// Requests that have arrived when the drain begins are handed off, however many there are.
func TestDrainOfMany(t *testing.T) {
	s := newSteppedLoop(t, config())
	const n = 2 * maxEvents
	conns, clients := make([]*conn, n), make([]net.Conn, n)
	for i := range conns {
		c, client := s.connect()
		conns[i], clients[i] = c, client
		s.send(c, client, knownGet)
	}
	for _, client := range clients {
		if _, err := io.WriteString(client, knownGet); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range conns {
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLIN}}, 10_000); err != nil {
			t.Fatal(err)
		}
	}
	s.Drain(0)
	s.step()
	for i, c := range conns {
		if c.state != borrowed {
			t.Fatalf("connection %d: state %d", i, c.state)
		}
	}
}

// Drain does not wait for clients that have not read the end of a response: the kernel
// sends it.
func TestDrainWithUnreadResponse(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	if err := shrinkSendBuffer(c.fd); err != nil {
		t.Fatal(err)
	}
	full := func() bool {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLOUT}}, 0)
		return n == 0
	}
	for !full() {
		s.send(c, client, knownGet)
	}
	if c.unsent() {
		t.Skip("the socket took a part of the last response")
	}
	s.Drain(0)
	s.stepUntil("it is closed", func() bool { return c.state == closed })
}

// Stop ends Accept and the Read of a handoff.
func TestStop(t *testing.T) {
	l := listen(t, config())
	client := dialAndGet(t, l.Addr().String(), 1)
	if _, err := io.WriteString(client, "PUT /x HTTP/1.1\r\n"); err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, 17)); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 2)
	go func() {
		_, err := c.Read(make([]byte, 1))
		got <- err
	}()
	go func() {
		_, err := l.Accept()
		got <- err
	}()
	stop(l)
	for range 2 {
		if err := <-got; !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	}
}

// A listener stops although nobody accepts its handoffs.
func TestStopWithoutAccept(t *testing.T) {
	l := listen(t, config())
	for range 200 {
		client := dialAndGet(t, l.Addr().String(), 1)
		if _, err := io.WriteString(client, "PUT /x HTTP/1.1\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	stop(l)
	if n := l.open.Load(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}

// Listeners and connections without a descriptor are refused and closed.
func TestUnsupportedListeners(t *testing.T) {
	if _, err := Sockets(struct{ net.Listener }{loopback(t)}); err == nil {
		t.Error("a listener without a socket is accepted")
	}
	a, b := net.Pipe()
	if err := newSteppedLoop(t, config()).loop.add(a); err == nil {
		t.Error("a connection without a socket is accepted")
	}
	if _, err := b.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("it is not closed: %v", err)
	}
}
