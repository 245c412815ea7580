// This file holds sets of documents.

package scorer

import (
	"math/bits"
	"slices"
)

// Bitset is a set of documents, a bit each.
type Bitset struct {
	Words []uint64
	Count int     // number of documents
	List  []docID // the documents in ascending order if the search collected a list, otherwise nil
}

// NewBitset returns an empty set for documents below n.
func NewBitset(n int) *Bitset { return &Bitset{Words: make([]uint64, (n+63)/64)} }

func (b *Bitset) reset(n int) {
	words := (n + 63) / 64
	b.Words, b.Count, b.List = slices.Grow(b.Words[:0], words)[:words], 0, nil
	clear(b.Words)
}

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

// Cut removes the documents from d on.
func (b *Bitset) Cut(d docID) {
	at := int(d >> 6)
	b.Words[at] &= 1<<(d&63) - 1
	clear(b.Words[at+1:])
	if i, _ := slices.BinarySearch(b.List, d); b.List != nil {
		b.List = b.List[:i]
	}
	b.Count = 0
	for _, w := range b.Words {
		b.Count += bits.OnesCount64(w)
	}
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

func (b *Bitset) addBoth(w *window, set *Bitset, base docID) {
	at := int(base >> 6)
	for i, word := range w.bits[:min(len(w.bits), len(b.Words)-at)] {
		word &= set.Words[at+i]
		b.Words[at+i] |= word
		b.Count += bits.OnesCount64(word)
	}
}
