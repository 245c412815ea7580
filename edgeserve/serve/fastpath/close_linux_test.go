// This file tests how connections end: after panics and refusals, and by lingering.

package fastpath

import (
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

func TestPanicInLookup(t *testing.T) {
	cfg := config()
	cfg.Lookup = func(*Request) (Response, bool) { panic("x") }
	target := ""
	cfg.ErrorResponse = func(why error, _ net.Addr) []byte {
		target = string(why.(*Panic).Request.Target)
		return errorText(why, nil)
	}
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	s.send(c, client, knownGet)
	if b, err := io.ReadAll(client); string(b) != "panic: x" || err != nil || c.state != lingering {
		t.Errorf("%q, %v, state %d", b, err, c.state)
	}
	if target != "/known/3" {
		t.Errorf("the panic is reported for %q", target)
	}
}

// Whatever panics, the connection ends once, its response is released once, and other
// connections go on.
func TestPanics(t *testing.T) {
	half := func(s steppedLoop, c *conn, client *net.TCPConn) { // sends half a response
		_ = shrinkSendBuffer(c.fd)
		_ = client.SetReadBuffer(1)
		s.send(c, client, strings.Replace(computedGet, "/3", "/90000", 1))
		s.stepUntil("the response is computed", func() bool { return c.responded })
	}
	for _, c := range []struct {
		name string
		at   string // what panics
		end  func(s steppedLoop, c *conn, client *net.TCPConn)
		done int
	}{
		{"before the response is written", "OnResponse", func(s steppedLoop, c *conn, client *net.TCPConn) { s.send(c, client, computedGet) }, 1},
		{"when it is written", "Done", func(s steppedLoop, c *conn, client *net.TCPConn) {
			s.send(c, client, computedGet)
			s.stepUntil("it is closed", func() bool { return c.state == closed })
			if b, err := io.ReadAll(client); err != nil || stripDates(string(b)) != shortResponse {
				s.t.Errorf("it gets %q, %v", b, err)
			}
		}, 1},
		{"when the rest is written", "Done", func(s steppedLoop, c *conn, client *net.TCPConn) {
			half(s, c, client)
			go io.Copy(io.Discard, client)
		}, 1},
		{"when the client has closed", "Done", func(s steppedLoop, c *conn, client *net.TCPConn) {
			half(s, c, client)
			client.SetLinger(0)
			client.Close()
		}, 1},
		{"at the deadline", "ErrorResponse", func(s steppedLoop, c *conn, client *net.TCPConn) {
			s.send(c, client, computedGet[:9])
			s.sweep(time.Now().Add(2 * hour))
		}, 0},
		{"after another panic", "ErrorResponse Compute", func(s steppedLoop, c *conn, client *net.TCPConn) { s.send(c, client, computedGet) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := func(callback string) {
				if strings.Contains(c.at, callback) {
					panic(callback)
				}
			}
			done := 0
			cfg := config()
			cfg.Compute = func(r *Request, _ time.Time, _ func()) (Response, bool) {
				at("Compute")
				a, ok := knownResponse(r)
				a.Memfile, a.Done = nil, func() { done++; at("Done") }
				return a, ok
			}
			cfg.OnResponse = func(*Request, *Response, time.Duration) { at("OnResponse") }
			cfg.ErrorResponse = func(why error, _ net.Addr) []byte { at("ErrorResponse"); return errorText(why, nil) }
			s := newSteppedLoop(t, cfg)
			conn, client := s.connect()
			c.end(s, conn, client)
			s.stepUntil("it ends", func() bool { return conn.state == closed || conn.state == lingering })
			s.sweep(time.Now().Add(2 * hour))
			s.stepUntil("it is closed", func() bool { return conn.state == closed })
			if n := s.open.Load(); done != c.done || len(s.loop.openConns()) > 0 || n != 1 {
				t.Errorf("done %d times, %d connections, %d counted", done, len(s.loop.openConns()), n)
			}
		})
	}
}

// refusedByFiber has a client send a request that Fiber refuses after a few bytes of it.
func refusedByFiber(s steppedLoop) (*conn, *net.TCPConn) {
	s.t.Helper()
	c, client := s.connect()
	s.send(c, client, "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n")
	fiber := s.accepted()
	if _, err := fiber.Read(make([]byte, 3)); err != nil {
		s.t.Fatal(err)
	}
	if _, err := io.WriteString(fiber, "no"); err != nil {
		s.t.Fatal(err)
	}
	if err := fiber.Close(); err != nil {
		s.t.Fatal(err)
	}
	return c, client
}

// A client that sends a long body before it reads gets the refusal, not a reset.
func TestRefusalArrives(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := refusedByFiber(s)
	if err := s.stepDuring("the client sends", func() error {
		_, err := client.Write(make([]byte, 1<<20))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(client); string(b) != "no" || err != nil {
		t.Errorf("the client gets %q, %v", b, err)
	}
	client.Close()
	s.stepUntil("it is closed", func() bool { return c.state == closed })
	if n := s.lingering.Load(); n != 0 || s.open.Load() != 1 {
		t.Errorf("%d linger, %d are open", n, s.open.Load())
	}
}

// Lingering ends after lingerTime, and after lingerBytes.
func TestLingeringEnds(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, _ := refusedByFiber(s)
	assertDeadline(t, "lingering", c.readDeadline, time.Now().Add(-time.Second), lingerTime)
	s.sweep(time.Now().Add(lingerTime - time.Second))
	if c.state != lingering {
		t.Errorf("it closes early: state %d", c.state)
	}
	s.sweep(time.Now().Add(lingerTime + time.Second))
	if c.state != closed {
		t.Errorf("it lingers too long: state %d", c.state)
	}

	c, client := refusedByFiber(s)
	go func() {
		_, _ = io.Copy(client, io.LimitReader(zeros{}, 4*lingerBytes))
	}()
	s.stepUntil("it is closed", func() bool { return c.state == closed })
	if c.discardLeft < -len(s.buf.in) {
		t.Errorf("%d bytes above the bound were discarded", -c.discardLeft)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// At most maxLingering connections linger.
func TestLingeringIsBounded(t *testing.T) {
	s := newSteppedLoop(t, config())
	s.lingering.Store(maxLingering)
	c, _ := refusedByFiber(s)
	if c.state != closed || s.lingering.Load() != maxLingering {
		t.Errorf("state %d, %d linger", c.state, s.lingering.Load())
	}
}

// A client gets the refusal of the event loop, however much it has sent.
func TestLoopRefusalsArrive(t *testing.T) {
	for first, why := range map[string]error{"\x16\x03\x01": errNotHTTP, "GET / HT": os.ErrDeadlineExceeded} {
		t.Run(why.Error(), func(t *testing.T) {
			s := newSteppedLoop(t, config())
			c, client := s.connect()
			s.send(c, client, first)
			if why != errNotHTTP {
				s.sweep(time.Now().Add(2 * hour))
			}
			if _, err := io.WriteString(client, strings.Repeat("x", 100_000)); err != nil {
				t.Fatal(err)
			}
			var got []byte
			if err := s.stepDuring("the client reads to the end", func() (err error) {
				got, err = io.ReadAll(client)
				return err
			}); err != nil || string(got) != why.Error() {
				t.Errorf("the client gets %q, %v", got, err)
			}
			client.Close()
			s.stepUntil("it is closed", func() bool { return c.state == closed })
		})
	}
}

// A connection refused on accept gets the response, and lingers within the bounds.
func TestRefusedOnAccept(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connectRefused()
	if c == nil {
		t.Fatal("it does not linger")
	}
	s.stepUntil("what was sent is read", func() bool { return c.discardLeft < lingerBytes })
	if b, err := io.ReadAll(client); string(b) != "no" || err != nil {
		t.Errorf("the client gets %q, %v", b, err)
	}
	client.Close()
	s.stepUntil("it is closed", func() bool { return c.state == closed })
	c, _ = s.connectRefused()
	s.sweep(time.Now().Add(lingerTime + time.Second))
	if c.state != closed || s.lingering.Load() != 0 || s.open.Load() != 1 {
		t.Errorf("state %d; %d linger, %d are open", c.state, s.lingering.Load(), s.open.Load())
	}
	s.lingering.Store(maxRefusedLingering)
	if c, _ := s.connectRefused(); c != nil || s.open.Load() != 1 {
		t.Errorf("a connection lingers above the bound; %d are open", s.open.Load())
	}
}
