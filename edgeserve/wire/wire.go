// Package wire answers plain requests on a connection before the HTTP engine sees them.
// It exists because most requests of a node are for files that it has sent before: for
// those, an engine's parsing, header maps and buffered writing cost as much as the system
// calls, and a goroutine with its buffers for each connection is most of the memory. For
// short searches, going to another goroutine and back costs as much as the search.
//
// A Listener has the connections read by pollers, one for each processor. A poller takes
// what has arrived, in the order in which it did, and answers the requests that have a
// prepared answer, with a read and a write or two each. Then it makes the answers that have
// to be made, also in order, and looks in between what else has arrived; when one takes
// long, another goroutine goes on as the poller. A connection that has nothing to say costs
// no more than its description.
//
// When a request of any other kind is there, whole, the engine accepts the connection and
// reads that request, exactly as many bytes as it has, and then the end of the stream; what
// it takes for closing the connection gives it back. Where the end of a request is not plain
// to see, the connection is the engine's for good. So there is one engine, and nothing here
// has to understand a request that is not plain. Only what does not arrive in time, or
// begins as no request does, is refused here.
//
// Nothing here waits but the engine, in Read and Write. Bodies are gathered in memory that
// grows with what arrives; a long answer of a prepared body may be sent from a file in
// memory (see Memfile).
//
// Timeouts hold as in the engine: a head has its time from its first byte on, also where
// the engine reads the rest. Whether one is over is looked at once a second, so that they
// never end early and end at most a second late.
//
// All of that is for Linux. On other systems the engine accepts connections as they are.
package wire

import (
	"fmt"
	"log/slog"
	"net"
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
	ID             []byte // X-Request-Id; nil: not sent

	From net.Addr // the client's, for Make
}

// Answer is a whole answer but for its date.
type Answer struct {
	Status int
	Line   string // status line with its CRLF
	Fields []byte // header lines, each with its CRLF; neither Date nor Connection
	Body   []byte // empty for HEAD and 304

	// Memfile holds the body, or is nil. It may be released meanwhile.
	Memfile *Memfile
	// Done is called, once, when Fields and Body are no longer needed; nil: they never change.
	Done func()

	ID     string // of the request,
	Route  uint8  // what it is for, and
	Coding string // that of the body, for Sent
}

// Panic is what panicked at a request. Whoever is passed it is called by who recovers.
type Panic struct {
	Cause   any
	Request *Request // nil: it is answered and not known any more
}

func (p *Panic) Error() string { return fmt.Sprint("panic: ", p.Cause) }

// Config says how connections are answered. All fields but Sent are needed. Its functions
// may be called by several goroutines at once.
type Config struct {
	// Head is for the head of a request from its first byte on, Body for what follows it,
	// Write for an answer, Idle between the two.
	Head, Body, Write, Idle time.Duration
	// HeadLimit is the length up to which the engine takes a head, MaxBody that of a body.
	HeadLimit, MaxBody int
	// Deciding names the header fields, in lower case, that answers depend on beside
	// those of a Request. Who sends one is answered by the engine.
	Deciding []string
	// Find returns the prepared answer. It must be what the engine would send.
	Find func(*Request) (Answer, bool)
	// Make returns an answer that has to be made for the request, which waits since a time;
	// it must be what the engine would send. It does not wait: false leaves the request to
	// the engine, and the answer counts for nothing. Nobody else of the same poller is
	// answered meanwhile until it calls handOver, once, from its own goroutine. Who stops the
	// listener waits for those that have not, and for no others.
	Make func(r *Request, since time.Time, handOver func()) (Answer, bool)
	// Making is the number of requests that wait for Make, for which it works, or whose
	// answers it has made and nobody has sent.
	Making *atomic.Int64
	// Refuse returns the whole answer to a request that is not answered, with which the
	// connection ends: it has not arrived in time if why is os.ErrDeadlineExceeded, something
	// panicked if it is a *Panic, and else it is none.
	Refuse func(why error) []byte
	// Sent is told of every answer that is about to be sent, and how long after its request
	// had been read.
	Sent func(r *Request, a *Answer, took time.Duration)
	Log  *slog.Logger
}

// clock has the Date line of the second it is.
type clock struct{ now atomic.Pointer[date] }

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
func (c *clock) dateLine(now time.Time) []byte {
	d := c.now.Load()
	if d == nil || d.second != now.Unix() {
		d = newDate(now)
		c.now.Store(d)
	}
	return d.line
}
