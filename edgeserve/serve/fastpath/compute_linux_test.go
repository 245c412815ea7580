// This file tests computed responses.

package fastpath

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

// spin keeps a processor busy.
func spin(d time.Duration) {
	for begin := time.Now(); time.Since(begin) < d; {
	}
}

// TestFastPath shows the order of responses: prepared responses are sent before pending ones are computed,
// and between batches. Pending requests are computed in order.
func TestFastPath(t *testing.T) {
	var order []string
	var took []time.Duration
	cfg := config()
	cfg.Lookup = func(r *Request) (Response, bool) {
		a, ok := lookupKnown(r)
		if ok {
			order = append(order, string(r.Target))
		}
		return a, ok
	}
	var s steppedLoop
	var late net.Conn
	cfg.Compute = func(r *Request, since time.Time, _ func()) (Response, bool) {
		order = append(order, string(r.Target))
		if late != nil {
			io.WriteString(late, strings.Replace(knownGet, "/3", "/4", 1))
			late = nil
		}
		spin(batchTime)
		return knownResponse(r)
	}
	cfg.OnResponse = func(_ *Request, _ *Response, d time.Duration) { took = append(took, d) }
	s = newSteppedLoop(t, cfg)
	_, late = s.connect()
	for _, target := range []string{"/computed/1", "/computed/2", "/known/3"} {
		s.connectAndSend(strings.Replace(knownGet, "/known/3", target, 1))
	}
	s.stepUntil("all are answered", func() bool { return len(took) == 4 })
	if want := []string{"/known/3", "/computed/1", "/known/4", "/computed/2"}; !slices.Equal(order, want) {
		t.Errorf("responses in the order %v, want %v", order, want)
	}
	if took[1] < batchTime || took[3] < 2*batchTime {
		t.Errorf("took is %v, want it with the wait", took)
	}
}

// Requests that are pending when a batch ends do not wait for an event.
func TestBatchesContinueWithoutEvents(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cfg := config()
	written := make(chan struct{})
	cfg.Compute = func(r *Request, _ time.Time, _ func()) (Response, bool) {
		<-written
		spin(batchTime)
		return knownResponse(r)
	}
	addr := serve(t, listen(t, cfg))
	begin := time.Now()
	var clients []net.Conn
	for range 50 {
		client := dialAndGet(t, addr, 0)
		if _, err := io.WriteString(client, computedGet); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	close(written)
	for _, client := range clients {
		if _, err := io.ReadFull(client, make([]byte, len(knownReply))); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begin); took > 25*sweepInterval { // with an event for each batch: 50
		t.Errorf("50 batches take %s", took)
	}
}

// A batch ends after batchTime, whether Compute responds, declines or panics, and all of
// it is sent then.
func TestBatchTime(t *testing.T) {
	for how, result := range map[string]func(*Request) (Response, bool){
		"responds": knownResponse,
		"declines": func(*Request) (Response, bool) { return Response{}, false },
		"panics":   func(*Request) (Response, bool) { panic("as the test wants") },
	} {
		tries := 0
		cfg := config()
		cfg.Compute = func(r *Request, _ time.Time, _ func()) (Response, bool) {
			tries++
			spin(batchTime)
			return result(r)
		}
		s := newSteppedLoop(t, cfg)
		const all = batchThreshold + 4
		s.queueRequests(slices.Repeat([]string{"/computed/3"}, all))
		if n := cfg.InFlight.Load(); n != all {
			t.Errorf("%s: InFlight is %d", how, n)
		}
		for i := range all {
			s.buf.now = time.Now()
			s.loop.computePending(s.buf)
			if n := cfg.InFlight.Load(); tries != i+1 || n != int64(all-tries) {
				t.Fatalf("%s: %d calls in %d batches, InFlight is %d", how, tries, i+1, n)
			}
		}
		if len(s.loop.pending) > 0 {
			t.Errorf("%s: %d are pending", how, len(s.loop.pending))
		}
	}
}

// While many requests are pending, responses are sent together, and count as in flight
// until then. The response to a closed connection is released and not sent.
func TestBatchIsSentTogether(t *testing.T) {
	cfg := config()
	tries := 0
	var last func() // before the last of them is made
	done := map[string]int{}
	cfg.Compute = func(r *Request, _ time.Time, _ func()) (Response, bool) {
		if tries++; tries == 5 {
			last()
		}
		a, ok := knownResponse(r)
		target := string(r.Target)
		a.Memfile, a.Done = nil, func() { done[target]++ }
		return a, ok
	}
	s := newSteppedLoop(t, cfg)
	targets := []string{"/computed/3", "/computed/20000", "/computed/0", "/computed/5000", "/computed/4"}
	conns, clients := s.queueRequests(append(slices.Clone(targets), slices.Repeat([]string{"/computed/6"}, batchThreshold-1)...))
	last = func() {
		_ = clients[0].SetReadDeadline(time.Now())
		if n, err := clients[0].Read(make([]byte, 1)); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a response is sent before the last is computed: %v", err)
		}
		if n := cfg.InFlight.Load(); n != int64(len(conns)) {
			t.Errorf("InFlight is %d", n)
		}
		conns[2].forceClose()
	}
	s.computeAll()
	if n := cfg.InFlight.Load(); n != 0 {
		t.Errorf("InFlight is %d", n)
	}
	for i, target := range targets {
		want := ""
		if i != 2 {
			body, _ := knownBody(target, nil)
			want = responseOf(len(body))
			conns[i].forceClose()
		}
		_ = clients[i].SetReadDeadline(time.Now().Add(time.Minute))
		if b, err := io.ReadAll(clients[i]); err != nil || stripDates(string(b)) != want || done[target] != 1 {
			t.Errorf("%s gets %q, %v, want %q; done %d times", target, b, err, want, done[target])
		}
	}
	if n := s.open.Load(); n != batchThreshold {
		t.Errorf("%d connections are counted", n)
	}
	for range 2 {
		c, _ := s.connectAndSend(knownGet)
		s.stepUntil("it is answered", func() bool { return c.responded })
		if n := len(s.buf.out); n != len(knownReply) {
			t.Errorf("%d bytes of sent responses are kept", n)
		}
	}
}

// A batch is bounded in responses and bytes. With few pending requests each response is
// sent at once.
func TestBatchSizes(t *testing.T) {
	alone := slices.Repeat([]int{1}, batchThreshold-1)
	for target, want := range map[string][]int{
		"/computed/3":     append([]int{maxBatch, 2}, alone...),
		"/computed/70000": append(slices.Repeat([]int{2}, maxBatch/2+1), alone...),
	} {
		cfg := config()
		var together []int
		before := int64(0)
		cfg.Compute = func(r *Request, _ time.Time, _ func()) (Response, bool) {
			if n := cfg.InFlight.Load(); n != before {
				before = n
				together = append(together, 0)
			}
			together[len(together)-1]++
			return knownResponse(r)
		}
		s := newSteppedLoop(t, cfg)
		s.queueRequests(slices.Repeat([]string{target}, maxBatch+batchThreshold+1))
		if s.computeAll(); !slices.Equal(together, want) {
			t.Errorf("%s: batches of %d, want %d", target, together, want)
		}
	}
}

// slowCompute is a listener with one event loop. Its Compute of /computed/3 leaves the
// loop and waits; that of /computed/1 waits in the loop.
type slowCompute struct {
	*Listener
	started, proceed chan struct{}
	bodiesDone       atomic.Int64
}

func newSlowCompute(t *testing.T) *slowCompute {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	m := &slowCompute{started: make(chan struct{}), proceed: make(chan struct{})}
	cfg := config()
	cfg.Compute = func(r *Request, _ time.Time, leaveLoop func()) (Response, bool) {
		if string(r.Target) == "/computed/3" {
			leaveLoop()
			m.started <- struct{}{}
			<-m.proceed
		}
		if string(r.Target) == "/computed/1" {
			<-m.proceed
		}
		a, ok := knownResponse(r)
		a.Done = func() { m.bodiesDone.Add(1) }
		return a, ok
	}
	m.Listener = listen(t, cfg)
	return m
}

// While Compute runs outside of the loop, other requests are answered, and what its client
// sends is answered behind it.
func TestLeaveLoop(t *testing.T) {
	m := newSlowCompute(t)
	addr := serve(t, m)
	slow := dialAndGet(t, addr, 0)
	for _, part := range []string{computedGet + computedGet[:9], computedGet[9:] + knownGet} {
		if _, err := io.WriteString(slow, part); err != nil {
			t.Fatal(err)
		}
		if part == computedGet+computedGet[:9] {
			<-m.started
		}
	}
	_ = slow.(*net.TCPConn).CloseWrite()
	other := strings.Replace(computedGet, "/3", "/2", 1)
	want := responseOf(2) + shortResponse
	for range 3 {
		if got := exchange(t, addr, []string{other + knownGet}); got != want {
			t.Errorf("others get %q, want %q", got, want)
		}
	}
	m.proceed <- struct{}{}
	<-m.started
	m.proceed <- struct{}{}
	b, err := io.ReadAll(slow)
	if got := stripDates(string(b)); err != nil || got != strings.Repeat(shortResponse, 3) {
		t.Errorf("it gets %q, %v", got, err)
	}
}

// The batch is sent before Compute leaves the loop, although many requests are pending.
func TestBatchIsSentBeforeLeaveLoop(t *testing.T) {
	m := newSlowCompute(t)
	addr := serve(t, m)
	var clients []net.Conn
	targets := append([]string{"/computed/1", "/computed/2", "/computed/3"}, slices.Repeat([]string{"/computed/4"}, batchThreshold)...)
	for _, target := range targets { // the first holds up the others
		client := dialAndGet(t, addr, 0)
		if _, err := io.WriteString(client, strings.Replace(computedGet, "/computed/3", target, 1)); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, client)
	}
	m.proceed <- struct{}{}
	<-m.started
	_ = clients[1].SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadFull(clients[1], make([]byte, len(knownReply)-1)); err != nil {
		t.Error(err)
	}
	m.proceed <- struct{}{}
	if _, err := io.ReadFull(clients[2], make([]byte, len(knownReply))); err != nil {
		t.Error(err)
	}
}

// Stop does not wait for a Compute that has left the loop.
func TestStopDuringCompute(t *testing.T) {
	m := newSlowCompute(t)
	addr := serve(t, m)
	got := make(chan string, 1)
	go func() { got <- exchange(t, addr, []string{computedGet}) }()
	<-m.started
	stop(m.Listener)
	if s := <-got; s != "" {
		t.Errorf("it gets %q", s)
	}
	m.proceed <- struct{}{}
	waitFor(t, "Done is called", func() bool { return m.bodiesDone.Load() > 0 }, func() {})
}

// Response.Done is called once, when the response is sent or its connection closed.
func TestResponseDone(t *testing.T) {
	for _, c := range []struct {
		name   string
		n      int
		unsent bool
		end    func(s steppedLoop, c *conn, client *net.TCPConn)
	}{
		{"sent", 3, false, nil},
		{"sent in the end", 90000, true, func(s steppedLoop, c *conn, client *net.TCPConn) {
			go io.Copy(io.Discard, client)
			s.stepUntil("it is sent", func() bool { return !c.unsent() })
		}},
		{"expired", 90000, true, func(s steppedLoop, c *conn, _ *net.TCPConn) { s.sweep(time.Now().Add(2 * hour)) }},
		{"client closed", 90000, true, func(s steppedLoop, c *conn, client *net.TCPConn) {
			client.SetLinger(0)
			client.Close()
			s.stepUntil("it is closed", func() bool { return c.state == closed })
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			done := 0
			cfg := config()
			cfg.Compute = func(r *Request, _ time.Time, _ func()) (Response, bool) {
				a, ok := knownResponse(r)
				a.Memfile, a.Done = nil, func() { done++ }
				return a, ok
			}
			s := newSteppedLoop(t, cfg)
			conn, client := s.connect()
			if c.unsent {
				_ = shrinkSendBuffer(conn.fd)
				_ = client.SetReadBuffer(1)
			}
			s.send(conn, client, strings.Replace(computedGet, "/3", fmt.Sprint("/", c.n), 1))
			s.stepUntil("the response is computed", func() bool { return conn.responded })
			if conn.unsent() != c.unsent || (done == 0) != c.unsent {
				t.Fatalf("unsent: %v, done: %d", conn.unsent(), done)
			}
			if c.end != nil {
				c.end(s, conn, client)
			}
			if done != 1 {
				t.Errorf("done %d times", done)
			}
			if conn.forceClose(); done != 1 {
				t.Errorf("done %d times at the end", done)
			}
		})
	}
}

// Pending requests have no deadline. While draining they are handed off.
func TestPendingRequests(t *testing.T) {
	s := newSteppedLoop(t, config())
	first, _ := s.connectAndSend(computedGet)
	stopped, client := s.connectAndSend(computedGet)
	drained, _ := s.connectAndSend(computedGet)
	s.loop.dispatch(s.loop.poll(), s.buf)
	if n := len(s.loop.pending); n != 3 {
		t.Fatalf("%d are pending", n)
	}
	s.sweep(time.Now().Add(99 * hour))
	if first.state != pending {
		t.Fatalf("state %d", first.state)
	}
	client.SetLinger(0)
	client.Close()
	stopped.forceClose()
	s.Drain(0)
	s.loop.computePending(s.buf)
	s.loop.computePending(s.buf)
	if first.state != borrowed || drained.state != borrowed || stopped.state != closed || len(s.loop.pending) > 0 {
		t.Errorf("states %d, %d, %d", first.state, drained.state, stopped.state)
	}
	serveOneAndClose(t, s.accepted(), computedGet)
}

// A panic in Compute ends one connection. A request that Compute declines is handed off,
// also after leaveLoop.
func TestComputeFails(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cfg := config()
	cfg.Compute = func(r *Request, _ time.Time, leaveLoop func()) (a Response, ok bool) {
		target := string(r.Target)
		if strings.Contains(target, "late") {
			leaveLoop()
		}
		if strings.Contains(target, "panic") {
			panic("as the test wants")
		}
		return a, false
	}
	addr := serve(t, listen(t, cfg))
	var all sync.WaitGroup
	for _, target := range []string{"/panic", "/panic-late", "/decline", "/decline-late"} {
		for range 20 {
			all.Go(func() {
				got := exchange(t, addr, []string{"GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n" + knownGet})
				want := "panic: as the test wants"
				if strings.HasPrefix(target, "/decline") {
					body := "reference: GET " + target + ", 0 bytes"
					want = fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(body), body) + shortResponse
				}
				if got != want {
					t.Errorf("%s gets %q, want %q", target, got, want)
				}
			})
		}
	}
	all.Wait()
}
