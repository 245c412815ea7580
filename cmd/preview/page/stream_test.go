package page

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/leftout"
	"contentedge/generator"
)

// patience is how long a test waits for what must happen.
const patience = time.Minute

// TestEventsAreBounded: long events leave room for the newest, however long that is.
func TestEventsAreBounded(t *testing.T) {
	e := events{process: "P", changed: make(chan struct{})}
	long := strings.Repeat("x", maxKeptBytes/4)
	for range maxKept {
		e.add(eventFailed, long)
	}
	if n := len(e.kept); n != 3 || e.bytes > maxKeptBytes {
		t.Errorf("%d events of %d bytes", n, e.bytes)
	}
	e.add(eventFailed, long+long+long+long)
	if event, missed := e.after(e.last - 1); len(event) < maxKeptBytes || missed || len(e.kept) != 1 {
		t.Errorf("the newest: %d bytes, missed %v, %d kept", len(event), missed, len(e.kept))
	}
	for range 2 * maxKept {
		e.add(eventBuilding, "")
	}
	if n := len(e.kept); n != maxKept {
		t.Errorf("%d short events", n)
	}
}

// noSite is a Site without items.
type noSite struct{ Site }

func (noSite) Memory() int64                                    { return 0 }
func (noSite) Changes() generator.Changes                       { return generator.Changes{} }
func (noSite) Text(string, string) (none []byte, ok bool)       { return }
func (noSite) LeftOut(string) (none leftout.Rules)              { return }
func (noSite) Templates(string) (none []generator.TemplateInfo) { return }

// serve serves a page with a pace.
func serve(t *testing.T, fast pace, writeTimeout time.Duration) (p *Page, addr string) {
	t.Helper()
	p = New(PageConfig{Site: noSite{}, View: View{As: Editor, Statuses: []string{"Published"}}})
	p.pace = fast
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	engine := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) { p.Serve(ctx) }, WriteTimeout: writeTimeout, ReadTimeout: writeTimeout}
	ended := make(chan error, 1)
	go func() { ended <- engine.Serve(ln) }()
	t.Cleanup(func() {
		p.Close()
		if err := errors.Join(engine.Shutdown(), <-ended); err != nil {
			t.Error(err)
		}
		if n := p.streams(); n != 0 {
			t.Errorf("%d streams are left", n)
		}
	})
	return p, ln.Addr().String()
}

func (p *Page) streams() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.events.streams
}

// follower is a client of the events.
type follower struct {
	conn net.Conn
	in   *bufio.Reader
	last string // the id of the last event
}

// follow connects behind an event.
func follow(t *testing.T, addr, last string) (*follower, *http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(conn, "GET /-/events HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: %s\r\n\r\n", last)
	a, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	return &follower{conn: conn, in: bufio.NewReader(a.Body), last: last}, a
}

// next reads an event. A ping is an event without a name.
func (f *follower) next() (name, data string, err error) {
	id := ""
	for {
		line, err := f.in.ReadString('\n')
		if err != nil {
			return "", "", err
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && id != "":
			f.last = id
			return name, data, nil
		case line == ": ping":
			return "", "", nil
		case field == "id":
			id = value
		case field == "event":
			name = value
		case field == "data":
			data = value
		}
	}
}

// build has the page tell of a build.
func (p *Page) build(n int) {
	p.Building(p.cfg.View)
	if n%3 == 0 {
		p.Failed(errors.New("wrong"), 0)
	} else {
		p.Built(&generator.Report{Build: strconv.Itoa(n), Environments: []generator.EnvReport{{ID: "site"}}}, 0)
	}
}

// TestEventsSurviveReconnects: clients that lose their connection anywhere get each event once.
func TestEventsSurviveReconnects(t *testing.T) {
	const builds, clients = 400, 8
	p, addr := serve(t, standard, 0)
	var mu sync.Mutex
	moved := sync.NewCond(&mu)
	behind := make([]int, clients) // the last event of each client
	slowest := func() int {
		least := behind[0]
		for _, n := range behind {
			least = min(least, n)
		}
		return least
	}
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(c), 1))
			got, id := 0, p.events.id(0)
			for got < 2*builds {
				f, _ := follow(t, addr, id)
				// The connection ends in the middle of an event as often as between two.
				f.in = bufio.NewReader(io.LimitReader(f.in, rnd.Int64N(20_000)))
				for got < 2*builds {
					_, _, err := f.next()
					if err != nil {
						break
					}
					if want := p.events.id(got + 1); f.last != want {
						t.Errorf("client %d: %s after event %d", c, f.last, got)
						got = 2 * builds
						break
					}
					got++
					id = f.last
					mu.Lock()
					behind[c] = got
					moved.Broadcast()
					mu.Unlock()
				}
				f.conn.Close()
			}
			mu.Lock()
			defer mu.Unlock()
			behind[c] = 2 * builds
			moved.Broadcast()
		})
	}
	for n := range builds {
		mu.Lock()
		for 2*n-slowest() > maxKept/2 {
			moved.Wait()
		}
		mu.Unlock()
		p.build(n)
	}
	all.Wait()
}

// TestStreamBegins: a new client gets the state, one that missed events is told so, and both go
// on with what comes next.
func TestStreamBegins(t *testing.T) {
	p, addr := serve(t, standard, 0)
	for n := range maxKept {
		p.build(n)
	}
	for last, want := range map[string]string{
		"":                                   eventState,
		"other-7":                            eventReset,
		"other-" + strconv.Itoa(2*maxKept-1): eventReset,
		"junk":                               eventReset,
		p.events.id(1):                       eventReset,
		p.events.id(maxKept):                 eventBuilding,
		p.events.id(maxKept - 1):             eventReset,
		p.events.id(2 * maxKept):             "",
		p.events.id(2*maxKept + 1):           eventReset,
	} {
		f, a := follow(t, addr, last)
		if a.StatusCode != 200 || a.Header.Get("Content-Type") != "text/event-stream" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v", a.StatusCode, a.Header)
		}
		if want != "" {
			name, _, err := f.next()
			if err != nil || name != want {
				t.Errorf("behind %q: %q, %v; want %q", last, name, err, want)
			}
		}
		if want != eventBuilding && f.last != "" && !strings.HasSuffix(f.last, "-"+strconv.Itoa(2*maxKept)) && want != "" {
			t.Errorf("behind %q: the first event is %s", last, f.last)
		}
		f.conn.Close()
	}
	f, _ := follow(t, addr, "")
	if _, _, err := f.next(); err != nil {
		t.Fatal(err)
	}
	p.build(1)
	for _, want := range []string{eventBuilding, eventBuilt} {
		if name, _, err := f.next(); err != nil || name != want {
			t.Errorf("%q, %v; want %q", name, err, want)
		}
	}
}

// TestStreamOutlivesTimeouts: a stream without events lives on pings, far beyond the timeouts of
// the server, and ends at once with preview.
func TestStreamOutlivesTimeouts(t *testing.T) {
	const timeout = 50 * time.Millisecond
	p, addr := serve(t, pace{ping: timeout / 5, take: patience}, timeout)
	f, _ := follow(t, addr, p.events.id(0))
	for begin := time.Now(); time.Since(begin) < 10*timeout; {
		if name, _, err := f.next(); err != nil || name != "" {
			t.Fatalf("%q, %v after %s", name, err, time.Since(begin))
		}
	}
	p.Close()
	for {
		if _, _, err := f.next(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestCrowd: there are so many streams and no more, and a client that leaves makes room.
func TestCrowd(t *testing.T) {
	p, addr := serve(t, standard, 0)
	var first *follower
	for i := range maxStreams {
		f, a := follow(t, addr, "")
		if a.StatusCode != 200 {
			t.Fatalf("client %d: %d", i, a.StatusCode)
		}
		if first == nil {
			first = f
		}
	}
	if _, a := follow(t, addr, ""); a.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d", a.StatusCode)
	}
	first.conn.Close()
	for begin := time.Now(); p.streams() == maxStreams; time.Sleep(time.Millisecond) {
		if time.Since(begin) > patience {
			t.Fatal("a client that left is still there")
		}
	}
	if _, a := follow(t, addr, ""); a.StatusCode != 200 {
		t.Errorf("%d", a.StatusCode)
	}
}

// TestSlowClient: a client that takes nothing is dropped, and delays nobody.
func TestSlowClient(t *testing.T) {
	p, addr := serve(t, pace{ping: time.Hour, take: 500 * time.Millisecond}, 0)
	slow, _ := follow(t, addr, p.events.id(0))
	fast, _ := follow(t, addr, p.events.id(0))
	_ = slow.conn.(*net.TCPConn).SetReadBuffer(1 << 10)
	p.cfg.View.Statuses = []string{strings.Repeat("x", 1<<20)} // events that no socket's buffer takes
	for begin, n := time.Now(), 0; p.streams() == 2; n++ {
		p.build(n)
		for range 2 {
			if _, _, err := fast.next(); err != nil {
				t.Fatal(err)
			}
		}
		if time.Since(begin) > patience {
			t.Fatal("a client that takes nothing is still there")
		}
	}
}
