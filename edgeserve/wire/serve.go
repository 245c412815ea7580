// This file is the loop that reads requests and answers them.

package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// turn is what serve is at.
type turn struct {
	p     []byte // at its start lies what was read and not answered; the rest is room for answers
	n     int    // the length of the former
	fresh int    // where in it that begins which nobody has looked at

	direct bool    // within arrived, which may
	fd     uintptr // write here

	over bool    // serve is to return,
	v    verdict // with what is there of a request; more: the connection is to end
	size int64   // of the request
}

// end ends the turn.
func (t *turn) end(v verdict, size int64) { t.over, t.v, t.size = true, v, size }

// serve answers requests until one is the engine's.
func (c *conn) serve(p []byte) (n int, err error) {
	defer c.recovered(&n, &err)
	if n, err = c.begin(p); err != nil || c.passing {
		return n, err
	}
	c.turn = turn{p: p, n: n}
	c.advance()
	switch {
	case c.turn.over:
	case c.raw != nil:
		c.readRaw()
	default:
		c.readAll()
	}
	t := c.turn
	c.turn = turn{}
	if t.v == more {
		return 0, c.end()
	}
	c.gather(len(p), int64(t.n), t.v, t.size)
	return c.hand(p, t.n, t.v, t.size), nil
}

// begin takes up where the engine ended and returns how much of p is filled.
func (c *conn) begin(p []byte) (n int, err error) {
	if len(c.rest) == 0 {
		return 0, nil
	}
	n = copy(p, c.rest)
	c.rest = c.rest[n:]
	if len(c.rest) > 0 {
		c.passing = true
		return n, nil
	}
	c.rest = nil
	if !c.state.CompareAndSwap(atEngine, answering) {
		return 0, io.EOF
	}
	return n, nil
}

// answerAll answers the requests that have been read whole and returns how long they were.
// It ends the turn at the first that it does not answer.
func (c *conn) answerAll() (done int) {
	t := &c.turn
	for done < t.n {
		v, size := c.l.parse(t.p[done:t.n], &c.request)
		if v == more {
			return done
		}
		if v != plain {
			t.end(v, size)
			return done
		}
		found, now := false, time.Now()
		if !c.l.draining.Load() {
			c.answer, found = c.l.cfg.Find(&c.request.Request)
		}
		if !found {
			t.end(bounded, size)
			return done
		}
		if c.send(t.p[t.n:], now) != nil {
			t.end(more, 0)
			return done
		}
		done += int(size)
	}
	return done
}

// advance answers what has been read. If the turn is not over then, it waits for more of
// a request, or for the start of the next one. It neither reads nor closes: it may run
// inside a read, which both would wait for.
func (c *conn) advance() {
	t := &c.turn
	// Without the end of a line there is nothing to look at anew.
	if bytes.IndexByte(t.p[t.fresh:t.n], '\n') >= 0 {
		done := c.answerAll()
		t.n = copy(t.p, t.p[done:t.n])
		if t.over {
			return
		}
	}
	t.fresh = t.n
	switch {
	case t.n == len(t.p):
		t.end(foreign, 0) // a longer head than the engine takes
	case t.n > 0:
		if c.hurry() != nil {
			c.lose()
		}
	case c.answers > 0 && (!c.shift(waiting, answering, atEngine) || c.l.draining.Load()):
		t.end(more, 0)
	}
}

// received takes in what a read gave, and goes on.
func (c *conn) received(m int, err error) {
	t := &c.turn
	switch {
	case t.n == 0 && m > 0 && !c.shift(answering, waiting, atEngine):
		t.end(more, 0) // closed meanwhile
	case err != nil:
		c.lose()
	default:
		t.n += m
		c.advance()
	}
}

// lose ends a turn whose next request does not become whole. What there is of it is the
// engine's: it will meet the error too, and knows what to answer. Before the first byte of
// one it is the end: browsers open connections that they may use later, and take what
// nobody asked for as the answer to what they ask then.
func (c *conn) lose() {
	if t := &c.turn; t.n > 0 {
		t.end(foreign, 0)
	} else {
		t.end(more, 0)
	}
}

// readAll reads until the turn is over.
func (c *conn) readAll() {
	for !c.turn.over {
		c.received(c.Conn.Read(c.turn.p[c.turn.n:]))
	}
}

// exact is how many answers a connection is given before its reads are spared.
const exact = 16

// sparing reports whether arrived may wait without having met the end of what there is.
func (c *conn) sparing() bool { return c.raw != nil && c.answers > exact }

// readRaw is readAll with half as many reads: Read begins with one that finds nothing, as
// it cannot know that the one before took everything; arrived knows. What that misses is
// the end of a stream that came at once with the last request, before it was read: nothing
// comes after it that would be told. So the read is made up for a moment later, and
// clients of a few requests, which end their streams that way, are not spared it.
func (c *conn) readRaw() {
	for !c.turn.over {
		err := c.raw.Read(c.readable)
		early := errors.Is(err, os.ErrDeadlineExceeded) && time.Now().Before(c.idleEnd())
		if err != nil && (!early || c.Conn.SetReadDeadline(c.idleEnd()) != nil) {
			c.lose()
		}
	}
}
