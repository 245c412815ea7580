// This file tests deadlines and the sweep.

package fastpath

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestDeadlines(t *testing.T) {
	cfg := config()
	cfg.First, cfg.Head, cfg.Body, cfg.Idle, cfg.Write = 6*hour, 2*hour, 3*hour, 4*hour, 5*hour
	start := time.Now()

	t.Run("a new connection has a time of its own for its first byte", func(t *testing.T) {
		c, _ := newSteppedLoop(t, cfg).connect()
		assertDeadline(t, "it", c.readDeadline, start, 6*hour)
	})
	t.Run("behind a response it has the idle timeout", func(t *testing.T) {
		s := newSteppedLoop(t, cfg)
		c, client := s.connect()
		s.send(c, client, knownGet)
		assertDeadline(t, "idling", c.readDeadline, start, 4*hour)
	})
	t.Run("the idle timeout begins when the response is sent", func(t *testing.T) {
		s := newSteppedLoop(t, cfg)
		c, client := s.connect()
		for !c.unsent() {
			s.send(c, client, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 20))
		}
		c.readDeadline = start
		go io.Copy(io.Discard, client)
		s.stepUntil("all is sent", func() bool { return !c.unsent() && !c.readable && c.in == nil })
		assertDeadline(t, "idling", c.readDeadline, start, 4*hour)
	})
	t.Run("a head in parts has one deadline", func(t *testing.T) {
		s := newSteppedLoop(t, cfg)
		c, client := s.connect()
		s.send(c, client, knownGet+knownGet[:1])
		assertDeadline(t, "reading", c.readDeadline, start, 2*hour)
		first := c.readDeadline
		s.send(c, client, knownGet[1:9])
		if !c.readDeadline.Equal(first) {
			t.Error("its deadline moves with more of it")
		}
		s.send(c, client, knownGet[9:])
		assertDeadline(t, "idling", c.readDeadline, start, 4*hour)
		s.send(c, client, knownGet[:1])
		assertDeadline(t, "reading the next", c.readDeadline, start, 2*hour)
	})
	t.Run("a body in parts has one deadline", func(t *testing.T) {
		s := newSteppedLoop(t, cfg)
		c, client := s.connect()
		s.send(c, client, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
		assertDeadline(t, "the body", c.readDeadline, start, 3*hour)
		first := c.readDeadline
		s.send(c, client, "a")
		if !c.readDeadline.Equal(first) {
			t.Error("its deadline moves with more of it")
		}
	})
	t.Run("Fiber keeps the deadline of half a head", func(t *testing.T) {
		s := newSteppedLoop(t, cfg)
		c, client := s.connect()
		s.send(c, client, "PUT ")
		limit := c.readDeadline
		s.send(c, client, "/x HTTP/1.1\r\n")
		fiber := s.accepted()
		for range 2 { // before it reads
			_ = fiber.SetReadDeadline(start.Add(9 * hour))
			if !c.readDeadline.Equal(limit) {
				t.Errorf("Fiber moved the deadline from %s to %s", limit, c.readDeadline)
			}
		}
		if _, err := fiber.Read(make([]byte, 99)); err != nil {
			t.Fatal(err)
		}
		_ = fiber.SetReadDeadline(start.Add(9 * hour)) // for the body
		assertDeadline(t, "the body", c.readDeadline, start, 9*hour)
	})
	t.Run("a complete request leaves no deadline", func(t *testing.T) {
		s := newSteppedLoop(t, cfg)
		c, client := s.connect()
		s.send(c, client, "GET /x ")
		s.send(c, client, "HTTP/1.1\r\nHost: a\r\n\r\n")
		if c.state != borrowed || !c.readDeadline.IsZero() {
			t.Errorf("state %d, %s", c.state, c.readDeadline)
		}
		assertDeadline(t, "an error response", c.writeDeadline, start, 5*hour)
		fiber := s.accepted()
		_ = fiber.SetDeadline(start.Add(9 * hour))
		assertDeadline(t, "Fiber's read deadline", c.readDeadline, start, 9*hour)
		assertDeadline(t, "Fiber's write deadline", c.writeDeadline, start, 9*hour)
		serveOneAndClose(t, fiber, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
		assertDeadline(t, "idling", c.readDeadline, start, 4*hour)
		if fiber.SetDeadline(start) == nil || c.readDeadline.Equal(start) {
			t.Error("a closed handoff sets a deadline")
		}
	})
}

// An expired connection closes: between requests without a response, within a request with
// one.
func TestExpiry(t *testing.T) {
	cfg := config()
	cfg.Head, cfg.Body, cfg.Idle, cfg.Write = hour, 2*hour, 3*hour, 4*hour
	const halfBody = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na"
	for _, c := range []struct {
		name, sent string
		after      time.Duration
		late       bool // the response is that of the deadline
	}{
		{"no request", "", hour, false},
		{"idle", knownGet, 3 * hour, false},
		{"half a head", "GET /kn", hour, true},
		{"half a head behind a response", knownGet + "GET /kn", hour, true},
		{"half a body", halfBody, 2 * hour, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSteppedLoop(t, cfg)
			conn, client := s.connect()
			if c.sent != "" {
				s.send(conn, client, c.sent)
			}
			s.sweep(time.Now().Add(c.after - time.Minute))
			if conn.state != active {
				t.Fatal("it closes early")
			}
			s.sweep(time.Now().Add(c.after + time.Second))
			if conn.state != closed || len(s.handoffs) > 0 {
				t.Errorf("state %d", conn.state)
			}
			b, err := io.ReadAll(client)
			if late := strings.HasSuffix(string(b), os.ErrDeadlineExceeded.Error()); late != c.late || err != nil {
				t.Errorf("the client reads %q, %v", b, err)
			}
		})
	}
}

// A connection with an unsent response has the write timeout, not those of requests.
func TestExpiryOfUnsentResponses(t *testing.T) {
	cfg := config()
	cfg.Head, cfg.Idle, cfg.Write = hour, 2*hour, 4*hour
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	for !c.unsent() {
		s.send(c, client, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 20))
	}
	s.sweep(time.Now().Add(3 * hour))
	if c.state != active || !c.unsent() {
		t.Fatalf("it closes early: state %d", c.state)
	}
	s.sweep(time.Now().Add(4*hour + time.Second))
	if c.state != closed || c.unsentBody != nil {
		t.Errorf("state %d", c.state)
	}
}

// While memory is low, a client has a tenth of the write timeout.
func TestExpiryWithLowMemory(t *testing.T) {
	cfg := config()
	cfg.Write = 10 * hour
	low := false
	cfg.LowMemory = func() bool { return low }
	s := newSteppedLoop(t, cfg)
	c, client := s.connect()
	for !c.unsent() {
		s.send(c, client, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 20))
	}
	later := time.Now().Add(hour + time.Second)
	if s.sweep(later); c.state != active {
		t.Fatalf("it closes early: state %d", c.state)
	}
	low = true
	if s.sweep(later); c.state != closed {
		t.Errorf("state %d", c.state)
	}
}

// A client that does not read is closed.
func TestWriteTimeout(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Write = time.Millisecond
	addr, waitClosed := serveCounted(t, cfg)
	conn := dialAndGet(t, addr, 1)
	_ = conn.SetDeadline(time.Now().Add(sweepInterval / 4))
	for {
		if _, err := io.WriteString(conn, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 100)); err != nil {
			break
		}
	}
	waitClosed()
}

// Idle connections close after their timeout, and not before.
func TestIdle(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Idle = sweepInterval + sweepInterval/2
	addr := serve(t, listen(t, cfg))
	start := time.Now()
	conn := dialAndGet(t, addr, 10)
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
	if d := time.Since(start); d < cfg.Idle || d > cfg.Idle+20*sweepInterval {
		t.Errorf("closed after %s, want %s", d, cfg.Idle+sweepInterval)
	}
}

// Each connection is checked once in sweepInterval, few at a time.
func TestSweepsAreParts(t *testing.T) {
	const n = 500
	cfg := config()
	s := newSteppedLoop(t, cfg)
	for range n {
		s.connect()
	}
	start := time.Now()
	now, most := start, 0
	for left := n; left > 0; {
		now = now.Add(s.loop.sweep(now.Add(2 * cfg.Head)))
		most = max(most, left-len(s.loop.openConns()))
		left = len(s.loop.openConns())
		if now.After(start.Add(2 * sweepInterval)) {
			t.Fatalf("%d are left after %s", left, now.Sub(start))
		}
	}
	if most > minSweep {
		t.Errorf("%d end at once", most)
	}
}

// Connections that began together do not expire together.
func TestSweepsAreSpread(t *testing.T) {
	s := newSteppedLoop(t, config())
	const n, ending = 500, 100
	for i := range n {
		c, _ := s.connect()
		if i >= n/2 && i < n/2+ending {
			c.readDeadline = time.Now()
		}
	}
	now, most := time.Now(), 0
	for left := n; left > n-ending; left = len(s.loop.openConns()) {
		now = now.Add(s.loop.sweep(now))
		most = max(most, left-len(s.loop.openConns()))
	}
	if most > minSweep/4 {
		t.Errorf("%d end at once of %d that began together", most, ending)
	}
}
