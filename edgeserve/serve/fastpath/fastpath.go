// This file is the interface to package edgeserve: requests, responses and ListenerConfig.

package fastpath

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/serve/bodies"
)

// Request holds all that a response may depend on. Its slices are valid until the callback returns.
type Request struct {
	Head, Post     bool   // neither: GET
	Target         []byte // begins with a slash
	Body           []byte // of a POST
	AcceptEncoding []byte // nil if not sent
	IfNoneMatch    []byte // nil if not sent
	ID             []byte // X-Request-Id; nil if not sent

	Fields []byte   // the header block as received, with its empty line
	From   net.Addr // the TCP peer

	// Client is for the callbacks, which may remember whose request it is. Parsing clears it.
	Client netip.Addr
}

// Response is a complete response without its Date.
type Response struct {
	Status     int
	StatusLine string // with its CRLF

	// Header lines, each with its CRLF, in the order in which they are sent: first the lines of the body, then the name
	// of the release, then others. Neither Date nor Connection is among them.
	BodyFields, ReleaseField, Fields []byte

	Body []byte // empty for HEAD and 304

	// Stream is sent instead of Body, from the goroutine of a Compute that has left its loop: reading
	// it may wait. It is then closed. Nil: Body is sent.
	Stream Stream

	// Memfile holds a copy of Body, or is nil. Its owner may release it at any time.
	Memfile *bodies.Memfile
	// Done is called once, when the header lines and Body are no longer needed. Nil means that they never change.
	Done func()

	// For OnResponse:

	ID      string // of the request
	Route   uint8
	Coding  string // content coding of Body
	Release string // that Body is of
	Error   string // the code of a problem; empty for none
	Source  uint8  // where Body comes from
}

// Stream is a body that is read while it is sent.
type Stream interface {
	io.ReadCloser
	Size() int64 // in bytes
}

// Size is the length of the body in bytes.
func (r *Response) Size() int {
	if r.Stream != nil {
		return int(r.Stream.Size())
	}
	return len(r.Body)
}

// Panic is the error for a request whose callback panicked. ErrorResponse reports it.
type Panic struct {
	Cause   any
	Request *Request // nil if the response was already composed
}

func (p *Panic) Error() string { return fmt.Sprint("panic: ", p.Cause) }

// ListenerConfig configures a Listener. Its functions must be safe for concurrent use.
type ListenerConfig struct {
	// Timeouts: First for the first byte of a connection, Head for a head from its first byte on, Body
	// for a body, Write while a client takes nothing of a response, Idle between requests.
	First, Head, Body, Write, Idle time.Duration
	// HeadLimit is the longest head that Fiber accepts, MaxBody the longest body, in bytes.
	HeadLimit, MaxBody int
	// BypassHeaders are the names of fields that Request lacks. Fiber answers requests with one.
	BypassHeaders []string
	// RejectsBody reports whether Fiber refuses the request whatever its body is. The loop then
	// does not wait for the body. Nil: never.
	RejectsBody func(*Request) bool
	// ReserveRequest changes the bytes reserved for an incomplete request. It returns false if memory is short. Nil
	// means that memory is never short.
	ReserveRequest func(from, to int64) bool
	// LowMemory reports whether clients get only a tenth of Write, for lack of memory. May be nil.
	LowMemory func() bool
	// Lookup returns the prepared response. It must equal Fiber's.
	Lookup func(*Request) (Response, bool)
	// Compute returns a response computed for a request that was read at since. It must equal
	// Fiber's. It returns false for a request that it does not answer: Fiber then does.
	//
	// Compute blocks its event loop until it calls leaveLoop from its own goroutine, before it
	// waits or works for long. Further calls do nothing. Listener.Stop waits only for calls that
	// have not left their loop.
	Compute func(r *Request, since time.Time, leaveLoop func()) (Response, bool)
	// InFlight counts requests that wait for Compute, are in it, or have an unwritten response.
	InFlight *atomic.Int64
	// ErrorResponse returns the complete last response of a connection from a peer. why: *BodyError, *Panic,
	// or a *ReadError of os.ErrDeadlineExceeded, bodies.ErrNoMemory, or another error if the bytes are not
	// HTTP.
	ErrorResponse func(why error, from net.Addr) []byte
	// OnResponse is called before each write; took is since the request was read. May be nil.
	OnResponse func(r *Request, a *Response, took time.Duration)
	Log        *slog.Logger
}

// ErrFraming is the error for a malformed chunked body.
var ErrFraming = errors.New("malformed chunked body")

// ReadError is the error for a request that could not be read.
type ReadError struct {
	Cause    error
	Received []byte // of the request; valid until ErrorResponse returns
}

func (e *ReadError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Cause }

// BodyError is the error for a request with a complete head and a refused body.
type BodyError struct {
	Cause error  // ErrFraming or bodies.ErrTooLong
	Head  []byte // with its empty line; valid until ErrorResponse returns
}

func (e *BodyError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *BodyError) Unwrap() error { return e.Cause }
