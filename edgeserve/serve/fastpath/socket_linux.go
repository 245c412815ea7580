// This file has non-blocking sockets. Their system calls are raw: the calls of the standard library prepare the
// scheduler for blocking, at a tenth of the cost of a prepared response.

package fastpath

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"contentedge/edgeserve/serve/bodies"

	"golang.org/x/sys/unix"
)

// Sockets takes over the descriptor of a TCP or Unix listener and closes ln. It returns a listener
// of non-blocking connections, of use to Listen only.
func Sockets(ln net.Listener) (net.Listener, error) {
	l, ok := ln.(interface{ File() (*os.File, error) })
	if !ok {
		return nil, errors.Join(fmt.Errorf("cannot take the descriptor of a %T", ln), ln.Close())
	}
	file, err := l.File()
	if err := errors.Join(err, ln.Close()); err != nil {
		return nil, err
	}
	s := &rawListener{file: file, addr: ln.Addr()}
	if s.raw, err = file.SyscallConn(); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	// Connections inherit the option. It fails on a Unix listener.
	_ = s.raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) })
	return s, nil
}

type rawListener struct {
	file *os.File
	raw  syscall.RawConn
	addr net.Addr
}

// Accept returns the next connection.
func (l *rawListener) Accept() (net.Conn, error) {
	for {
		var fd int
		var from unix.Sockaddr
		var err error
		if l.raw.Read(func(ln uintptr) bool {
			fd, from, err = unix.Accept4(int(ln), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
			return err != unix.EAGAIN
		}) != nil {
			return nil, net.ErrClosed
		}
		switch err {
		case nil:
			return &socket{fd: fd, local: l.addr, remote: addrOf(from)}, nil
		case unix.EINTR, unix.ECONNABORTED:
		default:
			return nil, os.NewSyscallError("accept4", err)
		}
	}
}

// SyscallConn gives access to the descriptor.
func (l *rawListener) SyscallConn() (syscall.RawConn, error) { return l.raw, nil }

// Addr returns the address of the listener.
func (l *rawListener) Addr() net.Addr { return l.addr }

// Close ends Accept.
func (h *rawListener) Close() error { return h.file.Close() }

func addrOf(from unix.Sockaddr) net.Addr {
	switch a := from.(type) {
	case *unix.SockaddrInet4:
		return &net.TCPAddr{IP: a.Addr[:], Port: a.Port}
	case *unix.SockaddrInet6:
		return &net.TCPAddr{IP: a.Addr[:], Port: a.Port}
	}
	return &net.UnixAddr{Net: "unix"}
}

type socket struct {
	fd            int
	local, remote net.Addr
	closed        atomic.Bool
}

func (s *socket) Read(p []byte) (int, error)  { return unix.Read(s.fd, p) }
func (s *socket) Write(p []byte) (int, error) { return unix.Write(s.fd, p) }

// Close closes the socket once: afterwards its descriptor may belong to another socket.
func (s *socket) Close() error {
	if s.closed.Swap(true) {
		return net.ErrClosed
	}
	return unix.Close(s.fd)
}

func (s *socket) LocalAddr() net.Addr              { return s.local }
func (s *socket) RemoteAddr() net.Addr             { return s.remote }
func (s *socket) SetDeadline(time.Time) error      { return nil }
func (s *socket) SetReadDeadline(time.Time) error  { return nil }
func (s *socket) SetWriteDeadline(time.Time) error { return nil }

// tryRead reads what has arrived, or returns EAGAIN.
func tryRead(fd int, p []byte) (int, syscall.Errno) {
	n, _, err := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

// tryWrite writes what the socket takes of two buffers, and returns how much. If f is not nil, it
// sends that copy of b; the next call then returns the error of this one.
func tryWrite(fd int, a, b []byte, f *bodies.Memfile) (int, syscall.Errno) {
	var n uintptr
	var err syscall.Errno
	switch {
	case len(b) == 0:
		n, _, err = unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(len(a)))
	case f.Acquire():
		defer f.Release()
		return sendMemfile(fd, a, f), 0
	default:
		parts := [2]unix.Iovec{{Base: unsafe.SliceData(a)}, {Base: unsafe.SliceData(b)}}
		parts[0].SetLen(len(a))
		parts[1].SetLen(len(b))
		n, _, err = unix.RawSyscall(unix.SYS_WRITEV, uintptr(fd), uintptr(unsafe.Pointer(&parts)), uintptr(len(parts)))
	}
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}

// tryPoll fills in the events of an epoll instance without waiting, and returns their number.
func tryPoll(fd int, events []unix.EpollEvent) (int, syscall.Errno) {
	n, _, err := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(len(events)), 0, 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), 0
}
