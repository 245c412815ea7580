// This file finds a wrapped connection.

package netlimit

import "net"

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
