// This file writes search-only snapshots: what searches read of a snapshot, without its items.

package snapshot

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"slices"
)

// keptMore is the number of bytes that a search-only snapshot keeps of a long value after the bytes that it shares with
// its neighbours. A head of an index has as many, so Check can compare both.
const keptMore = 8

// inlineMaxSearchOnly is InlineMax of search-only snapshots: the length of the longest keyword that mappings
// of Elasticsearch usually have. Patterns, sort values and aggregations of such values read no items. Beside 16
// it costs a 40th to a 16th of the snapshot.
const inlineMaxSearchOnly = 256

// WriteSearchOnly writes the search-only snapshot of an open snapshot with items. Equal snapshots make
// equal bytes.
func (r *Reader) WriteSearchOnly(w io.Writer) (err error) {
	defer Recover(&err)
	if r.cache != nil {
		return &SearchOnlyError{}
	}
	wr := newWriter(w, r.meta, VersionSearchOnly)
	sections := slices.Clone(r.toc)
	slices.SortFunc(sections, func(a, b entry) int { return cmp.Compare(a.off, b.off) })
	for _, e := range sections {
		b := r.data[e.off : e.off+e.n]
		switch e.kind {
		case kindMeta: // newWriter wrote it
		case kindFragments:
			wr.section(kindItemSums, NoField, r.itemSums())
		case kindStarts:
		case kindValueIndex:
			index, values := r.fields[e.field].subs[SubKeyword].strings.withoutPointers(r.fields[e.field].Path == IDField)
			wr.section(kindValueIndex, e.field, index)
			wr.section(kindValues, e.field, values)
		case kindValues: // written with its index
		default:
			wr.section(e.kind, e.field, b)
		}
	}
	return wr.finish()
}

// itemSums encodes the checksum of each item.
func (r *Reader) itemSums() []byte {
	b := make([]byte, 0, 4*r.meta.Items)
	for d := range DocID(r.meta.Items) {
		b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(r.Fragment(d), crcTable))
	}
	return b
}

// withoutPointers encodes the values for a snapshot without items: values of some length inline, and of others the
// beginning that distinguishes them from their neighbours. stored keeps values of any length whole.
func (s *Strings) withoutPointers(stored bool) (index, data []byte) {
	w := stringWriter{dictionaryWriter: dictionaryWriter{data: part{kind: kindValues}}, stored: stored}
	value := StringValue{} // the value before the iterator's
	before := 0            // bytes that it shares with the previous one
	for it, n := s.Iter(0), 0; n < s.n; n++ {
		it.Next()
		text := it.Value()
		shared := commonPrefix(value.Text, text)
		if n > 0 {
			w.addBeginning(value, max(before, shared))
		}
		value.Text, before = append(value.Text[:0], text...), shared
		value.Doc, value.Offset, _ = it.Pointer()
		if !it.ref {
			value.Offset = 0
		}
	}
	if s.n > 0 {
		if s.n == 1 {
			before = maxValuePrefix // the prefix of the index is this value
		}
		w.addBeginning(value, before)
	}
	return w.indexBytes(maxValuePrefix), w.data.b
}

// addBeginning appends a value: whole, or a pointer with the beginning of the value. same is the number of
// bytes that it shares with a neighbour.
func (w *stringWriter) addBeginning(v StringValue, same int) {
	shared := w.next(v.Text)
	kept := same + keptMore
	if w.stored || v.Offset == 0 || len(v.Text)-shared <= inlineMaxSearchOnly || kept >= len(v.Text) {
		v.Offset = 0
		w.data.b = appendString(w.data.b, v, shared)
		return
	}
	b := binary.AppendUvarint(w.data.b, uint64(shared)<<1|1)
	b = binary.AppendUvarint(b, uint64(kept-shared))
	b = append(b, v.Text[shared:kept]...)
	w.data.b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(v.Doc)), uint64(v.Offset))
}

// compareBeginning compares v with a value of which the snapshot has the beginning. It reads the item only if
// v begins with all of that. If the item is lacking, the value counts as v: a response that needs the value
// most often needs its item too.
func (it *StringIter) compareBeginning(v []byte, from int) (c, same int) {
	same = from + commonPrefix(it.suffix, v[from:])
	if same == len(v) {
		return -1, same // the value is longer than its beginning
	}
	if same < from+len(it.suffix) {
		return bytes.Compare(v[same:], it.suffix[same-from:]), same
	}
	f, ok := it.s.r.cache.item(it.doc)
	if !ok {
		return 0, len(v)
	}
	if it.off > len(f) {
		panic(&CorruptError{"values", "outside the fragment"})
	}
	c, same = compareUnquoted(f[it.off:], from, v[from:])
	return c, from + same
}

// Lacking reports whether values may be cut in the current response, because it lacks items. Callers must not keep such
// values for later responses.
func (s *Strings) Lacking() bool {
	return s.r.cache != nil && (s.r.cache.over || len(s.r.cache.lacking) > 0)
}

// known returns the current value without reading an item of a search-only snapshot: of a long value, its
// beginning.
func (it *StringIter) known() []byte {
	switch {
	case it.built:
		return it.val
	case it.ref && it.s.r.cache == nil:
		return it.Value()
	case it.shared == it.valid:
		it.val = append(it.val[:it.shared], it.suffix...)
	default: // values were skipped
		it.val = it.s.at(it.next-1, it.val[:0], false)
	}
	it.built, it.valid = true, len(it.val)
	return it.val
}

// SearchOnlyError reports a search-only snapshot where a whole one is needed.
type SearchOnlyError struct{}

// Error says what the file is for, and names the remedy.
func (e *SearchOnlyError) Error() string {
	return "the snapshot is search-only: it holds no items, which browsers and workers fetch as files; use the release's own snapshot"
}
