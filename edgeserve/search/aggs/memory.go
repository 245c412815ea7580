// This file pools what aggregations compute with.

package aggs

import "sync"

// memory serves the aggregations of one request after those of another: allocating and clearing a count
// per value is expensive, and so is growing what results are written into.
type memory struct {
	tally   tally
	keys    [blockLen]uint64 // of the documents of a block
	shares  []*share
	lent    int      // shares in use
	buffers [][]byte // not in use
}

const (
	// maxKept limits the shares, and the buffers, that a request leaves in the pool.
	maxKept = 8
	// maxKeptPairs limits the pairs of each share: some twelve bytes each.
	maxKeptPairs = 1 << 14
	// maxKeptBytes limits the bytes of each buffer.
	maxKeptBytes = 1 << 16
)

var memories = sync.Pool{New: func() any { return &memory{} }}

func (m *memory) release() {
	if m.lent = 0; len(m.shares) > maxKept {
		m.shares = m.shares[:maxKept:maxKept]
	}
	for _, s := range m.shares {
		if cap(s.doc) > maxKeptPairs {
			*s = share{}
		}
	}
	memories.Put(m)
}

// share returns a share for the rest of the request.
func (m *memory) share() *share {
	if m.lent == len(m.shares) {
		m.shares = append(m.shares, &share{})
	}
	s := m.shares[m.lent]
	s.lent = 0
	m.lent++
	return s
}

// buffer returns an empty buffer.
func (m *memory) buffer() (b []byte) {
	if n := len(m.buffers); n > 0 {
		b, m.buffers = m.buffers[n-1], m.buffers[:n-1]
	}
	return b[:0]
}

// give takes back a buffer that nobody reads any more.
func (m *memory) give(b []byte) {
	if 0 < cap(b) && cap(b) <= maxKeptBytes && len(m.buffers) < maxKept {
		m.buffers = append(m.buffers, b)
	}
}

// results pools the memory of results.
var results sync.Pool

func resultBuffer() []byte {
	if b, ok := results.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// Release takes back a result of Aggregate that nobody reads any more, for another one.
func Release(result []byte) {
	if 0 < cap(result) && cap(result) <= maxKeptBytes {
		results.Put(&result)
	}
}
