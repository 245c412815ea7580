// This file sets socket options.

package netlimit

import "syscall"

const maxSendBuffer = 32 << 10 // unsent bytes that the kernel buffers for a connection

const tcpNotSentLowat = 25 // TCP_NOTSENT_LOWAT, which package syscall lacks

// limitSendBuffer limits the unsent bytes in the kernel. By default they reach megabytes, so a few
// thousand slow readers exhaust its TCP memory. Bytes in flight do not count: distant clients stay
// as fast. Connections inherit the option. Kernels without it have no limit.
func limitSendBuffer(_, _ string, ln syscall.RawConn) error {
	return ln.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, maxSendBuffer)
	})
}
