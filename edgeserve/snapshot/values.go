// This file holds the sorted distinct values of a column. Strings are front-coded. A long
// string is stored as a pointer into a fragment, so whole values of any length cost a few
// bytes. Content ids are always stored: they are looked up most.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// InlineMax is the greatest suffix that is stored inline. From nine bytes on a pointer is
// shorter, but it costs a read elsewhere in the file. Names and titles, which patterns are
// tried on, mostly fit.
const InlineMax = 16

// StringValue is the input of one distinct value. Doc and Offset locate one occurrence: a
// fragment and the offset behind the opening quote; 0 means none. Docs is ordered by
// ContentID. A Writer retains none of the slices.
type StringValue struct {
	Text   []byte
	Doc    DocID
	Offset uint32
	Docs   []DocID

	// Locate gives Doc and Offset if the Writer needs them and Offset is 0. It may be nil.
	Locate func() (DocID, uint32)
}

// Strings is a sorted list of distinct strings, read in place.
type Strings struct {
	n     int
	index blockIndex
	data  []byte
	offs  Packed
	r     *Reader // to read strings in fragments
}

// stringWriter encodes ascending values.
type stringWriter struct {
	data  part
	offs  []uint64
	heads headWriter
	prev  []byte
	n     int
	spool func() Spool
	err   error

	stored bool // store values of any length inline
}

// ascends reports whether text may be the next value.
func (w *stringWriter) ascends(text []byte) bool { return w.n == 0 || bytes.Compare(w.prev, text) < 0 }

func (w *stringWriter) add(v StringValue) {
	shared := 0
	if w.n%blockLen == 0 {
		w.offs = append(w.offs, w.data.len())
		w.heads.add(v.Text)
	} else {
		shared = commonPrefix(w.prev, v.Text)
	}
	w.n++
	w.prev = append(w.prev[:0], v.Text...)
	if w.stored {
		v.Offset = 0
	} else if v.Offset == 0 && v.Locate != nil && len(v.Text)-shared > InlineMax {
		v.Doc, v.Offset = v.Locate()
	}
	w.data.b = appendString(w.data.b, v, shared)
	if err := w.data.spillFull(w.spool); w.err == nil {
		w.err = err
	}
}

func (w *stringWriter) indexBytes() []byte {
	prefix := w.heads.commonPrefix(w.prev)
	prefix = prefix[:min(len(prefix), 256)]
	index := binary.AppendUvarint(nil, uint64(w.n))
	return appendPacked(w.heads.appendTo(index, prefix), w.offs)
}

// appendString encodes an entry. Its first number is twice the shared length, plus one for
// a pointer into a fragment.
func appendString(data []byte, v StringValue, shared int) []byte {
	suffix := v.Text[shared:]
	if len(suffix) <= InlineMax || v.Offset == 0 {
		data = binary.AppendUvarint(data, uint64(shared)<<1)
		return append(binary.AppendUvarint(data, uint64(len(suffix))), suffix...)
	}
	data = binary.AppendUvarint(data, uint64(shared)<<1|1)
	data = binary.AppendUvarint(data, uint64(v.Doc))
	return binary.AppendUvarint(data, uint64(v.Offset))
}

func openStrings(r *Reader, index, data []byte) (*Strings, error) {
	d := &decoder{b: index, what: "value index"}
	s := &Strings{data: data, r: r, n: d.count(1 << 40)}
	s.index = d.blockIndex(s.n)
	s.offs = d.packed()
	if d.err == nil && s.offs.n != s.index.n {
		d.fail("block table of the wrong length")
	}
	return s, d.err
}

// Len returns the number of values.
func (s *Strings) Len() int { return s.n }

// Find returns the first ordinal whose value is at least v, and whether the value equals v.
func (s *Strings) Find(v []byte) (ord int, exact bool) {
	var it StringIter
	it.s = s
	block := s.index.find(v, func(b int) int {
		it.enter(b)
		it.step()
		return bytes.Compare(v, it.Value())
	})
	it.enter(max(block, 0))
	match := 0 // bytes that v shares with the previous, smaller entry
	for it.step() {
		if it.shared > match && (it.next-1)%blockLen != 0 {
			continue // still smaller: it differs from v where its predecessor does
		}
		val := it.Value()
		if c := bytes.Compare(val, v); c >= 0 {
			return it.next - 1, c == 0
		}
		match = commonPrefix(val, v)
	}
	return s.n, false
}

// At appends the value of an ordinal to buf.
func (s *Strings) At(ord int, buf []byte) []byte {
	it := StringIter{s: s}
	it.enter(ord / blockLen)
	for range ord%blockLen + 1 {
		it.step()
	}
	return append(buf, it.Value()...)
}

// Iter returns an iterator before an ordinal.
func (s *Strings) Iter(ord int) *StringIter {
	it := &StringIter{s: s}
	it.enter(ord / blockLen)
	for range ord % blockLen {
		it.step()
	}
	return it
}

// StringIter walks values in order. It builds a value only when Value is called.
type StringIter struct {
	s      *Strings
	next   int
	d      decoder
	shared int    // bytes shared with the previous entry
	val    []byte // the latest value built
	valid  int    // leading bytes of val that belong to the current value
	built  bool   // val is the current value
	suffix []byte
	ref    bool
	doc    DocID
	off    int
}

func (it *StringIter) enter(block int) {
	it.next = block * blockLen
	it.d = decoder{what: "values"}
	it.valid = 0
	if block < it.s.offs.n {
		off := it.s.offs.At(block)
		if off > uint64(len(it.s.data)) {
			panic(&CorruptError{"values", "block offset"})
		}
		it.d.b = it.s.data[off:]
	}
}

// Seek moves to the value of an ordinal and panics if the snapshot has none there. Seeking
// a short distance ahead is fast.
func (it *StringIter) Seek(ord int) {
	// The next block may already be entered, and this entry not read.
	if ord < it.next-1 || ord/blockLen != (it.next-1)/blockLen || ord == it.next-1 && it.next%blockLen == 0 {
		it.enter(ord / blockLen)
	}
	for it.next <= ord {
		if !it.step() {
			panic(&CorruptError{"values", "an ordinal of no value"})
		}
	}
}

// Next moves to the next value.
func (it *StringIter) Next() bool { return it.step() }

// Shared returns a number of leading bytes that the current and the previous value share.
func (it *StringIter) Shared() int { return it.shared }

// Pointer returns where the current value lies in a fragment. It is false if the value is
// stored.
func (it *StringIter) Pointer() (doc DocID, offset uint32, ok bool) {
	return it.doc, uint32(it.off), it.ref
}

// Ord returns the current ordinal.
func (it *StringIter) Ord() int { return it.next - 1 }

func (it *StringIter) step() bool {
	if it.next >= it.s.n {
		return false
	}
	x := it.d.uvarint()
	it.shared, it.ref, it.built = int(x>>1), x&1 == 1, false
	it.valid = min(it.valid, it.shared)
	if it.ref {
		it.doc, it.off = DocID(it.d.uvarint()), int(it.d.uvarint())
	} else {
		it.suffix = it.d.bytes(it.d.count(len(it.d.b)))
	}
	it.next++
	if it.d.err != nil {
		panic(it.d.err)
	}
	return true
}

// Value returns the current value. It is valid until the iterator moves.
func (it *StringIter) Value() []byte {
	switch {
	case it.built:
		return it.val
	case it.ref:
		it.val = it.s.r.appendString(it.val[:0], it.doc, it.off)
	case it.shared == it.valid:
		it.val = append(it.val[:it.shared], it.suffix...)
	default:
		it.buildFromBlock()
	}
	it.built, it.valid = true, len(it.val)
	return it.val
}

// buildFromBlock builds the current value from the start of its block, because values were
// skipped.
func (it *StringIter) buildFromBlock() {
	ord := it.next - 1
	it.enter(ord / blockLen)
	for it.next < ord {
		it.step()
		it.Value()
	}
	it.step()
	if it.shared > it.valid {
		panic(&CorruptError{"values", "shares more than there is"})
	}
	it.val = append(it.val[:it.shared], it.suffix...)
}

// appendString decodes the JSON string at offset off of a fragment.
func (r *Reader) appendString(dst []byte, doc DocID, off int) []byte {
	f := r.Fragment(doc)
	if off > len(f) {
		panic(&CorruptError{"values", "outside the fragment"})
	}
	return AppendUnquoted(dst, f[off:])
}

// AppendUnquoted decodes valid JSON string text after its opening quote, up to the closing
// one.
func AppendUnquoted(dst, s []byte) []byte {
	for {
		i := plainLen(s)
		dst = append(dst, s[:i]...)
		if i >= len(s) || s[i] == '"' || i+1 >= len(s) {
			return dst
		}
		var n int
		dst, n = appendEscape(dst, s[i:])
		s = s[i+n:]
	}
}

// plainLen returns the number of bytes before the first quote or backslash. It tests eight
// at a time: long texts dominate the cost of patterns without a prefix.
func plainLen(s []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := binary.LittleEndian.Uint64(s[i:])
		quote, slash := w^'"'*ones, w^'\\'*ones
		// The lowest set bit marks the first zero byte in either word.
		if zero := ((quote-ones)&^quote | (slash-ones)&^slash) & highs; zero != 0 {
			return i + bits.TrailingZeros64(zero)>>3
		}
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' {
		i++
	}
	return i
}

// appendEscape decodes the escape at the start of s and returns its length.
func appendEscape(dst, s []byte) ([]byte, int) {
	switch s[1] {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		r, n := rune(hex4(s[2:])), 6
		if utf16.IsSurrogate(r) && len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if pair := utf16.DecodeRune(r, rune(hex4(s[8:]))); pair != utf8.RuneError {
				r, n = pair, 12
			}
		}
		return utf8.AppendRune(dst, r), min(n, len(s))
	}
	return append(dst, s[1]), 2
}

func hex4(s []byte) (v uint32) {
	for i := 0; i < 4 && i < len(s); i++ {
		c := s[i] | 0x20
		if c >= 'a' {
			c -= 'a' - '9' - 1
		}
		v = v<<4 | uint32(c-'0')&15
	}
	return v
}

// Numbers is a sorted list of distinct numbers, read in place. Integers are offsets from
// the least. Fractions are 64-bit patterns of the same order.
type Numbers struct {
	float bool
	base  int64
	p     Packed
}

func appendInts(vs []int64) []byte {
	offs := make([]uint64, len(vs))
	base := int64(0)
	if len(vs) > 0 {
		base = vs[0]
	}
	for i, v := range vs {
		offs[i] = uint64(v) - uint64(base)
	}
	return appendPacked(binary.LittleEndian.AppendUint64([]byte{0}, uint64(base)), offs)
}

func appendFloats(vs []float64) []byte {
	offs := make([]uint64, len(vs))
	for i, v := range vs {
		offs[i] = floatBits(v)
	}
	return appendPacked(binary.LittleEndian.AppendUint64([]byte{1}, 0), offs)
}

// floatBits maps a float to an integer of the same order.
func floatBits(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func (d *decoder) numbers() *Numbers {
	n := &Numbers{float: d.byte() == 1, base: int64(d.u64())}
	n.p = d.packed()
	return n
}

// Len returns the number of values.
func (n *Numbers) Len() int { return n.p.n }

// IsFloat reports whether the values are fractions.
func (n *Numbers) IsFloat() bool { return n.float }

// Int returns the integer of an ordinal.
func (n *Numbers) Int(ord int) int64 { return int64(uint64(n.base) + n.p.At(ord)) }

// Float returns the number of an ordinal.
func (n *Numbers) Float(ord int) float64 {
	if !n.float {
		return float64(n.Int(ord))
	}
	b := n.p.At(ord)
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}

// FindInt returns the first ordinal whose integer is at least v.
func (n *Numbers) FindInt(v int64) int {
	return sort.Search(n.p.n, func(i int) bool { return n.Int(i) >= v })
}

// FindFloat returns the first ordinal whose number is at least v.
func (n *Numbers) FindFloat(v float64) int {
	return sort.Search(n.p.n, func(i int) bool { return n.Float(i) >= v })
}
