// This file reads and writes by bare system calls. Those of the standard library make a
// plain answer a tenth dearer: they tell the runtime that they may wait, which these do
// not, and lock the connection for writing, which nobody else does meanwhile. The
// descriptor stays open as long as the poller's callback runs.

package wire

import (
	"io"
	"net"
	"syscall"
	"unsafe"
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
	t.direct, t.fd = true, fd
	defer func() { t.direct = false }()
	for !t.over {
		room := t.p[t.n:]
		m, _, err := syscall.RawSyscall(syscall.SYS_READ, fd, uintptr(unsafe.Pointer(unsafe.SliceData(room))), uintptr(len(room)))
		switch {
		case err == syscall.EAGAIN:
			return false
		case err == syscall.EINTR:
			continue
		case err != 0:
			c.received(0, err)
		case m == 0:
			c.received(0, io.EOF)
		default:
			c.received(int(m), nil)
		}
		if int(m) < len(room) && t.n == 0 && !t.over && c.sparing() {
			return false
		}
	}
	return true
}

// writeDirect writes as much of two buffers as there is room for at once, and returns how
// much. f holds the second one, or is nil. What a connection has come to shows when the
// rest is written.
func writeDirect(fd uintptr, a, b []byte, f *Memfile) int {
	var n uintptr
	var err syscall.Errno
	switch {
	case len(b) == 0:
		n, _, err = syscall.RawSyscall(syscall.SYS_WRITE, fd, uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(len(a)))
	case f.acquire():
		defer f.Release()
		return sendMemfile(fd, a, f)
	default:
		parts := [2]syscall.Iovec{{Base: unsafe.SliceData(a)}, {Base: unsafe.SliceData(b)}}
		parts[0].SetLen(len(a))
		parts[1].SetLen(len(b))
		n, _, err = syscall.RawSyscall(syscall.SYS_WRITEV, fd, uintptr(unsafe.Pointer(&parts)), uintptr(len(parts)))
	}
	if err != 0 {
		return 0
	}
	return int(n)
}
