package netlimit

import "syscall"

// maxSendBuffer is how many unsent bytes the kernel buffers for a connection.
const maxSendBuffer = 32 << 10

// tcpNotSentLowat is TCP_NOTSENT_LOWAT, which package syscall lacks.
const tcpNotSentLowat = 25

// limitSendBuffer limits the unsent bytes in the kernel. By default they reach
// megabytes per connection, so a few thousand slow readers exhaust the kernel's TCP
// memory, and it drops packets of others. Bytes in flight do not count, so distant
// clients are as fast as before. Connections inherit the option from their listener.
// Kernels without the option have no limit.
func limitSendBuffer(_, _ string, ln syscall.RawConn) error {
	return ln.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, maxSendBuffer)
	})
}
