// This file writes the access log, one line per request.

package logs

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// Request is a line of the access log. Method and Target are as sent; Log escapes them (Printable).
type Request struct {
	ID             string
	Method, Target []byte
	Status         int
	Bytes          int // of the response's body
	Duration       time.Duration
	Coding         []byte // content coding of the response; empty for none
}

// Access is an asynchronous access log. Make it with NewAccess.
type Access struct {
	buffer *Buffer
	log    *slog.Logger
}

// NewAccess returns an access log that writes to out through a Buffer. format makes the handler.
func NewAccess(out io.Writer, format func(io.Writer) slog.Handler) *Access {
	b := NewBuffer(out)
	return &Access{buffer: b, log: slog.New(format(b))}
}

// Log writes a request's line, or drops it if out is too slow.
func (a *Access) Log(r Request) {
	a.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("id", r.ID),
		slog.String("method", Printable(r.Method)),
		slog.String("target", Printable(r.Target)),
		slog.Int("status", r.Status),
		slog.Int("bytes", r.Bytes),
		slog.Float64("duration_us", float64(r.Duration)/float64(time.Microsecond)),
		slog.String("coding", string(r.Coding)))
}

// Dropped is the number of lines dropped so far.
func (a *Access) Dropped() uint64 { return a.buffer.Dropped() }

// Close writes the buffered lines. It gives up when ctx ends.
func (a *Access) Close(ctx context.Context) error { return a.buffer.Close(ctx) }
