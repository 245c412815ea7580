// This file lets connections that Fiber reads linger when closed. Its bounds hold for all.

package fastpath

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/crash"
)

// The bounds make lingering no better an attack than opening connections and sending nothing.
const (
	lingerTime   = 5 * time.Second // a client with the response closes within a round trip
	lingerBytes  = 4 << 20         // to be discarded: four times the body that proxies forward by default
	maxLingering = 512             // at once; others close immediately
	// maxRefusedLingering are refused on accept: a flood of those leaves the rest to requests.
	maxRefusedLingering = maxLingering / 2
)

type lingeringConn struct {
	net.Conn
	first     time.Duration // for the first byte; 0 once it has arrived
	head      time.Duration // for the rest of the first head
	framing   framing
	lingering *atomic.Int64 // the connections that linger
	limit     int64         // of lingering
	readEOF   atomic.Bool
	reading   atomic.Int64 // calls of Read under way
	closed    atomic.Bool
}

// Read reads until the framing breaks. It records the client's EOF, after which nothing lingers.
func (c *lingeringConn) Read(b []byte) (int, error) {
	if c.framing.broken {
		return 0, errLineEnd
	}
	c.reading.Add(1)
	n, err := c.read(b)
	c.reading.Add(-1)
	if errors.Is(err, io.EOF) {
		c.readEOF.Store(true)
	}
	if n = c.framing.follow(b[:n]); c.framing.broken {
		err = errLineEnd
	}
	return n, err
}

// read is Read of the connection. Fiber's first deadline counts from the accept on, and its end is a
// 408; here a connection that stays silent ends without one, after a time of its own.
func (c *lingeringConn) read(b []byte) (int, error) {
	if c.first == 0 {
		return c.Conn.Read(b)
	}
	if err := c.SetReadDeadline(time.Now().Add(c.first)); err != nil {
		return 0, err
	}
	n, err := c.Conn.Read(b)
	if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, io.EOF
	}
	c.first = 0
	if err == nil {
		err = c.SetReadDeadline(time.Now().Add(c.head))
	}
	return n, err
}

func (c *lingeringConn) hasReadEOF() bool { return c.readEOF.Load() || c.framing.broken }

func (c *lingeringConn) endIsKnown() bool { return !c.framing.unclear }

// Close closes the sending half and returns. The connection lingers, within the bounds. An idle
// one, with a Read under way, is closed at once: no response is on its way.
func (c *lingeringConn) Close() error {
	if c.closed.Swap(true) {
		return net.ErrClosed
	}
	half, ok := unwrap[interface{ CloseWrite() error }](c.Conn)
	if !ok || c.readEOF.Load() || c.reading.Load() > 0 || c.lingering.Load() >= c.limit || half.CloseWrite() != nil {
		return c.Conn.Close()
	}
	c.lingering.Add(1)
	go c.discard()
	return nil
}

func (c *lingeringConn) discard() {
	defer crash.Exit()
	defer c.lingering.Add(-1)
	if c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	_ = c.Conn.Close() // the owner has gone: nobody takes the error
}
