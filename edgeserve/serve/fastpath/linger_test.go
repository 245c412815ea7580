// This file tests the lingering close of connections that Fiber reads itself.

package fastpath

import (
	"io"
	"net"
	"sync/atomic"
	"testing"

	"contentedge/edgeserve/serve/netlimit"
)

// lingeringPair returns a lingeringConn that wraps another wrapper, and its client.
func lingeringPair(t *testing.T, lingering *atomic.Int64) (*lingeringConn, net.Conn) {
	t.Helper()
	ln := loopback(t)
	defer ln.Close()
	client := dial(t, "tcp", ln.Addr().String())
	inner, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return &lingeringConn{Conn: &netlimit.Refused{Conn: inner}, lingering: lingering, limit: 1}, client
}

func waitNoneLinger(t *testing.T, lingering *atomic.Int64) {
	t.Helper()
	waitFor(t, "no connection lingers", func() bool { return lingering.Load() == 0 }, func() {})
}

// A client that sends much before it reads gets the response. When it closes, the connection
// closes too.
func TestLingeringClose(t *testing.T) {
	var lingering atomic.Int64
	p, client := lingeringPair(t, &lingering)
	if _, err := io.WriteString(p, "no"); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil || lingering.Load() != 1 {
		t.Fatalf("%v, %d linger", err, lingering.Load())
	}
	if err := p.Close(); err != net.ErrClosed {
		t.Errorf("closed twice: %v", err)
	}
	if _, err := client.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(client); string(b) != "no" || err != nil {
		t.Errorf("the client gets %q, %v", b, err)
	}
	client.Close()
	waitNoneLinger(t, &lingering)
	if _, err := p.Conn.Write([]byte("x")); err == nil {
		t.Error("it is open")
	}
}

// Lingering ends after lingerBytes. A connection above the limit does not linger, nor does one
// that the client has ended.
func TestLingeringCloseBounds(t *testing.T) {
	var lingering atomic.Int64
	p, client := lingeringPair(t, &lingering)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	other, _ := lingeringPair(t, &lingering)
	if err := other.Close(); err != nil || lingering.Load() != 1 {
		t.Errorf("%v, %d linger", err, lingering.Load())
	}
	if _, err := other.Conn.Write([]byte("x")); err == nil {
		t.Error("a connection lingers above the bound")
	}
	sent := 0
	for b := make([]byte, 64<<10); ; sent += len(b) {
		if _, err := client.Write(b); err != nil {
			break
		}
		if sent > 16*lingerBytes {
			t.Fatalf("%d bytes are discarded", sent)
		}
	}
	waitNoneLinger(t, &lingering)
	ended, peer := lingeringPair(t, &lingering)
	peer.Close()
	if n, err := ended.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Fatalf("reads %d, %v", n, err)
	}
	if err := ended.Close(); err != nil || lingering.Load() != 0 {
		t.Errorf("%v, %d linger", err, lingering.Load())
	}
}

// A connection that is closed while somebody waits for its next request does not linger.
func TestIdleDoesNotLinger(t *testing.T) {
	var lingering atomic.Int64
	p, client := lingeringPair(t, &lingering)
	ended := make(chan error, 1)
	go func() {
		_, err := p.Read(make([]byte, 1))
		ended <- err
	}()
	waitFor(t, "the connection is read", func() bool { return p.reading.Load() == 1 }, func() {})
	if err := p.Close(); err != nil || lingering.Load() != 0 {
		t.Errorf("%v, %d linger", err, lingering.Load())
	}
	if err := <-ended; err == nil {
		t.Error("the read goes on")
	}
	client.Close()
}
