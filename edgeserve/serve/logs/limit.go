// Package logs extends log/slog for a server: rate limits, an asynchronous buffer, escaping of
// untrusted bytes. This file limits repeated lines: clients can cause a million errors, and a log
// that fills the disk hides the important line.
package logs

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	burst       = 10          // lines of one message that pass at once
	refill      = time.Second // until one more line passes
	maxMessages = 256         // messages are constants; beyond this number they share one budget
)

type limiter struct {
	next   slog.Handler
	shared *budgets
}

// budgets has one budget per message. All handlers derived from one limiter share it.
type budgets struct {
	dropped atomic.Uint64 // lines
	now     func() time.Time

	mu     sync.Mutex
	byText map[string]*budget // guarded by mu, like its values
}

// budget is a token bucket, and the number of lines suppressed since the last one passed.
type budget struct {
	tokens     int
	refilledAt time.Time
	suppressed int
}

// Limited returns a logger that limits warnings and errors: per message ten lines at once, then one
// per second. The attribute "suppressed" of the next line counts suppressed ones. Lower levels are not limited. A
// limited logger is returned as it is, so that all parts of a program share its budgets. Nil means slog.Default.
func Limited(log *slog.Logger) *slog.Logger {
	if log == nil {
		log = slog.Default()
	}
	if _, ok := log.Handler().(*limiter); ok {
		return log
	}
	return slog.New(&limiter{next: log.Handler(), shared: &budgets{now: time.Now, byText: map[string]*budget{}}})
}

// Suppressed is the number of lines that a logger from Limited, and all loggers derived from it, have suppressed.
func Suppressed(log *slog.Logger) uint64 {
	if l, ok := log.Handler().(*limiter); ok {
		return l.shared.dropped.Load()
	}
	return 0
}

func (l *limiter) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

func (l *limiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn {
		kept, ok := l.shared.take(r.Message)
		if !ok {
			l.shared.dropped.Add(1)
			return nil
		}
		if kept > 0 {
			r = r.Clone()
			r.AddAttrs(slog.Int("suppressed", kept))
		}
	}
	return l.next.Handle(ctx, r)
}

func (l *limiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &limiter{next: l.next.WithAttrs(attrs), shared: l.shared}
}

func (l *limiter) WithGroup(name string) slog.Handler {
	return &limiter{next: l.next.WithGroup(name), shared: l.shared}
}

// take reports whether a line may pass, and how many were suppressed before it.
func (b *budgets) take(message string) (kept int, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	m := b.get(message)
	now := b.now()
	if n := int(now.Sub(m.refilledAt) / refill); n > 0 {
		m.tokens = min(m.tokens+n, burst)
		m.refilledAt = m.refilledAt.Add(time.Duration(n) * refill)
	}
	if m.tokens == 0 {
		m.suppressed++
		return 0, false
	}
	m.tokens--
	kept, m.suppressed = m.suppressed, 0
	return kept, true
}

// get returns a message's budget. mu is held.
func (b *budgets) get(message string) *budget {
	if b.byText[message] == nil && len(b.byText) >= maxMessages {
		message = ""
	}
	if b.byText[message] == nil {
		b.byText[message] = &budget{tokens: burst, refilledAt: b.now()}
	}
	return b.byText[message]
}
