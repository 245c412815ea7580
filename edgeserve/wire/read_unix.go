//go:build unix

package wire

import (
	"io"
	"net"
	"syscall"
)

// rawOf returns what lets arrived read from a connection, nil if there is no such thing.
func rawOf(c net.Conn) syscall.RawConn {
	tcp, ok := c.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// arrived reads and answers until there is nothing to be read, and reports whether the
// turn is over. It is called when something has come since it was called last: a read
// that does not fill its buffer has taken all there was.
func (c *conn) arrived(fd uintptr) (over bool) {
	t := &c.turn
	for !t.over {
		room := len(t.p) - t.n
		m, err := syscall.Read(int(fd), t.p[t.n:])
		switch {
		case err == syscall.EAGAIN:
			c.unsure = false
			return false
		case err == syscall.EINTR:
			continue
		case err == nil && m == 0:
			err = io.EOF
		}
		c.received(max(m, 0), err)
		if m < room && t.n == 0 && !t.over && c.sparing() {
			c.unsure = true
			return false
		}
	}
	return true
}
