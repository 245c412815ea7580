// This file is a connection while its requests are read and answered here.

package wire

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// place is whose a connection is.
type place uint8

const (
	ours      place = iota // requests are read and answered here
	turn                   // its request waits for an answer, which is made here, to be sent
	lent                   // the engine has it for one request
	given                  // the engine has it for good
	lingering              // its last answer was sent, and what still comes is discarded
	closed
)

// conn is a connection. Nothing is done to it but by who holds mu, and who does never
// waits, but may be making an answer.
type conn struct {
	net.Conn // closes it, and knows its addresses
	fd       int
	l        *Listener
	poller   *poller

	mu    sync.Mutex
	place place
	loan  *loan // the engine's; nil: none

	come   bool   // there may be something to read
	hangup bool   // and behind it the end, as the system says
	ended  bool   // the end was read
	asked  bool   // a request was answered
	begun  bool   // the time of a head has begun, which ends at readBy
	in     []byte // what was read and neither answered nor given to the engine
	size   int    // of the request in it of which the body has not arrived; 0: there is none
	lines  int    // of the request in it of which the head has not arrived, the bytes of whole lines
	spare  int    // how many bytes more are discarded while it lingers

	head, body []byte // of an answer, what the client has had no room for
	done       func() // to be called when body is no longer needed; nil: nobody wants to know

	readBy, writeBy time.Time // by when that has to go on which waits; zero: any time

	queued bool // to be looked at again; guarded by the poller's mu
}

// buffers are what a poller's goroutine has for all its connections.
type buffers struct {
	in   []byte    // as long as the longest head
	out  []byte    // heads and short bodies of answers
	made []message // that are not sent yet
	size int       // of their bodies

	request parsed
	answer  Answer
	now     time.Time // when the clock was last looked at

	making   *conn  // the one that an answer is being made for
	handOver func() // leaves the poller to another goroutine, and making unlocked
	left     bool   // that has happened
}

// message is an answer as it is sent. Its head lies in the buffers' out.
type message struct {
	c          *conn
	head, body []byte
	memfile    *Memfile
}

const (
	// atOnce is how many answers are made at most before they are sent. Those that are sent
	// one after the other wake a client once, not for each.
	atOnce = 32
	// crowd is how many have to wait behind an answer for it not to be sent as soon as it is
	// made: before that there is time to wake a client for each.
	crowd = 16
	// atOnceBytes is how long their bodies become at most before they are sent: sending
	// them is not to take longer than making them, and their memory may be scarce.
	atOnceBytes = 128 << 10
)

// maxCopied is the length up to which copying a body costs less than naming it to the
// system in a second vector.
const maxCopied = 4 << 10

func newBuffers(headLimit int) *buffers {
	b := &buffers{in: make([]byte, headLimit), out: make([]byte, 0, 2*maxCopied), made: make([]message, 0, atOnce)}
	b.handOver = b.leave
	return b
}

func (b *buffers) leave() {
	b.sendAll()
	b.left = true
	b.making.mu.Unlock()
	go b.making.poller.run()
}

// happened takes in what the system says has happened to the connection, and goes on. It may
// be wrong about that, or nothing.
func (c *conn) happened(events uint32, b *buffers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.come = c.come || events&^unix.EPOLLOUT != 0
	c.hangup = c.hangup || events&(unix.EPOLLRDHUP|unix.EPOLLHUP|unix.EPOLLERR) != 0
	switch c.place {
	case ours:
		c.proceed(b)
	case lent, given:
		c.loan.changed.Broadcast()
	case lingering:
		c.discard(b)
	}
}

// proceed reads once and answers what has come. Whoever sends without end is read again
// when all the others have been.
func (c *conn) proceed(b *buffers) {
	defer c.recovered(&b.request.Request)
	if c.unsent() {
		if !c.send(c.head, c.body, nil) {
			return
		}
		c.free()
		c.readBy = time.Now().Add(c.l.cfg.Idle)
	}
	n := 0
	if c.size == 0 {
		n = copy(b.in, c.in)
	}
	if c.come && n < len(b.in) {
		n += c.receive(b.in[n:])
	}
	in := b.in[:n]
	if c.size > 0 {
		c.in = append(c.in, in...)
		if in = c.in; len(in) < c.size {
			c.await(more, c.size)
			return
		}
	}
	in, v, size := c.answerAll(in, b)
	if c.in = append(c.in[:0], in...); len(in) == 0 {
		c.in = nil
	}
	c.size = 0
	if c.place == closed || c.unsent() {
		return
	}
	switch long := b.request.length > c.l.cfg.MaxBody; {
	case v == bounded, v == partial && long:
		c.lend(bounded, size)
	case v == alien:
		c.refuse(errAlien)
	case v == unmade:
		c.place, c.readBy = turn, time.Time{}
		c.poller.makeLater(c, b.now)
	case v == foreign, size == 0 && len(in) == len(b.in):
		c.lend(foreign, 0)
	default:
		c.await(v, size)
	}
}

// await leaves the connection until something happens to it. What has come of the next
// request is in c.in; if its head is whole, size is the request's.
func (c *conn) await(v verdict, size int) {
	c.size = size
	switch {
	case v == partial:
		c.begun, c.readBy = false, time.Now().Add(c.l.cfg.Body)
	case size == 0 && len(c.in) > 0 && !c.begun:
		c.begun, c.readBy = true, time.Now().Add(c.l.cfg.Head)
	}
	switch {
	case c.come:
		c.poller.again(c)
	case c.ended:
		c.lose()
	case len(c.in) == 0 && c.l.draining.Load():
		c.retire()
	}
}

// retire ends a connection that waits for its next request while the server drains. One
// that has asked nothing yet may be about to.
func (c *conn) retire() {
	if c.asked {
		c.finish()
	} else if soon := time.Now().Add(patience); soon.Before(c.readBy) {
		c.readBy = soon
	}
}

// patience is how long a new connection is waited for while the server drains.
const patience = 5 * time.Second

// receive reads what has come into p, and notes what that tells about the rest: a read
// that does not fill its buffer has taken all there was, and what comes later is told. The
// end was told already if it came at once with what was read.
func (c *conn) receive(p []byte) (n int) {
	n, err := readNow(c.fd, p)
	for err == syscall.EINTR {
		n, err = readNow(c.fd, p)
	}
	c.come = n == len(p) || n > 0 && c.hangup
	c.ended = c.ended || n == 0 && err != syscall.EAGAIN
	return n
}

// answerAll answers the whole requests at the start of in and returns what is behind them,
// and what that is: it begins with a request of size bytes that is not answered here.
func (c *conn) answerAll(in []byte, b *buffers) (rest []byte, v verdict, size int) {
	l, known := c.l, c.lines
	c.lines = 0
	for len(in) > 0 && !c.unsent() && c.place == ours {
		v, size = l.parse(in, known, &b.request)
		known = 0
		if v == more {
			c.lines = b.request.lines
		}
		if v != plain {
			return in, v, size
		}
		if l.draining.Load() {
			return in, bounded, size
		}
		b.now = time.Now()
		found := false
		if b.answer, found = l.cfg.Find(&b.request.Request); !found {
			return in, unmade, size
		}
		in = in[size:]
		c.answer(b, time.Since(b.now))
	}
	return in, more, 0
}

// makeAnswer makes the answer to the request at the start of c.in, which was there since a
// time, for sendAll. If that takes long, b has left the poller when it returns.
func (c *conn) makeAnswer(since time.Time, b *buffers) {
	toSend := false
	defer func() {
		if !toSend { // else send counts it
			c.l.cfg.Making.Add(-1)
		}
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.place == closed {
		return
	}
	defer c.recovered(&b.request.Request)
	_, size := c.l.parse(c.in, 0, &b.request)
	made := !c.l.draining.Load() && c.made(since, b)
	switch {
	case c.place == closed:
		c.done, b.answer = b.answer.Done, Answer{}
		c.free()
		return
	case !made:
		c.lend(bounded, size)
		return
	}
	if c.in = c.in[size:]; len(c.in) == 0 {
		c.in = nil
	}
	m := c.compose(b, b.now.Sub(since))
	b.made, b.size, toSend = append(b.made, m), b.size+len(m.body), true
}

// full reports whether the answers that were made are to be sent before more are.
func (b *buffers) full() bool { return len(b.made) == atOnce || b.size >= atOnceBytes }

// sendAll sends the answers that were made.
func (b *buffers) sendAll() {
	for _, m := range b.made {
		m.send(b)
	}
	clear(b.made)
	b.made, b.size = b.made[:0], 0
}

// send sends an answer that was made, and has its connection go on.
func (m message) send(b *buffers) {
	c := m.c
	defer c.l.cfg.Making.Add(-1)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.place == closed {
		return
	}
	defer c.recovered(nil)
	c.place = ours
	c.deliver(m)
	if c.place == closed || c.unsent() {
		return
	}
	if c.goOn() && b.left {
		c.poller.wake(time.Now())
	}
}

// made makes an answer to the request in b. The connection is locked when it returns.
func (c *conn) made(since time.Time, b *buffers) (ok bool) {
	b.making = c
	defer func() {
		b.making, b.now = nil, time.Now()
		if b.left {
			c.mu.Lock()
		}
	}()
	b.request.From = c.RemoteAddr()
	b.answer, ok = c.l.cfg.Make(&b.request.Request, since, b.handOver)
	return ok
}

// goOn has what is behind a request looked at that was not answered as it was read, and
// reports whether there is something.
func (c *conn) goOn() bool {
	if c.come || c.ended || len(c.in) > 0 || c.l.draining.Load() {
		c.poller.again(c)
		return true
	}
	return false
}

// answer sends the answer in b to the request in it.
func (c *conn) answer(b *buffers, took time.Duration) {
	c.deliver(c.compose(b, took))
}

// compose makes a message of the answer in b to the request in it. A short one is copied, so
// that it is one write of one buffer; a longer one is gathered by the system, or its body
// sent from where the system has it.
func (c *conn) compose(b *buffers, took time.Duration) message {
	c.done = b.answer.Done
	if c.l.cfg.Sent != nil {
		c.l.cfg.Sent(&b.request.Request, &b.answer, took)
	}
	c.asked, c.begun = true, false
	c.readBy, c.writeBy = b.now.Add(c.l.cfg.Idle), b.now.Add(c.l.cfg.Write)
	if len(b.made) == 0 {
		b.out = b.out[:0]
	}
	a, from := &b.answer, len(b.out)
	b.out = append(b.out, a.Line...)
	b.out = append(b.out, c.l.dateLine(b.now)...)
	b.out = append(b.out, a.Fields...)
	b.out = append(b.out, "\r\n"...)
	m := message{c: c, body: a.Body, memfile: a.Memfile}
	if len(a.Body) <= maxCopied {
		b.out, m.body = append(b.out, a.Body...), nil
	}
	m.head = b.out[from:]
	*a = Answer{} // nobody's body is held by who waits
	return m
}

// deliver sends a message.
func (c *conn) deliver(m message) {
	if c.send(m.head, m.body, m.memfile); len(c.body) == 0 {
		c.free()
	}
}

// free tells that an answer's body is no longer needed.
func (c *conn) free() {
	if done := c.done; done != nil {
		c.done = nil
		done()
	}
}

// send sends a head and a body, which f holds if it is not nil, and reports whether the
// client had room for all of it. If not, the rest is kept until the system tells that it
// has, which it does once it has said that there is none.
func (c *conn) send(head, body []byte, f *Memfile) bool {
	for {
		n, err := writeNow(c.fd, head, body, f)
		head, body, f = head[min(n, len(head)):], body[max(n-len(head), 0):], nil
		switch {
		case len(head)+len(body) == 0:
			c.head, c.body = nil, nil
			return true
		case err == syscall.EAGAIN:
			c.head, c.body = bytes.Clone(head), body
			return false
		case err != 0 && err != syscall.EINTR:
			c.finish()
			return false
		}
	}
}

// unsent reports whether a part of an answer is.
func (c *conn) unsent() bool { return len(c.head)+len(c.body) > 0 }

// lose ends the wait for a request that does not become whole, as the client has said. What
// there is of it is the engine's: it will meet the end too, and knows what to answer.
func (c *conn) lose() {
	switch {
	case len(c.in) == 0:
		c.finish()
	case c.size > 0:
		c.lend(bounded, c.size)
	default:
		c.lend(foreign, 0)
	}
}

// refusal is what Refuse says, or nothing if that panics.
func (l *Listener) refusal(why error) []byte {
	defer func() {
		if cause := recover(); cause != nil {
			l.cfg.Log.Error("a refusal panicked", "cause", fmt.Sprint(cause))
		}
	}()
	return l.cfg.Refuse(why)
}

var errAlien = errors.New("no HTTP")

// expire ends what has taken too long.
func (c *conn) expire(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	read, write := over(c.readBy, now), over(c.writeBy, now)
	switch {
	case c.loan != nil:
		if read || write {
			c.loan.changed.Broadcast()
		}
	case c.place == lingering && read, c.unsent() && write:
		c.finish()
	case !c.unsent() && read:
		c.refuse(os.ErrDeadlineExceeded)
	}
}

func over(end, now time.Time) bool { return !end.IsZero() && !now.Before(end) }

// end closes the connection, whatever it is at.
func (c *conn) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.finish()
}

// finish closes the connection.
func (c *conn) finish() {
	if c.place == closed {
		return
	}
	if c.place == lingering {
		c.l.lingering.Add(-1)
	}
	c.place = closed
	c.in, c.head, c.body = nil, nil, nil
	c.poller.set(c.fd, nil)
	_ = c.Conn.Close()
	c.l.leave()
	if c.loan != nil {
		c.loan.changed.Broadcast()
	}
	c.free()
}

// recovered ends the connection of a request that nobody expected, not the process. A
// request that is answered is not known any more: nil.
func (c *conn) recovered(r *Request) {
	cause := recover()
	if cause == nil {
		return
	}
	if why := c.l.refusal(&Panic{cause, r}); r != nil && c.place != closed && !c.unsent() {
		_, _ = writeNow(c.fd, why, nil, nil)
		c.linger()
		return
	}
	c.finish()
}
