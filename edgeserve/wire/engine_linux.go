// This file is what the engine has of a connection: a net.Conn that waits.

package wire

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// loan is a connection while the engine has it. Each is another one to the engine, which
// may close one when it has the next already.
type loan struct {
	net.Conn // for its addresses
	c        *conn
	changed  sync.Cond // of c.mu; what is waited for may have happened

	// Guarded by c.mu:

	owed  int       // bytes of its one request that the engine has not read
	limit time.Time // by when the head has to be there that the engine reads the rest of; zero: it is
	heard bool      // the engine has read
	wrote bool      // and written
	read  bool      // and asked for what is behind its one request
	over  bool      // the engine has closed it
}

// lend gives the connection to the engine, for a request of size bytes or for good. What
// has come of it is in c.in.
func (c *conn) lend(v verdict, size int) {
	l := &loan{Conn: c.Conn, c: c, owed: size}
	l.changed.L = &c.mu
	c.place, c.loan = lent, l
	if v == foreign {
		c.place = given
		if c.begun {
			l.limit = c.readBy
		}
	}
	c.begun, c.size, c.lines, c.readBy = false, 0, 0, time.Time{}
	c.writeBy = time.Now().Add(c.l.cfg.Write) // the engine sets none for what it says of errors
	c.l.hand(l)
}

// takeBack ends the loan.
func (c *conn) takeBack() {
	c.place, c.loan = ours, nil
	c.asked, c.readBy = true, time.Now().Add(c.l.cfg.Idle)
	if len(c.in) == 0 {
		c.in = nil
	}
	if c.goOn() {
		c.poller.wake(time.Now())
	}
}

// ended reports whether the loan is.
func (l *loan) ended() bool { return l.over || l.c.place == closed }

// Read returns bytes of the requests that the engine has to answer.
func (l *loan) Read(p []byte) (int, error) {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if len(p) == 0 {
		return 0, nil
	}
	if l.c.place == lent {
		if l.owed == 0 {
			l.read = l.wrote
			return 0, io.EOF
		}
		p = p[:min(len(p), l.owed)]
	}
	n, err := l.next(p)
	l.owed -= n
	l.heard = true
	return n, err
}

// next returns what comes next, and waits for it.
func (l *loan) next(p []byte) (int, error) {
	for c := l.c; ; {
		switch {
		case l.ended():
			return 0, net.ErrClosed
		case len(c.in) > 0:
			n := copy(p, c.in)
			c.in = c.in[n:]
			return n, nil
		case c.come:
			if n := c.receive(p); n > 0 {
				return n, nil
			}
		case c.ended:
			return 0, io.EOF
		case over(c.readBy, time.Now()):
			return 0, os.ErrDeadlineExceeded
		default:
			l.changed.Wait()
		}
	}
}

// Write sends p, and waits until the client has room for all of it.
func (l *loan) Write(p []byte) (n int, err error) {
	c := l.c
	c.mu.Lock()
	defer c.mu.Unlock()
	l.wrote = true
	for !l.ended() {
		m, err := writeNow(c.fd, p[n:], nil, nil)
		switch n += m; {
		case n == len(p):
			return n, nil
		case err == 0 || err == syscall.EINTR:
			continue
		case err != syscall.EAGAIN:
			return n, os.NewSyscallError("write", err)
		case over(c.writeBy, time.Now()):
			return n, os.ErrDeadlineExceeded
		}
		l.changed.Wait()
	}
	return n, net.ErrClosed
}

// Close ends the loan. It ends the connection too, unless the engine has answered its
// request and then met the end, which it takes for the client's.
func (l *loan) Close() error {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.ended() {
		return net.ErrClosed
	}
	l.over = true
	l.changed.Broadcast()
	switch {
	case l.read:
		l.c.takeBack()
	case l.wrote:
		l.c.linger()
	default:
		l.c.finish()
	}
	return nil
}

// SetReadDeadline sets the time of the engine's reads. The time of a head that began here
// goes on there: it ends not later than the engine says before it reads.
func (l *loan) SetReadDeadline(t time.Time) error {
	return l.set(func() {
		if !l.heard && !l.limit.IsZero() && t.After(l.limit) {
			t = l.limit
		}
		l.c.readBy = t
	})
}

// SetWriteDeadline sets the time of the engine's writes.
func (l *loan) SetWriteDeadline(t time.Time) error { return l.set(func() { l.c.writeBy = t }) }

// SetDeadline sets both.
func (l *loan) SetDeadline(t time.Time) error {
	_ = l.SetWriteDeadline(t)
	return l.SetReadDeadline(t)
}

// set sets something unless the loan has ended.
func (l *loan) set(do func()) error {
	l.c.mu.Lock()
	defer l.c.mu.Unlock()
	if l.ended() {
		return net.ErrClosed
	}
	do()
	return nil
}
