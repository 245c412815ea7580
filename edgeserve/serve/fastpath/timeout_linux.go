// This file ends connections whose deadline is over.

package fastpath

import (
	"math/bits"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A loop checks each deadline once in sweepInterval, a few at a time: many that expire together
// delay others. Neighbouring descriptors often do, so it takes a stride.
const (
	sweepInterval = time.Second
	minSweep      = 16         // slots of the table checked at a time, at least
	sweepParts    = 1024       // parts into which a sweep divides a large table
	sweepStride   = 0x9e3779b1 // odd, to reach all slots of a table of 2^n
	drainSweeps   = 10         // sweeps in sweepInterval while draining: a process waits for the last one
)

// sweep checks the next slots of the connection table. It returns the time until the next call.
func (loop *eventLoop) sweep(now time.Time) time.Duration {
	var buf [minSweep]*conn
	conns := buf[:0]
	loop.mu.Lock()
	slots := 1 << bits.Len(uint(max(len(loop.conns), minSweep)-1)) // a power of two, for the stride
	n := max(slots/sweepParts, minSweep)
	for range n {
		if i := int(uint32(loop.sweepPosition)*sweepStride) & (slots - 1); i < len(loop.conns) && loop.conns[i] != nil {
			conns = append(conns, loop.conns[i])
		}
		loop.sweepPosition = (loop.sweepPosition + 1) & (slots - 1)
	}
	loop.mu.Unlock()
	for _, c := range conns {
		c.expire(now)
	}
	interval := sweepInterval
	if loop.l.draining.Load() {
		interval /= drainSweeps
	}
	return interval * time.Duration(n) / time.Duration(slots)
}

// expire ends the connection if its deadline is over, or fails Fiber's Read or Write.
func (c *conn) expire(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	readExpired := expired(c.readDeadline, now)
	switch {
	case c.handoff != nil:
		if readExpired || c.stalled(now, c.handoff.writeTimeout) {
			c.handoff.changed.Broadcast()
		}
	case c.state == lingering && readExpired:
		c.teardown()
	case c.unsent():
		if c.stalled(now, c.l.cfg.Write) && !c.madeProgress(c.l.cfg.Write) {
			c.teardown()
		}
	case readExpired && c.state == active && len(c.in) == 0 && c.hasArrived():
		c.readable = true // epoll has not reported the request yet
		c.loop.queue(c)
	case readExpired:
		c.fail(os.ErrDeadlineExceeded)
	}
}

// stalled reports whether the client took nothing for timeout, or for a tenth while memory is low.
func (c *conn) stalled(now time.Time, timeout time.Duration) bool {
	end := c.writeDeadline
	if low := c.l.cfg.LowMemory; !end.IsZero() && low != nil && low() {
		end = end.Add(timeout/10 - timeout)
	}
	return expired(end, now)
}

func (c *conn) extendWriteDeadline(timeout time.Duration) {
	c.writeDeadline = time.Now().Add(timeout)
	c.unacked, _ = unix.IoctlGetInt(c.fd, unix.SIOCOUTQ)
}

// madeProgress restarts the write timeout if the socket's send queue has become shorter, and
// reports whether it has. Epoll reports room only when there is much.
func (c *conn) madeProgress(timeout time.Duration) bool {
	before := c.unacked
	now, err := unix.IoctlGetInt(c.fd, unix.SIOCOUTQ)
	if err != nil || now >= before {
		return false
	}
	c.unacked, c.writeDeadline = now, time.Now().Add(timeout)
	return true
}

func expired(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }
