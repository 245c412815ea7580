// Package logs holds what a server's log needs beyond log/slog: a bound on repeated
// lines, a buffer that never makes a request wait, and a spelling of hostile bytes that
// a terminal and a line reader survive.
//
// This file bounds repeated lines: whoever can provoke an error can provoke a million,
// and a log that fills the disk hides the one line that matters.
package logs

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// burst is how many lines of one message pass at once.
	burst = 10
	// refill is the time after which one more passes.
	refill = time.Second
	// maxMessages bounds the memory for messages. They are the program's constants;
	// should they be more, those beyond share one budget.
	maxMessages = 256
)

// limiter is a slog.Handler that passes on a bounded number of warnings and errors of
// the same message.
type limiter struct {
	next   slog.Handler
	shared *budgets
}

// budgets are the messages' budgets, shared by all handlers made from one.
type budgets struct {
	dropped func()
	now     func() time.Time

	mu     sync.Mutex
	byText map[string]*budget // guarded by mu, and so is what it points to
}

// budget is one message's: tokens as of a time, and the lines kept back since a line
// last passed.
type budget struct {
	tokens int
	asOf   time.Time
	kept   int
}

// Limit returns a handler that passes to next ten warnings or errors of the same
// message and from then on one a second; the next that passes says in the attribute
// "suppressed" how many were kept back. dropped is called for each of those. Lines
// below warnings all pass.
func Limit(next slog.Handler, dropped func()) slog.Handler {
	return &limiter{next: next, shared: &budgets{dropped: dropped, now: time.Now, byText: map[string]*budget{}}}
}

// Enabled implements slog.Handler.
func (l *limiter) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (l *limiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		kept, ok := l.shared.take(r.Message)
		if !ok {
			l.shared.dropped()
			return nil
		}
		if kept > 0 {
			r = r.Clone()
			r.AddAttrs(slog.Int("suppressed", kept))
		}
	}
	return l.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *limiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &limiter{next: l.next.WithAttrs(attrs), shared: l.shared}
}

// WithGroup implements slog.Handler.
func (l *limiter) WithGroup(name string) slog.Handler {
	return &limiter{next: l.next.WithGroup(name), shared: l.shared}
}

// take reports whether a line of this message passes, and how many were kept back
// before it.
func (b *budgets) take(message string) (kept int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.of(message)
	now := b.now()
	if n := int(now.Sub(m.asOf) / refill); n > 0 {
		m.tokens = min(m.tokens+n, burst)
		m.asOf = m.asOf.Add(time.Duration(n) * refill)
	}
	if m.tokens == 0 {
		m.kept++
		return 0, false
	}
	m.tokens--
	kept, m.kept = m.kept, 0
	return kept, true
}

// of finds a message's budget or makes it. The caller holds mu.
func (b *budgets) of(message string) *budget {
	m := b.byText[message]
	if m != nil {
		return m
	}
	if len(b.byText) >= maxMessages {
		message = ""
		if m = b.byText[message]; m != nil {
			return m
		}
	}
	m = &budget{tokens: burst, asOf: b.now()}
	b.byText[message] = m
	return m
}
