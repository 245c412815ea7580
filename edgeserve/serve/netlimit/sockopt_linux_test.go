package netlimit

import (
	"context"
	"net"
	"syscall"
	"testing"
)

// The kernel buffers little for slow readers.
func TestSystemHoldsLittleForSlowReaders(t *testing.T) {
	ln, err := Listen(context.Background(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	small := func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10) })
	}
	client, err := (&net.Dialer{Control: small}).Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	conn, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	taken, full := 0, error(nil)
	err = raw.Control(func(fd uintptr) {
		for b := make([]byte, 8<<10); full == nil && taken < 16<<20; {
			var n int
			n, full = syscall.Write(int(fd), b)
			taken += max(n, 0)
		}
	})
	if err != nil || full != syscall.EAGAIN {
		t.Fatal(err, full)
	}
	if taken < maxSendBuffer || taken > 4*maxSendBuffer {
		t.Errorf("the system took %d bytes, want some %d", taken, maxSendBuffer)
	}
}
