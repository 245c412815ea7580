// This file holds the two array types: integers of one bit width, and maps from documents to them.

package snapshot

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"sort"
)

// maxWidth is the greatest width that one unaligned 64-bit load can read at any bit offset.
const maxWidth = 56

// tail is the zero padding after the bits. It keeps the load of the last integer in bounds.
const tail = 8

// Packed is an array of unsigned integers of one bit width, read in place.
type Packed struct {
	n     int
	width uint
	mask  uint64
	b     []byte // the bits and the tail
}

// appendPacked encodes vs: count and width, the bits, the tail.
func appendPacked[T uint32 | uint64](dst []byte, vs []T) []byte {
	width := widthOf(vs)
	if width > maxWidth {
		width = 64
	}
	dst = slices.Grow(dst, 8+bitBytes(len(vs), width)+tail)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(len(vs))|uint64(width)<<56)
	dst = appendBits(dst, vs, width)
	return append(dst, make([]byte, tail)...)
}

func widthOf[T uint32 | uint64](vs []T) uint {
	var or T
	for _, v := range vs {
		or |= v
	}
	return uint(bits.Len64(uint64(or)))
}

// appendBits appends the low width bits of the integers and pads the last byte with zeros.
func appendBits[T uint32 | uint64](dst []byte, vs []T, width uint) []byte {
	if width == 64 {
		for _, v := range vs {
			dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
		}
		return dst
	}
	var acc uint64
	var have uint
	for _, v := range vs {
		acc |= uint64(v) << have
		have += width
		for have >= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
			have -= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

func bitBytes(n int, width uint) int { return (n*int(width) + 7) / 8 }

func (d *decoder) packed() Packed {
	h := d.u64()
	n, width := h&(1<<56-1), uint(h>>56)
	if width > maxWidth && width != 64 || n > 1<<40 {
		d.fail("packed array header")
	}
	b := d.bytes(bitBytes(int(n), width) + tail)
	return Packed{n: int(n), width: width, mask: ^uint64(0) >> (64 - width), b: b}
}

// At returns integer i.
func (p *Packed) At(i int) uint64 {
	if p.width == 64 {
		return binary.LittleEndian.Uint64(p.b[8*i:])
	}
	bit := uint(i) * p.width
	return binary.LittleEndian.Uint64(p.b[bit>>3:]) >> (bit & 7) & p.mask
}

// Search returns the first index whose integer is at least v, or the length. The array must ascend.
func (p *Packed) Search(v uint64) int {
	return sort.Search(p.n, func(i int) bool { return p.At(i) >= v })
}

// DocMap maps documents to small integers: dense for all, or sparse for documents with a value.
type DocMap struct {
	missing uint64
	docs    Packed // sparse: the documents, ascending; dense: empty
	vals    Packed
	sparse  bool
	raw     []byte // dense of width 8: the integers as bytes
}

// sparseRatio is the rarity from which maps are sparse: a binary search per lookup, but less space.
const sparseRatio = 16

// appendDocMap encodes the integers of some documents, which ascend. missing represents the integers of the others.
// byteWide rounds the dense width up to 8 bits, for maps that are read for every hit.
func appendDocMap[T uint32 | uint64](dst []byte, items int, docs []DocID, vals []T, missing T, byteWide bool) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(missing))
	if len(docs)*sparseRatio < items {
		return appendPacked(appendPacked(append(dst, 1), docs), vals)
	}
	all := vals
	if len(docs) < items {
		all = slices.Repeat([]T{missing}, items)
		for i, d := range docs {
			all[d] = vals[i]
		}
	}
	if byteWide {
		dst = binary.LittleEndian.AppendUint64(append(dst, 0), uint64(items)|8<<56)
		return append(appendBits(dst, all, 8), make([]byte, tail)...)
	}
	return appendPacked(append(dst, 0), all)
}

// docMap reads a map. Its integer for "none" must be missing.
func (d *decoder) docMap(items int, missing uint64) DocMap {
	m := DocMap{missing: d.u64(), sparse: d.byte() == 1}
	if m.sparse {
		m.docs = d.packed()
	}
	m.vals = d.packed()
	want := items
	if m.sparse {
		want = m.docs.n
	}
	if m.vals.n != want || want > items || m.missing != missing {
		d.fail("document map of the wrong shape")
	}
	if !m.sparse && m.vals.width == 8 {
		m.raw = m.vals.b[:items]
	}
	return m
}

// Bytes returns the dense map if it has one byte per document, otherwise nil.
func (m *DocMap) Bytes() []byte { return m.raw }

// At returns the integer of document d, or the one that means none.
func (m *DocMap) At(d DocID) uint64 {
	if !m.sparse {
		return m.vals.At(int(d))
	}
	i := m.docs.Search(uint64(d))
	if i == m.docs.n || m.docs.At(i) != uint64(d) {
		return m.missing
	}
	return m.vals.At(i)
}

func (m *DocMap) atEach(docs []DocID, vals []uint32) {
	switch {
	case m.raw != nil:
		for i, d := range docs {
			vals[i] = uint32(m.raw[d])
		}
	case m.sparse:
		for i, d := range docs {
			vals[i] = uint32(m.At(d))
		}
	default:
		for i, d := range docs {
			vals[i] = uint32(m.vals.At(int(d)))
		}
	}
}

// Docs calls f for every document with a value, in ascending order, until f returns false.
func (m *DocMap) Docs(f func(d DocID, v uint64) bool) {
	if m.sparse {
		for i := range m.docs.n {
			if !f(DocID(m.docs.At(i)), m.vals.At(i)) {
				return
			}
		}
		return
	}
	for d := range m.vals.n {
		if v := m.vals.At(d); v != m.missing && !f(DocID(d), v) {
			return
		}
	}
}
