package logs

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := Limited(slog.New(slog.NewTextHandler(&out, nil))).With("a", 1)
		lines := func(n int, write func(string, ...any), message string) (passed int) {
			out.Reset()
			for range n {
				write(message)
			}
			return strings.Count(out.String(), message)
		}
		for _, c := range []struct {
			what    string
			pause   time.Duration
			n, want int
			write   func(string, ...any)
			message string
		}{
			{"a burst", 0, 1000, 10, log.Error, "one"},
			{"another message has its own", 0, 12, 10, log.Warn, "two"},
			{"information is not limited", 0, 50, 50, log.Info, "three"},
			{"nothing more at once", 0, 5, 0, log.Error, "one"},
			{"one a second", 2 * time.Second, 5, 2, log.Error, "one"},
			{"no more than a burst after long", time.Hour, 100, 10, log.Error, "one"},
			{"a derived logger, limited again, shares it", 0, 5, 0, Limited(log.WithGroup("g").With("b", 2)).Error, "one"},
		} {
			time.Sleep(c.pause) // synctest's fake clock
			if got := lines(c.n, c.write, c.message); got != c.want {
				t.Errorf("%s: %d lines, want %d", c.what, got, c.want)
			}
		}
		if got, want := Suppressed(log), uint64(990+2+5+3+90+5); got != want {
			t.Errorf("%d dropped, want %d", got, want)
		}
		time.Sleep(time.Second)
		if lines(1, log.Error, "one"); !strings.Contains(out.String(), "suppressed=95") {
			t.Errorf("after 95 kept back: %s", out.String())
		}
	})
}

// The memory for messages is bounded.
func TestLimitMessages(t *testing.T) {
	log := Limited(slog.New(slog.DiscardHandler))
	shared := log.Handler().(*limiter).shared
	for i := range 3 * maxMessages {
		_ = log.Handler().Handle(t.Context(), slog.NewRecord(time.Now(), slog.LevelError, strings.Repeat("x", i+1), 0))
	}
	if n := len(shared.byText); n > maxMessages+1 {
		t.Errorf("%d budgets", n)
	}
}

// stuck is a writer that blocks until released.
type stuck struct {
	bytes.Buffer
	entered, let chan struct{}
}

func (s *stuck) Write(b []byte) (int, error) {
	select {
	case s.entered <- struct{}{}:
	default:
	}
	<-s.let
	return s.Buffer.Write(b)
}

// A blocked writer blocks no caller. Lines stay whole and in order, and are lost only
// beyond the limit.
func TestBuffer(t *testing.T) {
	out := &stuck{entered: make(chan struct{}, 1), let: make(chan struct{})}
	b := NewBuffer(out)
	line := []byte(strings.Repeat("x", 1023) + "\n")
	_, _ = b.Write(line)
	<-out.entered
	for range maxBuffered/len(line) + 7 {
		if n, err := b.Write(line); n != len(line) || err != nil {
			t.Fatal(n, err)
		}
	}
	if n := b.Dropped(); n != 7 {
		t.Errorf("%d lines dropped, want 7", n)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if b.Close(ended) == nil {
		t.Error("Close says that all is written")
	}
	close(out.let)
	if err := b.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if want := maxBuffered + len(line); out.Len() != want {
		t.Errorf("%d bytes written, want %d", out.Len(), want)
	}
	if _, _ = b.Write(line); b.Dropped() != 8 {
		t.Error("a line after the end is not counted as dropped")
	}
}

// closedPipe accepts a number of bytes and then fails.
type closedPipe struct{ room int }

func (p *closedPipe) Write(b []byte) (int, error) {
	n := min(p.room, len(b))
	p.room -= n
	if n < len(b) {
		return n, io.ErrClosedPipe
	}
	return n, nil
}

// Lines that the writer refuses are lost and counted, including a partly written one.
func TestBufferOfGoneReader(t *testing.T) {
	b := NewBuffer(&closedPipe{room: 10})
	for range 5 {
		_, _ = b.Write([]byte("1234567\n"))
	}
	if err := b.Close(t.Context()); err != nil || b.Dropped() != 4 {
		t.Errorf("%d lines dropped, %v", b.Dropped(), err)
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"/a?b=%0a c":              "/a?b=%0a c",
		"a\r\nb\x1b[31m\x00\x7f":  `a\x0d\x0ab\x1b[31m\x00\x7f`,
		"\u202e\u009b\u2028":      `\xe2\x80\xae\xc2\x9b\xe2\x80\xa8`,
		`a\x0a`:                   `a\\x0a`,
		strings.Repeat("a", 1025): strings.Repeat("a", 1024) + "...",
	} {
		if got := Printable([]byte(in)); got != want {
			t.Errorf("Printable(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "A-z.0_9": true, strings.Repeat("a", 64): true,
		"": false, strings.Repeat("a", 65): false, "a b": false, "a\n": false, "é": false, "a/b": false, "\u212a": false, "[": false, "`": false, "{": false, "@": false,
	} {
		if ValidID([]byte(id)) != want {
			t.Errorf("ValidID(%q) is not %t", id, want)
		}
	}
	ids, seen := NewIDs(), map[string]bool{}
	for range 1000 {
		id := ids.New()
		if seen[id] || !ValidID([]byte(id)) {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
	if one, two := NewIDs().New(), NewIDs().New(); one == two {
		t.Error("two processes make the same ids")
	}
}
