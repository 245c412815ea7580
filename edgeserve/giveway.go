// This file lets goroutines run that something has arrived for.

package edgeserve

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// quantum is how long work that takes long goes on before it gives way. What arrives
// meanwhile waits for it, and giving way costs some 2 us where nothing has arrived.
const quantum = 500 * time.Microsecond

// pace is work that gives way after each quantum. Before the first time it hands over what
// nobody else does while it works, if there is such a thing.
type pace struct {
	since    time.Time
	handOver func() // nil: there is nothing, or it has been done
}

// pause gives way if a quantum has passed, and returns what time it is. It is to be called
// much more often.
func (p *pace) pause() (now time.Time) {
	if now = time.Now(); now.Sub(p.since) >= quantum {
		p.leave()
		giveWay()
		now = time.Now()
		p.since = now
	}
	return now
}

// leave hands over, once.
func (p *pace) leave() {
	if p.handOver != nil {
		p.handOver()
		p.handOver = nil
	}
}

// way is where giveWay waits: a pipe, and only one, as the runtime has one poller.
var way struct {
	mu  sync.Mutex      // held while one waits
	out syscall.RawConn // nil before the first use, and if there is no pipe
	in  *os.File
}

// giveWay lets the goroutines run that something has arrived for, which runtime.Gosched
// does not: it lets those run that are known to be ready. For what has arrived the runtime
// has to look at its poller, which it does when nothing is ready to run. So giveWay writes
// into a pipe and waits in the poller until that has arrived, which is seen in one look with
// what came before; and once more for those that were seen with it.
//
// Those that give way at the same time wait one after the other. If one look let all of them
// go on, the next would come only after a quantum of each.
func giveWay() {
	waitInPoller()
	runtime.Gosched()
}

func waitInPoller() {
	way.mu.Lock()
	defer way.mu.Unlock()
	if way.out == nil && openWay() != nil {
		return
	}
	var b [1]byte
	written := false
	err := way.out.Read(func(fd uintptr) (arrived bool) {
		if !written {
			written = true
			_, err := way.in.Write(b[:])
			return err != nil
		}
		_, err := syscall.Read(int(fd), b[:])
		for err == syscall.EINTR {
			_, err = syscall.Read(int(fd), b[:])
		}
		return err != syscall.EAGAIN
	})
	if err != nil {
		way.out = nil
	}
}

// openWay opens the pipe, unless the poller does not take it: nobody would wait in a pipe
// then, and it would fill up.
func openWay() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	raw, err := out.SyscallConn()
	if err := errors.Join(err, out.SetReadDeadline(time.Time{})); err != nil {
		return errors.Join(err, out.Close(), in.Close())
	}
	way.out, way.in = raw, in
	return nil
}
