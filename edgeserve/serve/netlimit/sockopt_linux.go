// This file sets socket options.

package netlimit

import (
	"syscall"

	"golang.org/x/sys/unix"
)

const maxSendBuffer = 32 << 10 // unsent bytes that the kernel buffers for a connection

// limitSendBuffer limits the unsent bytes in the kernel. By default they reach megabytes, so a few
// thousand slow readers exhaust its TCP memory. Bytes in flight do not count: distant clients stay
// as fast. Connections inherit the option. Kernels and sockets without it have no limit.
func limitSendBuffer(ln syscall.RawConn) error {
	return ln.Control(func(fd uintptr) {
		_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, maxSendBuffer)
	})
}

// unacked is how many bytes of a socket the other end has not acknowledged.
func unacked(c syscall.RawConn) (n int) {
	_ = c.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.SIOCOUTQ) })
	return n
}

func setReusePort(ln syscall.RawConn) error { return setOption(ln, unix.SO_REUSEPORT) }

// newClient is a socket filter of the kernel (classic BPF). It drops segments with SYN and without ACK: the segments of
// clients that begin to connect. Connections inherit it, and get no such segments.
var newClient = []unix.SockFilter{
	{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_ABS, K: 13},           // the flags of the TCP header
	{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0x12},        // SYN and ACK
	{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: 0x02}, // only SYN?
	{Code: unix.BPF_RET | unix.BPF_K, K: 0},                          // drop it
	{Code: unix.BPF_RET | unix.BPF_K, K: 0xffffffff},                 // take all bytes
}

// ignoreNewClients reports whether the kernel completes no further handshakes than the current ones.
func ignoreNewClients(ln syscall.RawConn) bool {
	ignores := false
	err := ln.Control(func(fd uintptr) {
		family, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN)
		if err != nil || family != unix.AF_INET && family != unix.AF_INET6 {
			return
		}
		program := unix.SockFprog{Len: uint16(len(newClient)), Filter: &newClient[0]}
		ignores = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &program) == nil
	})
	return err == nil && ignores
}

// waiting reports whether connections wait for Accept.
func waiting(ln syscall.RawConn) bool {
	n := uint32(0)
	_ = ln.Control(func(fd uintptr) { // of a closed listener nothing waits
		if info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			n = info.Unacked // of a listening socket: the length of its queue
		}
	})
	return n > 0
}
