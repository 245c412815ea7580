// This file writes the access log, one line per request. access_formats.go has the lines.

package logs

import (
	"context"
	"io"
	"net/netip"
	"sync"
	"time"
)

// Request is a line of the access log. Texts of the client are as sent; the formats escape and cut them.
type Request struct {
	ID             string
	Client         netip.Addr     // invalid: unknown
	Peer           netip.AddrPort // the TCP peer: the client or a proxy
	Method, Target []byte
	Protocol       []byte // HTTP/1.1, for example
	Fields         Fields
	Status         int
	Error          string // code of the response, from status 400 on; empty without an error
	Bytes          int    // of the response's body
	Duration       time.Duration
	Coding         []byte // content coding of the response; empty for none
	Release        string // that the response is from; may be empty
	Cache          string // where the response comes from
}

// Access is an asynchronous access log. Make it with NewAccess.
type Access struct {
	buffer *Buffer
	format AccessFormat
}

// NewAccess returns an access log that writes to out through a Buffer.
func NewAccess(out io.Writer, format AccessFormat) *Access {
	return &Access{buffer: NewBuffer(out), format: format}
}

// Log writes a request's line, or drops it if out is too slow.
func (a *Access) Log(r Request) {
	line := lines.Get().(*[]byte)
	*line = append(a.format((*line)[:0], r, time.Now().UTC()), '\n')
	_, _ = a.buffer.Write(*line)
	lines.Put(line)
}

// lines pools the memory of lines. The formats bound their length.
var lines = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// Dropped is the number of lines dropped so far.
func (a *Access) Dropped() uint64 { return a.buffer.Dropped() }

// Close writes the buffered lines. It gives up when ctx ends.
func (a *Access) Close(ctx context.Context) error { return a.buffer.Close(ctx) }
