// This file is the listener without a fast path: without epoll, or where it is off.

package fastpath

import (
	"net"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/serve/netlimit"
)

const refusalTimeout = 100 * time.Millisecond // Accept must not hang; a new connection's send buffer is empty

// FiberListener passes each accepted connection to Fiber. Closed by Fiber, it lingers.
type FiberListener struct {
	net.Listener
	first, head time.Duration
	lingering   atomic.Int64
	drain       *drain
	idle        idleQueue
}

// WithoutFastPath wraps a listener that only Fiber reads. A connection has the time first until its first byte. From
// that byte on, the first request has the time head for its head.
func WithoutFastPath(ln net.Listener, first, head time.Duration) *FiberListener {
	return &FiberListener{Listener: ln, first: first, head: head, drain: newDrain()}
}

// Accept returns the next connection. It answers and closes connections above the limits.
func (l *FiberListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			l.drain.acceptEnds()
			return nil, err
		}
		refused, ok := conn.(*netlimit.Refused)
		if !ok {
			c := &lingeringConn{Conn: conn, first: l.first, head: l.head, lingering: &l.lingering, limit: maxLingering, drain: l.drain, lastUse: time.Now()}
			l.drain.add(c)
			return c, nil
		}
		if conn.SetWriteDeadline(time.Now().Add(refusalTimeout)) == nil {
			_, _ = conn.Write(refused.Response)
		}
		_ = (&lingeringConn{Conn: conn, lingering: &l.lingering, limit: maxRefusedLingering}).Close()
	}
}

type fiberConn interface {
	hasReadEOF() bool
	endIsKnown() bool
	received() []byte
}

// ReadEOF reports whether Fiber has met the client's EOF, or bytes that break the framing.
func ReadEOF(conn net.Conn) bool {
	c, ok := conn.(fiberConn)
	return ok && c.hasReadEOF()
}

// EndIsKnown reports whether the grammar, not only Fiber, determined the end of the request from conn.
func EndIsKnown(conn net.Conn) bool {
	c, ok := conn.(fiberConn)
	return ok && c.endIsKnown()
}
