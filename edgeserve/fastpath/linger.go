// This file is the connection that Fiber reads itself: it lingers when it is closed, and its
// requests are followed. The bounds of lingering close stand here for all connections.

package fastpath

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// The bounds are tighter than those of open connections: making connections linger holds
// fewer of them, for a shorter time, than opening them and sending nothing.
const (
	// lingerTime bounds how long a connection lingers. A client that has received the
	// response closes within a round trip.
	lingerTime = 5 * time.Second
	// lingerBytes bounds what is discarded: four times the longest body that proxies
	// forward by default.
	lingerBytes = 4 << 20
	// maxLingering bounds how many connections linger at once; others close immediately.
	maxLingering = 512
	// maxRefusedLingering is the share of maxLingering for connections refused on accept:
	// a flood of those leaves the rest to requests.
	maxRefusedLingering = maxLingering / 2
)

// lingeringConn is a connection that lingers when it is closed.
type lingeringConn struct {
	net.Conn
	framing   framing
	lingering *atomic.Int64 // the connections that linger
	limit     int64         // of lingering
	readEOF   atomic.Bool
	reading   atomic.Int64 // calls of Read under way
	closed    atomic.Bool
}

// Read reads until the framing breaks. It records the client's EOF: such a connection need not
// linger.
func (c *lingeringConn) Read(b []byte) (int, error) {
	if c.framing.broken {
		return 0, errLineEnd
	}
	c.reading.Add(1)
	n, err := c.Conn.Read(b)
	c.reading.Add(-1)
	if errors.Is(err, io.EOF) {
		c.readEOF.Store(true)
	}
	if n = c.framing.follow(b[:n]); c.framing.broken {
		err = errLineEnd
	}
	return n, err
}

// hasReadEOF implements fiberConn.
func (c *lingeringConn) hasReadEOF() bool { return c.readEOF.Load() || c.framing.broken }

// endIsKnown implements fiberConn.
func (c *lingeringConn) endIsKnown() bool { return !c.framing.unclear }

// Close closes the sending half and returns. The connection then lingers until the client
// closes it, within the bounds. A connection that is idle, as somebody waits in Read, is closed
// at once: no response is on its way.
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

// discard reads what arrives, and closes the connection.
func (c *lingeringConn) discard() {
	defer c.lingering.Add(-1)
	if c.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, c.Conn, lingerBytes)
	}
	_ = c.Conn.Close() // the owner has gone: nobody takes the error
}
