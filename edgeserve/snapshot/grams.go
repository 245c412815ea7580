// This file holds the gram index: for short strings, which values hold a sequence of
// three runes, so that a pattern with a star in front need not read every value.

package snapshot

import (
	"encoding/binary"
	"iter"
	"slices"
)

// GramKey names a sequence of three folded runes.
func GramKey(a, b, c rune) uint64 { return uint64(a)<<42 | uint64(b)<<21 | uint64(c) }

// Gram is an entry of the index as a Writer takes it. A Writer does not keep Values.
type Gram struct {
	Key    uint64
	Values []uint32 // ascending ordinals
}

// Grams is the gram index of one field.
type Grams struct {
	keys, offs Packed
	data       []byte
}

// encodeGrams encodes the index, and tells whether the grams ascend.
func encodeGrams(grams iter.Seq[Gram], spool func() Spool) (p part, ascends bool, err error) {
	p = part{kind: kindGrams}
	var keys, offs []uint64
	for g := range grams {
		if n := len(keys); n > 0 && keys[n-1] >= g.Key {
			return p, false, nil
		}
		keys, offs = append(keys, g.Key), append(offs, p.len())
		last := uint32(0)
		for _, v := range g.Values {
			p.b = binary.AppendUvarint(p.b, uint64(v-last))
			last = v
		}
		if err := p.settle(spool); err != nil {
			return p, true, err
		}
	}
	p.head = appendPacked(appendPacked(nil, keys), append(offs, p.len()))
	return p, true, nil
}

func openGrams(b []byte) (*Grams, error) {
	d := &dec{b: b, what: "grams"}
	g := &Grams{keys: d.packed(), offs: d.packed()}
	g.data = d.b
	if d.err == nil && g.offs.n != g.keys.n+1 {
		d.fail("tables of different lengths")
	}
	return g, d.err
}

// list is the encoded values of a gram, empty if none holds it.
func (g *Grams) list(key uint64) []byte {
	i := g.keys.Search(key)
	if i == g.keys.n || g.keys.At(i) != key {
		return nil
	}
	from, to := int(g.offs.At(i)), int(g.offs.At(i+1))
	return section("grams", g.data, from, to-from)
}

// looseShare is how many bytes of a list are read to rule out a value: reading the
// value instead costs about as much.
const looseShare = 32

// Values appends the ordinals of the values that hold all of some grams, ascending.
// Where few are left after the rarest grams, the others are not asked: of several
// grams, some values may lack one.
func (g *Grams) Values(keys []uint64, buf []uint32) []uint32 {
	lists := make([][]byte, len(keys))
	for i, k := range keys {
		lists[i] = g.list(k)
	}
	slices.SortFunc(lists, func(a, b []byte) int { return len(a) - len(b) })
	for i, l := range lists {
		switch {
		case i == 0:
			buf = appendGaps(buf, l)
		case len(buf) > 0 && len(l) <= looseShare*len(buf):
			buf = keepGaps(buf, l)
		}
	}
	return buf
}

// appendGaps appends the numbers of a list.
func appendGaps(buf []uint32, list []byte) []uint32 {
	d := dec{b: list, what: "grams"}
	for last := uint32(0); len(d.b) > 0; {
		last += uint32(d.uv())
		buf = append(buf, last)
	}
	if d.err != nil {
		panic(d.err)
	}
	return buf
}

// keepGaps keeps the numbers that a list has too; both ascend.
func keepGaps(buf []uint32, list []byte) []uint32 {
	kept, i := buf[:0], 0
	d := dec{b: list, what: "grams"}
	for last := uint32(0); len(d.b) > 0 && i < len(buf); {
		last += uint32(d.uv())
		for i < len(buf) && buf[i] < last {
			i++
		}
		if i < len(buf) && buf[i] == last {
			kept = append(kept, last)
		}
	}
	if d.err != nil {
		panic(d.err)
	}
	return kept
}
