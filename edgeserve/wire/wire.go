// Package wire answers plain requests on a connection before the HTTP engine sees them.
// It exists because most requests of a node are for files that it has sent before: for
// those, an engine's parsing, header maps and buffered writing cost as much as the
// system calls.
//
// A Listener wraps the connections that the engine accepts. The engine reads from such a
// connection as from any other, but at the start of a request its Read does not return
// while requests arrive that have a prepared answer: Read takes those and answers them
// itself, with a write or two each. The first request of any other kind is given to the
// engine, exactly as many bytes as it has, so that after the engine's answer the next
// request is looked at again. Where the end of a request is not plain to see, the
// connection is the engine's for good. So there is one engine, one set of limits, and
// nothing here that can be wrong about a request but not answer it.
//
// On Linux, requests are read when the system says that they are there, with one read each
// instead of two (see readRaw), and answered by a system call that the Go runtime does not
// prepare for to block (see writeDirect); a few long bodies are sent from files in memory (see
// Memfile).
//
// Long bodies are gathered here before the engine hears of their requests, in memory that
// grows with what arrives.
//
// Timeouts hold as in the engine. A head that does not arrive in one piece has its time
// from its first byte on, also where the engine reads the rest. The idle and the write timeout are renewed at
// most once a second and are that second longer, so that they never end early and end at
// most a second late.
package wire

import (
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Request is what a prepared answer may depend on. Its texts are as they were sent and
// live until the call ends that they are passed to.
type Request struct {
	Head, Post     bool   // neither: GET
	Target         []byte // begins with a slash
	Body           []byte // of a POST
	AcceptEncoding []byte // nil: not sent
	IfNoneMatch    []byte // nil: not sent
}

// Answer is a whole answer but for its date.
type Answer struct {
	Status int
	Line   string // status line with its CRLF
	Fields []byte // header lines, each with its CRLF; neither Date nor Connection
	Body   []byte // empty for HEAD and 304

	// Memfile holds the body, or is nil. It may be released meanwhile.
	Memfile *Memfile

	Route  uint8  // of the request, and
	Coding string // of the body, for Sent
}

// Config says how connections are answered. All fields but Sent are needed.
type Config struct {
	// Head is for the head of a request from its first byte on, Body for what follows it,
	// Write for an answer, Idle between the two.
	Head, Body, Write, Idle time.Duration
	// MaxBody is the length from which on the engine refuses a body.
	MaxBody int64
	// Deciding names the header fields, in lower case, that answers depend on beside
	// those of a Request. Who sends one is answered by the engine.
	Deciding []string
	// Find returns the prepared answer. It must be what the engine would send, and its
	// bytes must never change.
	Find func(*Request) (Answer, bool)
	// Sent is told of every answer that is about to be sent, and since when its request
	// had been read.
	Sent func(r *Request, a *Answer, began time.Time)
	Log  *slog.Logger
}

// slack is how long deadlines are kept, and how much later they are for it.
const slack = time.Second

// Listener accepts connections that answer what they can. Close ends Accept; Drain ends
// what is idle.
type Listener struct {
	net.Listener
	cfg      Config
	deciding [maxName + 1][]string // by length
	date     atomic.Pointer[date]
	draining atomic.Bool

	mu    sync.Mutex
	conns map[*conn]struct{} // guarded by mu
}

// maxName is the longest name of a deciding field.
const maxName = 40

// Listen wraps a listener.
func Listen(ln net.Listener, cfg Config) *Listener {
	l := &Listener{Listener: ln, cfg: cfg, conns: map[*conn]struct{}{}}
	for _, name := range cfg.Deciding {
		n := min(len(name), maxName)
		l.deciding[n] = append(l.deciding[n], name)
	}
	l.date.Store(newDate(time.Now()))
	return l
}

// Accept returns the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: inner, l: l, raw: rawOf(inner)}
	c.readable = c.arrived
	l.mu.Lock()
	l.conns[c] = struct{}{}
	l.mu.Unlock()
	return c, nil
}

// Drain closes the connections that wait for another request. Requests that arrive from
// now on are the engine's, which knows how to end a connection politely.
func (l *Listener) Drain() {
	l.draining.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if c.state.CompareAndSwap(waiting, closed) {
			_ = c.Conn.Close()
		}
	}
}

func (l *Listener) forget(c *conn) {
	l.mu.Lock()
	delete(l.conns, c)
	l.mu.Unlock()
}

// date is the Date line of a second.
type date struct {
	second int64
	line   []byte
}

func newDate(now time.Time) *date {
	const layout = "Mon, 02 Jan 2006 15:04:05 GMT"
	line := append([]byte("Date: "), now.UTC().Format(layout)...)
	return &date{second: now.Unix(), line: append(line, "\r\n"...)}
}

// dateLine returns the Date line for now.
func (l *Listener) dateLine(now time.Time) []byte {
	d := l.date.Load()
	if d.second != now.Unix() {
		d = newDate(now)
		l.date.Store(d)
	}
	return d.line
}
