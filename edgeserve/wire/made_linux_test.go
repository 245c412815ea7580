package wire

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const madeGet = "GET /made/3 HTTP/1.1\r\nHost: a\r\n\r\n"

// dateless is what knownGet and madeGet are answered, but for the date.
var dateless = withoutDates(knownAnswer)

// ask writes a request from a new client.
func (s still) ask(text string) (*conn, *net.TCPConn) {
	s.t.Helper()
	c, client := s.connect()
	if _, err := io.WriteString(client, text); err != nil {
		s.t.Fatal(err)
	}
	return c, client
}

// askAll has new clients ask each for one of the targets, and waits until their requests
// wait for answers to be made.
func (s still) askAll(targets []string) (conns []*conn, clients []*net.TCPConn) {
	s.t.Helper()
	for _, target := range targets {
		c, client := s.ask(strings.Replace(madeGet, "/made/3", target, 1))
		conns, clients = append(conns, c), append(clients, client)
	}
	for len(s.p.waiting) < len(targets) {
		s.p.tell(s.p.poll(), s.b)
	}
	return conns, clients
}

// makeHere is Config.Make over what is known that hands over nothing.
func makeHere(r *Request, _ time.Time, _ func()) (Answer, bool) { return answerKnown(r) }

// work keeps a processor busy.
func work(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// What has a prepared answer is answered before answers are made, and between them; these
// are made in the order in which they were asked for.
func TestMadeBehindPrepared(t *testing.T) {
	var order []string
	var took []time.Duration
	cfg := config()
	cfg.Find = func(r *Request) (Answer, bool) {
		a, ok := find(r)
		if ok {
			order = append(order, string(r.Target))
		}
		return a, ok
	}
	var s still
	var late net.Conn
	cfg.Make = func(r *Request, since time.Time, _ func()) (Answer, bool) {
		order = append(order, string(r.Target))
		if late != nil {
			io.WriteString(late, strings.Replace(knownGet, "/3", "/4", 1))
			late = nil
		}
		work(spell)
		return answerKnown(r)
	}
	cfg.Sent = func(_ *Request, _ *Answer, d time.Duration) { took = append(took, d) }
	s = newStill(t, cfg)
	_, late = s.connect()
	for _, target := range []string{"/made/1", "/made/2", "/known/3"} {
		s.ask(strings.Replace(knownGet, "/known/3", target, 1))
	}
	s.until("all are answered", func() bool { return len(took) == 4 })
	if want := []string{"/known/3", "/made/1", "/known/4", "/made/2"}; !slices.Equal(order, want) {
		t.Errorf("answered in the order %v, want %v", order, want)
	}
	if took[1] < spell || took[3] < 2*spell {
		t.Errorf("they took %v, with what they waited", took)
	}
}

// Those who still wait when a spell is over wait for nothing else to happen.
func TestSpells(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cfg := config()
	written := make(chan struct{})
	cfg.Make = func(r *Request, _ time.Time, _ func()) (Answer, bool) {
		<-written
		work(spell)
		return answerKnown(r)
	}
	addr := serveOn(t, listen(t, cfg))
	begin := time.Now()
	var clients []net.Conn
	for range 50 {
		client := answered(t, addr, 0)
		if _, err := io.WriteString(client, madeGet); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	close(written)
	for _, client := range clients {
		if _, err := io.ReadFull(client, make([]byte, len(knownAnswer))); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begin); took > 5*tick {
		t.Errorf("50 spells take %s", took)
	}
}

// A spell is as long whatever comes of what is made in it, and when it is over all is sent.
func TestSpellEnds(t *testing.T) {
	for how, result := range map[string]func(*Request) (Answer, bool){
		"made":   answerKnown,
		"left":   func(*Request) (Answer, bool) { return Answer{}, false },
		"panics": func(*Request) (Answer, bool) { panic("as the test wants") },
	} {
		tries := 0
		cfg := config()
		cfg.Make = func(r *Request, _ time.Time, _ func()) (Answer, bool) {
			tries++
			work(spell)
			return result(r)
		}
		s := newStill(t, cfg)
		const all = crowd + 4
		s.askAll(slices.Repeat([]string{"/made/3"}, all))
		if n := cfg.Making.Load(); n != all {
			t.Errorf("%s: %d are said to wait", how, n)
		}
		for i := range all {
			s.b.now = time.Now()
			s.p.makeAnswers(s.b)
			if n := cfg.Making.Load(); tries != i+1 || n != int64(all-tries) {
				t.Fatalf("%s: %d tries in %d spells, %d are said to wait", how, tries, i+1, n)
			}
		}
		if len(s.p.waiting) > 0 {
			t.Errorf("%s: %d wait", how, len(s.p.waiting))
		}
	}
}

// makeAll makes all answers in a spell without end.
func (s still) makeAll() {
	s.b.now = time.Now().Add(hour)
	s.p.makeAnswers(s.b)
}

// Answers behind which many wait are sent together, and count as being made until then. One
// whose client has gone meanwhile is not sent, and done all the same.
func TestSentTogether(t *testing.T) {
	cfg := config()
	tries := 0
	var last func() // before the last of them is made
	done := map[string]int{}
	cfg.Make = func(r *Request, _ time.Time, _ func()) (Answer, bool) {
		if tries++; tries == 5 {
			last()
		}
		a, ok := answerKnown(r)
		target := string(r.Target)
		a.Memfile, a.Done = nil, func() { done[target]++ }
		return a, ok
	}
	s := newStill(t, cfg)
	targets := []string{"/made/3", "/made/20000", "/made/0", "/made/5000", "/made/4"}
	conns, clients := s.askAll(append(slices.Clone(targets), slices.Repeat([]string{"/made/6"}, crowd-1)...))
	last = func() {
		_ = clients[0].SetReadDeadline(time.Now())
		if n, err := clients[0].Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("one is sent before the last is made: %v", err)
		}
		if n := cfg.Making.Load(); n != int64(len(conns)) {
			t.Errorf("%d are being made", n)
		}
		conns[2].end()
	}
	s.makeAll()
	if n := cfg.Making.Load(); n != 0 {
		t.Errorf("%d are being made", n)
	}
	for i, target := range targets {
		want := ""
		if i != 2 {
			body, _ := known(target, nil)
			want = datelessOf(len(body))
			conns[i].end()
		}
		_ = clients[i].SetReadDeadline(time.Now().Add(time.Minute))
		if b, err := io.ReadAll(clients[i]); err != nil || withoutDates(string(b)) != want || done[target] != 1 {
			t.Errorf("%s gets %q, %v, want %q; done %d times", target, b, err, want, done[target])
		}
	}
	if n := s.open.Load(); n != crowd {
		t.Errorf("%d connections are counted", n)
	}
	for range 2 {
		c, _ := s.ask(knownGet)
		s.until("it is answered", func() bool { return c.asked })
		if n := len(s.b.out); n != len(knownAnswer) {
			t.Errorf("%d bytes of what was sent are kept", n)
		}
	}
}

// However many wait, answers are sent after so many, or so many bytes; where few wait, each
// is sent when it is made.
func TestAtOnce(t *testing.T) {
	alone := slices.Repeat([]int{1}, crowd-1)
	for target, want := range map[string][]int{
		"/made/3":     append([]int{atOnce, 2}, alone...),
		"/made/70000": append(slices.Repeat([]int{2}, atOnce/2+1), alone...),
	} {
		cfg := config()
		var together []int
		before := int64(0)
		cfg.Make = func(r *Request, _ time.Time, _ func()) (Answer, bool) {
			if n := cfg.Making.Load(); n != before {
				before = n
				together = append(together, 0)
			}
			together[len(together)-1]++
			return answerKnown(r)
		}
		s := newStill(t, cfg)
		s.askAll(slices.Repeat([]string{target}, atOnce+crowd+1))
		if s.makeAll(); !slices.Equal(together, want) {
			t.Errorf("%s: %d are sent together, want %d", target, together, want)
		}
	}
}

// slowMaker is a listener with one poller where /made/3 takes long, and says so, and
// /made/1 does not say so.
type slowMaker struct {
	*Listener
	began, goOn chan struct{}
	freed       atomic.Int64
}

func newSlowMaker(t *testing.T) *slowMaker {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := &slowMaker{began: make(chan struct{}), goOn: make(chan struct{})}
	cfg := config()
	cfg.Make = func(r *Request, _ time.Time, handOver func()) (Answer, bool) {
		if string(r.Target) == "/made/3" {
			handOver()
			m.began <- struct{}{}
			<-m.goOn
		}
		if string(r.Target) == "/made/1" {
			<-m.goOn
		}
		a, ok := answerKnown(r)
		a.Done = func() { m.freed.Add(1) }
		return a, ok
	}
	m.Listener = listen(t, cfg)
	return m
}

// While an answer takes long to make, others are answered and made, and what its client
// sends meanwhile is answered behind it.
func TestHandOver(t *testing.T) {
	m := newSlowMaker(t)
	addr := serveOn(t, m)
	slow := answered(t, addr, 0)
	for _, part := range []string{madeGet + madeGet[:9], madeGet[9:] + knownGet} {
		if _, err := io.WriteString(slow, part); err != nil {
			t.Fatal(err)
		}
		if part == madeGet+madeGet[:9] {
			<-m.began
		}
	}
	_ = slow.(*net.TCPConn).CloseWrite()
	other := strings.Replace(madeGet, "/3", "/2", 1)
	want := datelessOf(2) + dateless
	for range 3 {
		if got := talk(t, addr, []string{other + knownGet}); got != want {
			t.Errorf("others get %q, want %q", got, want)
		}
	}
	m.goOn <- struct{}{}
	<-m.began
	m.goOn <- struct{}{}
	b, err := io.ReadAll(slow)
	if got := withoutDates(string(b)); err != nil || got != strings.Repeat(dateless, 3) {
		t.Errorf("it gets %q, %v", got, err)
	}
}

// What was made is sent before an answer that takes long, though many wait.
func TestSentBeforeHandOver(t *testing.T) {
	m := newSlowMaker(t)
	addr := serveOn(t, m)
	var clients []net.Conn
	targets := append([]string{"/made/1", "/made/2", "/made/3"}, slices.Repeat([]string{"/made/4"}, crowd)...)
	for _, target := range targets { // the first holds up the others
		client := answered(t, addr, 0)
		if _, err := io.WriteString(client, strings.Replace(madeGet, "/made/3", target, 1)); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	m.goOn <- struct{}{}
	<-m.began
	_ = clients[1].SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadFull(clients[1], make([]byte, len(knownAnswer)-1)); err != nil {
		t.Error(err)
	}
	m.goOn <- struct{}{}
	if _, err := io.ReadFull(clients[2], make([]byte, len(knownAnswer))); err != nil {
		t.Error(err)
	}
}

// Nobody waits for an answer that is being made for a connection that is stopped.
func TestStopWhileMaking(t *testing.T) {
	m := newSlowMaker(t)
	addr := serveOn(t, m)
	got := make(chan string, 1)
	go func() { got <- talk(t, addr, []string{madeGet}) }()
	<-m.began
	stop(m.Listener)
	if s := <-got; s != "" {
		t.Errorf("it gets %q", s)
	}
	m.goOn <- struct{}{}
	for limit := time.Now().Add(20 * time.Second); m.freed.Load() == 0; runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatal("the answer is never freed")
		}
	}
}

// An answer is done when it is sent or its client gone, once.
func TestDone(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		unsent bool
		end    func(s still, c *conn, client *net.TCPConn)
	}{
		{"sent", 3, false, nil},
		{"sent with room at last", 90000, true, func(s still, c *conn, client *net.TCPConn) {
			go io.Copy(io.Discard, client)
			s.until("it is sent", func() bool { return !c.unsent() })
		}},
		{"cut", 90000, true, func(s still, c *conn, _ *net.TCPConn) { s.sweep(time.Now().Add(2 * hour)) }},
		{"gone", 90000, true, func(s still, c *conn, client *net.TCPConn) {
			client.SetLinger(0)
			client.Close()
			s.until("it is closed", func() bool { return c.place == closed })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			done := 0
			cfg := config()
			cfg.Make = func(r *Request, _ time.Time, _ func()) (Answer, bool) {
				a, ok := answerKnown(r)
				a.Memfile, a.Done = nil, func() { done++ }
				return a, ok
			}
			s := newStill(t, cfg)
			conn, client := s.connect()
			if c.unsent {
				_ = narrowed(conn.fd)
				_ = client.SetReadBuffer(1)
			}
			s.send(conn, client, strings.Replace(madeGet, "/3", fmt.Sprint("/", c.n), 1))
			s.until("it is made", func() bool { return conn.asked })
			if conn.unsent() != c.unsent || (done == 0) != c.unsent {
				t.Fatalf("unsent: %v, done: %d", conn.unsent(), done)
			}
			if c.end != nil {
				c.end(s, conn, client)
			}
			if done != 1 {
				t.Errorf("done %d times", done)
			}
			if conn.end(); done != 1 {
				t.Errorf("done %d times at the end", done)
			}
		})
	}
}

// Whatever panics, a connection ends once, is freed once, and takes nobody with it.
func TestPanics(t *testing.T) {
	half := func(s still, c *conn, client *net.TCPConn) { // of an answer is sent
		_ = narrowed(c.fd)
		_ = client.SetReadBuffer(1)
		s.send(c, client, strings.Replace(madeGet, "/3", "/90000", 1))
		s.until("it is made", func() bool { return c.asked })
	}
	for _, c := range []struct {
		name string
		at   string // what panics
		end  func(s still, c *conn, client *net.TCPConn)
		done int
	}{
		{"before an answer is sent", "Sent", func(s still, c *conn, client *net.TCPConn) { s.send(c, client, madeGet) }, 1},
		{"when it is sent", "Done", func(s still, c *conn, client *net.TCPConn) {
			s.send(c, client, madeGet)
			s.until("it is closed", func() bool { return c.place == closed })
			if b, err := io.ReadAll(client); err != nil || withoutDates(string(b)) != dateless {
				s.t.Errorf("it gets %q, %v", b, err)
			}
		}, 1},
		{"when there is room", "Done", func(s still, c *conn, client *net.TCPConn) {
			half(s, c, client)
			go io.Copy(io.Discard, client)
		}, 1},
		{"when the client is gone", "Done", func(s still, c *conn, client *net.TCPConn) {
			half(s, c, client)
			client.SetLinger(0)
			client.Close()
		}, 1},
		{"when it takes too long", "Refuse", func(s still, c *conn, client *net.TCPConn) {
			s.send(c, client, madeGet[:9])
			s.sweep(time.Now().Add(2 * hour))
		}, 0},
		{"when something has panicked", "Refuse Make", func(s still, c *conn, client *net.TCPConn) { s.send(c, client, madeGet) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := func(callback string) {
				if strings.Contains(c.at, callback) {
					panic(callback)
				}
			}
			done := 0
			cfg := config()
			cfg.Make = func(r *Request, _ time.Time, _ func()) (Answer, bool) {
				at("Make")
				a, ok := answerKnown(r)
				a.Memfile, a.Done = nil, func() { done++; at("Done") }
				return a, ok
			}
			cfg.Sent = func(*Request, *Answer, time.Duration) { at("Sent") }
			cfg.Refuse = func(why error) []byte { at("Refuse"); return refuse(why) }
			s := newStill(t, cfg)
			conn, client := s.connect()
			c.end(s, conn, client)
			s.until("it is ended", func() bool { return conn.place == closed || conn.place == lingering })
			s.sweep(time.Now().Add(2 * hour))
			s.until("it is closed", func() bool { return conn.place == closed })
			if n := s.open.Load(); done != c.done || len(s.p.all()) > 0 || n != 1 {
				t.Errorf("done %d times, %d connections, %d counted", done, len(s.p.all()), n)
			}
		})
	}
}

// A request is not kept while its client has no room for the answer.
func TestUnsentKeepsNoRequest(t *testing.T) {
	cfg := config()
	cfg.Make = makeHere
	s := newStill(t, cfg)
	c, client := s.connect()
	_ = narrowed(c.fd)
	_ = client.SetReadBuffer(1)
	s.send(c, client, fmt.Sprintf("POST /made/90000 HTTP/1.1\r\nHost: a\r\nContent-Length: 3000\r\n\r\n%3000s", ""))
	s.until("it is made", func() bool { return c.asked })
	if !c.unsent() || c.in != nil {
		t.Errorf("unsent: %v, %d bytes are kept", c.unsent(), cap(c.in))
	}
}

// Whoever waits for an answer to be made has it made however long that takes, but by the
// engine while the server drains.
func TestWaiting(t *testing.T) {
	s := newStill(t, config())
	first, _ := s.ask(madeGet)
	gone, client := s.ask(madeGet)
	drained, _ := s.ask(madeGet)
	s.p.tell(s.p.poll(), s.b)
	if n := len(s.p.waiting); n != 3 {
		t.Fatalf("%d wait", n)
	}
	s.sweep(time.Now().Add(99 * hour))
	if first.place != turn {
		t.Fatalf("place %d", first.place)
	}
	client.SetLinger(0)
	client.Close()
	gone.end()
	s.Drain()
	s.p.makeAnswers(s.b)
	s.p.makeAnswers(s.b)
	if first.place != lent || drained.place != lent || gone.place != closed || len(s.p.waiting) > 0 {
		t.Errorf("places %d, %d, %d", first.place, drained.place, gone.place)
	}
	giveBack(t, s.borrowed(), madeGet)
}

// Making an answer that fails ends one connection, and one that is left to the engine is
// the engine's, also when it has taken long.
func TestMakingFails(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cfg := config()
	cfg.Make = func(r *Request, _ time.Time, handOver func()) (a Answer, ok bool) {
		target := string(r.Target)
		if strings.Contains(target, "late") {
			handOver()
		}
		if strings.Contains(target, "panic") {
			panic("as the test wants")
		}
		return a, false
	}
	addr := serveOn(t, listen(t, cfg))
	var all sync.WaitGroup
	for _, target := range []string{"/panic", "/panic-late", "/engine", "/engine-late"} {
		for range 20 {
			all.Go(func() {
				got := talk(t, addr, []string{"GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n" + knownGet})
				want := "panic: as the test wants"
				if strings.HasPrefix(target, "/engine") {
					body := "engine: GET " + target + ", 0 bytes"
					want = fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body) + dateless
				}
				if got != want {
					t.Errorf("%s gets %q, want %q", target, got, want)
				}
			})
		}
	}
	all.Wait()
}
