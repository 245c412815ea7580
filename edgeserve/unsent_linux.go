package edgeserve

import "syscall"

// maxUnsent is how many bytes of answers the system takes on a connection before its
// client has room for them.
const maxUnsent = 32 << 10

// tcpNotSentLowat is TCP_NOTSENT_LOWAT, which package syscall lacks.
const tcpNotSentLowat = 25

// limitUnsent bounds what the system holds of answers that their clients do not read. It
// would take megabytes of them on each connection, and once a few thousand slow readers
// have filled the memory that it has for all of TCP, it drops what others send. What is
// on its way to a client does not count, so that far ones are sent as much as near ones.
// Connections have the bound from their listener. A system that lacks it goes without.
func limitUnsent(_, _ string, ln syscall.RawConn) error {
	return ln.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, maxUnsent)
	})
}
