// This file writes lines without making whoever logs them wait: a pipe whose reader
// sleeps, or a slow disk, costs lines, not answers.

package logs

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"
)

// maxBuffered bounds the bytes that wait to be written: some 5,000 lines.
const maxBuffered = 1 << 20

// Buffer is an io.Writer in front of a slow one. Write never waits for it: what does
// not fit into the memory for waiting lines is dropped and counted, and so is what the
// slow one does not take. Make it with NewBuffer.
type Buffer struct {
	out     io.Writer
	dropped atomic.Uint64
	wake    chan struct{} // holds one token: there is something to write, or an end
	done    chan struct{} // closed when all is written

	mu     sync.Mutex
	lines  []byte // guarded by mu, and so is closed
	closed bool
}

// NewBuffer starts a goroutine that writes to out what is written to the Buffer, until
// Close.
func NewBuffer(out io.Writer) *Buffer {
	b := &Buffer{out: out, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go b.run()
	return b
}

// Write takes a whole line in. It never fails.
func (b *Buffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	fits := !b.closed && len(b.lines)+len(line) <= maxBuffered
	if fits {
		b.lines = append(b.lines, line...)
	}
	b.mu.Unlock()
	if !fits {
		b.dropped.Add(1)
		return len(line), nil
	}
	b.signal()
	return len(line), nil
}

// Dropped is how many lines were dropped so far.
func (b *Buffer) Dropped() uint64 { return b.dropped.Load() }

func (b *Buffer) signal() {
	select {
	case b.wake <- struct{}{}:
	default: // awake already
	}
}

// run writes what has gathered, all of it at once: under load a system call has many
// lines.
func (b *Buffer) run() {
	defer close(b.done)
	var spare []byte
	for range b.wake {
		b.mu.Lock()
		lines, closed := b.lines, b.closed
		b.lines = spare[:0]
		b.mu.Unlock()
		if len(lines) > 0 {
			if n, err := b.out.Write(lines); err != nil {
				b.dropped.Add(uint64(bytes.Count(lines[n:], []byte("\n"))))
			}
		}
		spare = lines
		if closed {
			return
		}
	}
}

// Close writes what is left and ends the goroutine; lines written later are dropped. It
// waits for the slow writer until ctx ends, which is its error. It may be called again.
func (b *Buffer) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.signal()
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
