// This file holds sets of documents while a query is put together.

package search

import (
	"math/bits"
	"slices"
)

// bitset is a set of documents, a bit each.
type bitset struct {
	words []uint64
	count int
	list  []docID // the same documents, where they are at hand; then the set is not changed
}

func newBitset(n int) *bitset { return &bitset{words: make([]uint64, (n+63)/64)} }

// reset makes a set empty, for documents below n.
func (b *bitset) reset(n int) {
	words := (n + 63) / 64
	if cap(b.words) < words {
		b.words = make([]uint64, words)
	}
	b.words, b.count, b.list = b.words[:words], 0, nil
	clear(b.words)
}

// mark adds a document without counting it.
func (b *bitset) mark(d docID) { b.words[d>>6] |= 1 << (d & 63) }

func (b *bitset) add(d docID) {
	w, m := &b.words[d>>6], uint64(1)<<(d&63)
	if *w&m == 0 {
		*w |= m
		b.count++
	}
}

func (b *bitset) has(d docID) bool {
	return int(d>>6) < len(b.words) && b.words[d>>6]>>(d&63)&1 == 1
}

// from returns the first document at or above d.
func (b *bitset) from(d docID) docID {
	i := int(d >> 6)
	if i >= len(b.words) {
		return noMore
	}
	w := b.words[i] >> (d & 63) << (d & 63)
	for w == 0 {
		if i++; i >= len(b.words) {
			return noMore
		}
		w = b.words[i]
	}
	return docID(i<<6 + bits.TrailingZeros64(w))
}

// listShare is how small a set must be, as a share of all documents, to be kept as a
// list: sorting it then costs less than clearing and walking a bit for each document.
const listShare = 1024

// docSet gathers documents in any order, as a list while it is short.
type docSet struct {
	b    *builder
	list []docID
	bits *bitset
}

// docSet is an empty set of the request.
func (b *builder) docSet() docSet { return docSet{b: b} }

func (s *docSet) add(d docID) {
	if s.bits != nil {
		s.bits.add(d)
		return
	}
	s.list = append(s.list, d)
	if len(s.list) > s.b.items/listShare+16 {
		s.spread()
	}
}

// spread gives each document a bit from now on.
func (s *docSet) spread() {
	s.bits = s.b.bitset()
	for _, d := range s.list {
		s.bits.add(d)
	}
	s.list = nil
}

// addAll is add for many documents.
func (s *docSet) addAll(docs []docID) {
	if s.bits == nil && len(s.list)+len(docs) > s.b.items/listShare+16 {
		s.spread()
	}
	if s.bits == nil {
		s.list = append(s.list, docs...)
		return
	}
	for _, d := range docs {
		s.bits.add(d)
	}
}

// scorer walks the set with one score, nil if it is empty.
func (s *docSet) scorer(score float32) scorer {
	if s.bits != nil {
		return &bitScorer{set: s.bits, s: score}
	}
	if len(s.list) == 0 {
		return nil
	}
	slices.Sort(s.list)
	return &listScorer{docs: slices.Compact(s.list), s: score}
}
