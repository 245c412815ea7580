// This file is about who can reach the preview.

package main

import (
	"net"
	"strconv"
)

// busyError is an address that another process listens on.
type busyError struct{ addr string }

func (e *busyError) Error() string {
	return e.addr + " is taken by another process\n  hint: end that, or name another address, e.g. --addr 127.0.0.1:0 for a free port"
}

// private tells an address that only this machine reaches.
func private(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// reachable is the host and port to type into a browser on this machine.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}
