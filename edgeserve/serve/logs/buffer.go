// This file makes logging asynchronous: blocked pipes and slow disks lose lines but delay nothing.

package logs

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/crash"
)

const maxBuffered = 1 << 20 // bytes: about 5,000 lines

// Buffer is an asynchronous io.Writer. Write never blocks. If the buffer is full or the writer
// below fails, lines are dropped and counted.
type Buffer struct {
	out     io.Writer
	dropped atomic.Uint64
	wake    chan struct{} // one token: lines to write, or closed
	done    chan struct{} // closed when the last line is written

	mu     sync.Mutex
	lines  []byte // guarded by mu, like closed
	closed bool
}

// NewBuffer starts a goroutine that writes to out until Close.
func NewBuffer(out io.Writer) *Buffer {
	b := &Buffer{out: out, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go b.run()
	return b
}

// Write buffers a whole line. It never fails.
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

// Dropped is the number of lines dropped so far.
func (b *Buffer) Dropped() uint64 { return b.dropped.Load() }

func (b *Buffer) signal() {
	select {
	case b.wake <- struct{}{}:
	default: // already awake
	}
}

// run writes all buffered lines at once: under load one system call writes many.
func (b *Buffer) run() {
	defer crash.Exit()
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

// Close writes the buffered lines and ends the goroutine; later lines are dropped. It returns an
// error if ctx ends first. It may be called more than once.
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
