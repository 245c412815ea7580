// This file pools what aggregations compute with.

package aggs

import (
	"slices"
	"sync"

	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// memory serves one request after the other. It saves allocating and clearing a count per value, and growing the
// buffers of results.
type memory struct {
	tally   tally
	keys    [blockLen]uint64 // of the documents of a block
	shares  []*share
	lent    int            // shares in use
	buffers []cells        // not in use
	parts   []*partSet     // by depth
	spans   [][]dateBucket // not in use
	dates   []dated        // likewise
	ints    scratch[int]
	words   scratch[uint32]
	times   scratch[int64]
	floats  scratch[float64]
	texts   [256]keyText // texts of keys that were written before: nested buckets often repeat them
}

// scratch is memory for the short lists of a request. They stay until the request ends.
type scratch[T any] struct {
	block []T
	used  int
}

// scratchLen is the total length of the short lists of a type in a request. Further lists are allocated.
const scratchLen = 2048

// list returns n zeros.
func (s *scratch[T]) list(n int) []T {
	if s.block == nil {
		s.block = make([]T, scratchLen)
	}
	if n > scratchLen-s.used {
		return make([]T, n)
	}
	list := s.block[s.used : s.used+n : s.used+n]
	s.used += n
	clear(list)
	return list
}

// copy returns a copy of a list.
func (s *scratch[T]) copy(list []T) []T {
	copied := s.list(len(list))
	copy(copied, list)
	return copied
}

// keyText is a key as JSON.
type keyText struct {
	of   *snapshot.Strings // only compared: its snapshot may be closed
	ord  int
	json []byte
}

// partSet is the set of a bucket. add adds documents, in ascending order.
type partSet struct {
	set scorer.Bitset
	add func(docs []docID)
}

func newPartSet(items int) *partSet {
	p := &partSet{set: *scorer.NewBitset(items)}
	p.set.List = make([]docID, 0, blockLen)
	p.add = func(docs []docID) {
		p.set.List = append(p.set.List, docs...)
		for _, d := range docs {
			p.set.Words[d>>6] |= 1 << (d & 63)
		}
	}
	return p
}

const (
	// maxKept limits the shares and buffers that a request leaves in the pool. The number of sets is the depth of
	// aggregations.
	maxKept = 8
	// maxKeptPairs limits the pairs of each share, some twelve bytes each, the documents of each set, and
	// dates, sixteen bytes each.
	maxKeptPairs = 1 << 14
	// maxKeptBytes limits the bytes of each buffer and of each list of intervals, and the bits of each set.
	maxKeptBytes = 1 << 16
	// maxKeptKey is the longest text of a key that is kept.
	maxKeptKey = 256
)

var memories = sync.Pool{New: func() any { return &memory{} }}

func (m *memory) release() {
	if m.lent = 0; len(m.shares) > maxKept {
		m.shares = m.shares[:maxKept:maxKept]
	}
	m.ints.used, m.words.used, m.times.used, m.floats.used = 0, 0, 0, 0
	for _, s := range m.shares {
		s.all = nil
		if cap(s.doc) > maxKeptPairs {
			*s = share{}
		}
	}
	if cap(m.dates) > maxKeptPairs {
		m.dates = nil
	}
	m.parts = slices.DeleteFunc(m.parts, func(p *partSet) bool { return cap(p.set.List) > maxKeptPairs || 8*len(p.set.Words) > maxKeptBytes })
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

// buffer returns empty cells.
func (m *memory) buffer() (c cells) {
	if n := len(m.buffers); n > 0 {
		c, m.buffers = m.buffers[n-1], m.buffers[:n-1]
	}
	return cells{buf: c.buf[:0], ends: c.ends[:0]}
}

// give takes back cells that are no longer read.
func (m *memory) give(c cells) {
	if 0 < cap(c.buf) && max(cap(c.buf), 8*cap(c.ends)) <= maxKeptBytes && len(m.buffers) < maxKept {
		m.buffers = append(m.buffers, cells{buf: c.buf, ends: c.ends})
	}
}

// intervals returns an empty list of intervals.
func (m *memory) intervals() (list []dateBucket) {
	if n := len(m.spans); n > 0 {
		list, m.spans = m.spans[n-1], m.spans[:n-1]
	}
	return list[:0]
}

// giveIntervals takes back intervals that are no longer read.
func (m *memory) giveIntervals(list []dateBucket) {
	if 0 < cap(list) && 32*cap(list) <= maxKeptBytes && len(m.spans) < maxKept {
		m.spans = append(m.spans, list)
	}
}

// part returns the set of a depth. It may still hold documents of an earlier request.
func (m *memory) part(depth, items int) *partSet {
	if depth == len(m.parts) {
		m.parts = append(m.parts, newPartSet(items))
	} else if len(m.parts[depth].set.Words) != (items+63)/64 { // of another snapshot
		m.parts[depth] = newPartSet(items)
	}
	return m.parts[depth]
}

// results pools the memory of results.
var results sync.Pool

func resultBuffer() []byte {
	if b, ok := results.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// Release takes back the memory of a result of Aggregate, which must not be read afterwards.
func Release(result []byte) {
	if 0 < cap(result) && cap(result) <= maxKeptBytes {
		results.Put(&result)
	}
}
