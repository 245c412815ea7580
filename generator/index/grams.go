// This file builds gram indexes: the sequences of three folded runes in short values.

package index

import (
	"encoding/binary"
	"iter"
	"maps"
	"slices"

	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/spill"
)

// Patterns on longer values are tested on the documents that their words select.
const (
	gramMeanLen   = 32
	gramMinValues = 32
)

// gramTexts stores a field's distinct values until it is known whether a gram index pays off.
type gramTexts struct {
	s         *spill.Stream // nil once the values are known to be too long
	n, total  int
	maxValues int // limit of values
}

func (g *gramTexts) add(text []byte) {
	g.n++
	g.total += len(text)
	if g.s == nil {
		return
	}
	if g.total > gramMeanLen*g.maxValues {
		g.s = nil
		return
	}
	g.s.Bytes(text)
}

// grams returns nil if a gram index does not pay off.
func (g *gramTexts) grams() (iter.Seq[snapshot.Gram], error) {
	if g.s == nil || g.n < gramMinValues || g.total > gramMeanLen*g.n {
		return nil, nil
	}
	lists := map[uint64]*gapList{}
	r := g.s.Reader()
	for i := range g.n {
		addGrams(lists, uint32(i), r.Bytes())
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	return func(yield func(snapshot.Gram) bool) {
		var values []uint32
		for _, k := range slices.Sorted(maps.Keys(lists)) {
			values = lists[k].appendTo(values[:0])
			if !yield(snapshot.Gram{Key: k, Values: values}) {
				return
			}
		}
	}, nil
}

// gapList stores ascending numbers as distances, most of which take one or two bytes.
type gapList struct {
	last uint32
	b    []byte
}

// add appends a number unless it equals the last.
func (l *gapList) add(n uint32) {
	if len(l.b) > 0 && l.last == n {
		return
	}
	l.b = binary.AppendUvarint(l.b, uint64(n-l.last))
	l.last = n
}

func (l *gapList) appendTo(buf []uint32) []uint32 {
	at := uint32(0)
	for b := l.b; len(b) > 0; {
		gap, n := binary.Uvarint(b)
		at += uint32(gap)
		buf = append(buf, at)
		b = b[n:]
	}
	return buf
}

func addGrams(lists map[uint64]*gapList, ord uint32, text []byte) {
	var x, y rune
	n := 0
	for _, r := range string(text) {
		r = pattern.FoldRune(r)
		if n++; n >= 3 {
			k := snapshot.GramKey(x, y, r)
			l := lists[k]
			if l == nil {
				l = &gapList{}
				lists[k] = l
			}
			l.add(ord)
		}
		x, y = y, r
	}
}
