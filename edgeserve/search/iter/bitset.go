// This file holds sets of documents.

package iter

import (
	"math/bits"
	"slices"

	"contentedge/edgeserve/snapshot"
)

// Bitset is a set of documents, a bit each.
type Bitset struct {
	Words []uint64
	Count int     // number of documents
	List  []docID // the documents in ascending order, if the search collected them as a list; else nil
}

// NewBitset returns an empty set for documents below n.
func NewBitset(n int) *Bitset { return &Bitset{Words: make([]uint64, (n+63)/64)} }

// reset empties the set, for documents below n.
func (b *Bitset) reset(n int) {
	words := (n + 63) / 64
	b.Words, b.Count, b.List = slices.Grow(b.Words[:0], words)[:words], 0, nil
	clear(b.Words)
}

// mark adds a document without counting it.
func (b *Bitset) mark(d docID) { b.Words[d>>6] |= 1 << (d & 63) }

// Add adds a document.
func (b *Bitset) Add(d docID) {
	w, m := &b.Words[d>>6], uint64(1)<<(d&63)
	if *w&m == 0 {
		*w |= m
		b.Count++
	}
}

// Has reports whether a document is in the set.
func (b *Bitset) Has(d docID) bool {
	return int(d>>6) < len(b.Words) && b.Words[d>>6]>>(d&63)&1 == 1
}

// From returns the first document at or above d, or snapshot.NoMore.
func (b *Bitset) From(d docID) docID {
	i := int(d >> 6)
	if i >= len(b.Words) {
		return noMore
	}
	w := b.Words[i] >> (d & 63) << (d & 63)
	for w == 0 {
		if i++; i >= len(b.Words) {
			return noMore
		}
		w = b.Words[i]
	}
	return docID(i<<6 + bits.TrailingZeros64(w))
}

// addBoth adds the matches of a window that are also in set.
func (b *Bitset) addBoth(w *window, set *Bitset, base docID) {
	at := int(base >> 6)
	for i, word := range w.bits[:min(len(w.bits), len(b.Words)-at)] {
		word &= set.Words[at+i]
		b.Words[at+i] |= word
		b.Count += bits.OnesCount64(word)
	}
}

// listShare limits lists to this share of all documents. Sorting a list is then cheaper
// than clearing and walking a bit per document.
const listShare = 1024

// DocSet collects documents in any order: a list while it is short, then a bit set.
type DocSet struct {
	r    *Request
	list []docID
	bits *Bitset
}

// DocSet returns an empty set of the request.
func (r *Request) DocSet() DocSet { return DocSet{r: r} }

// Add adds a document.
func (s *DocSet) Add(d docID) {
	if s.bits != nil {
		s.bits.Add(d)
		return
	}
	s.list = append(s.list, d)
	if len(s.list) > s.r.Items/listShare+16 {
		s.spread()
	}
}

// AddColumn adds the documents with a value in a column.
func (s *DocSet) AddColumn(c *snapshot.Column) {
	if s.r.Charge(c.DocCount/2) == nil {
		c.EachDoc(func(d docID, _ int) bool { s.Add(d); return true })
	}
}

// addPairs adds the documents of the ordinals [lo, hi) of a column.
func (s *DocSet) addPairs(c *snapshot.Column, lo, hi int) {
	p, end := c.Start(lo), c.Start(hi)
	if s.r.Charge((end-p)/2) != nil {
		return
	}
	for ; p < end; p++ {
		s.Add(c.Doc(p))
	}
}

// addAll adds many documents.
func (s *DocSet) addAll(docs []docID) {
	if s.bits == nil && len(s.list)+len(docs) > s.r.Items/listShare+16 {
		s.spread()
	}
	if s.bits == nil {
		s.list = append(s.list, docs...)
		return
	}
	for _, d := range docs {
		s.bits.Add(d)
	}
}

// spread converts the list to a bit set.
func (s *DocSet) spread() {
	s.bits = s.r.bitset()
	for _, d := range s.list {
		s.bits.Add(d)
	}
	s.list = nil
}

// Scorer walks the set with a constant score. It is nil if the set is empty.
func (s *DocSet) Scorer(score float64) Scorer {
	if s.bits != nil {
		return &bitScorer{set: s.bits, sameScore: sameScore(score)}
	}
	if len(s.list) == 0 {
		return nil
	}
	slices.Sort(s.list)
	return &listScorer{docs: slices.Compact(s.list), sameScore: sameScore(score)}
}
