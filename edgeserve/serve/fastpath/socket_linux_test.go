// This file tests raw sockets.

package fastpath

import (
	"errors"
	"io"
	"net"
	"testing"
)

// connected returns both ends of a connection.
func connected(t *testing.T) (server *socket, client net.Conn) {
	t.Helper()
	ln := rawSockets(t, loopback(t))
	defer ln.Close()
	client = dial(t, "tcp", ln.Addr().String())
	accepted, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = accepted.Close() })
	return accepted.(*socket), client
}

// A second Close must not close the descriptor's next owner.
func TestSocketClosesOnce(t *testing.T) {
	server, _ := connected(t)
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	other, client := connected(t)
	if other.fd != server.fd {
		t.Skip("the descriptor is not used again")
	}
	if err := server.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closing twice: %v", err)
	}
	if _, err := other.Write([]byte("x")); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadFull(client, make([]byte, 1)); err != nil {
		t.Error(err)
	}
}
