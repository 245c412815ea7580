// Package netlimit limits connections: in all, per address, and the kernel's buffers of each.
package netlimit

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"contentedge/edgeserve/listenaddr"
)

const (
	acceptPauseMin = 5 * time.Millisecond
	acceptPauseMax = time.Second
	refuseTimeout  = 100 * time.Millisecond // for 300 bytes to a new socket: the accept loop must never hang
)

// Listen opens a listener whose connections have small send buffers in the kernel. With reusePort
// others may listen at the address too, if they all ask for it: the kernel spreads connections.
func Listen(ctx context.Context, addr string, reusePort bool) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, ln syscall.RawConn) error {
		if reusePort {
			if err := setReusePort(ln); err != nil {
				return err
			}
		}
		return limitSendBuffer(ln)
	}}
	config.SetMultipathTCP(false) // its connections do not inherit socket options
	return config.Listen(ctx, listenaddr.Network(addr), addr)
}

// Adopt gives a listener that another program opened the options of Listen.
func Adopt(ln net.Listener) error {
	s, ok := ln.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return err
	}
	return limitSendBuffer(raw)
}

// Limits configures a Listener.
type Limits struct {
	MaxConns int           // open connections
	MaxPerIP int           // per address; 0 means no limit
	Open     *atomic.Int64 // counts open connections; may be nil
	Response []byte        // sent to a refused connection
	// ReturnRefused makes Accept return *Refused, for the caller to answer and close.
	ReturnRefused bool

	OnAcceptError func(error) // called for the first of consecutive errors
	OnRefused     func()      // called for each refused connection; may be nil

	// Spares are pairs of descriptors that are kept for Accept: each time the process has none left, it gets a pair.
	Spares int
}

// Listener limits connections and survives errors of Accept, with an increasing pause. Otherwise a
// process without file descriptors left would stop listening.
type Listener struct {
	net.Listener
	limits Limits
	conns  connsPerClient
	spares *spares
	onFull atomic.Pointer[func() bool]
	closed chan struct{} // ends a pause
	once   sync.Once
}

// Refused is a connection above the limits. Its owner reads nothing, sends the response and closes.
type Refused struct {
	net.Conn
	Response []byte
}

// NetConn returns the wrapped connection.
func (r *Refused) NetConn() net.Conn { return r.Conn }

// NewListener wraps a listener.
func NewListener(ln net.Listener, limits Limits) *Listener {
	if limits.Open == nil {
		limits.Open = new(atomic.Int64)
	}
	return &Listener{Listener: ln, limits: limits, conns: connsPerClient{max: limits.MaxPerIP}, spares: newSpares(limits.Spares), closed: make(chan struct{})}
}

// OnFull sets a function that is called by Accept when as many connections are open as may be. It may close one, for the
// new one, and reports whether it did.
func (l *Listener) OnFull(closeOne func() bool) { l.onFull.Store(&closeOne) }

// Accept returns the next connection, or an error once the listener is closed.
func (l *Listener) Accept() (net.Conn, error) {
	pause := time.Duration(0)
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err == nil:
			if counted := l.admit(conn); counted != nil {
				return counted, nil
			}
			if refused := l.refuse(conn); refused != nil {
				return refused, nil
			}
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case l.spares.give(err):
		default:
			if pause == 0 {
				l.limits.OnAcceptError(err)
			}
			pause = min(max(2*pause, acceptPauseMin), acceptPauseMax)
			if !l.wait(pause) {
				return nil, net.ErrClosed
			}
		}
	}
}

// admit counts a connection until it is closed. It returns nil if a limit is reached.
func (l *Listener) admit(conn net.Conn) net.Conn {
	if !l.count() {
		return nil
	}
	release, ok := l.conns.admit(conn.RemoteAddr())
	if !ok {
		l.limits.Open.Add(-1)
		return nil
	}
	return &countedConn{Conn: conn, onClose: func() { l.limits.Open.Add(-1); release() }, afterClose: l.spares.refill}
}

// count counts a connection, for which it may close another one. It returns false if there are too many.
func (l *Listener) count() bool {
	if l.limits.Open.Add(1) <= int64(l.limits.MaxConns) {
		return true
	}
	closeOne := l.onFull.Load()
	if closeOne != nil && (*closeOne)() && l.limits.Open.Load() <= int64(l.limits.MaxConns) {
		return true
	}
	l.limits.Open.Add(-1)
	return false
}

type countedConn struct {
	net.Conn
	once       sync.Once
	onClose    func()
	afterClose func()
}

// NetConn returns the wrapped connection.
func (c *countedConn) NetConn() net.Conn { return c.Conn }

// Close closes the connection and stops counting it.
func (c *countedConn) Close() error {
	c.once.Do(c.onClose)
	defer c.afterClose()
	return c.Conn.Close()
}

func (l *Listener) wait(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.closed:
		return false
	}
}

// refuse returns the connection if its owner refuses it. Otherwise it sends the response, if that
// does not block, and closes it.
func (l *Listener) refuse(conn net.Conn) net.Conn {
	if l.limits.OnRefused != nil {
		l.limits.OnRefused()
	}
	if l.limits.ReturnRefused {
		return &Refused{Conn: conn, Response: l.limits.Response}
	}
	if conn.SetWriteDeadline(time.Now().Add(refuseTimeout)) == nil {
		_, _ = conn.Write(l.limits.Response)
	}
	_ = conn.Close()
	return nil
}

// The bounds of Settle.
const (
	// handshakeTime is a round trip within a continent, after which a client whose connection the
	// kernel has confirmed has confirmed it too. Clients that begin meanwhile are a second late.
	handshakeTime = 50 * time.Millisecond
	settlePoll    = time.Millisecond
	settleTimeout = time.Second // for Accept to return the connections that wait
)

// Settle prepares for Close while another goroutine calls Accept. Without it, Close resets connections that the kernel
// has accepted and Accept has not: their clients lose a request. Settle first has the kernel ignore new clients, who
// try again a second later, and then waits until Accept has returned the others. Only Linux can. Other processes must
// not accept from the same socket.
func (l *Listener) Settle() {
	s, ok := l.Listener.(syscall.Conn)
	if !ok {
		return
	}
	raw, err := s.SyscallConn()
	if err != nil || !ignoreNewClients(raw) || !l.wait(handshakeTime) {
		return
	}
	for end := time.Now().Add(settleTimeout); waiting(raw) && time.Now().Before(end) && l.wait(settlePoll); {
	}
}

// Close ends Accept, also during a pause. It may be called more than once.
func (l *Listener) Close() (err error) {
	l.once.Do(func() {
		close(l.closed)
		l.spares.close()
		err = l.Listener.Close()
	})
	return err
}
