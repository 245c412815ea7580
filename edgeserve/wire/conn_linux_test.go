package wire

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

// still is a listener whose one poller looks when it is told to.
type still struct {
	*Listener
	t *testing.T
	p *poller
	b *buffers
}

func newStill(t *testing.T, cfg Config) still {
	t.Helper()
	l, err := newListener(taken(t, loopback(t)), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop(l)
		for _, p := range l.pollers {
			p.epoll.Close()
		}
	})
	return still{l, t, l.pollers[0], newBuffers(cfg.HeadLimit)}
}

// connect returns the two ends of a new connection.
func (s still) connect() (*conn, *net.TCPConn) {
	s.t.Helper()
	client, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { client.Close() })
	_ = client.SetDeadline(time.Now().Add(time.Minute))
	inner, err := s.Listener.Listener.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.p.add(inner); err != nil {
		s.t.Fatal(err)
	}
	for _, c := range s.p.all() {
		if c.Conn == inner {
			return c, client.(*net.TCPConn)
		}
	}
	panic("not there")
}

// look has the poller look once.
func (s still) look() {
	next := s.p.takeNext()
	s.p.tell(s.p.poll(), s.b)
	s.p.lookAgain(next, s.b)
	s.p.makeAnswers(s.b)
}

// sweep has all looked at whose time may be over.
func (s still) sweep(now time.Time) {
	for range 2 * many {
		s.p.sweep(now)
	}
}

// until has the poller look until something is so.
func (s still) until(what string, so func() bool) {
	s.t.Helper()
	for limit := time.Now().Add(20 * time.Second); !so(); runtime.Gosched() {
		s.look()
		if time.Now().After(limit) {
			s.t.Fatalf("never: %s", what)
		}
	}
}

// send writes from the client and has the poller look until so many bytes of it are there,
// or something is done with them.
func (s still) send(c *conn, client net.Conn, text string) {
	s.t.Helper()
	before := len(c.in)
	asked := c.readBy
	if _, err := io.WriteString(client, text); err != nil {
		s.t.Fatal(err)
	}
	s.until("it is read", func() bool { return len(c.in) != before || c.place != ours || !c.readBy.Equal(asked) })
}

// borrowed is what the engine is given, which must be there.
func (s still) borrowed() net.Conn {
	s.t.Helper()
	s.until("the engine is asked", func() bool { return len(s.loans) > 0 })
	c, err := s.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// giveBack answers a request as the engine does.
func giveBack(t *testing.T, engine net.Conn, request string) {
	t.Helper()
	b := make([]byte, len(request))
	if _, err := io.ReadFull(engine, b); err != nil || string(b) != request {
		t.Fatalf("the engine reads %q, %v", b, err)
	}
	if _, err := io.WriteString(engine, "one"); err != nil {
		t.Fatal(err)
	}
	if n, err := engine.Read(b); n != 0 || err != io.EOF {
		t.Fatalf("behind the request: %d, %v", n, err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
}

func near(t *testing.T, what string, got time.Time, from time.Time, after time.Duration) {
	t.Helper()
	if d := got.Sub(from); d < after || d > after+time.Minute {
		t.Errorf("%s ends %s after the start, want %s", what, d, after)
	}
}

func TestDeadlines(t *testing.T) {
	cfg := config()
	cfg.Head, cfg.Body, cfg.Idle, cfg.Write = 2*hour, 3*hour, 4*hour, 5*hour
	start := time.Now()

	t.Run("a new connection has the time of a head", func(t *testing.T) {
		c, _ := newStill(t, cfg).connect()
		near(t, "it", c.readBy, start, 2*hour)
	})
	t.Run("behind an answer it idles", func(t *testing.T) {
		s := newStill(t, cfg)
		c, client := s.connect()
		s.send(c, client, knownGet)
		near(t, "idling", c.readBy, start, 4*hour)
	})
	t.Run("it idles from when the answer was sent", func(t *testing.T) {
		s := newStill(t, cfg)
		c, client := s.connect()
		for !c.unsent() {
			s.send(c, client, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 20))
		}
		c.readBy = start
		go io.Copy(io.Discard, client)
		s.until("all is sent", func() bool { return !c.unsent() && !c.come && c.in == nil })
		near(t, "idling", c.readBy, start, 4*hour)
	})
	t.Run("a head in parts has one time", func(t *testing.T) {
		s := newStill(t, cfg)
		c, client := s.connect()
		s.send(c, client, knownGet+knownGet[:1])
		near(t, "reading", c.readBy, start, 2*hour)
		first := c.readBy
		s.send(c, client, knownGet[1:9])
		if !c.readBy.Equal(first) {
			t.Error("it has another time with more of it")
		}
		s.send(c, client, knownGet[9:])
		near(t, "idling", c.readBy, start, 4*hour)
		s.send(c, client, knownGet[:1])
		near(t, "reading the next", c.readBy, start, 2*hour)
	})
	t.Run("a body in parts has one time", func(t *testing.T) {
		s := newStill(t, cfg)
		c, client := s.connect()
		s.send(c, client, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
		near(t, "the body", c.readBy, start, 3*hour)
		first := c.readBy
		s.send(c, client, "a")
		if !c.readBy.Equal(first) {
			t.Error("it has another time with more of it")
		}
	})
	t.Run("the time of half a head goes on at the engine", func(t *testing.T) {
		s := newStill(t, cfg)
		c, client := s.connect()
		s.send(c, client, "PUT ")
		limit := c.readBy
		s.send(c, client, "/x HTTP/1.1\r\n")
		engine := s.borrowed()
		for range 2 { // before it reads
			_ = engine.SetReadDeadline(start.Add(9 * hour))
			if !c.readBy.Equal(limit) {
				t.Errorf("the engine moved the deadline from %s to %s", limit, c.readBy)
			}
		}
		if _, err := engine.Read(make([]byte, 99)); err != nil {
			t.Fatal(err)
		}
		_ = engine.SetReadDeadline(start.Add(9 * hour)) // for what follows
		near(t, "the body", c.readBy, start, 9*hour)
	})
	t.Run("a request that is whole leaves no time behind", func(t *testing.T) {
		s := newStill(t, cfg)
		c, client := s.connect()
		s.send(c, client, "GET /x ")
		s.send(c, client, "HTTP/1.1\r\nHost: a\r\n\r\n")
		if c.place != lent || !c.readBy.IsZero() {
			t.Errorf("place %d, %s", c.place, c.readBy)
		}
		near(t, "an answer to an error", c.writeBy, start, 5*hour)
		engine := s.borrowed()
		_ = engine.SetDeadline(start.Add(9 * hour))
		near(t, "the engine's time to read", c.readBy, start, 9*hour)
		near(t, "the engine's time to write", c.writeBy, start, 9*hour)
		giveBack(t, engine, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
		near(t, "idling", c.readBy, start, 4*hour)
		if engine.SetDeadline(start) == nil || c.readBy.Equal(start) {
			t.Error("a loan sets a time when it is over")
		}
	})
}

// What takes too long ends: silently where nothing was asked, and where something was, with
// an answer.
func TestExpiry(t *testing.T) {
	cfg := config()
	cfg.Head, cfg.Body, cfg.Idle, cfg.Write = hour, 2*hour, 3*hour, 4*hour
	const halfBody = "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na"
	for _, c := range []struct {
		name, sent string
		after      time.Duration
		late       bool // is what the client is told
	}{
		{"nothing asked", "", hour, false},
		{"idle", knownGet, 3 * hour, false},
		{"half a head", "GET /kn", hour, true},
		{"half a head behind an answer", knownGet + "GET /kn", hour, true},
		{"half a body", halfBody, 2 * hour, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStill(t, cfg)
			conn, client := s.connect()
			if c.sent != "" {
				s.send(conn, client, c.sent)
			}
			s.sweep(time.Now().Add(c.after - time.Minute))
			if conn.place != ours {
				t.Fatal("it ends too early")
			}
			s.sweep(time.Now().Add(c.after + time.Second))
			if conn.place != closed || len(s.loans) > 0 {
				t.Errorf("place %d", conn.place)
			}
			b, err := io.ReadAll(client)
			if late := strings.HasSuffix(string(b), os.ErrDeadlineExceeded.Error()); late != c.late || err != nil {
				t.Errorf("the client reads %q, %v", b, err)
			}
		})
	}
}

// A client that has no room for its answer has the time for answers, not that for requests.
func TestExpiryOfAnswers(t *testing.T) {
	cfg := config()
	cfg.Head, cfg.Idle, cfg.Write = hour, 2*hour, 4*hour
	s := newStill(t, cfg)
	c, client := s.connect()
	for !c.unsent() {
		s.send(c, client, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 20))
	}
	s.sweep(time.Now().Add(3 * hour))
	if c.place != ours || !c.unsent() {
		t.Fatalf("it ends too early: place %d", c.place)
	}
	s.sweep(time.Now().Add(4*hour + time.Second))
	if c.place != closed || c.body != nil {
		t.Errorf("place %d", c.place)
	}
}

// put makes a connection the engine's, for a request that has begun.
func (s still) put() (net.Conn, *net.TCPConn) {
	s.t.Helper()
	c, client := s.connect()
	s.send(c, client, "PUT /x HTTP/1.1\r\n")
	engine := s.borrowed()
	if _, err := io.ReadFull(engine, make([]byte, 17)); err != nil {
		s.t.Fatal(err)
	}
	return engine, client
}

// during has the poller look while something waits, and returns what that comes to.
func (s still) during(what string, do func() error) error {
	s.t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	s.until(what, func() bool { return len(done) > 0 })
	return <-done
}

// What the engine waits for in Read and Write, it is told of at once.
func TestEngineIsTold(t *testing.T) {
	s := newStill(t, config())
	engine, client := s.put()
	for _, part := range []string{"Host", ": a\r\n"} {
		b := make([]byte, len(part))
		if err := s.during("the engine reads", func() error {
			go io.WriteString(client, part)
			_, err := io.ReadFull(engine, b)
			return err
		}); err != nil || string(b) != part {
			t.Errorf("%q, %v", b, err)
		}
	}
	long := bytes.Repeat([]byte("0123456789"), 2_000_000)
	got := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(client, int64(len(long))))
		got <- b
	}()
	if err := s.during("the engine writes", func() error {
		_, err := engine.Write(long)
		return err
	}); err != nil {
		t.Error(err)
	}
	if b := <-got; !bytes.Equal(b, long) {
		t.Errorf("%d bytes arrive of %d", len(b), len(long))
	}
	if err := s.during("the engine reads the end", func() error {
		go client.CloseWrite()
		_, err := engine.Read(make([]byte, 1))
		return err
	}); err != io.EOF {
		t.Error(err)
	}
}

// The engine waits in Read and Write for as long as it says.
func TestEngineDeadlines(t *testing.T) {
	s := newStill(t, config())
	for name, wait := range map[string]func(net.Conn) error{
		"read":  func(c net.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"write": func(c net.Conn) error { _, err := c.Write(make([]byte, 20_000_000)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			engine, _ := s.put()
			start := time.Now()
			_ = engine.SetDeadline(start.Add(tick / 10))
			done := make(chan error, 1)
			go func() { done <- wait(engine) }()
			s.until("it is over", func() bool {
				s.sweep(time.Now())
				return len(done) > 0
			})
			err := <-done
			if d := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || d < tick/10 {
				t.Errorf("after %s: %v", d, err)
			}
		})
	}
}

// Stop ends whatever the engine waits for.
func TestStop(t *testing.T) {
	l := listen(t, config())
	client := answered(t, l.Addr().String(), 1)
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

// The engine has a connection for one request: it reads that and then the end, and what it
// takes for closing gives the connection back.
func TestLoan(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	const unknown = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
	for range 3 {
		s.send(c, client, unknown+knownGet)
		giveBack(t, s.borrowed(), unknown)
		s.until("the next is answered", func() bool { return len(c.in) == 0 && c.place == ours && !c.come })
		b := make([]byte, len("one"+knownAnswer))
		if _, err := io.ReadFull(client, b); err != nil || !strings.HasPrefix(string(b), "oneHTTP/1.1 200 OK") {
			t.Fatalf("%q, %v", b, err)
		}
	}
	s.send(c, client, unknown)
	engine := s.borrowed()
	if _, err := io.ReadAll(engine); err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil || c.place != closed {
		t.Errorf("closed before it is answered: place %d, %v", c.place, err)
	}
	if n, err := client.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the client reads %d, %v", n, err)
	}
}

// Drain closes what is idle and leaves to the engine what is asked; a connection that has
// asked nothing yet has a moment to do so. Accept ends with the last of them.
func TestDrain(t *testing.T) {
	s := newStill(t, config())
	idle, client := s.connect()
	s.send(idle, client, knownGet)
	fresh, _ := s.connect()
	half, asking := s.connect()
	s.send(half, asking, knownGet[:9])
	engaged, client := s.connect()
	s.send(engaged, client, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
	engine := s.borrowed()

	s.Drain()
	s.leave() // as acceptAll does
	s.until("the idle one is closed", func() bool { return idle.place == closed })
	if fresh.place != ours || half.place != ours || engaged.place != lent {
		t.Fatalf("places %d, %d, %d", fresh.place, half.place, engaged.place)
	}
	giveBack(t, engine, "GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
	s.until("the one given back is closed", func() bool { return engaged.place == closed })
	s.sweep(time.Now().Add(patience + time.Second))
	if fresh.place != closed || half.place != ours {
		t.Fatalf("places %d, %d", fresh.place, half.place)
	}
	s.send(half, asking, knownGet[9:])
	if engine = s.borrowed(); half.place != lent || s.isDone() {
		t.Fatalf("place %d", half.place)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept: %v", err)
	}
}

func TestPanicEndsTheConnectionOnly(t *testing.T) {
	cfg := config()
	cfg.Find = func(*Request) (Answer, bool) { panic("x") }
	asked := ""
	cfg.Refuse = func(why error) []byte {
		asked = string(why.(*Panic).Request.Target)
		return refuse(why)
	}
	s := newStill(t, cfg)
	c, client := s.connect()
	s.send(c, client, knownGet)
	if b, err := io.ReadAll(client); string(b) != "panic: x" || err != nil || c.place != lingering {
		t.Errorf("%q, %v, place %d", b, err, c.place)
	}
	if asked != "/known/3" {
		t.Errorf("the panic is said to be at %q", asked)
	}
}

// What cannot be written ends the connection without a word to the engine.
func TestWriteError(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	if err := unix.Shutdown(c.fd, unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	s.send(c, client, knownGet+knownGet)
	if c.place != closed || len(s.loans) > 0 {
		t.Errorf("place %d", c.place)
	}
}

// A body is there before the engine hears of its request; one that does not come ends as
// it would there, and one that is too long is the engine's to refuse.
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
			s := newStill(t, config())
			conn, client := s.connect()
			for i, text := range c.sent {
				if conn.place != ours {
					t.Fatalf("the engine hears of it before part %d", i)
				}
				if text != "" {
					s.send(conn, client, text)
				}
			}
			if c.end {
				_ = client.CloseWrite()
			}
			engine, got := s.borrowed(), make([]byte, len(c.want))
			if _, err := io.ReadFull(engine, got); err != nil || string(got) != c.want {
				t.Errorf("reads %.80q, want %.80q, %v", got, c.want, err)
			}
			if conn.loan.owed != c.owing {
				t.Errorf("%d bytes are owed, want %d", conn.loan.owed, c.owing)
			}
			if c.err != nil {
				if n, err := engine.Read(got); n != 0 || err != c.err {
					t.Errorf("then %d, %v", n, err)
				}
			}
		})
	}
}

// A search whose body comes later is answered from memory as one that comes at once.
func TestBodyInPartsIsAnswered(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	s.send(c, client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n")
	s.send(c, client, "G")
	s.send(c, client, "ab"+knownGet)
	if c.place != ours || c.in != nil || len(s.loans) > 0 {
		t.Fatalf("place %d, %q is left", c.place, c.in)
	}
	want := strings.TrimSuffix(knownAnswer, "kkk") + "Gab" + knownAnswer
	b := make([]byte, len(want))
	if _, err := io.ReadFull(client, b); err != nil || withoutDates(string(b)) != withoutDates(want) {
		t.Errorf("%q, %v", b, err)
	}
}

// The engine gets what there is of a request that is cut off, and the end.
func TestEndInsideOfRequest(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	s.send(c, client, knownGet+"GET /kn")
	_ = client.CloseWrite()
	if b, err := io.ReadAll(s.borrowed()); string(b) != "GET /kn" || err != nil {
		t.Errorf("reads %q, %v", b, err)
	}
}

// At the end before the first byte of a request nobody says anything.
func TestEndBetweenRequests(t *testing.T) {
	for _, before := range []string{"", knownGet} {
		s := newStill(t, config())
		c, client := s.connect()
		if before != "" {
			s.send(c, client, before)
		}
		_ = client.CloseWrite()
		s.until("it is closed", func() bool { return c.place == closed })
		if b, err := io.ReadAll(client); err != nil || (before == "") != (len(b) == 0) || len(s.loans) > 0 {
			t.Errorf("%q, %v", b, err)
		}
	}
}

func TestLongHeadIsTheEngines(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	s.send(c, client, "GET /known/3 HTTP/1.1\r\nHost: a\r\nX: "+strings.Repeat("x", 5000))
	s.until("the engine has it", func() bool { return c.place == given })
	if _, err := io.ReadFull(s.borrowed(), make([]byte, 5000)); err != nil {
		t.Error(err)
	}
}

// A read that fills its buffer may have left something, whatever requests end there.
func TestReadsTakeEverything(t *testing.T) {
	const requests = 256
	request := fmt.Sprintf("GET /known/3 HTTP/1.1\r\nHost: a\r\nX: %s\r\n\r\n", strings.Repeat("x", 64-39))
	cfg := config()
	if cfg.HeadLimit%len(request) != 0 {
		t.Fatalf("a request has %d bytes", len(request))
	}
	s := newStill(t, cfg)
	c, client := s.connect()
	s.send(c, client, strings.Repeat(request, requests))
	s.until("nothing is left", func() bool { return !c.come })
	b := make([]byte, requests*len(knownAnswer))
	if _, err := io.ReadFull(client, b); err != nil || bytes.Count(b, []byte("HTTP/1.1 200 OK")) != requests {
		t.Errorf("%d answers to %d requests, %v", bytes.Count(b, []byte("HTTP/1.1 200 OK")), requests, err)
	}
}

// Each connection is looked at once in a tick, and few at a time.
func TestSweepsAreParts(t *testing.T) {
	const n = 500
	cfg := config()
	s := newStill(t, cfg)
	for range n {
		s.connect()
	}
	start := time.Now()
	now, most := start, 0
	for left := n; left > 0; {
		now = now.Add(s.p.sweep(now.Add(2 * cfg.Head)))
		most = max(most, left-len(s.p.all()))
		left = len(s.p.all())
		if now.After(start.Add(2 * tick)) {
			t.Fatalf("%d are left after %s", left, now.Sub(start))
		}
	}
	if most > few {
		t.Errorf("%d end at once", most)
	}
}

// Connections that began together do not end together.
func TestSweepsAreSpread(t *testing.T) {
	s := newStill(t, config())
	const n, ending = 500, 100
	for i := range n {
		c, _ := s.connect()
		if i >= n/2 && i < n/2+ending {
			c.readBy = time.Now()
		}
	}
	now, most := time.Now(), 0
	for left := n; left > n-ending; left = len(s.p.all()) {
		now = now.Add(s.p.sweep(now))
		most = max(most, left-len(s.p.all()))
	}
	if most > few/4 {
		t.Errorf("%d end at once of %d that began together", most, ending)
	}
}

// Who sends without end does not keep the others waiting, and they are answered in the
// order in which they asked.
func TestOrder(t *testing.T) {
	var asked []string
	cfg := config()
	cfg.Find = func(r *Request) (Answer, bool) {
		asked = append(asked, string(r.Target))
		return find(r)
	}
	s := newStill(t, cfg)
	const others = 9
	greedy, client := s.connect()
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
		s.p.again(greedy)
	}
	if n := len(s.p.next); n != 1 {
		t.Errorf("it is looked at again %d times in a row", n)
	}
	s.until("all are answered", func() bool { return !greedy.come && len(asked) == 1000+others })
	first := slices.Index(asked, want[1])
	if first < 1 || first > cfg.HeadLimit/len(knownGet) {
		t.Errorf("the second one is answered behind %d requests of the first", first)
	}
	if got := slices.Compact(asked[:first+others]); !slices.Equal(got, want) {
		t.Errorf("asked in the order %v", got)
	}
}

// A connection that is waited for costs a few hundred bytes, whatever it did before.
func TestIdleConnectionsAreSmall(t *testing.T) {
	const n = 500
	s := newStill(t, config())
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
	s.until("all are closed", func() bool { return len(s.p.all()) == 0 })
	clear(conns)
	if each := (int64(before) - int64(size())) / n; each > 2<<10 {
		t.Errorf("%d bytes for each connection and its client", each)
	}
}

// Only listeners whose sockets can be had are taken over, and no other connection.
func TestForeignListeners(t *testing.T) {
	if _, err := Sockets(struct{ net.Listener }{loopback(t)}); err == nil {
		t.Error("a listener without a socket is taken over")
	}
	a, b := net.Pipe()
	if err := newStill(t, config()).p.add(a); err == nil {
		t.Error("a connection without a socket is served")
	}
	if _, err := b.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("it is not closed: %v", err)
	}
}

// Nobody works for a client that has no room for its answer, whatever else it has sent.
func TestNoRoomCostsNothing(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	for !c.unsent() {
		s.send(c, client, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 20))
	}
	engine, other := s.put()
	written := make(chan error, 1)
	go func() {
		_, err := engine.Write(make([]byte, 20_000_000))
		written <- err
	}()
	for _, client := range []*net.TCPConn{client, other} {
		if _, err := io.WriteString(client, knownGet); err != nil {
			t.Fatal(err)
		}
		_ = client.CloseWrite()
	}
	s.until("their ends are told", func() bool { return c.hangup && engine.(*loan).c.hangup })
	for range 100 {
		next := s.p.takeNext()
		if n := s.p.poll(); n > 0 || len(next) > 0 {
			t.Fatalf("%d things have happened, %d are to be looked at again", n, len(next))
		}
	}
	_ = engine.Close()
	<-written
}

// What has come while an answer waits for room is answered when there is some, also behind
// a body that came in parts.
func TestRoomBehindBody(t *testing.T) {
	cfg := config()
	cfg.Find = func(r *Request) (Answer, bool) {
		if r.Post {
			return find(&Request{Target: []byte("/known/90000")})
		}
		return find(r)
	}
	s := newStill(t, cfg)
	c, client := s.connect()
	if err := narrowed(c.fd); err != nil {
		t.Fatal(err)
	}
	s.send(c, client, "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n")
	if _, err := io.WriteString(client, strings.Repeat("b", 3000)+knownGet); err != nil {
		t.Fatal(err)
	}
	s.until("it is being answered", func() bool { return c.asked })
	if !c.unsent() {
		t.Fatal("there is room")
	}
	got := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(client)
		got <- withoutDates(string(b))
	}()
	s.until("both are answered", func() bool { return c.asked && !c.unsent() && !c.come && c.in == nil })
	_ = client.CloseWrite()
	s.until("it is closed", func() bool { return c.place == closed })
	want := datelessOf(90000) + dateless
	if b := <-got; b != want {
		t.Errorf("%d bytes, want %d", len(b), len(want))
	}
}

// What happened to a connection that is closed is told to the one that has its descriptor,
// and does nothing to it.
func TestOldEvents(t *testing.T) {
	s := newStill(t, config())
	old, client := s.connect()
	_ = client.CloseWrite()
	n := 0
	s.until("its end is told", func() bool {
		n = s.p.poll()
		return n > 0 && s.p.events[0].Events&unix.EPOLLRDHUP != 0
	})
	old.end()
	c, client := s.connect()
	if c.fd != old.fd {
		t.Skip("the descriptor is not used again")
	}
	s.p.tell(n, s.b)
	s.send(c, client, knownGet)
	if c.place != ours || !c.asked || c.ended {
		t.Errorf("place %d, ended %v", c.place, c.ended)
	}
}

// What has come when the drain begins is answered, however much that is.
func TestDrainOfMany(t *testing.T) {
	s := newStill(t, config())
	const n = 2 * look
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
	s.Drain()
	s.look()
	for i, c := range conns {
		if c.place != lent {
			t.Fatalf("connection %d: place %d", i, c.place)
		}
	}
}

// A drain does not wait for clients that have not read the last of their answers: the
// system sends it.
func TestDrainOfUnread(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	if err := narrowed(c.fd); err != nil {
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
		t.Skip("the system took a part of the last answer")
	}
	s.Drain()
	s.until("it is closed", func() bool { return c.place == closed })
}

// The engine may close a loan when it has the next one of the same connection.
func TestLoanClosedTwice(t *testing.T) {
	s := newStill(t, config())
	c, client := s.connect()
	const unknown = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
	s.send(c, client, unknown+unknown)
	first := s.borrowed()
	giveBack(t, first, unknown)
	second := s.borrowed()
	if err := first.Close(); !errors.Is(err, net.ErrClosed) || c.place != lent {
		t.Errorf("closed twice: %v, place %d", err, c.place)
	}
	if _, err := first.Write([]byte("one")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("written to what is closed: %v", err)
	}
	if b, err := io.ReadAll(second); string(b) != unknown || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// A listener stops although the engine accepts nothing.
func TestStopWithoutEngine(t *testing.T) {
	l := listen(t, config())
	for range 200 {
		client := answered(t, l.Addr().String(), 1)
		if _, err := io.WriteString(client, "PUT /x HTTP/1.1\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	stop(l)
	if n := l.open.Load(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}

// A read of nothing is that of nothing.
func TestEmptyRead(t *testing.T) {
	engine, client := newStill(t, config()).put()
	if _, err := io.WriteString(client, "x"); err != nil {
		t.Fatal(err)
	}
	if n, err := engine.Read(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// A second close must not hit whoever has the descriptor now.
func TestSocketClosesOnce(t *testing.T) {
	server, _ := connected(t)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	other, client := connected(t)
	if other.fd != server.fd {
		t.Skip("the descriptor is not used again")
	}
	if err := server.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := other.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
		t.Error(err)
	}
}

func BenchmarkAnswer(b *testing.B) {
	cfg := config()
	a, _ := find(&Request{Target: []byte("/known/1200")})
	c := &conn{l: &Listener{cfg: cfg, parser: newParser(cfg.Deciding)}}
	c.l.cfg.Find = func(*Request) (Answer, bool) { return a, true }
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
		c.happened(unix.EPOLLIN, buffers)
		if n, _ := unix.Read(pair[1], answer); n < 1200 {
			b.Fatal(n)
		}
	}
}
