// This file recycles the buffers of responses, within a budget of bytes.

package clusternodes

import (
	"sync"
	"sync/atomic"
)

// maxKept is the largest buffer that is used again, in bytes: a page of whole items is smaller.
const maxKept = 1 << 20

// buffers are buffers for responses.
type buffers struct {
	limit int64
	used  atomic.Int64 // bytes of buffers that are in use
	pool  sync.Pool
}

// buffer is the buffer of a response.
type buffer struct {
	b        []byte
	reserved int64
}

// get returns an empty buffer: one that was used before, if the budget has room for it.
func (s *buffers) get() *buffer {
	buf, ok := s.pool.Get().(*buffer)
	if !ok {
		return &buffer{}
	}
	if !s.reserve(buf, cap(buf.b)) {
		buf.b = nil
	}
	return buf
}

// reserve takes bytes from the budget for a buffer. put gives them back.
func (s *buffers) reserve(buf *buffer, bytes int) bool {
	if s.used.Add(int64(bytes)) > s.limit {
		s.used.Add(-int64(bytes))
		return false
	}
	buf.reserved += int64(bytes)
	return true
}

func (s *buffers) put(buf *buffer) {
	s.used.Add(-buf.reserved)
	buf.reserved, buf.b = 0, buf.b[:0]
	if cap(buf.b) <= maxKept {
		s.pool.Put(buf)
	}
}
