// This file yields to goroutines whose sockets are ready.

package admission

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// quantum is the working time between two yields. Requests that arrive wait for so long at most. A
// yield costs some 2 us.
const quantum = 250 * time.Microsecond

// Yielder yields after each quantum. Its zero value yields at once.
type Yielder struct {
	since  time.Time
	detach func() // called before the first yield; may be nil
}

// Pause yields once a quantum has passed, and returns the time. Call it much more often than that.
func (y *Yielder) Pause() (now time.Time) {
	if now = time.Now(); now.Sub(y.since) >= quantum {
		y.Detach()
		Yield()
		now = time.Now()
		y.since = now
	}
	return now
}

// Detach calls the detach function, once.
func (y *Yielder) Detach() {
	if y.detach != nil {
		y.detach()
		y.detach = nil
	}
}

// YieldingReader is a reader that yields after each quantum and fails once its context ends.
type YieldingReader struct {
	Ctx context.Context
	io.Reader
	yielder Yielder
}

// Read reads from Reader.
func (r *YieldingReader) Read(b []byte) (int, error) {
	r.yielder.Pause()
	if err := r.Ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// yieldPipe is the pipe that Yield waits on: one, as the runtime has one network poller.
var yieldPipe struct {
	mu  sync.Mutex      // held by the goroutine that waits
	out syscall.RawConn // nil before the first use, and if no pipe can be made
	in  *os.File
}

// Yield runs the goroutines whose sockets are ready. runtime.Gosched runs only goroutines known to be runnable, and the
// scheduler checks its network poller only when nothing is. So Yield writes into a pipe and waits until the pipe is
// readable: that check finds all sockets ready before it, and the Gosched after it runs their goroutines. Yields wait
// one after the other: if one check released all, the next would come only after a quantum of each.
func Yield() {
	waitInNetpoll()
	runtime.Gosched()
}

func waitInNetpoll() {
	yieldPipe.mu.Lock()
	defer yieldPipe.mu.Unlock()
	if yieldPipe.out == nil && openYieldPipe() != nil {
		return
	}
	var b [1]byte
	written := false
	err := yieldPipe.out.Read(func(fd uintptr) (readable bool) {
		if !written {
			written = true
			_, err := yieldPipe.in.Write(b[:])
			return err != nil
		}
		_, err := syscall.Read(int(fd), b[:])
		for err == syscall.EINTR {
			_, err = syscall.Read(int(fd), b[:])
		}
		return err != syscall.EAGAIN
	})
	if err != nil {
		yieldPipe.out = nil
	}
}

// openYieldPipe opens the pipe. It fails if the poller does not take the pipe: it would never be emptied.
func openYieldPipe() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	raw, err := out.SyscallConn()
	if err := errors.Join(err, out.SetReadDeadline(time.Time{})); err != nil {
		return errors.Join(err, out.Close(), in.Close())
	}
	yieldPipe.out, yieldPipe.in = raw, in
	return nil
}
