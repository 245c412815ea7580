// This file divides sets among the groups of a column.

package aggs

import (
	"slices"

	"contentedge/edgeserve/engine/scorer"
)

// parts finds the documents of groups. For a large set of all matches it walks the groups of the column; for another
// set it reads the documents once.
type parts struct {
	of    *columnEvaluator
	share *share // nil before the first use
}

// buckets returns the documents of groups in a set. An id below zero is a bucket without documents. The result is
// valid until the next call. Without sub-aggregations no documents are collected.
func (p *parts) buckets(inside *subs, ids []int, set *scorer.Bitset) buckets {
	a, s := p.of.a, p.of.values()
	switch {
	case inside.empty():
		return buckets{n: len(ids), set: set}
	case !p.of.in.nested && !s.sparse(set):
		return buckets{n: len(ids), set: set, walk: func(i int, f func([]docID)) { a.counter.walk(s, ids[i], set, f) }}
	}
	if p.share == nil {
		p.share = a.memory.share()
	}
	slots := a.slots(s.ids)
	for i, id := range ids {
		if id >= 0 {
			slots[id] = uint32(i) + 1
		}
	}
	bs := p.share.divide(a, set, len(ids), 1, p.share.bySlot(a, p.of.reader(), slots))
	for _, id := range ids {
		if id >= 0 {
			slots[id] = 0
		}
	}
	return bs
}

// slots returns n zeros, one for each id. The caller resets them to zeros before the next count.
func (a *aggregator) slots(n int) []uint32 {
	a.memory.tally.room(n)
	return a.memory.tally.n
}

// share holds the documents of buckets. Its memory is used again.
type share struct {
	bucket []uint32 // of each pair, in the order of documents
	doc    []docID
	starts []int
	docs   []docID                      // by bucket
	lent   int                          // bytes that have been charged
	all    func(i int, f func([]docID)) // walks buckets; of the request
	size   func(i int) int              // count, likewise
}

func (s *share) put(bucket int, d docID) {
	s.bucket, s.doc = append(s.bucket, uint32(bucket)), append(s.doc, d)
}

// bySlot returns a function that assigns documents to the buckets of their groups. A slot holds the bucket of a group
// plus 1, or 0 for no bucket.
func (s *share) bySlot(a *aggregator, r *reader, slot []uint32) func(docs []docID) {
	return func(docs []docID) {
		if r.first == nil {
			buckets, kept := slices.Grow(s.bucket, len(docs)), slices.Grow(s.doc, len(docs))
			for i, id := range r.groups(docs, a.memory.tally.ords[:]) {
				if id != noGroup && slot[id] > 0 {
					buckets, kept = append(buckets, slot[id]-1), append(kept, docs[i])
				}
			}
			s.bucket, s.doc = buckets, kept
			return
		}
		for _, d := range docs {
			r.several(d, func(id, _ int) {
				if slot[id] > 0 {
					s.put(int(slot[id])-1, d)
				}
			})
		}
	}
}

// divide calls assign for blocks of the documents of a set; a document costs cost steps. assign puts a document into
// each of its buckets once. A pair of document and bucket takes about twelve bytes.
func (s *share) divide(a *aggregator, set *scorer.Bitset, n, cost int, assign func(docs []docID)) buckets {
	s.bucket, s.doc = s.bucket[:0], s.doc[:0]
	a.counter.each(set, func(docs []docID) {
		before := len(s.doc)
		assign(docs)
		a.work.Charge(cost*len(docs) + 2*(len(s.doc)-before))
		if grown := 12*len(s.doc) - s.lent; grown > 0 && a.allot(grown) {
			s.lent += grown
		}
	})
	if a.work.Charge(n/4) != nil {
		return buckets{}
	}
	s.starts = append(s.starts[:0], make([]int, n+2)...)
	for _, b := range s.bucket {
		s.starts[b+2]++
	}
	for i := 2; i < len(s.starts); i++ {
		s.starts[i] += s.starts[i-1]
	}
	s.docs = append(s.docs[:0], s.doc...)
	for i, b := range s.bucket {
		s.docs[s.starts[b+1]] = s.doc[i]
		s.starts[b+1]++
	}
	if s.all == nil {
		s.all, s.size = s.walk(a), s.count
	}
	return buckets{n: n, set: set, walk: s.all, size: s.size}
}

// count is valid after divide, until the request fails.
func (s *share) count(i int) int { return s.starts[i+1] - s.starts[i] }

func (s *share) walk(a *aggregator) func(i int, f func([]docID)) {
	return func(i int, f func([]docID)) {
		docs := s.docs[s.starts[i]:s.starts[i+1]]
		for len(docs) > 0 && a.work.Failed() == nil {
			n := min(len(docs), blockLen)
			f(docs[:n])
			a.work.Charge(8 + n)
			docs = docs[n:]
		}
	}
}
