package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const hour = time.Hour

// known is the answer to a request: that to /known/N is N bytes, of which those above
// room need a gathered write, that to /made/N too, but it has to be made, and that to /echo
// is the body that was sent, if it begins with a G.
func known(target string, sent []byte) (body []byte, ok bool) {
	if target == "/echo" {
		return bytes.Clone(sent), bytes.HasPrefix(sent, []byte("G"))
	}
	var n int
	if _, err := fmt.Sscanf(strings.Replace(target, "/made/", "/known/", 1), "/known/%d", &n); err != nil || n > 100000 {
		return nil, false
	}
	return bytes.Repeat([]byte("k"), n), true
}

func knownFields(body []byte) string {
	return fmt.Sprintf("Content-Length: %d\r\nEtag: \"%d\"\r\n", len(body), len(body))
}

// datelessOf is what a request for n known bytes is answered, but for the date.
func datelessOf(n int) string {
	return "HTTP/1.1 200 OK\r\n" + knownFields(make([]byte, n)) + "\r\n" + strings.Repeat("k", n)
}

// find is Config.Find over what is known and has not to be made.
func find(r *Request) (Answer, bool) {
	a, ok := answerKnown(r)
	return a, ok && !bytes.HasPrefix(r.Target, []byte("/made/"))
}

// makeKnown is Config.Make over what is known. Every other time it takes long, and every
// other answer lies in memory that is somebody else's when it is done.
func makeKnown(r *Request, _ time.Time, handOver func()) (Answer, bool) {
	a, ok := answerKnown(r)
	if ok && rand.Intn(2) == 0 {
		handOver()
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

func answerKnown(r *Request) (Answer, bool) {
	body, ok := known(string(r.Target), r.Body)
	a := Answer{Status: 200, Line: "HTTP/1.1 200 OK\r\n", Fields: []byte(knownFields(body)), Body: body}
	if r.Head {
		a.Body = nil
	}
	a.Memfile = knownMemfiles[len(a.Body)]
	return a, ok
}

// knownMemfiles are files of the known bodies that have one, by their lengths.
var knownMemfiles = map[int]*Memfile{20000: knownMemfile(20000), 30000: knownMemfile(30000)}

func knownMemfile(n int) *Memfile { return NewMemfiles().New(bytes.Repeat([]byte("k"), n)) }

// engine answers one connection as the twin of what is tested: it knows the same
// answers, and says of all else what it has read.
func engine(conn net.Conn) {
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
		body, ok := known(req.RequestURI, sent)
		fields := knownFields(body)
		if !ok {
			body = fmt.Appendf(nil, "engine: %s %s, %d bytes", req.Method, req.RequestURI, len(sent))
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

// serveOn answers connections with the engine until the test ends.
func serveOn(t *testing.T, ln net.Listener) string {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go engine(conn)
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

func loopback(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// taken takes over a listener.
func taken(t *testing.T, ln net.Listener) net.Listener {
	t.Helper()
	ln, err := Sockets(ln)
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// listen is Listen on a new port.
func listen(t *testing.T, cfg Config) *Listener { return wrap(t, taken(t, loopback(t)), cfg) }

// stop stops a listener at once.
func stop(l *Listener) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.Stop(ctx)
}

// wrap is Listen, until the test ends.
func wrap(t *testing.T, ln net.Listener, cfg Config) *Listener {
	t.Helper()
	l, err := Listen(ln, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(l) })
	return l
}

func config() Config {
	return Config{Head: hour, Body: hour, HeadLimit: 4096, MaxBody: 8000, Write: hour, Idle: hour, Find: find, Make: makeKnown, Making: new(atomic.Int64), Refuse: refuse, Deciding: []string{"range"}, Log: slog.New(slog.DiscardHandler)}
}

// refuse is Config.Refuse.
func refuse(why error) []byte { return []byte(why.Error()) }

// talk sends pieces, each in a write of its own, ends the stream, and returns all that
// comes back.
func talk(t *testing.T, addr string, pieces []string) string {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	go func() {
		for _, p := range pieces {
			if _, err := io.WriteString(conn, p); err != nil {
				return // the server ended it first
			}
		}
		_ = conn.(*net.TCPConn).CloseWrite()
	}()
	b, _ := io.ReadAll(conn) // an end by reset is an end
	return withoutDates(string(b))
}

// withoutDates takes out the one field that may differ.
func withoutDates(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "Date: ") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// cut splits a stream at random places, or into single bytes.
func cut(r *rand.Rand, s string) (pieces []string) {
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

// Whatever is sent and however it is cut, the bytes that come back are those of the
// engine alone.
func TestSameAsEngineAlone(t *testing.T) {
	var answered atomic.Int64
	cfg := config()
	cfg.Sent = func(*Request, *Answer, time.Duration) { answered.Add(1) }
	wired, alone := serveOn(t, listen(t, cfg)), serveOn(t, loopback(t))
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	for round := range 150 {
		var b strings.Builder
		for range 1 + r.Intn(12) {
			b.WriteString(randomRequest(r))
		}
		if r.Intn(5) == 0 {
			b.WriteString(randomRequest(r)[:10]) // cut off
		}
		stream := b.String()
		want := talk(t, alone, []string{stream})
		if got := talk(t, wired, cut(r, stream)); got != want {
			t.Fatalf("seed %d, round %d:\n%q\nanswers\n%q\nwant\n%q", seed, round, stream, got, want)
		}
	}
	if answered.Load() < 150 {
		t.Errorf("only %d requests were answered on the wire", answered.Load())
	}
}

// However a long stream is cut, the bytes that come back are those of the engine alone.
func TestLongStreams(t *testing.T) {
	wired, alone := serveOn(t, listen(t, config())), serveOn(t, loopback(t))
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	for round := range 20 {
		var b strings.Builder
		for range 80 {
			if q := randomRequest(r); !strings.Contains(q, "chunked") {
				b.WriteString(q)
			}
		}
		b.WriteString("GET /known/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
		stream := b.String()
		want := talk(t, alone, []string{stream})
		if got := talk(t, wired, cut(r, stream)); got != want {
			t.Fatalf("seed %d, round %d:\n%q\nanswers\n%q\nwant\n%q", seed, round, stream, got, want)
		}
	}
}

// answered asks for what is known on a new connection, n times.
func answered(t *testing.T, addr string, n int) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	for range n {
		if _, err := io.WriteString(conn, knownGet); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(conn, make([]byte, len(knownAnswer))); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// holding is a configuration whose answer to /known/4 tells that it was asked for and
// waits until on is closed.
func holding() (cfg Config, asked, on chan struct{}) {
	cfg, asked, on = config(), make(chan struct{}), make(chan struct{})
	cfg.Find = func(r *Request) (Answer, bool) {
		if string(r.Target) == "/known/4" {
			asked <- struct{}{}
			<-on
		}
		return find(r)
	}
	return cfg, asked, on
}

// A client that ends its stream at once with its last request is not kept waiting for
// the idle time, though the end comes while the one before is answered.
func TestEndBehindRequest(t *testing.T) {
	t.Parallel()
	cfg, asked, on := holding()
	conn := answered(t, serveOn(t, listen(t, cfg)), 10)
	if _, err := io.WriteString(conn, strings.Replace(knownGet, "3", "4", 1)); err != nil {
		t.Fatal(err)
	}
	<-asked
	if _, err := io.WriteString(conn, knownGet); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	close(on)
	if b, err := io.ReadAll(conn); err != nil || len(b) != 2*len(knownAnswer)+1 {
		t.Errorf("%q, %v", b, err)
	}
}

// served answers connections until the test ends; gone waits until all are closed.
func served(t *testing.T, cfg Config) (addr string, gone func()) {
	t.Helper()
	l := listen(t, cfg)
	return serveOn(t, l), func() {
		t.Helper()
		for limit := time.Now().Add(30 * time.Second); ; runtime.Gosched() {
			n := l.open.Load() - 1
			if n == 0 {
				return
			}
			if time.Now().After(limit) {
				t.Fatalf("%d connections are open", n)
			}
		}
	}
}

// A client that does not read is let go.
func TestWriteTimeout(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Write = time.Millisecond
	addr, gone := served(t, cfg)
	conn := answered(t, addr, 1)
	_ = conn.SetDeadline(time.Now().Add(tick / 4))
	for {
		if _, err := io.WriteString(conn, strings.Repeat("GET /known/100000 HTTP/1.1\r\nHost: a\r\n\r\n", 100)); err != nil {
			break
		}
	}
	gone()
}

// A connection that is answered while the server drains ends behind the answer.
func TestDrainBehindAnswer(t *testing.T) {
	cfg, asked, on := holding()
	l := listen(t, cfg)
	conn := answered(t, serveOn(t, l), 0)
	if _, err := io.WriteString(conn, strings.Replace(knownGet, "3", "4", 1)); err != nil {
		t.Fatal(err)
	}
	<-asked
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		l.Drain()
	}()
	for !l.draining.Load() {
		runtime.Gosched()
	}
	close(on)
	if b, err := io.ReadAll(conn); err != nil || !strings.HasSuffix(string(b), "kkkk") {
		t.Errorf("%q, %v", b, err)
	}
	<-drained
}

// What is known to have been read may be told once more; that is no reason to close.
func TestToldOfNothing(t *testing.T) {
	t.Parallel()
	cfg, asked, on := holding()
	conn := answered(t, serveOn(t, listen(t, cfg)), 10)
	if _, err := io.WriteString(conn, strings.Replace(knownGet, "3", "4", 1)+knownGet[:9]); err != nil {
		t.Fatal(err)
	}
	<-asked
	if _, err := io.WriteString(conn, knownGet[9:]); err != nil {
		t.Fatal(err)
	}
	close(on)
	if _, err := io.ReadFull(conn, make([]byte, 2*len(knownAnswer)+1)); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(3 * tick))
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the connection ended: %v", err)
	}
}

// Idle connections are closed after their time, and not before.
func TestIdle(t *testing.T) {
	t.Parallel()
	cfg := config()
	cfg.Idle = tick + tick/2
	addr := serveOn(t, listen(t, cfg))
	start := time.Now()
	conn := answered(t, addr, 10)
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
	if d := time.Since(start); d < cfg.Idle || d > cfg.Idle+20*tick {
		t.Errorf("closed after %s, want %s", d, cfg.Idle+tick)
	}
}

// narrowed makes the system take few bytes of an answer at once.
func narrowed(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 1) }

// narrow has narrowed connections.
type narrow struct{ net.Listener }

func (l narrow) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		err = narrowed(conn.(*socket).fd)
	}
	return conn, err
}

// Answers arrive whole and once, wherever the system stops taking them.
func TestAnswersInPieces(t *testing.T) {
	// TCP nearly always takes all or nothing of an answer.
	ln, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	ln.(*net.UnixListener).SetUnlinkOnClose(false) // it is taken over
	addr := serveOn(t, wrap(t, narrow{taken(t, ln)}, config()))
	conn, err := net.Dial("unix", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	var requests, want strings.Builder
	for range 300 {
		n := []int{r.Intn(300), r.Intn(5000), r.Intn(30000), 20000, 30000}[r.Intn(5)]
		fmt.Fprintf(&requests, "GET /known/%d HTTP/1.1\r\nHost: a\r\n\r\n", n)
		want.WriteString(datelessOf(n))
	}
	if _, err := io.WriteString(conn, requests.String()); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.UnixConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(conn)
	if withoutDates(string(got)) != want.String() || err != nil {
		t.Errorf("seed %d: %d bytes, %v", seed, len(got), err)
	}
}

// knownGet is a request, and knownAnswer its answer but for the date.
const (
	knownGet    = "GET /known/3 HTTP/1.1\r\nHost: a\r\n\r\n"
	knownAnswer = "HTTP/1.1 200 OK\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 3\r\nEtag: \"3\"\r\n\r\nkkk"
)
