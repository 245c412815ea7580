// This file lets goroutines run that something has arrived for.

package edgeserve

import (
	"os"
	"runtime"
	"sync"
	"syscall"
)

// way is where giveWay waits: a pipe, as the runtime has one poller.
var way struct {
	mu  sync.Mutex      // held while one waits
	out syscall.RawConn // nil before the first use, and if there is no pipe
	in  *os.File
}

// giveWay lets the goroutines run that something has arrived for, which runtime.Gosched
// does not: it lets those run that are known to be ready. For what has arrived the runtime
// has to look at its poller, which it does when nothing is ready to run. So giveWay writes
// into a pipe and waits in the poller until that has arrived: it is seen behind what came
// before. Those that wait at the same time do so one after the other: of many that work and
// wait by turns most stand here, and soon none is ready.
func giveWay() {
	way.mu.Lock()
	defer way.mu.Unlock()
	if way.out == nil && openWay() != nil {
		runtime.Gosched()
		return
	}
	var b [1]byte
	written := false
	_ = way.out.Read(func(fd uintptr) (arrived bool) {
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
}

func openWay() error {
	out, in, err := os.Pipe()
	if err != nil {
		return err
	}
	way.in = in
	way.out, err = out.SyscallConn()
	return err
}
