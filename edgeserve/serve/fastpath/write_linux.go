// This file writes responses, and keeps what the socket does not take.

package fastpath

import (
	"bytes"
	"syscall"
	"time"

	"contentedge/edgeserve/serve/bodies"

	"golang.org/x/sys/unix"
)

const maxCopiedBody = 4 << 10 // up to here a copy after the head costs less than a second iovec

// encode composes the response in b. It copies a short body after the head, for one write.
func (c *conn) encode(b *buffers, took time.Duration) outgoing {
	c.bodyDone = b.response.Done
	if c.l.cfg.OnResponse != nil {
		c.l.cfg.OnResponse(&b.request.Request, &b.response, took)
	}
	c.responded, c.headStarted = true, false
	c.reserve(0)
	c.readDeadline, c.writeDeadline = b.now.Add(c.l.cfg.Idle), b.now.Add(c.l.cfg.Write)
	if len(b.batch) == 0 {
		b.out = b.out[:0]
	}
	a, from := &b.response, len(b.out)
	b.out = append(b.out, a.StatusLine...)
	b.out = append(b.out, c.l.date.dateLine(b.now)...)
	b.out = append(append(append(b.out, a.BodyFields...), a.ReleaseField...), a.Fields...)
	b.out = append(b.out, "\r\n"...)
	m := outgoing{c: c, body: a.Body, memfile: a.Memfile}
	if len(a.Body) <= maxCopiedBody {
		b.out, m.body = append(b.out, a.Body...), nil
	}
	m.head = b.out[from:]
	*a = Response{} // an idle loop keeps no body alive
	return m
}

func (c *conn) write(m outgoing) {
	if c.send(m.head, m.body, m.memfile); len(c.unsentBody) == 0 {
		c.releaseBody()
	}
}

// send writes a head and a body, which f holds too if it is not nil. It reports whether the socket took all bytes.
// Otherwise it keeps the rest until epoll reports room.
func (c *conn) send(head, body []byte, f *bodies.Memfile) bool {
	for {
		n, err := tryWrite(c.fd, head, body, f)
		c.sent += int64(n)
		head, body, f = head[min(n, len(head)):], body[max(n-len(head), 0):], nil
		switch {
		case len(head)+len(body) == 0:
			c.unsentHead, c.unsentBody = nil, nil
			return true
		case err == syscall.EAGAIN:
			c.unsentHead, c.unsentBody = bytes.Clone(head), body
			c.unacked, _ = unix.IoctlGetInt(c.fd, unix.SIOCOUTQ)
			return false
		case err != 0 && err != syscall.EINTR:
			c.teardown()
			return false
		}
	}
}

// resumeWrite sends the unsent rest, and reports whether the socket took all bytes.
func (c *conn) resumeWrite() bool {
	before := len(c.unsentHead) + len(c.unsentBody)
	if !c.send(c.unsentHead, c.unsentBody, nil) {
		if len(c.unsentHead)+len(c.unsentBody) < before {
			c.extendWriteDeadline(c.l.cfg.Write)
		}
		return false
	}
	c.releaseBody()
	c.readDeadline = time.Now().Add(c.l.cfg.Idle)
	return true
}

// sentBytes is how many bytes of responses the client has acknowledged.
func (c *conn) sentBytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == closed {
		return c.sent
	}
	waiting, _ := unix.IoctlGetInt(c.fd, unix.SIOCOUTQ)
	return c.sent - int64(waiting)
}

func (c *conn) unsent() bool { return len(c.unsentHead)+len(c.unsentBody) > 0 }

// releaseBody calls Response.Done, once.
func (c *conn) releaseBody() {
	if done := c.bodyDone; done != nil {
		c.bodyDone = nil
		done()
	}
}
