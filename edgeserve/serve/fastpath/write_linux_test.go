// This file tests partial writes.

package fastpath

import (
	"fmt"
	"io"
	"math/rand"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// smallBufferListener shrinks the send buffers of its connections.
type smallBufferListener struct{ net.Listener }

func (l smallBufferListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = shrinkSendBuffer(conn.(*socket).fd)
	}
	return conn, err
}

// Responses arrive complete and once, wherever the socket stops taking them.
func TestPartialWrites(t *testing.T) {
	// TCP nearly always takes all or nothing of an answer.
	ln, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false) // it is taken over
	addr := serve(t, listenOn(t, smallBufferListener{rawSockets(t, ln)}, config()))
	conn := dial(t, "unix", addr)
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	var requests, want strings.Builder
	for range 300 {
		n := []int{r.Intn(300), r.Intn(5000), r.Intn(30000), 20000, 30000}[r.Intn(5)]
		fmt.Fprintf(&requests, "GET /known/%d HTTP/1.1\r\nHost: a\r\n\r\n", n)
		want.WriteString(responseOf(n))
	}
	if _, err := io.WriteString(conn, requests.String()); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if stripDates(string(got)) != want.String() || err != nil {
		t.Errorf("seed %d: %d bytes, %v", seed, len(got), err)
	}
}

// A connection with unsent bytes causes no work, whatever its client sends.
func TestFullSendBufferCostsNothing(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	for !c.unsent() {
		s.send(c, client, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 20))
	}
	fiber, other := s.detachedConn()
	written := make(chan error, 1)
	go func() {
		_, err := fiber.Write(make([]byte, 20_000_000))
		written <- err
	}()
	for _, client := range []*net.TCPConn{client, other} {
		if _, err := io.WriteString(client, knownGet); err != nil {
			t.Fatal(err)
		}
		_ = client.CloseWrite()
	}
	s.stepUntil("their ends are reported", func() bool { return c.hangup && fiber.(*handoffConn).c.hangup })
	for range 100 {
		next := s.loop.takeQueued()
		if n := s.loop.poll(); n > 0 || len(next) > 0 {
			t.Fatalf("%d events, %d queued", n, len(next))
		}
	}
	_ = fiber.Close()
	<-written
}

// A request that arrives while a response is unsent is answered once that is sent, also
// behind a body that arrived in parts.
func TestPipelineBehindUnsentResponse(t *testing.T) {
	cfg := config()
	cfg.Lookup = func(r *Request) (Response, bool) {
		if r.Post {
			return lookupKnown(&Request{Target: []byte("/known/90000")})
		}
		return lookupKnown(r)
	}
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	if err := shrinkSendBuffer(c.fd); err != nil {
		t.Fatal(err)
	}
	s.send(c, client, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n")
	if _, err := io.WriteString(client, strings.Repeat("b", 3000)+knownGet); err != nil {
		t.Fatal(err)
	}
	s.stepUntil("the response is begun", func() bool { return c.responded })
	if !c.unsent() {
		t.Fatal("the socket took all of it")
	}
	got := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(client)
		got <- stripDates(string(b))
	}()
	s.stepUntil("both are answered", func() bool { return c.responded && !c.unsent() && !c.readable && c.in == nil })
	_ = client.CloseWrite()
	s.stepUntil("it is closed", func() bool { return c.state == closed })
	want := responseOf(90000) + shortResponse
	if b := <-got; b != want {
		t.Errorf("%d bytes, want %d", len(b), len(want))
	}
}

// A request is not kept while its response is unsent.
func TestUnsentKeepsNoRequest(t *testing.T) {
	cfg := config()
	cfg.Compute = computeInLoop
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	_ = shrinkSendBuffer(c.fd)
	_ = client.SetReadBuffer(1)
	s.send(c, client, fmt.Sprintf("POST /computed/90000 HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n%3000s", ""))
	s.stepUntil("the response is computed", func() bool { return c.responded })
	if !c.unsent() || c.in != nil {
		t.Errorf("unsent: %v, %d bytes are kept", c.unsent(), cap(c.in))
	}
}

func BenchmarkPreparedResponse(b *testing.B) {
	cfg := config()
	a, _ := lookupKnown(&Request{Target: []byte("/known/1200")})
	c := &conn{l: &Listener{cfg: cfg, parser: newParser(cfg.BypassHeaders)}}
	c.l.cfg.Lookup = func(*Request) (Response, bool) { return a, true }
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer unix.Close(pair[1])
	defer unix.Close(pair[0])
	c.fd = pair[0]
	buffers, answer := newBuffers(cfg.HeadLimit), make([]byte, 4096)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = unix.Write(pair[1], []byte(knownGet))
		c.onEvents(unix.EPOLLIN, buffers)
		if n, _ := unix.Read(pair[1], answer); n < 1200 {
			b.Fatal(n)
		}
	}
}
