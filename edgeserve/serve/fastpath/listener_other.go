// This file replaces the event loop on systems without epoll.

//go:build !linux

package fastpath

import "net"

// Sockets returns the listener.
func Sockets(ln net.Listener) (net.Listener, error) { return ln, nil }

// Listener is a listener without a fast path.
type Listener = FiberListener

// Listen is WithoutFastPath.
func Listen(ln net.Listener, cfg ListenerConfig) (*Listener, error) {
	return WithoutFastPath(ln, cfg.First, cfg.Head), nil
}
