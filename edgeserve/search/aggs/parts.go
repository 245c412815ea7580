// This file divides sets among the groups of a column.

package aggs

import "contentedge/edgeserve/search/iter"

// parts finds the documents of groups: all matches by walking the groups of the column, smaller sets
// by reading their documents once.
type parts struct {
	of    *collected
	slot  []uint32 // id -> its bucket and one more, 0 for none; zero between uses
	share share
}

// buckets returns the documents of groups in a set. An id below zero is a bucket without documents.
// They are valid until the next call, and none are found where nothing is computed for them.
func (p *parts) buckets(inside *subs, ids []int, set *iter.Bitset) buckets {
	a, s := p.of.a, p.of.values()
	switch {
	case len(inside.list) == 0 && inside.watch == nil:
		return buckets{n: len(ids), set: set}
	case !p.of.in.nested:
		return buckets{n: len(ids), set: set, walk: func(i int, f func([]docID)) { a.walk(s, ids[i], set, f) }}
	}
	if p.slot == nil {
		if !a.allot(4*s.ids) || a.Charge(s.ids/8) != nil {
			return buckets{}
		}
		p.slot = make([]uint32, s.ids)
	}
	for i, id := range ids {
		if id >= 0 {
			p.slot[id] = uint32(i) + 1
		}
	}
	r := p.of.reader()
	bs := p.share.divide(a, set, len(ids), 1, func(d docID, take func(bucket int)) {
		r.all(d, func(id int) {
			if b := p.slot[id]; b > 0 {
				take(int(b) - 1)
			}
		})
	})
	for _, id := range ids {
		if id >= 0 {
			p.slot[id] = 0
		}
	}
	return bs
}

// share holds the documents of buckets. Its memory is used again.
type share struct {
	bucket []uint32 // of each pair, in the order of documents
	doc    []docID
	starts []int
	docs   []docID // by bucket
	lent   int     // bytes that are accounted for
}

// divide calls assign for each document of a set, which takes cost steps. assign calls take for each
// bucket that the document is in, once. A pair costs some twelve bytes.
func (s *share) divide(a *aggregator, set *iter.Bitset, n, cost int, assign func(d docID, take func(bucket int))) buckets {
	s.bucket, s.doc = s.bucket[:0], s.doc[:0]
	var d docID
	take := func(b int) {
		s.bucket = append(s.bucket, uint32(b))
		s.doc = append(s.doc, d)
	}
	a.each(set, func(docs []docID) {
		before := len(s.doc)
		for _, d = range docs {
			assign(d, take)
		}
		a.Charge(cost*len(docs) + 2*(len(s.doc)-before))
		if grown := 12*len(s.doc) - s.lent; grown > 0 && a.allot(grown) {
			s.lent += grown
		}
	})
	if a.Charge(n/4) != nil {
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
	return buckets{n: n, set: set, walk: s.walk(a)}
}

// count is valid after divide, until the request fails.
func (s *share) count(i int) int { return s.starts[i+1] - s.starts[i] }

func (s *share) walk(a *aggregator) func(i int, f func([]docID)) {
	return func(i int, f func([]docID)) {
		docs := s.docs[s.starts[i]:s.starts[i+1]]
		for len(docs) > 0 && a.Failed() == nil {
			n := min(len(docs), blockLen)
			f(docs[:n])
			a.Charge(8 + n)
			docs = docs[n:]
		}
	}
}
