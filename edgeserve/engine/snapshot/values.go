// This file holds a column's sorted distinct values, front-coded. A long string is a pointer into a
// fragment and takes a few bytes, however long it is. Content ids are always stored inline, because they
// are looked up most.

package snapshot

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"unicode/utf8"

	"contentedge/edgeserve/wire/jsoncursor"
)

// InlineMax is the length of the longest suffix that is stored inline. From nine bytes on, a pointer is
// shorter, but costs a read elsewhere. Most names and titles, which patterns search, are stored inline.
const InlineMax = 16

// StringValue is the input of one distinct value. Doc and Offset locate one occurrence: a fragment and the offset after
// the opening quote; 0 means no occurrence. Docs is ordered by ContentID. A Writer retains none of the slices.
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
	dictionary
	r *Reader // to read strings in fragments
}

type stringWriter struct {
	dictionaryWriter
	stored bool // store values of any length inline
}

func (w *stringWriter) add(v StringValue) {
	shared := w.next(v.Text)
	if w.stored {
		v.Offset = 0
	} else if v.Offset == 0 && v.Locate != nil && len(v.Text)-shared > InlineMax {
		v.Doc, v.Offset = v.Locate()
	}
	w.data.b = appendString(w.data.b, v, shared)
	w.spill(&w.data)
}

// maxValuePrefix limits the common prefix of an index: values have any length.
const maxValuePrefix = 256

// appendString encodes an entry. It begins with twice the shared length, plus one for a pointer.
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

func openStrings(r *Reader, index, data []byte) *Strings {
	d := &decoder{b: index, what: "value index"}
	s := &Strings{dictionary: d.dictionary(data), r: r}
	if s.offs.n != s.index.n {
		d.fail("block table of the wrong length")
	}
	return s
}

// Find returns the first ordinal whose value is at least v, and whether the value equals v. It reads
// values up to where they differ from v, however long they are.
func (s *Strings) Find(v []byte) (ord int, exact bool) {
	var it StringIter
	it.s = s
	block := s.index.find(v, func(b int) int {
		it.enter(b)
		it.step()
		c, _ := it.compare(v)
		return c
	})
	it.enter(max(block, 0))
	match := 0 // number of bytes that v shares with the previous, smaller entry
	for it.step() {
		if it.shared > match && (it.next-1)%blockLen != 0 {
			continue // still smaller: it differs from v where its predecessor does
		}
		c, same := it.compare(v)
		if c <= 0 {
			return it.next - 1, c == 0
		}
		match = same
	}
	return s.n, false
}

// compare compares v with the current value and returns how many bytes they share. v begins with the
// bytes that the value shares with its predecessor.
func (it *StringIter) compare(v []byte) (c, same int) {
	from := min(it.shared, len(v))
	if it.ref && it.s.r.cache != nil {
		return it.compareBeginning(v, from)
	}
	if it.ref {
		f := it.s.r.Fragment(it.doc)
		if it.off > len(f) {
			panic(&CorruptError{"values", "outside the fragment"})
		}
		c, same = compareUnquoted(f[it.off:], from, v[from:])
		return c, from + same
	}
	same = from + commonPrefix(it.suffix, v[from:])
	return bytes.Compare(v[from:], it.suffix), same
}

// At appends the value of an ordinal to buf.
func (s *Strings) At(ord int, buf []byte) []byte {
	return s.at(ord, buf, true)
}

// at appends the value of an ordinal. If whole is false, it reads no item of a search-only snapshot: a long
// value is its beginning then.
func (s *Strings) at(ord int, buf []byte, whole bool) []byte {
	var entries [blockLen]stringEntry
	d := decoder{s.block(ord/blockLen, "values"), "values"}
	last := ord % blockLen
	for i := range last + 1 {
		entries[i].read(&d, s)
	}
	if e := &entries[last]; e.ref && whole {
		if value, ok := s.r.appendString(buf, e.doc, e.off); ok {
			return value
		}
	}
	return s.build(entries[:last+1], buf)
}

// build appends the value of the last entry to buf, from its suffix. It copies only from entries that have
// bytes of the value.
func (s *Strings) build(entries []stringEntry, buf []byte) []byte {
	e := &entries[len(entries)-1]
	start, need := len(buf), e.shared
	if need > max(len(s.data), len(s.r.fragments)) {
		panic(&CorruptError{"values", "shares more than there is"})
	}
	buf = slices.Grow(buf, need+len(e.suffix))[:start+need]
	buf = append(buf, e.suffix...)
	for i := len(entries) - 2; need > 0; i-- {
		if i < 0 {
			panic(&CorruptError{"values", "shares more than there is"})
		}
		from, suffix := entries[i].shared, entries[i].suffix
		if entries[i].ref && s.r.cache == nil {
			end := len(buf)
			buf, _ = s.r.appendString(buf, entries[i].doc, entries[i].off)
			from, suffix, buf = 0, buf[end:], buf[:end]
		}
		if from >= need {
			continue
		}
		if len(suffix) < need-from {
			panic(&CorruptError{"values", "shares more than there is"})
		}
		copy(buf[start+from:start+need], suffix)
		need = from
	}
	return buf
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
	s     *Strings
	next  int
	d     decoder
	val   []byte // the latest value built
	valid int    // leading bytes of val that belong to the current value
	built bool   // val is the current value
	stringEntry
}

// stringEntry is an entry of a block: the suffix of a value or, with ref, the place of the whole value.
type stringEntry struct {
	shared int    // bytes shared with the previous entry
	suffix []byte // of a pointer in a search-only snapshot: the beginning of the value
	ref    bool
	doc    DocID
	off    int
}

func (e *stringEntry) read(d *decoder, s *Strings) {
	if b := d.b; len(b) > 1 && b[0]&0x81 == 0 && b[1] < 0x80 && int(b[1]) <= len(b)-2 { // most are short
		end := 2 + int(b[1])
		e.shared, e.ref, e.suffix, d.b = int(b[0]>>1), false, b[2:end:end], b[end:]
		return
	}
	x := d.uvarint()
	e.shared, e.ref = int(x>>1), x&1 == 1
	if e.ref {
		e.suffix = nil
		if s.r.cache != nil {
			e.suffix = d.bytes(d.count(len(d.b)))
		}
		e.doc, e.off = DocID(d.uvarint()), int(d.uvarint())
	} else {
		e.suffix = d.bytes(d.count(len(d.b)))
	}
}

func (it *StringIter) enter(block int) {
	it.next = block * blockLen
	it.d = decoder{it.s.block(block, "values"), "values"}
	it.valid = 0
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

// Pointer returns where the current value is in a fragment, or false if the value is stored.
func (it *StringIter) Pointer() (doc DocID, offset uint32, ok bool) {
	return it.doc, uint32(it.off), it.ref
}

// AtMost returns a bound of the length of the current value, in bytes, without reading the value.
func (it *StringIter) AtMost() int {
	if it.ref && it.s.r.cache == nil {
		return len(it.s.r.Fragment(it.doc)) - it.off
	}
	return it.shared + len(it.suffix)
}

// Ord returns the current ordinal.
func (it *StringIter) Ord() int { return it.next - 1 }

func (it *StringIter) step() bool {
	if it.next >= it.s.n {
		return false
	}
	it.read(&it.d, it.s)
	it.valid, it.built = min(it.valid, it.shared), false
	it.next++
	return true
}

// Value returns the current value. It is valid until the iterator moves.
func (it *StringIter) Value() []byte {
	if it.built {
		return it.val
	}
	if it.ref {
		var whole bool
		if it.val, whole = it.s.r.appendString(it.val[:0], it.doc, it.off); whole {
			it.built, it.valid = true, len(it.val)
			return it.val
		}
	}
	return it.known()
}

// appendString decodes the JSON string at offset off of a fragment. ok is false if the item is lacking.
func (r *Reader) appendString(dst []byte, doc DocID, off int) (_ []byte, ok bool) {
	var f []byte
	if r.cache == nil {
		f = r.Fragment(doc)
	} else if f, ok = r.cache.item(doc); !ok {
		return dst, false
	}
	if off > len(f) {
		panic(&CorruptError{"values", "outside the fragment"})
	}
	return jsoncursor.AppendUnquoted(dst, f[off:]), true
}

// compareUnquoted compares v with the text of a valid JSON string, without the first skip bytes of the
// text. It also returns how many bytes they share. s begins after the opening quote. compareUnquoted reads
// little more than it compares.
func compareUnquoted(s []byte, skip int, v []byte) (c, same int) {
	var escaped [utf8.UTFMax]byte
	for {
		text := s[:jsoncursor.PlainLen(s[:min(len(s), skip+len(v)-same+1)])]
		s = s[len(text):]
		if len(text) == 0 {
			if len(s) < 2 || s[0] == '"' {
				return cmp.Compare(len(v), same), same
			}
			var n int
			text, n = jsoncursor.AppendEscape(escaped[:0], s)
			s = s[n:]
		}
		skipped := min(skip, len(text))
		text, skip = text[skipped:], skip-skipped
		n := commonPrefix(text, v[same:])
		if same += n; n < len(text) {
			if same == len(v) {
				return -1, same
			}
			return cmp.Compare(v[same], text[n]), same
		}
	}
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
		offs[i] = FloatBits(v)
	}
	return appendPacked(binary.LittleEndian.AppendUint64([]byte{1}, 0), offs)
}

// FloatBits maps a float to an integer of the same order.
func FloatBits(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

// FloatOf is the float of FloatBits.
func FloatOf(b uint64) float64 {
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
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
	return FloatOf(n.p.At(ord))
}

// FindInt returns the first ordinal whose integer is at least v.
func (n *Numbers) FindInt(v int64) int {
	return sort.Search(n.p.n, func(i int) bool { return n.Int(i) >= v })
}

// SeekInt returns the first ordinal after lo whose integer is at least v, and how many integers it read.
// The integer of lo must be less than v. guess, at least one, is the expected distance from lo to the
// result.
func (n *Numbers) SeekInt(lo, guess int, v int64) (next, looked int) {
	hi := n.p.n
	key := uint64(v) - uint64(n.base)
	for step := guess; lo+step < hi; step *= 2 {
		if looked++; n.p.At(lo+step) >= key {
			hi = lo + step
			break
		}
		lo += step
	}
	for hi-lo > 1 {
		if mid := int(uint(lo+hi) / 2); n.p.At(mid) >= key {
			hi = mid
		} else {
			lo = mid
		}
		looked++
	}
	return hi, looked + 1
}

// FindFloat returns the first ordinal whose number is at least v.
func (n *Numbers) FindFloat(v float64) int {
	return sort.Search(n.p.n, func(i int) bool { return n.Float(i) >= v })
}
