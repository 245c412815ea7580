// This file has what tests of all systems use.

package fastpath

import (
	"net"
	"runtime"
	"testing"
	"time"
)

func loopback(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

// dial connects a client until the test ends. A read or write that takes a minute fails.
func dial(t *testing.T, network, addr string) net.Conn {
	t.Helper()
	client, err := net.Dial(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	_ = client.SetDeadline(time.Now().Add(time.Minute))
	return client
}

// waitFor calls step until cond holds.
func waitFor(t *testing.T, what string, cond func() bool, step func()) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); !cond(); step() {
		if time.Now().After(limit) {
			t.Fatalf("never: %s", what)
		}
		runtime.Gosched()
	}
}
