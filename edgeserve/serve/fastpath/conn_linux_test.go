// This file tests how an event loop reads requests.

package fastpath

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// EOF behind a request closes the connection without the idle time, also if it arrives
// while the previous request is answered.
func TestEOFBehindRequest(t *testing.T) {
	t.Parallel()
	cfg, called, proceed := blockingConfig()
	conn := dialAndGet(t, serve(t, listen(t, cfg)), 10)
	if _, err := io.WriteString(conn, strings.Replace(knownGet, "3", "4", 1)); err != nil {
		t.Fatal(err)
	}
	<-called
	if _, err := io.WriteString(conn, knownGet); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	close(proceed)
	if b, err := io.ReadAll(conn); err != nil || len(b) != 2*len(knownReply)+1 {
		t.Errorf("%q, %v", b, err)
	}
}

// An event for bytes that were already read does not close the connection.
func TestSpuriousEvent(t *testing.T) {
	t.Parallel()
	cfg, called, proceed := blockingConfig()
	conn := dialAndGet(t, serve(t, listen(t, cfg)), 10)
	if _, err := io.WriteString(conn, strings.Replace(knownGet, "3", "4", 1)+knownGet[:9]); err != nil {
		t.Fatal(err)
	}
	<-called
	if _, err := io.WriteString(conn, knownGet[9:]); err != nil {
		t.Fatal(err)
	}
	close(proceed)
	if _, err := io.ReadFull(conn, make([]byte, 2*len(knownReply)+1)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(3 * sweepInterval))
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection ended: %v", err)
	}
}

// A failed write closes the connection and hands nothing off.
func TestWriteError(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	if err := unix.Shutdown(c.fd, unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	s.send(c, client, knownGet+knownGet)
	if c.state != closed || len(s.handoffs) > 0 {
		t.Errorf("state %d", c.state)
	}
}

// A request is handed off once its body is complete, at the end of the stream, or at once
// if its body is too long.
func TestBodies(t *testing.T) {
	const head = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: "
	long := strings.Repeat("b", 5000)
	for _, c := range []struct {
		name  string
		sent  []string // all but the last leave the connection here
		end   bool     // of the stream
		want  string
		err   error
		owing int
	}{
		{"in parts", []string{head + "5000\r\n\r\nb", long[:2000], long[:2999] + knownGet}, false, head + "5000\r\n\r\n" + long, io.EOF, 0},
		{"longer than a head", []string{head + "7000\r\n\r\n" + long, long[:2000]}, false, head + "7000\r\n\r\n" + long + long[:2000], io.EOF, 0},
		{"cut off", []string{head + "5000\r\n\r\nb", long[:2000], ""}, true, head + "5000\r\n\r\n" + long[:2001], io.EOF, 2999},
		{"too long", []string{head + "8001\r\n\r\nb"}, false, head + "8001\r\n\r\nb", nil, 8000},
		{"short", []string{head + "3\r\n\r\nb", "bb"}, false, head + "3\r\n\r\nbbb", io.EOF, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSteppedLoop(t, config())
			conn, client := s.connect()
			for i, text := range c.sent {
				if conn.state != active {
					t.Fatalf("handed off before part %d", i)
				}
				if text != "" {
					s.send(conn, client, text)
				}
			}
			if c.end {
				_ = client.CloseWrite()
			}
			fiber, got := s.accepted(), make([]byte, len(c.want))
			if _, err := io.ReadFull(fiber, got); err != nil || string(got) != c.want {
				t.Errorf("reads %.80q, want %.80q, %v", got, c.want, err)
			}
			if conn.handoff.unread != c.owing {
				t.Errorf("%d bytes are unread, want %d", conn.handoff.unread, c.owing)
			}
			if c.err != nil {
				if n, err := fiber.Read(got); n != 0 || err != c.err {
					t.Errorf("then %d, %v", n, err)
				}
			}
		})
	}
}

// A POST whose body arrives in parts is answered by Lookup.
func TestBodyInParts(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	s.send(c, client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
	s.send(c, client, "G")
	s.send(c, client, "ab"+knownGet)
	if c.state != active || c.in != nil || len(s.handoffs) > 0 {
		t.Fatalf("state %d, %q is kept", c.state, c.in)
	}
	want := strings.TrimSuffix(knownReply, "kkk") + "Gab" + knownReply
	b := make([]byte, len(want))
	if _, err := io.ReadFull(client, b); err != nil || stripDates(string(b)) != stripDates(want) {
		t.Errorf("%q, %v", b, err)
	}
}

// A truncated request is handed off with its end.
func TestEOFInsideRequest(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	s.send(c, client, knownGet+"GET /kn")
	_ = client.CloseWrite()
	if b, err := io.ReadAll(s.accepted()); string(b) != "GET /kn" || err != nil {
		t.Errorf("reads %q, %v", b, err)
	}
}

// EOF between requests closes the connection without a response.
func TestEOFBetweenRequests(t *testing.T) {
	for _, before := range []string{"", knownGet} {
		s := newSteppedLoop(t, config())
		c, client := s.connect()
		if before != "" {
			s.send(c, client, before)
		}
		_ = client.CloseWrite()
		s.stepUntil("it is closed", func() bool { return c.state == closed })
		if b, err := io.ReadAll(client); err != nil || (before == "") != (len(b) == 0) || len(s.handoffs) > 0 {
			t.Errorf("%q, %v", b, err)
		}
	}
}

func TestLongHeadIsHandedOff(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	s.send(c, client, "GET /known/3 HTTP/1.1\r\nHost: a\r\nX: "+strings.Repeat("x", 5000))
	s.stepUntil("it is detached", func() bool { return c.state == detached })
	if _, err := io.ReadFull(s.accepted(), make([]byte, 5000)); err != nil {
		t.Error(err)
	}
}

// Complete lines of a head are not scanned again when more of it arrives.
func TestHeadLinesAreScannedOnce(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	sent := "GET /known/3 HTTP/1.1\r\nHost: a\r\n"
	s.send(c, client, sent)
	for _, next := range []string{"X: " + strings.Repeat("x", 100) + "\r\n", "Y: y\r", "\n", "Z", ": z\r\n"} {
		s.send(c, client, next)
		sent += next
		if want := strings.LastIndex(sent, "\n") + 1; c.lineBytes != want {
			t.Errorf("%q: %d bytes are scanned, want %d", sent, c.lineBytes, want)
		}
	}
	// If the line were scanned again, its malformed field would hand the connection off.
	at := strings.Index(sent, "X: ")
	c.in[at+1] = 'x'
	s.send(c, client, "A: b\r\n")
	if c.state != active {
		t.Errorf("a line is scanned again: state %d", c.state)
	}
	c.in[at+1] = ':'
	s.send(c, client, "\r\n")
	s.stepUntil("it is answered", func() bool { return c.responded })
	if c.lineBytes != 0 {
		t.Errorf("%d bytes are scanned of a head that has not begun", c.lineBytes)
	}
}

// A read that fills its buffer is followed by another, also if a request ends with the
// buffer.
func TestReadsTakeEverything(t *testing.T) {
	const requests = 256
	request := fmt.Sprintf("GET /known/3 HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n", strings.Repeat("x", 64-39))
	cfg := config()
	if cfg.HeadLimit%len(request) != 0 {
		t.Fatalf("a request has %d bytes", len(request))
	}
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	s.send(c, client, strings.Repeat(request, requests))
	s.stepUntil("nothing is left", func() bool { return !c.readable })
	b := make([]byte, requests*len(knownReply))
	if _, err := io.ReadFull(client, b); err != nil || bytes.Count(b, []byte("HTTP/1.1 200 OK")) != requests {
		t.Errorf("%d responses to %d requests, %v", bytes.Count(b, []byte("HTTP/1.1 200 OK")), requests, err)
	}
}

// A client that sends without end does not delay the others, which are answered in the
// order in which they sent.
func TestFairness(t *testing.T) {
	var targets []string
	cfg := config()
	cfg.Lookup = func(r *Request) (Response, bool) {
		targets = append(targets, string(r.Target))
		return lookupKnown(r)
	}
	s := newSteppedLoop(t, cfg)
	const others = 9
	busy, client := s.connect()
	if _, err := io.WriteString(client, strings.Repeat(knownGet, 1000)); err != nil {
		t.Fatal(err)
	}
	want := []string{"/known/3"}
	for i := range others {
		_, client := s.connect()
		target := fmt.Sprintf("/known/%d", 10+i)
		want = append(want, target)
		if _, err := io.WriteString(client, strings.Replace(knownGet, "/known/3", target, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		s.loop.queue(busy)
	}
	if n := len(s.loop.queued); n != 1 {
		t.Errorf("it is queued %d times", n)
	}
	s.stepUntil("all are answered", func() bool { return !busy.readable && len(targets) == 1000+others })
	first := slices.Index(targets, want[1])
	if first < 1 || first > cfg.HeadLimit/len(knownGet) {
		t.Errorf("%d requests of the first client come before the second client's", first)
	}
	if got := slices.Compact(targets[:first+others]); !slices.Equal(got, want) {
		t.Errorf("answered in the order %v", got)
	}
}

// A connection that is waited for costs a few hundred bytes, whatever it did before.
func TestIdleConnectionsAreSmall(t *testing.T) {
	const n = 500
	s := newSteppedLoop(t, config())
	size := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc + m.StackInuse
	}
	conns := make([]*conn, n)
	clients := make([]net.Conn, n)
	for i := range clients {
		conns[i], clients[i] = s.connect()
		s.send(conns[i], clients[i], knownGet)
	}
	before := size()
	for i := range clients {
		clients[i].Close()
	}
	s.stepUntil("all are closed", func() bool { return len(s.loop.openConns()) == 0 })
	clear(conns)
	if each := (int64(before) - int64(size())) / n; each > 2<<10 {
		t.Errorf("%d bytes for each connection and its client", each)
	}
}

// An event of a closed connection does nothing to the connection that has its descriptor
// now.
func TestStaleEvents(t *testing.T) {
	s := newSteppedLoop(t, config())
	old, client := s.connect()
	_ = client.CloseWrite()
	n := 0
	s.stepUntil("its end is reported", func() bool {
		n = s.loop.poll()
		return n > 0 && s.loop.events[0].Events&unix.EPOLLRDHUP != 0
	})
	old.forceClose()
	c, client := s.connect()
	if c.fd != old.fd {
		t.Skip("the descriptor is not used again")
	}
	s.loop.dispatch(n, s.buf)
	s.send(c, client, knownGet)
	if c.state != active || !c.responded || c.eof {
		t.Errorf("state %d, ended %v", c.state, c.eof)
	}
}
