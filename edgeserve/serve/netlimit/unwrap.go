// This file finds a wrapped connection.

package netlimit

import (
	"net"
	"syscall"
)

// Unwrap returns the outermost T among c and the connections that it wraps.
func Unwrap[T any](c net.Conn) (t T, ok bool) {
	for {
		if t, ok = c.(T); ok {
			return t, true
		}
		wrapper, ok := c.(interface{ NetConn() net.Conn })
		if !ok {
			return t, false
		}
		c = wrapper.NetConn()
	}
}

// Unacked is how many bytes that were written to a connection the client has not acknowledged; 0 where the system does not
// tell.
func Unacked(c net.Conn) int {
	socket, ok := Unwrap[syscall.Conn](c)
	if !ok {
		return 0
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0
	}
	return unacked(raw)
}
