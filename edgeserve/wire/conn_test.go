package wire

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// scripted is a connection that says what it is told to, and remembers what is done to
// it. It is a part of no machine: deadlines cannot be read back from a real one.
type scripted struct {
	net.Conn
	reads     []string
	onWrite   func()
	written   []byte
	deadlines []time.Time // of reading
	closed    bool
}

func (s *scripted) Read(p []byte) (int, error) {
	if len(s.reads) == 0 {
		return 0, io.EOF
	}
	n := copy(p, s.reads[0])
	if s.reads[0] = s.reads[0][n:]; s.reads[0] == "" {
		s.reads = s.reads[1:]
	}
	return n, nil
}

func (s *scripted) Write(p []byte) (int, error) {
	if s.onWrite != nil {
		s.onWrite()
	}
	if s.closed {
		return 0, net.ErrClosed
	}
	s.written = append(s.written, p...)
	return len(p), nil
}

func (s *scripted) SetReadDeadline(t time.Time) error {
	s.deadlines = append(s.deadlines, t)
	return nil
}
func (s *scripted) SetWriteDeadline(time.Time) error { return nil }
func (s *scripted) Close() error                     { s.closed = true; return nil }

// wired is a connection of its own listener.
func wired(cfg Config, reads ...string) (*conn, *scripted) {
	s := &scripted{reads: reads}
	l := Listen(nil, cfg)
	c := &conn{Conn: s, l: l}
	l.conns[c] = struct{}{}
	return c, s
}

// knownGet is a request, and knownAnswer its answer but for the date.
const (
	knownGet    = "GET /known/3 HTTP/1.1\r\nHost: a\r\n\r\n"
	knownAnswer = "HTTP/1.1 200 OK\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 3\r\nEtag: \"3\"\r\n\r\nkkk"
)

func near(t *testing.T, what string, got time.Time, from time.Time, after time.Duration) {
	t.Helper()
	if d := got.Sub(from); d < after || d > after+10*time.Second {
		t.Errorf("%s ends %s after the start, want %s", what, d, after)
	}
}

func TestDeadlines(t *testing.T) {
	cfg := config()
	cfg.Head, cfg.Idle = 2*hour, 4*hour
	start := time.Now()

	t.Run("idle time is renewed once a second", func(t *testing.T) {
		c, s := wired(cfg, knownGet, knownGet, knownGet)
		if _, err := c.Read(make([]byte, 4096)); err != io.EOF {
			t.Fatal(err)
		}
		if len(s.deadlines) != 1 {
			t.Fatalf("%d deadlines, want 1", len(s.deadlines))
		}
		near(t, "idling", s.deadlines[0], start, 4*hour+slack)
	})
	t.Run("a request in parts has one time", func(t *testing.T) {
		c, s := wired(cfg, knownGet[:1], knownGet[1:9], knownGet[9:])
		if _, err := c.Read(make([]byte, 4096)); err != io.EOF {
			t.Fatal(err)
		}
		if len(s.deadlines) != 2 {
			t.Fatalf("%d deadlines, want 2", len(s.deadlines))
		}
		near(t, "reading", s.deadlines[0], start, 2*hour)
		near(t, "idling", s.deadlines[1], start, 4*hour+slack)
	})
	t.Run("the time of a whole head is over", func(t *testing.T) {
		c, s := wired(cfg, "POST /x HTTP/1.1\r\n", "Host: a\r\nContent-Length: 2\r\n\r\n", "ab")
		p := make([]byte, 4096)
		if n, err := c.Read(p); err != nil || n != 48 {
			t.Fatal(n, err)
		}
		near(t, "reading", s.deadlines[0], start, 2*hour)
		_ = c.SetReadDeadline(start.Add(9 * hour)) // for the body
		near(t, "the body", s.deadlines[1], start, 9*hour)
	})
	t.Run("half a head for the engine has its time behind answers", func(t *testing.T) {
		c, s := wired(cfg, knownGet, "PUT /x HTTP/1.1\r\n")
		if n, err := c.Read(make([]byte, 4096)); err != nil || n != 17 {
			t.Fatal(n, err)
		}
		if len(s.deadlines) != 2 {
			t.Fatalf("%d deadlines, want 2", len(s.deadlines))
		}
		near(t, "the head", s.deadlines[1], start, 2*hour)
	})
	t.Run("the time of half a head goes on at the engine", func(t *testing.T) {
		c, s := wired(cfg, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "GET /x HT", "TP/1.0\r\n")
		p := make([]byte, 4096)
		if n, err := c.Read(p); err != nil || n != 28 {
			t.Fatal(n, err)
		}
		if n, err := c.Read(p); err != nil || n != 17 {
			t.Fatal(n, err)
		}
		limit := s.deadlines[0]
		near(t, "reading", limit, start, 2*hour)
		_ = c.SetReadDeadline(start.Add(9 * hour)) // for the head
		if got := s.deadlines[1]; !got.Equal(limit) {
			t.Errorf("the engine moved the deadline from %s to %s", limit, got)
		}
		_ = c.SetReadDeadline(start.Add(9 * hour)) // for what follows
		near(t, "idling", s.deadlines[2], start, 9*hour)
	})
}

func TestCloseWaitsForTheAnswer(t *testing.T) {
	c, s := wired(config(), knownGet, knownGet)
	s.onWrite = func() {
		if err := c.Close(); err != nil || s.closed {
			t.Errorf("closed while answering: %v", err)
		}
	}
	if _, err := c.Read(make([]byte, 4096)); err != io.EOF {
		t.Fatal(err)
	}
	if !s.closed || len(s.reads) != 1 || len(s.written) == 0 {
		t.Errorf("closed: %v, %d requests left, %d bytes written", s.closed, len(s.reads), len(s.written))
	}
}

func TestDrainLeavesRequestsToTheEngine(t *testing.T) {
	c, _ := wired(config(), knownGet)
	c.l.Drain()
	if n, err := c.Read(make([]byte, 4096)); err != nil || n != len(knownGet) {
		t.Errorf("read %d, %v", n, err)
	}
}

// A connection between two requests is closed; one that has asked nothing yet is not.
func TestDrainClosesWhatWaits(t *testing.T) {
	l := Listen(loopback(t), config())
	addr := serveOn(t, l)
	asked := answered(t, addr, 1)
	l.Drain()
	if _, err := asked.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("after the drain: %v", err)
	}
}

func TestPanicEndsTheConnectionOnly(t *testing.T) {
	cfg := config()
	cfg.Find = func(*Request) (Answer, bool) { panic("x") }
	c, s := wired(cfg, knownGet)
	if n, err := c.Read(make([]byte, 4096)); n != 0 || err != io.EOF || !s.closed {
		t.Errorf("read %d, %v, closed: %v", n, err, s.closed)
	}
}

// What cannot be written ends the connection without a word to the engine.
func TestWriteError(t *testing.T) {
	c, s := wired(config(), knownGet, knownGet)
	s.closed = true
	if n, err := c.Read(make([]byte, 4096)); n != 0 || err != io.EOF || len(s.reads) != 1 {
		t.Errorf("read %d, %v", n, err)
	}
}

// A long body is there before the engine hears of its request; one that does not come
// ends as it would there, and one that is too long is the engine's to refuse.
func TestLongBodies(t *testing.T) {
	const head = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: "
	long := strings.Repeat("b", 5000)
	for _, c := range []struct {
		name  string
		reads []string
		left  int // when the engine hears of it
		want  string
		err   error
	}{
		{"in parts", []string{head + "5000\r\n\r\nb", long[:2000], long[:2999], knownGet}, 1, head + "5000\r\n\r\n" + long, io.EOF},
		{"cut off", []string{head + "5000\r\n\r\nb", long[:2000]}, 0, head + "5000\r\n\r\n" + long[:2001], io.EOF},
		{"too long", []string{head + "8001\r\n\r\nb", long}, 1, head + "8001\r\n\r\nb" + long, io.EOF},
		{"short", []string{head + "3\r\n\r\nb", "bb"}, 1, head + "3\r\n\r\nbbb", io.EOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, s := wired(config(), c.reads...)
			p, got := make([]byte, 1024), ""
			n, err := conn.Read(p)
			if err != nil || len(s.reads) != c.left {
				t.Fatalf("%v, %d reads left, want %d", err, len(s.reads), c.left)
			}
			for ; err == nil && len(got) < len(c.want); n, err = conn.Read(p) {
				got += string(p[:n])
			}
			if got != c.want || len(conn.body) > 0 {
				t.Errorf("read %d bytes %.80q, want %d", len(got), got, len(c.want))
			}
			if err != nil && err != c.err {
				t.Errorf("then %v", err)
			}
		})
	}
}

// The engine hears of an error before the first request, and gets what there is of a
// request that is cut off.
func TestReadErrors(t *testing.T) {
	c, _ := wired(config())
	if _, err := c.Read(make([]byte, 4096)); !errors.Is(err, io.EOF) {
		t.Errorf("at the start: %v", err)
	}
	c, _ = wired(config(), knownGet+"GET /kn")
	p := make([]byte, 4096)
	if n, err := c.Read(p); err != nil || string(p[:n]) != "GET /kn" {
		t.Errorf("read %q, %v", p[:n], err)
	}
	if _, err := c.Read(p); err != io.EOF {
		t.Errorf("then: %v", err)
	}
}

func TestLongHeadIsTheEngines(t *testing.T) {
	c, _ := wired(config(), "GET /known/3 HTTP/1.1\r\nHost: a\r\nX: "+string(make([]byte, 100)))
	if n, err := c.Read(make([]byte, 64)); err != nil || n != 64 {
		t.Errorf("read %d, %v", n, err)
	}
}

func BenchmarkAnswer(b *testing.B) {
	cfg := config()
	a, _ := find(&Request{Target: []byte("/known/1200")})
	cfg.Find = func(*Request) (Answer, bool) { return a, true }
	c, s := wired(cfg)
	p := make([]byte, 16<<10)
	b.ReportAllocs()
	for b.Loop() {
		s.reads, s.written = append(s.reads[:0], knownGet), s.written[:0]
		_, _ = c.Read(p)
		c.state.Store(atEngine)
	}
}
