// This file tests that a server that starts or stops loses no request.

package edgeserve

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/prometheus"
)

// patient is longer than any test takes: what ends by then did not end by a timeout.
const patient = time.Minute

// bothPaths runs a test with and without the fast path.
func bothPaths(t *testing.T, test func(t *testing.T, mode func(*ServerConfig))) {
	for _, mode := range []string{FastPathAuto, FastPathOff} {
		t.Run(mode, func(t *testing.T) {
			test(t, func(c *ServerConfig) {
				c.FastPath, c.StartTimeout, c.DrainGrace, c.DrainTimeout = mode, patient, patient, 2*patient
			})
		})
	}
}

// stoppable is a server that a test stops.
type stoppable struct {
	*Server
	addr string
	stop func()
	done chan error
}

func startStoppable(t *testing.T, change func(*ServerConfig)) *stoppable {
	t.Helper()
	server, ln := newServer(t, change)
	ctx, stop := context.WithCancel(context.Background())
	s := &stoppable{Server: server, addr: ln.Addr().String(), stop: stop, done: make(chan error, 1)}
	go func() { s.done <- s.Serve(ctx, ln) }()
	t.Cleanup(stop)
	return s
}

// drains stops the server and waits until it closes connections.
func (s *stoppable) drains(t *testing.T) {
	t.Helper()
	s.stop()
	waitFor(t, "the drain begins", s.life.closing.Load)
}

func (s *stoppable) ended(t *testing.T) {
	t.Helper()
	select {
	case err := <-s.done:
		if err != nil {
			t.Errorf("Serve: %v", err)
		}
	case <-time.After(2 * patient):
		t.Fatal("the server does not end")
	}
}

// strictClient is a keep-alive connection that repeats nothing.
type strictClient struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

func dialStrict(t *testing.T, addr string) *strictClient {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(2 * patient))
	return &strictClient{t, conn, bufio.NewReader(conn)}
}

func (c *strictClient) send(request string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, request); err != nil {
		c.t.Fatalf("%.30q: %v", request, err)
	}
}

// receive reads a response, and checks whether it announces the end of the connection.
func (c *strictClient) receive(status int, ends bool) {
	c.t.Helper()
	if got, announced := c.response(); got != status || announced != ends {
		c.t.Fatalf("%d, it announces the end: %v; want %d and %v", got, announced, status, ends)
	}
}

func (c *strictClient) response() (status int, ends bool) {
	c.t.Helper()
	r, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		c.t.Fatal(err)
	}
	return r.StatusCode, r.Close
}

func (c *strictClient) hasEnded() {
	c.t.Helper()
	if b, err := io.ReadAll(c.in); len(b) > 0 || err != nil {
		c.t.Errorf("after the last response: %q, %v", b, err)
	}
	c.conn.Close()
}

// drainRequests are answered by the fast path, by its Compute, by Fiber once and by Fiber for good.
var drainRequests = map[string]string{
	"item":      "GET " + listRoot + "/Content_0 HTTP/1.1\r\nHost: a\r\n\r\n",
	"search":    "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}",
	"range":     "GET " + listRoot + "/Content_0 HTTP/1.1\r\nHost: a\r\nRange: bytes=1-\r\n\r\n",
	"new probe": "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n",
	"expects":   "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nX: 1\r\nExpect: \r\nContent-Length: 2\r\n\r\n{}",
}

// drainStatus is the status of the response to one of drainRequests.
func drainStatus(name string) int {
	if name == "range" {
		return http.StatusPartialContent
	}
	return http.StatusOK
}

// A client whose connection idles when the drain begins sends its next request within the grace. It
// gets the response, and learns that the connection ends. So does one that connects meanwhile.
func TestDrainAnswersIdleConnections(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		dir := t.TempDir()
		site.write(t, dir)
		s := startStoppable(t, func(c *ServerConfig) { mode(c); c.Public = dir })
		clients := map[string]*strictClient{}
		for name, request := range drainRequests {
			c := dialStrict(t, s.addr)
			c.send(request)
			c.receive(drainStatus(name), false)
			clients[name] = c
		}
		fresh := dialStrict(t, s.addr)
		s.drains(t)
		late := dialStrict(t, s.addr)
		for name, c := range clients {
			c.send(drainRequests[name])
			c.receive(drainStatus(name), true)
			c.hasEnded()
		}
		for _, c := range []*strictClient{fresh, late} {
			c.send(drainRequests["item"])
			c.receive(200, true)
			c.hasEnded()
		}
		s.ended(t)
	})
}

// A response on its way when the drain begins has not announced the end of its connection. So the
// connection has the grace behind it: fasthttp's own shutdown would end it at once, and the client
// would lose the request that it sends meanwhile.
func TestDrainKeepsWhatResponsesPromised(t *testing.T) {
	large := fixture{env: "demo", names: []string{"a", "b"}, note: strings.Repeat("n", 1<<20)}
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		dir := t.TempDir()
		large.write(t, dir)
		s := startStoppable(t, func(c *ServerConfig) { mode(c); c.Public = dir })
		c := dialStrict(t, s.addr)
		if err := c.conn.(*net.TCPConn).SetReadBuffer(16 << 10); err != nil {
			t.Fatal(err)
		}
		c.send(drainRequests["range"])
		if _, err := c.in.Peek(1); err != nil { // the head is written, and 1 MiB fits nowhere
			t.Fatal(err)
		}
		s.drains(t)
		c.receive(206, false)
		c.send(drainRequests["search"])
		c.receive(200, true)
		c.hasEnded()
		s.ended(t)
	})
}

// Connections that stay idle end after the grace, those without a request too.
func TestDrainEndsIdleConnections(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		dir := t.TempDir()
		site.write(t, dir)
		const grace = 50 * time.Millisecond
		s := startStoppable(t, func(c *ServerConfig) { mode(c); c.Public, c.DrainGrace = dir, grace })
		c, fresh := dialStrict(t, s.addr), dialStrict(t, s.addr)
		c.send(drainRequests["item"])
		c.receive(200, false)
		detached := dialStrict(t, s.addr)
		detached.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
		detached.receive(204, false)
		waitFor(t, "all are accepted", func() bool { return s.telemetry.node.Connections.Load() == 3 })
		began := time.Now()
		s.drains(t)
		for _, c := range []*strictClient{c, fresh, detached} {
			c.hasEnded()
		}
		if took := time.Since(began); took < grace {
			t.Errorf("they ended after %s", took)
		}
		s.ended(t)
	})
}

// During the delay only probes notice.
func TestDrainDelay(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		dir := t.TempDir()
		site.write(t, dir)
		s := startStoppable(t, func(c *ServerConfig) { mode(c); c.Public, c.DrainDelay = dir, time.Second })
		c := dialStrict(t, s.addr)
		c.send(drainRequests["item"])
		c.receive(200, false)
		s.stop()
		waitFor(t, "the server leaves", s.life.leaving.Load)
		c.send("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n" + drainRequests["item"] + drainRequests["search"])
		for _, want := range []int{503, 200, 200} {
			status, ends := c.response()
			if s.life.closing.Load() {
				t.Skip("this machine is too slow: the delay is over")
			}
			if status != want || ends {
				t.Fatalf("%d, it announces the end: %v; want %d", status, ends, want)
			}
		}
		waitFor(t, "the drain begins", s.life.closing.Load)
		c.send(drainRequests["item"])
		c.receive(200, true)
		c.hasEnded()
		s.ended(t)
	})
}

// comingSource brings a release at some time.
type comingSource struct{}

func (comingSource) State() any                      { return nil }
func (comingSource) Problem() string                 { return "" }
func (comingSource) WriteMetrics(_ *prometheus.Text) {}

// A server accepts once its first release is loaded: clients wait, and get no 503.
func TestLoadsBeforeItAccepts(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		dir := t.TempDir()
		s := startStoppable(t, func(c *ServerConfig) { mode(c); c.Public, c.Source = dir, comingSource{} })
		c := dialStrict(t, s.addr) // the kernel takes it
		c.send(drainRequests["item"])
		if err := c.conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if b, err := c.in.Peek(1); err == nil {
			t.Fatalf("%q is answered without a release", b)
		}
		c.in.Reset(c.conn)
		_ = c.conn.SetReadDeadline(time.Now().Add(patient))
		site.write(t, dir)
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.receive(200, false)
		c.conn.Close()
		s.stop()
		s.ended(t)
	})
}

// Without a release the server accepts after the start timeout; at once, if nothing brings one.
func TestAcceptsWithoutRelease(t *testing.T) {
	for name, change := range map[string]func(*ServerConfig){
		"no source": func(*ServerConfig) {},
		"timeout":   func(c *ServerConfig) { c.Source, c.StartTimeout = comingSource{}, time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
				s := startStoppable(t, func(c *ServerConfig) { mode(c); change(c) })
				c := dialStrict(t, s.addr)
				c.send(drainRequests["item"])
				c.receive(503, false)
				c.conn.Close()
				s.stop()
				s.ended(t)
			})
		})
	}
}

// A server that stops before its first release has come does not wait for it.
func TestStopsWhileItWaits(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		s := startStoppable(t, func(c *ServerConfig) { mode(c); c.Source = comingSource{} })
		s.stop()
		s.ended(t)
	})
}

// hold opens a socket as a service manager does.
func hold(t *testing.T) *net.TCPListener {
	t.Helper()
	held, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { held.Close() })
	return held.(*net.TCPListener)
}

// startOn starts a server with a held socket.
func startOn(t *testing.T, held *net.TCPListener, change func(*ServerConfig)) *stoppable {
	t.Helper()
	file, err := held.File()
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	passed, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	server, unused := newServer(t, func(c *ServerConfig) {
		change(c)
		c.Socket = passed
	})
	unused.Close()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	s := &stoppable{Server: server, addr: held.Addr().String(), stop: stop, done: make(chan error, 1)}
	go func() { s.done <- s.Listen(ctx) }()
	return s
}

// A server that stops before its first release has come leaves the connections of a shared socket to
// the next server.
func TestStopsWithoutAccepting(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		held := hold(t)
		c := dialStrict(t, held.Addr().String())
		c.send(drainRequests["item"])
		early := startOn(t, held, func(c *ServerConfig) { mode(c); c.Source = comingSource{} })
		early.stop()
		early.ended(t)
		dir := t.TempDir()
		site.write(t, dir)
		next := startOn(t, held, func(c *ServerConfig) { mode(c); c.Public = dir })
		c.receive(200, false)
		c.conn.Close()
		next.stop()
		next.ended(t)
	})
}

// Of two servers with one socket, the clients of the one that stops lose nothing, and the other
// takes the connections that nobody has accepted.
func TestSharedSocket(t *testing.T) {
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		dir := t.TempDir()
		site.write(t, dir)
		held := hold(t)
		start := func() *stoppable {
			s := startOn(t, held, func(c *ServerConfig) { mode(c); c.Public = dir })
			waitFor(t, "it accepts", s.life.ready.Load)
			return s
		}
		first := start()
		for range 5 {
			c := dialStrict(t, first.addr)
			c.send(drainRequests["item"])
			c.receive(200, false)
			first.drains(t)
			second := start()
			c.send(drainRequests["item"])
			c.receive(200, true)
			c.hasEnded()
			first.ended(t)
			first = second
		}
		first.stop()
		first.ended(t)
		queued := dialStrict(t, first.addr) // by the kernel: no server is there
		queued.send(drainRequests["item"])
		last := start()
		queued.receive(200, false)
		queued.conn.Close()
		last.stop()
		last.ended(t)
	})
}

// Clients that connect while a server with a socket of its own stops get a response or no
// connection. None is reset: the kernel had accepted it, so its client has sent a request.
func TestNoConnectionIsReset(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux empties the queue of a socket before it closes")
	}
	t.Parallel()
	bothPaths(t, func(t *testing.T, mode func(*ServerConfig)) {
		dir := t.TempDir()
		site.write(t, dir)
		s := startStoppable(t, func(c *ServerConfig) { mode(c); c.Public, c.DrainGrace = dir, 2*time.Second })
		waitFor(t, "it accepts", s.life.ready.Load)
		lost, answered := make(chan error, 100), make(chan int, 100)
		for range 8 {
			go func() {
				n := 0
				defer func() { answered <- n }()
				for {
					conn, err := net.DialTimeout("tcp", s.addr, patient)
					if err != nil {
						return // refused: nobody listens any more
					}
					_ = conn.SetDeadline(time.Now().Add(patient))
					_, err = io.WriteString(conn, drainRequests["item"])
					if err == nil {
						_, err = http.ReadResponse(bufio.NewReader(conn), nil)
					}
					conn.Close()
					if err != nil {
						lost <- err
						return
					}
					n++
				}
			}()
		}
		waitFor(t, "clients are answered", func() bool { return s.telemetry.node.Connections.Load() > 0 })
		s.stop()
		s.ended(t)
		for range 8 {
			if n := <-answered; n == 0 {
				t.Error("a client got nothing")
			}
		}
		for len(lost) > 0 {
			t.Errorf("lost: %v", <-lost)
		}
	})
}
