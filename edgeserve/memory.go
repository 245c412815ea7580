// This file bounds the memory of answers on their way out. Clients that read slowly
// hold what they are sent for as long as the write timeout lets them; without a bound,
// a few thousand of them asking for the largest lists would take the machine's memory.

package edgeserve

import (
	"bytes"
	"sync"

	"github.com/valyala/fasthttp"
)

// heldFrom is the length from which a body counts: a shorter one is copied into a buffer of
// the connection or lies in a room of its own, which the number of connections bounds.
const heldFrom = writeBuffer

// memory is a number of bytes to be taken and given back. A prepared answer is taken
// once, however many are being sent it.
type memory struct {
	mu   sync.Mutex
	left int64
}

// resize changes a taken number of bytes. False: there are not so many left, and from
// stays taken.
func (m *memory) resize(from, to int64) bool {
	if from == to {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if to-from > m.left {
		return false
	}
	m.left -= to - from
	return true
}

// hold takes an answer's body for one more reader.
func (m *memory) hold(a *answer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := int64(len(a.body))
	if a.readers == 0 {
		if n > m.left {
			return false
		}
		m.left -= n
	}
	a.readers++
	return true
}

// drop ends a hold.
func (m *memory) drop(a *answer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.readers--; a.readers == 0 {
		m.left += int64(len(a.body))
	}
}

// sending is a body that the engine reads while it writes, and closes once it has
// written it or given up.
type sending struct {
	bytes.Reader
	done func()
}

// Close gives the body's memory back.
func (s *sending) Close() error {
	if s.done != nil {
		s.done()
		s.done = nil
	}
	return nil
}

// sendHeld answers with a body whose memory is given back by done.
func sendHeld(ctx *fasthttp.RequestCtx, body []byte, done func()) {
	s := &sending{done: done}
	s.Reset(body)
	ctx.Response.SetBodyStream(s, len(body))
}
