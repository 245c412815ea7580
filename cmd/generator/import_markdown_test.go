package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// lineWriter gives what is written to a channel, a line at a time.
type lineWriter struct {
	mu   sync.Mutex
	rest []byte
	to   chan string
}

func (l *lineWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, b...)
	for {
		line, rest, ok := bytes.Cut(l.rest, []byte{'\n'})
		if !ok {
			return len(b), nil
		}
		l.to <- string(line)
		l.rest = rest
	}
}

// until waits for a line with a text.
func (l *lineWriter) until(t *testing.T, text string) {
	t.Helper()
	end := time.After(20 * time.Second)
	for {
		select {
		case line := <-l.to:
			if strings.Contains(line, text) {
				return
			}
		case <-end:
			t.Fatalf("no line has %q", text)
		}
	}
}

// TestImportsFollowASite imports again after changes, keeps the last good items after an error, and ends well with a signal.
func TestImportsFollowASite(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll("site", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("site/"+name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	has := func(text string) bool {
		items, _ := os.ReadFile("content/blog/imported-markdown.ndjson")
		return bytes.Contains(items, []byte(text))
	}
	write("a.md", "# One\n")
	ctx, stop := context.WithCancelCause(t.Context())
	out := &lineWriter{to: make(chan string, 1000)}
	ended := make(chan error, 1)
	go func() {
		ended <- dispatch(ctx, strings.Fields("import markdown tree site --env blog --date 2024-01-01 --watch"), console{out, out})
	}()
	out.until(t, "imported: items 1")
	write("b.md", "# Two\n")
	out.until(t, "imported: items 2")
	write("a.md", "---\ntitle: [\n---\n")
	out.until(t, "site/a.md:2:")
	out.until(t, "the items of the last good import stay")
	if !has(`"Name":"One"`) || !has(`"Name":"Two"`) {
		t.Error("the items of the last good import are gone")
	}
	write("a.md", "# Three\n")
	out.until(t, "imported: items 2")
	if !has(`"Name":"Three"`) {
		t.Error("a change after an error is not imported")
	}
	stop(&signalError{syscall.SIGTERM})
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
