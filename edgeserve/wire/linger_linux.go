// This file ends connections whose clients may still be sending. A connection that is closed
// with bytes that nobody has read is reset, and a reset makes the client's system forget the
// answer that it has received: a proxy that is still sending a body finds no 413, but a broken
// server.

package wire

import (
	"time"

	"golang.org/x/sys/unix"
)

// The bounds of lingering. Who makes connections linger holds fewer of them, for a shorter
// time, than who opens them and says nothing.
const (
	// lingerTime is how long a connection lingers at most: a client that has the answer ends
	// it within a round trip.
	lingerTime = 5 * time.Second
	// lingerBytes is how much is discarded at most: four times the longest body that proxies
	// pass on by default.
	lingerBytes = 4 << 20
	// maxLingering is how many connections linger at once; others are closed as they are.
	maxLingering = 512
)

// refuse ends a connection on which no request arrives, and says why. Before a request's
// first byte nothing is said: browsers open connections that they may use later, and take
// what nobody asked for as the answer to what they ask then.
func (c *conn) refuse(why error) {
	if len(c.in) == 0 {
		c.finish()
		return
	}
	_, _ = writeNow(c.fd, c.l.refusal(why), nil, nil)
	c.linger()
}

// linger ends a connection on which the last answer has been sent: no more is sent, and what
// still comes is discarded until the client ends it too, within bounds.
func (c *conn) linger() {
	if c.place == closed || c.place == lingering {
		return
	}
	if c.ended || c.unsent() || unix.Shutdown(c.fd, unix.SHUT_WR) != nil {
		c.finish()
		return
	}
	c.place = lingering
	if c.l.lingering.Add(1) > maxLingering {
		c.finish()
		return
	}
	c.loan, c.in, c.size = nil, nil, 0
	c.readBy, c.spare = time.Now().Add(lingerTime), lingerBytes
	c.come = true // what nobody has read may be there
	c.poller.again(c)
	c.poller.wake(time.Now())
	c.free()
}

// discard reads what has come to a connection that lingers. Who sends without end is read
// again when all the others have been.
func (c *conn) discard(b *buffers) {
	if c.come {
		c.spare -= c.receive(b.in)
	}
	switch {
	case c.ended || c.spare <= 0:
		c.finish()
	case c.come:
		c.poller.again(c)
	}
}
