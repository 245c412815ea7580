// This file is the listener without a fast path: where there is no epoll, and where the fast
// path is off.

package fastpath

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/netlimit"
)

// refusalTimeout bounds the write of a refusal, so that Accept cannot hang. A new
// connection's send buffer is empty: the write normally returns at once.
const refusalTimeout = 100 * time.Millisecond

// FiberListener passes each connection to Fiber when it is accepted, and lets it linger when
// Fiber closes it.
type FiberListener struct {
	net.Listener
	lingering atomic.Int64
}

// WithoutFastPath wraps a listener whose requests Fiber answers all.
func WithoutFastPath(ln net.Listener) *FiberListener { return &FiberListener{Listener: ln} }

// Accept returns the next connection. It answers and closes those above the limits.
func (l *FiberListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		refused, ok := conn.(*netlimit.Refused)
		if !ok {
			return &lingeringConn{Conn: conn, lingering: &l.lingering, limit: maxLingering}, nil
		}
		if conn.SetWriteDeadline(time.Now().Add(refusalTimeout)) == nil {
			_, _ = conn.Write(refused.Response)
		}
		_ = (&lingeringConn{Conn: conn, lingering: &l.lingering, limit: maxRefusedLingering}).Close()
	}
}

// Drain ends Accept. Fiber closes idle connections.
func (l *FiberListener) Drain() { _ = l.Close() }

// Stop ends Accept. Fiber waits for the requests in flight.
func (l *FiberListener) Stop(context.Context) error { return l.Close() }

// fiberConn is a connection that Fiber reads.
type fiberConn interface {
	hasReadEOF() bool
	endIsKnown() bool
}

// ReadEOF reports whether Fiber has read all that it gets from conn: up to the client's EOF,
// or to bytes that break the framing.
func ReadEOF(conn net.Conn) bool {
	c, ok := conn.(fiberConn)
	return ok && c.hasReadEOF()
}

// EndIsKnown reports whether the grammar alone has given the end of the request that Fiber
// reads from conn. If not, Fiber alone finds it.
func EndIsKnown(conn net.Conn) bool {
	c, ok := conn.(fiberConn)
	return ok && c.endIsKnown()
}
