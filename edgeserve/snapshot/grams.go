// This file holds the gram index: for short strings, which blocks of values hold a
// sequence of three runes, so that a pattern with a star in front need not read
// every value.

package snapshot

import (
	"encoding/binary"
	"slices"
)

// GramBlock is the number of consecutive values a gram's entry stands for: small
// enough that verifying a block is cheap, large enough that common grams cost little.
const GramBlock = 64

// GramKey names a sequence of three folded runes.
func GramKey(a, b, c rune) uint64 { return uint64(a)<<42 | uint64(b)<<21 | uint64(c) }

// Gram is an entry of the index as a Writer takes it.
type Gram struct {
	Key    uint64
	Blocks []uint32 // ascending: value ordinal / GramBlock
}

// Grams is the gram index of one field.
type Grams struct {
	keys, offs Packed
	data       []byte
}

func appendGrams(gs []Gram) []byte {
	keys, offs := make([]uint64, len(gs)), make([]uint64, len(gs)+1)
	var data []byte
	for i, g := range gs {
		keys[i], offs[i] = g.Key, uint64(len(data))
		last := uint32(0)
		for _, b := range g.Blocks {
			data = binary.AppendUvarint(data, uint64(b-last))
			last = b
		}
	}
	offs[len(gs)] = uint64(len(data))
	return append(appendPacked(appendPacked(nil, keys), offs), data...)
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

// Blocks appends the blocks of values that hold a gram, ascending.
func (g *Grams) Blocks(key uint64, buf []uint32) []uint32 {
	i := g.keys.Search(key)
	if i == g.keys.n || g.keys.At(i) != key {
		return buf
	}
	from, to := int(g.offs.At(i)), int(g.offs.At(i+1))
	d := dec{b: section("grams", g.data, from, to-from), what: "grams"}
	last := uint32(0)
	for len(d.b) > 0 {
		last += uint32(d.uv())
		buf = append(buf, last)
	}
	if d.err != nil {
		panic(d.err)
	}
	return buf
}

// Intersect keeps in a the numbers that b holds too; both ascend.
func Intersect(a, b []uint32) []uint32 {
	out := a[:0]
	for _, x := range a {
		i, ok := slices.BinarySearch(b, x)
		if ok {
			out = append(out, x)
		}
		b = b[i:]
	}
	return out
}
