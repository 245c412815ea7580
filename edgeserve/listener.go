// This file is what the engine accepts connections from. The engine takes every error of
// Accept for the listener's end: a node out of file descriptors would stop listening for
// good.

package edgeserve

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	acceptPauseMin = 5 * time.Millisecond
	acceptPauseMax = time.Second
	// rejectTimeout is for writing some 300 bytes into a new socket's empty buffer,
	// which does not wait; the accept loop must not hang on the exception.
	rejectTimeout = 100 * time.Millisecond
)

// listen opens a listener whose connections let the system hold little of what their
// clients do not read.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	config := net.ListenConfig{Control: limitUnsent}
	config.SetMultipathTCP(false) // its connections do not take over their listener's options
	return config.Listen(ctx, "tcp", addr)
}

// listener is a net.Listener whose Accept outlives errors, pausing longer after each,
// and turns connections away while there are enough of them.
type listener struct {
	net.Listener
	limit  int
	open   *atomic.Int64 // connections that were let in and are not closed
	peers  peers
	reject []byte          // the answer for a connection that is turned away
	failed func(err error) // told of the first error of a row
	turned func()          // told of every connection that is turned away
	closed chan struct{}   // ends a pause
	once   sync.Once
}

func newListener(ln net.Listener, limit int, reject []byte, failed func(error)) *listener {
	return &listener{Listener: ln, limit: limit, open: new(atomic.Int64), reject: reject, failed: failed, turned: func() {}, closed: make(chan struct{})}
}

// Accept returns the next connection, or an error once the listener is closed.
func (l *listener) Accept() (net.Conn, error) {
	pause := time.Duration(0)
	for {
		conn, err := l.Listener.Accept()
		switch {
		case err == nil:
			if let := l.admit(conn); let != nil {
				return let, nil
			}
			l.turnAway(conn)
		case errors.Is(err, net.ErrClosed):
			return nil, err
		default:
			if pause == 0 {
				l.failed(err)
			}
			pause = min(max(2*pause, acceptPauseMin), acceptPauseMax)
			if !l.wait(pause) {
				return nil, net.ErrClosed
			}
		}
	}
}

// admit counts a connection until it is closed; nil means that there are enough, of all or
// of its address.
func (l *listener) admit(conn net.Conn) net.Conn {
	if l.open.Add(1) > int64(l.limit) {
		l.open.Add(-1)
		return nil
	}
	leave, ok := l.peers.admit(conn.RemoteAddr())
	if !ok {
		l.open.Add(-1)
		return nil
	}
	return &admitted{Conn: conn, left: func() { l.open.Add(-1); leave() }}
}

// admitted is a connection that says when it is closed, once.
type admitted struct {
	net.Conn
	once sync.Once
	left func()
}

// NetConn returns the connection itself.
func (c *admitted) NetConn() net.Conn { return c.Conn }

// Close closes the connection and ends its being counted.
func (c *admitted) Close() error {
	c.once.Do(c.left)
	return c.Conn.Close()
}

// wait pauses; false means that the listener was closed meanwhile.
func (l *listener) wait(pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.closed:
		return false
	}
}

// turnAway answers and closes; that the client hears it is all the better.
func (l *listener) turnAway(conn net.Conn) {
	l.turned()
	if conn.SetWriteDeadline(time.Now().Add(rejectTimeout)) == nil {
		_, _ = conn.Write(l.reject)
	}
	_ = conn.Close()
}

// Close ends Accept, also one that pauses. It may be called more than once.
func (l *listener) Close() (err error) {
	l.once.Do(func() {
		close(l.closed)
		err = l.Listener.Close()
	})
	return err
}
