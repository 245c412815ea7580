package edgeserve

import (
	"context"
	"syscall"
	"testing"
)

// The system takes little of what a client does not read: a few thousand such clients
// would fill the memory that it has for all connections.
func TestSystemHoldsLittleForSlowReaders(t *testing.T) {
	ln, err := listen(context.Background(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	client := reader(t, ln.Addr().String(), "GET", "/")
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
	if taken < maxUnsent || taken > 4*maxUnsent {
		t.Errorf("the system took %d bytes, want some %d", taken, maxUnsent)
	}
}
