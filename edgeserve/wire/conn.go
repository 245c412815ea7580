// This file is the connection that the engine reads from.

package wire

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// Where a connection is. Whoever closes it from outside must not cut an answer, and
// whoever answers must notice that it was closed.
const (
	atEngine  int32 = iota // the engine's turn, or nothing was answered here yet
	waiting                // between two requests
	answering              // a request has arrived in part or whole
	ending                 // answering, and to be closed behind the answer
	closed
)

// conn reads for the engine; see the package comment. All methods but Close are called by
// the one goroutine that serves the connection.
type conn struct {
	net.Conn
	l     *Listener
	state atomic.Int32

	passing bool   // the engine's for good
	owed    int64  // bytes of the engine's request that it has not read yet
	body    []byte // those of them that have arrived; see gather
	lost    error  // why the others will not
	rest    []byte // what arrived behind them
	engaged bool   // the engine has answered a request

	limit               time.Time // by when the head being read must be there; zero: not begun
	readMark, writeMark time.Time // when we last set deadlines; zero: they are not ours

	raw      syscall.RawConn       // nil: Read has to do
	readable func(fd uintptr) bool // what raw calls; see arrived
	answers  int                   // given here so far

	turn    turn
	request parsed
	answer  Answer
}

// Read returns bytes of requests that the engine has to answer.
func (c *conn) Read(p []byte) (int, error) {
	switch {
	case !c.passing && c.owed == 0:
		return c.serve(p)
	case c.passing && len(c.rest) > 0:
		n := copy(p, c.rest)
		c.rest = c.rest[n:]
		return n, nil
	case c.passing:
		return c.Conn.Read(p)
	}
	n, err := c.readOwed(p[:min(int64(len(p)), c.owed)])
	c.owed -= int64(n)
	return n, err
}

// readOwed reads more of the engine's request.
func (c *conn) readOwed(p []byte) (int, error) {
	if len(c.body) == 0 {
		c.body = nil
		if c.lost != nil {
			return 0, c.lost
		}
		return c.Conn.Read(p)
	}
	n := copy(p, c.body)
	c.body = c.body[n:]
	return n, nil
}

// shift changes the state, if it is one of two.
func (c *conn) shift(to, from, or int32) bool {
	return c.state.CompareAndSwap(from, to) || c.state.CompareAndSwap(or, to)
}

// gathered is the room that a body is given at first. It grows with what arrives.
const gathered = 4 << 10

// gather reads a body before the engine hears of its request, if it is longer than the
// engine's buffer: the engine takes memory for the whole length at once, which thousands
// of clients that send a byte now and then would hold. What is too long is not waited for.
func (c *conn) gather(buffer int, n int64, v verdict, size int64) {
	missing := size - n
	if v != bounded || size <= int64(buffer) || missing <= 0 || c.request.length > c.l.cfg.MaxBody {
		return
	}
	c.readMark = time.Time{}
	c.lost = c.Conn.SetReadDeadline(time.Now().Add(c.l.cfg.Body))
	body := make([]byte, 0, min(missing, gathered))
	for c.lost == nil && int64(len(body)) < missing {
		body = slices.Grow(body, 1)
		var m int
		m, c.lost = c.Conn.Read(body[len(body):min(int64(cap(body)), missing)])
		body = body[:len(body)+m]
	}
	c.body = body
	if int64(len(body)) == missing {
		c.lost = nil
	}
}

// hand gives the first n bytes of p to the engine, or those of its request. Then the
// engine sets the time for a head, which is to be that of ours if the head is not whole.
// For the first request of a connection it has done so before it read, which holds unless
// requests were answered here since.
func (c *conn) hand(p []byte, n int, v verdict, size int64) int {
	c.shift(atEngine, answering, ending)
	if v == foreign && !c.engaged && c.answers > 0 {
		_ = c.hurry() // the next read has its error
	}
	if v == bounded || !c.engaged {
		c.limit = time.Time{}
	}
	c.engaged = true
	switch {
	case v == foreign:
		c.passing = true
	case int64(n) <= size:
		c.owed = size - int64(n)
	default:
		c.rest = bytes.Clone(p[size:n])
		n = int(size)
	}
	return n
}

// send writes the answer, with p as room for it.
func (c *conn) send(p []byte, now time.Time) error {
	if c.l.cfg.Sent != nil {
		c.l.cfg.Sent(&c.request.Request, &c.answer, now)
	}
	if now.Sub(c.writeMark) >= slack {
		c.writeMark = now
		if err := c.Conn.SetWriteDeadline(now.Add(c.l.cfg.Write + slack)); err != nil {
			return err
		}
	}
	if err := c.write(p, c.l.dateLine(now)); err != nil {
		return err
	}
	c.limit = time.Time{}
	c.answers++
	c.answer = Answer{} // a connection that waits holds nobody's body
	return c.renew(now)
}

// maxCopied is the length up to which copying a body costs less than naming it to the
// system in a second vector.
const maxCopied = 4 << 10

// write copies a short answer into p, so that it is one write of one buffer; a longer
// one is gathered by the system, or its body sent from where the system has it.
func (c *conn) write(p, date []byte) error {
	a := &c.answer
	head := append(p[:0], a.Line...)
	head = append(head, date...)
	head = append(head, a.Fields...)
	head = append(head, "\r\n"...)
	body := a.Body
	if len(body) <= maxCopied && len(head)+len(body) <= len(p) {
		head, body = append(head, body...), nil
	}
	if c.turn.direct {
		n := writeDirect(c.turn.fd, head, body, a.Memfile)
		if n == len(head)+len(body) {
			return nil
		}
		head, body = head[min(n, len(head)):], body[max(n-len(head), 0):]
	}
	if len(body) == 0 {
		_, err := c.Conn.Write(head)
		return err
	}
	both := net.Buffers{head, body}
	_, err := both.WriteTo(c.Conn)
	return err
}

// renew keeps the idle deadline ahead. It does so at most once in slack. Where reads are
// spared, the first deadline is for making one up.
func (c *conn) renew(now time.Time) error {
	if now.Sub(c.readMark) < slack && c.answers != exact+1 {
		return nil
	}
	c.readMark = now
	end := c.idleEnd()
	if soon := now.Add(2 * slack); c.sparing() && soon.Before(end) {
		end = soon
	}
	return c.Conn.SetReadDeadline(end)
}

// idleEnd is when the connection has been idle for too long.
func (c *conn) idleEnd() time.Time { return c.readMark.Add(c.l.cfg.Idle + slack) }

// hurry begins the time of a head of which the first bytes are there.
func (c *conn) hurry() error {
	if !c.limit.IsZero() {
		return nil
	}
	c.limit, c.readMark = time.Now().Add(c.l.cfg.Head), time.Time{}
	return c.Conn.SetReadDeadline(c.limit)
}

// SetReadDeadline is the engine's. The time of a head that began here goes on there.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !c.limit.IsZero() && t.After(c.limit) {
		t = c.limit
	}
	c.limit, c.readMark = time.Time{}, time.Time{}
	return c.Conn.SetReadDeadline(t)
}

// SetWriteDeadline is the engine's.
func (c *conn) SetWriteDeadline(t time.Time) error {
	c.writeMark = time.Time{}
	return c.Conn.SetWriteDeadline(t)
}

// SetDeadline is the engine's.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetWriteDeadline(t); err != nil {
		return err
	}
	return c.SetReadDeadline(t)
}

// Close ends the connection, behind the answer if one is being made here.
func (c *conn) Close() error {
	for {
		switch s := c.state.Load(); s {
		case answering, ending:
			if c.state.CompareAndSwap(s, ending) {
				return nil
			}
		default:
			if c.state.CompareAndSwap(s, closed) {
				c.l.forget(c)
				return c.Conn.Close()
			}
		}
	}
}

// end closes the connection; the engine takes it for closed by the client.
func (c *conn) end() error {
	c.state.Store(closed)
	_ = c.Conn.Close()
	return io.EOF
}

// recovered ends the connection of a request that nobody expected, not the process.
func (c *conn) recovered(n *int, err *error) {
	if cause := recover(); cause != nil {
		c.l.cfg.Log.Error("connection panicked", "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
		*n, *err = 0, c.end()
	}
}
