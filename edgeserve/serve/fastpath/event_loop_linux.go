// This file is the event loop.

package fastpath

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/serve/netlimit"
)

// eventLoop serves its share of a listener's connections, on one goroutine at a time. It polls its own epoll instance
// without waiting. To wait, it has the Go runtime poll that instance like a file. Were the runtime to poll connections,
// each would need a goroutine and a stack, and goroutines ready together would run in reverse order. Only the goroutine
// in run uses the fields above mu.
type eventLoop struct {
	l             *Listener
	epoll         *os.File // the epoll instance; only run closes it
	epollConn     syscall.RawConn
	fd            int // of epoll
	events        [maxEvents]unix.EpollEvent
	ready         [maxEvents]*conn
	pending       []pendingRequest // from firstPending on
	firstPending  int
	eventsServed  int // since the loop last yielded
	sweepAt       time.Time
	sweepPosition int // of the next slot, before the stride

	mu     sync.Mutex
	conns  []*conn // by descriptor; nil means no connection; never shrinks; guarded by mu
	queued []*conn // to be served without an event; guarded by mu
}

// maxEvents bounds the events of one poll, after which the loop yields.
const maxEvents = 128

func newEventLoop(l *Listener) (*eventLoop, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	// The runtime polls only non-blocking files.
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(os.NewSyscallError("fcntl", err), unix.Close(fd))
	}
	loop := &eventLoop{l: l, epoll: os.NewFile(uintptr(fd), "epoll"), fd: fd}
	if loop.epollConn, err = loop.epoll.SyscallConn(); err != nil {
		return nil, errors.Join(err, loop.epoll.Close())
	}
	return loop, nil
}

func (loop *eventLoop) start() {
	loop.l.running.Add(1)
	go loop.run()
}

// run serves connections until the listener is done, or until Compute has left the loop.
func (loop *eventLoop) run() {
	defer crash.Exit()
	b := loop.l.buffers.Get().(*buffers)
	n := 0
	pollReady := func(uintptr) bool {
		n = loop.poll()
		return n > 0
	}
	for !loop.l.isDone() {
		n = 0
		next := loop.takeQueued()
		if len(next)+len(loop.pending) > 0 {
			n = loop.poll()
		} else if loop.epollConn.Read(pollReady) != nil { // the deadline that wake has set
			loop.wake(loop.sweepAt)
		}
		loop.dispatch(n, b)
		loop.serveQueued(next, b)
		if b.now = time.Now(); !b.now.Before(loop.sweepAt) {
			loop.sweepAt = b.now.Add(loop.sweep(b.now))
			loop.wake(loop.sweepAt)
		}
		computed := loop.computePending(b)
		if b.leftLoop {
			b.leftLoop = false
			loop.l.buffers.Put(b)
			return
		}
		if loop.eventsServed += n + len(next); loop.eventsServed >= maxEvents || computed > 0 {
			loop.eventsServed = 0
			runtime.Gosched()
		}
	}
	_ = loop.epoll.Close()
	loop.l.running.Done()
}

func (loop *eventLoop) poll() int {
	n, err := tryPoll(loop.fd, loop.events[:])
	for err == syscall.EINTR {
		n, err = tryPoll(loop.fd, loop.events[:])
	}
	return n
}

func (loop *eventLoop) dispatch(n int, b *buffers) {
	loop.mu.Lock()
	for i, e := range loop.events[:n] {
		loop.ready[i] = loop.conns[e.Fd]
	}
	loop.mu.Unlock()
	for i, c := range loop.ready[:n] {
		// If it was closed, c may be a new one of its descriptor, whose read finds nothing.
		if c != nil {
			c.onEvents(loop.events[i].Events, b)
		}
	}
	clear(loop.ready[:n])
}

func (loop *eventLoop) add(nc net.Conn) error {
	s, ok := netlimit.Unwrap[*socket](nc)
	if !ok {
		return errors.Join(fmt.Errorf("%T is not a raw socket", nc), nc.Close())
	}
	loop.l.open.Add(1)
	c := &conn{Conn: nc, fd: s.fd, l: loop.l, loop: loop, readDeadline: time.Now().Add(loop.l.cfg.First)}
	c.mu.Lock()
	defer c.mu.Unlock()
	loop.setConn(c.fd, c)
	// Edge-triggered: epoll reports each change once.
	if err := unix.EpollCtl(loop.fd, unix.EPOLL_CTL_ADD, c.fd, &unix.EpollEvent{
		Events: unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET, Fd: int32(c.fd),
	}); err != nil {
		c.teardown()
		return os.NewSyscallError("epoll_ctl", err)
	}
	if refused, ok := nc.(*netlimit.Refused); ok {
		c.refuse(refused.Response)
	} else if loop.l.draining.Load() {
		c.limitIdle()
	}
	return nil
}

// queue has a connection served after the ready ones. Other goroutines call wake afterwards.
func (loop *eventLoop) queue(c *conn) {
	loop.mu.Lock()
	defer loop.mu.Unlock()
	if !c.inQueue {
		c.inQueue = true
		loop.queued = append(loop.queued, c)
	}
}

func (loop *eventLoop) takeQueued() []*conn {
	loop.mu.Lock()
	defer loop.mu.Unlock()
	next := loop.queued
	loop.queued = nil
	for _, c := range next {
		c.inQueue = false
	}
	return next
}

func (loop *eventLoop) serveQueued(next []*conn, b *buffers) {
	for _, c := range next {
		c.onEvents(unix.EPOLLIN, b)
	}
}

func (loop *eventLoop) setConn(fd int, c *conn) {
	loop.mu.Lock()
	defer loop.mu.Unlock()
	if missing := fd + 1 - len(loop.conns); missing > 0 {
		loop.conns = append(loop.conns, make([]*conn, missing)...)
	}
	loop.conns[fd] = c
}

func (loop *eventLoop) openConns() []*conn {
	loop.mu.Lock()
	defer loop.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(loop.conns), func(c *conn) bool { return c == nil })
}

// wake ends the loop's current or next wait for events at a time.
func (loop *eventLoop) wake(at time.Time) { _ = loop.epoll.SetReadDeadline(at) }
