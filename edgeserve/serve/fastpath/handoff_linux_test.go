// This file tests the connections that Fiber gets.

package fastpath

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// Read and Write wait for the socket, and Read returns its end.
func TestHandoffReadsAndWrites(t *testing.T) {
	s := newSteppedLoop(t, config())
	fiber, client := s.detachedConn()
	for _, part := range []string{"Host", ": a\r\n"} {
		b := make([]byte, len(part))
		if err := s.stepDuring("Fiber reads", func() error {
			go io.WriteString(client, part)
			_, err := io.ReadFull(fiber, b)
			return err
		}); err != nil || string(b) != part {
			t.Errorf("%q, %v", b, err)
		}
	}
	long := bytes.Repeat([]byte("0123456789"), 2_000_000)
	got := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(io.LimitReader(client, int64(len(long))))
		got <- b
	}()
	if err := s.stepDuring("Fiber writes", func() error {
		_, err := fiber.Write(long)
		return err
	}); err != nil {
		t.Error(err)
	}
	if b := <-got; !bytes.Equal(b, long) {
		t.Errorf("%d bytes arrive of %d", len(b), len(long))
	}
	if err := s.stepDuring("Fiber reads the end", func() error {
		go client.CloseWrite()
		_, err := fiber.Read(make([]byte, 1))
		return err
	}); err != io.EOF {
		t.Error(err)
	}
}

// Read and Write fail at their deadlines.
func TestHandoffDeadlines(t *testing.T) {
	s := newSteppedLoop(t, config())
	for name, wait := range map[string]func(net.Conn) error{
		"read":  func(c net.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"write": func(c net.Conn) error { _, err := c.Write(make([]byte, 20_000_000)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			fiber, _ := s.detachedConn()
			start := time.Now()
			_ = fiber.SetDeadline(start.Add(sweepInterval / 10))
			done := make(chan error, 1)
			go func() { done <- wait(fiber) }()
			s.stepUntil("it is over", func() bool {
				s.sweep(time.Now())
				return len(done) > 0
			})
			err := <-done
			if d := time.Since(start); !errors.Is(err, os.ErrDeadlineExceeded) || d < sweepInterval/10 {
				t.Errorf("after %s: %v", d, err)
			}
		})
	}
}

// Fiber reads one request and then EOF. If it has responded, its Close returns the
// connection to the loop.
func TestHandoffOfOneRequest(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	const unknown = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
	for range 3 {
		s.send(c, client, unknown+knownGet)
		serveOneAndClose(t, s.accepted(), unknown)
		s.stepUntil("the next is answered", func() bool { return len(c.in) == 0 && c.state == active && !c.readable })
		b := make([]byte, len("one"+knownReply))
		if _, err := io.ReadFull(client, b); err != nil || !strings.HasPrefix(string(b), "oneHTTP/1.1 200 OK") {
			t.Fatalf("%q, %v", b, err)
		}
	}
	s.send(c, client, unknown)
	fiber := s.accepted()
	if _, err := io.ReadAll(fiber); err != nil {
		t.Fatal(err)
	}
	if err := fiber.Close(); err != nil || c.state != closed {
		t.Errorf("closed without a response: state %d, %v", c.state, err)
	}
	if n, err := client.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the client reads %d, %v", n, err)
	}
}

// Closing a handoff again does not affect the next one of the same connection.
func TestHandoffClosedTwice(t *testing.T) {
	s := newSteppedLoop(t, config())
	c, client := s.connect()
	const unknown = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"
	s.send(c, client, unknown+unknown)
	first := s.accepted()
	serveOneAndClose(t, first, unknown)
	second := s.accepted()
	if err := first.Close(); !errors.Is(err, net.ErrClosed) || c.state != borrowed {
		t.Errorf("closed twice: %v, state %d", err, c.state)
	}
	if _, err := first.Write([]byte("one")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("written to what is closed: %v", err)
	}
	if b, err := io.ReadAll(second); string(b) != unknown || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// A Read into an empty buffer reads nothing.
func TestEmptyRead(t *testing.T) {
	fiber, client := newSteppedLoop(t, config()).detachedConn()
	if _, err := io.WriteString(client, "x"); err != nil {
		t.Fatal(err)
	}
	if n, err := fiber.Read(nil); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
