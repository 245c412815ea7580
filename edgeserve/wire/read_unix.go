//go:build unix

package wire

import (
	"io"
	"net"
	"syscall"
)

// rawOf returns what lets arrived read from a connection, nil if there is no such thing.
func rawOf(c net.Conn) syscall.RawConn {
	if c, ok := c.(syscall.Conn); ok {
		if raw, err := c.SyscallConn(); err == nil {
			return raw
		}
	}
	return nil
}

// arrived reads and answers until there is nothing to be read, and reports whether the
// turn is over. It is called when something has come since it was called last: a read
// that does not fill its buffer has taken all bytes there were.
func (c *conn) arrived(fd uintptr) (over bool) {
	t := &c.turn
	for !t.over {
		room := len(t.p) - t.n
		m, err := syscall.Read(int(fd), t.p[t.n:])
		switch {
		case err == syscall.EAGAIN:
			return false
		case err == syscall.EINTR:
			continue
		case err == nil && m == 0:
			err = io.EOF
		}
		c.received(max(m, 0), err)
		if m < room && t.n == 0 && !t.over && c.sparing() {
			return false
		}
	}
	return true
}
