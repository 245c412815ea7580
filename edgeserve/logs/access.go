// This file writes the access log: a line for each request, for those who count, bill
// or investigate by lines.

package logs

import (
	"context"
	"io"
	"log/slog"
	"time"
)

// Request is what a line of the access log says. The texts are as the client sent
// them: the log spells them with Printable.
type Request struct {
	ID             string
	Method, Target []byte
	Status         int
	Bytes          int // of the answer's body
	Took           time.Duration
	Coding         []byte // of the answer's body; empty for none
}

// Access is an access log. Make it with NewAccess.
type Access struct {
	buffer *Buffer
	log    *slog.Logger
}

// NewAccess makes an access log that writes to out through a Buffer; format makes the
// lines.
func NewAccess(out io.Writer, format func(io.Writer) slog.Handler) *Access {
	b := NewBuffer(out)
	return &Access{buffer: b, log: slog.New(format(b))}
}

// Log writes a request's line, or drops it if out does not keep up.
func (a *Access) Log(r Request) {
	a.log.LogAttrs(context.Background(), slog.LevelInfo, "request",
		slog.String("id", r.ID),
		slog.String("method", Printable(r.Method)),
		slog.String("target", Printable(r.Target)),
		slog.Int("status", r.Status),
		slog.Int("bytes", r.Bytes),
		slog.Float64("duration_us", float64(r.Took)/float64(time.Microsecond)),
		slog.String("coding", string(r.Coding)))
}

// Dropped is how many lines were dropped so far.
func (a *Access) Dropped() uint64 { return a.buffer.Dropped() }

// Close writes the lines that wait, until ctx ends.
func (a *Access) Close(ctx context.Context) error { return a.buffer.Close(ctx) }
