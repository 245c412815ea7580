package netlimit

import (
	"net"
	"testing"
	"time"
)

// Settle leaves no connection in the queue, and lets no further one in.
func TestSettle(t *testing.T) {
	ln, err := Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	l := NewListener(ln, Limits{MaxConns: 1000})
	dial := func(timeout time.Duration) error {
		conn, err := net.DialTimeout("tcp", l.Addr().String(), timeout)
		if err == nil {
			t.Cleanup(func() { conn.Close() })
		}
		return err
	}
	const clients = 50
	for range clients {
		if err := dial(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	accepted := make(chan int)
	go func() {
		n := 0
		defer func() { accepted <- n }()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			if n++; n == 1 { // it is slow: the last is accepted after the time of a handshake
				time.Sleep(handshakeTime + 100*time.Millisecond)
			}
		}
	}()
	l.Settle()
	late := make(chan error)
	go func() { late <- dial(50 * time.Millisecond) }()
	if err := <-late; err == nil {
		t.Error("a new client is let in")
	}
	l.Close()
	if n := <-accepted; n != clients {
		t.Errorf("%d of %d connections are accepted", n, clients)
	}
}
