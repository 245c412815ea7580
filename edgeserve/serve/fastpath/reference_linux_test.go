// This file is a reference server, and a ListenerConfig whose responses are the same.

package fastpath

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"contentedge/edgeserve/serve/bodies"

	"golang.org/x/sys/unix"
)

const hour = time.Hour

// knownGet is a request, and knownReply its response but for the date.
const (
	knownGet   = "GET /known/3 HTTP/1.1\r\nHost: a\r\n\r\n"
	knownReply = "HTTP/1.1 200 OK\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 3\r\nEtag: \"3\"\r\n\r\nkkk"
)

const computedGet = "GET /computed/3 HTTP/1.1\r\nHost: a\r\n\r\n"

// shortResponse is the response to knownGet and computedGet without its date.
var shortResponse = stripDates(knownReply)

// knownBody returns the body for a target: N bytes for /known/N, which Lookup answers, and
// for /computed/N, which Compute answers. For /echo it is the request's body if that
// begins with a G.
func knownBody(target string, sent []byte) (body []byte, ok bool) {
	if target == "/echo" {
		return bytes.Clone(sent), bytes.HasPrefix(sent, []byte("G"))
	}
	var n int
	if _, err := fmt.Sscanf(strings.Replace(target, "/computed/", "/known/", 1), "/known/%d", &n); err != nil || n > 100000 {
		return nil, false
	}
	return bytes.Repeat([]byte("k"), n), true
}

func knownFields(body []byte) string {
	return fmt.Sprintf("Content-Length: %d\r\nEtag: \"%d\"\r\n", len(body), len(body))
}

// responseOf returns the response with n known bytes without its date.
func responseOf(n int) string {
	return "HTTP/1.1 200 OK\r\n" + knownFields(make([]byte, n)) + "\r\n" + strings.Repeat("k", n)
}

// lookupKnown is ListenerConfig.Lookup.
func lookupKnown(r *Request) (Response, bool) {
	a, ok := knownResponse(r)
	return a, ok && !bytes.HasPrefix(r.Target, []byte("/computed/"))
}

// computeKnown is ListenerConfig.Compute. Every other call leaves the loop; every other response
// has a Done that overwrites its memory.
func computeKnown(r *Request, _ time.Time, leaveLoop func()) (Response, bool) {
	a, ok := knownResponse(r)
	if ok && rand.Intn(2) == 0 {
		leaveLoop()
		runtime.Gosched()
	}
	if rand.Intn(2) == 0 {
		a.Memfile = nil
		a.Done = func() {
			clear(a.Fields)
			clear(a.Body)
		}
	}
	return a, ok
}

// computeInLoop is ListenerConfig.Compute and never leaves the loop.
func computeInLoop(r *Request, _ time.Time, _ func()) (Response, bool) { return knownResponse(r) }

func knownResponse(r *Request) (Response, bool) {
	body, ok := knownBody(string(r.Target), r.Body)
	a := Response{Status: 200, StatusLine: "HTTP/1.1 200 OK\r\n", Fields: []byte(knownFields(body)), Body: body}
	if r.Head {
		a.Body = nil
	}
	a.Memfile = knownMemfiles[len(a.Body)]
	return a, ok
}

// knownMemfiles has memfiles of known bodies by length.
var knownMemfiles = map[int]*bodies.Memfile{20000: knownMemfile(20000), 30000: knownMemfile(30000)}

func knownMemfile(n int) *bodies.Memfile {
	return bodies.NewMemfiles().New(bytes.Repeat([]byte("k"), n))
}

// referenceServer serves a connection with net/http's parser. It gives the known
// responses, and describes every other request.
func referenceServer(conn net.Conn) {
	defer conn.Close()
	in, out := bufio.NewReaderSize(conn, 4096), bufio.NewWriter(conn)
	for {
		req, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		sent, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		body, ok := knownBody(req.RequestURI, sent)
		fields := knownFields(body)
		if !ok {
			body = fmt.Appendf(nil, "reference: %s %s, %d bytes", req.Method, req.RequestURI, len(sent))
			fields = fmt.Sprintf("Content-Length: %d\r\n", len(body))
		}
		fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nDate: x\r\n%s\r\n", fields)
		if req.Method != http.MethodHead {
			out.Write(body)
		}
		if out.Flush() != nil || req.Close {
			return
		}
	}
}

// serve passes the connections of ln to referenceServer until the test ends.
func serve(t *testing.T, ln net.Listener) string {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go referenceServer(conn)
		}
	}()
	t.Cleanup(func() {
		ln.Close()
		if l, ok := ln.(*Listener); ok {
			stop(l)
		}
		<-done
	})
	return ln.Addr().String()
}

// taken takes over a listener.
func rawSockets(t *testing.T, ln net.Listener) net.Listener {
	t.Helper()
	ln, err := Sockets(ln)
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// listen is Listen on a new port.
func listen(t *testing.T, cfg ListenerConfig) *Listener {
	return listenOn(t, rawSockets(t, loopback(t)), cfg)
}

// stop stops a listener without waiting.
func stop(l *Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.Stop(ctx, func() bool { return false })
}

// listenOn is Listen, until the test ends.
func listenOn(t *testing.T, ln net.Listener, cfg ListenerConfig) *Listener {
	t.Helper()
	l, err := Listen(ln, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(l) })
	return l
}

func config() ListenerConfig {
	return ListenerConfig{First: hour, Head: hour, Body: hour, HeadLimit: 4096, MaxBody: 8000, Write: hour, Idle: hour, Lookup: lookupKnown, Compute: computeKnown, InFlight: new(atomic.Int64), ErrorResponse: errorText, BypassHeaders: []string{"range"}, Log: slog.New(slog.DiscardHandler)}
}

// errorText is ListenerConfig.ErrorResponse.
func errorText(why error, _ net.Addr) []byte { return []byte(why.Error()) }

// exchange writes each piece by itself, ends the stream and returns what the server sends,
// without dates.
func exchange(t *testing.T, addr string, pieces []string) string {
	t.Helper()
	conn := dial(t, "tcp", addr)
	defer conn.Close()
	go func() {
		for _, p := range pieces {
			if _, err := io.WriteString(conn, p); err != nil {
				return // the server ended it first
			}
		}
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	b, _ := io.ReadAll(conn) // an end by reset is an end
	return stripDates(string(b))
}

// withoutDates takes out the one field that may differ.
func stripDates(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "Date: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// splitRandomly splits a stream at random places, or into single bytes.
func splitRandomly(r *rand.Rand, s string) (pieces []string) {
	largest := []int{1, 40, 3000, len(s)}[r.Intn(4)]
	if len(s) > 6000 && largest == 1 {
		largest = 7
	}
	for len(s) > 0 {
		n := min(1+r.Intn(largest), len(s))
		pieces, s = append(pieces, s[:n]), s[n:]
	}
	return pieces
}

// dialAndGet sends knownGet n times on a new connection.
func dialAndGet(t *testing.T, addr string, n int) net.Conn {
	t.Helper()
	conn := dial(t, "tcp", addr)
	for range n {
		if _, err := io.WriteString(conn, knownGet); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, make([]byte, len(knownReply))); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// blockingConfig is a configuration whose Lookup of /known/4 sends on called and waits for
// proceed.
func blockingConfig() (cfg ListenerConfig, called, proceed chan struct{}) {
	cfg, called, proceed = config(), make(chan struct{}), make(chan struct{})
	cfg.Lookup = func(r *Request) (Response, bool) {
		if string(r.Target) == "/known/4" {
			called <- struct{}{}
			<-proceed
		}
		return lookupKnown(r)
	}
	return cfg, called, proceed
}

// serveCounted serves until the test ends; waitClosed waits until no connection is open.
func serveCounted(t *testing.T, cfg ListenerConfig) (addr string, waitClosed func()) {
	t.Helper()
	l := listen(t, cfg)
	return serve(t, l), func() {
		t.Helper()
		waitFor(t, "all connections are closed", func() bool { return l.open.Load() == 1 }, func() {})
	}
}

// shrinkSendBuffer makes the socket take few bytes at once.
func shrinkSendBuffer(fd int) error {
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1)
}
