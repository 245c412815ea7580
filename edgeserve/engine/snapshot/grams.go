// This file holds the gram index. For each sequence of three runes it lists the short strings that contain it. A
// pattern with a leading star then reads only the listed strings.

package snapshot

import (
	"encoding/binary"
	"iter"
	"slices"
)

// GramKey returns the key of three folded runes.
func GramKey(a, b, c rune) uint64 { return uint64(a)<<42 | uint64(b)<<21 | uint64(c) }

// Gram is the input of one entry. A Writer does not retain Values.
type Gram struct {
	Key    uint64
	Values []uint32 // ascending ordinals
}

// Grams is the gram index of one field.
type Grams struct {
	keys, offs Packed
	data       []byte
}

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
		if err := p.spillFull(spool); err != nil {
			return p, true, err
		}
	}
	p.head = appendPacked(appendPacked(nil, keys), append(offs, p.len()))
	return p, true, nil
}

func openGrams(b []byte) *Grams {
	d := &decoder{b: b, what: "grams"}
	g := &Grams{keys: d.packed(), offs: d.packed()}
	g.data = d.b
	if g.offs.n != g.keys.n+1 {
		d.fail("tables of different lengths")
	}
	return g
}

func (g *Grams) list(key uint64) []byte {
	i := g.keys.Search(key)
	if i == g.keys.n || g.keys.At(i) != key {
		return nil
	}
	from, to := int(g.offs.At(i)), int(g.offs.At(i+1))
	return section("grams", g.data, from, to-from)
}

// probeBytes is the number of list bytes that cost as much to read as testing one value.
const probeBytes = 32

// Values appends the ascending ordinals of the values that contain the grams. Once the rarest grams
// leave few candidates, it ignores the other grams. Some of the values may then lack a gram.
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
		case len(buf) > 0 && len(l) <= probeBytes*len(buf):
			buf = intersectGaps(buf, l)
		}
	}
	return buf
}

func appendGaps(buf []uint32, list []byte) []uint32 {
	d := decoder{b: list, what: "grams"}
	for last := uint32(0); len(d.b) > 0; {
		last += uint32(d.uvarint())
		buf = append(buf, last)
	}
	return buf
}

// intersectGaps keeps the numbers of buf that are also in list. Both ascend.
func intersectGaps(buf []uint32, list []byte) []uint32 {
	kept, i := buf[:0], 0
	d := decoder{b: list, what: "grams"}
	for last := uint32(0); len(d.b) > 0 && i < len(buf); {
		last += uint32(d.uvarint())
		for i < len(buf) && buf[i] < last {
			i++
		}
		if i < len(buf) && buf[i] == last {
			kept = append(kept, last)
		}
	}
	return kept
}
