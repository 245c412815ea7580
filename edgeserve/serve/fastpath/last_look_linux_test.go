// This file tests requests that arrive when their idle connection is about to end.

package fastpath

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// awaitArrival waits until the socket has unread bytes. Nobody has read them, nor learnt of them.
func awaitArrival(t *testing.T, fd int) {
	t.Helper()
	if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 10_000); err != nil {
		t.Fatal(err)
	}
}

// A request that has arrived when the time of its connection is over is answered, not reset.
func TestRequestAtTheDeadline(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	s.send(c, client, knownGet)
	if _, err := io.ReadFull(client, make([]byte, len("HTTP/1.1 200 OK\r\n"))); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(client, knownGet); err != nil {
		t.Fatal(err)
	}
	awaitArrival(t, c.fd)
	s.sweep(time.Now().Add(99 * hour))
	if c.state != active {
		t.Fatalf("the request is lost: state %d", c.state)
	}
	s.step()
	if c.state != active || c.readable || !c.readDeadline.After(time.Now()) {
		t.Errorf("it is not answered: state %d", c.state)
	}
	s.sweep(time.Now().Add(99 * hour))
	if c.state != closed {
		t.Errorf("an idle connection goes on: state %d", c.state)
	}
}

// So is one on a connection that Fiber reads, from the event loop or by itself.
func TestRequestAtTheDeadlineOfFiber(t *testing.T) {
	t.Run("handed off", func(t *testing.T) {
		s := newSteppedLoop(t, config())
		fiber, client := s.detachedConn()
		c := fiber.(*handoffConn).c
		if _, err := io.WriteString(fiber, "response"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(client, "next"); err != nil {
			t.Fatal(err)
		}
		awaitArrival(t, c.fd)
		testLastLook(t, fiber)
	})
	t.Run("without the fast path", func(t *testing.T) {
		var lingering atomic.Int64
		fiber, client := lingeringPair(t, &lingering)
		if _, err := io.WriteString(fiber, "response"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(client, "next"); err != nil {
			t.Fatal(err)
		}
		testLastLook(t, fiber)
		client.Close()
	})
}

// testLastLook reads "next" although the deadline is over, and then nothing.
func testLastLook(t *testing.T, fiber net.Conn) {
	t.Helper()
	if err := fiber.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, err := fiber.Read(b); string(b[:n]) != "next" || err != nil {
		t.Errorf("the request is lost: %q, %v", b[:n], err)
	}
	if n, err := fiber.Read(b); n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("then %q, %v", b[:n], err)
	}
}
