// This file takes over a field whose strings are the same but stand elsewhere in the
// fragments that hold them, because something before them became longer or shorter.

package snapshot

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Encoded gives a field of an open snapshot as it would have to be encoded again for
// the same values of the same documents. Where moved is not nil, it gives the offset of
// a string in the fragment of a document by the one it had. The field shares the memory
// of the Reader, and is nil where there is none.
func (r *Reader) Encoded(path string, moved func(doc DocID, offset uint32) uint32) *EncodedField {
	f := r.byPath[path]
	if f == nil {
		return nil
	}
	own := slices.DeleteFunc(slices.Clone(r.toc), func(e entry) bool { return e.field != f.no })
	slices.SortFunc(own, func(a, b entry) int { return cmp.Compare(a.off, b.off) }) // as they were written
	out := &EncodedField{path: path, entry: f.entry}
	for _, e := range own {
		out.parts = append(out.parts, part{kind: e.kind, b: r.data[e.off : e.off+e.n]})
	}
	if k := f.subs[SubKeyword]; moved != nil && k != nil {
		index, data, err := k.strings.move(moved, r.section(kindValueIndex, f.no))
		out.keep(err)
		for i := range out.parts {
			switch out.parts[i].kind {
			case kindValueIndex:
				out.parts[i].b = index
			case kindValues:
				out.parts[i].b = data
			}
		}
	}
	return out
}

// move encodes the values again, and the index, whose table of blocks changes with them.
func (s *Strings) move(moved func(DocID, uint32) uint32, index []byte) (newIndex, data []byte, err error) {
	data = make([]byte, 0, len(s.data)+len(s.data)/16)
	var before, after []uint64
	m := mover{rest: s.data}
	for i := range s.n {
		if i%blockLen == 0 {
			before, after = append(before, uint64(len(s.data)-len(m.rest))), append(after, uint64(len(data)))
		}
		data = m.entry(data, moved)
	}
	table := len(appendPacked(nil, before))
	if m.bad || len(m.rest) > 0 || table > len(index) {
		return nil, nil, fmt.Errorf("snapshot writer: %w", bad("values", "they do not end where the section does"))
	}
	return appendPacked(slices.Clone(index[:len(index)-table]), after), data, nil
}

// mover reads entries of values.
type mover struct {
	rest []byte
	bad  bool
}

// entry copies the next entry; a place in a fragment is moved.
func (m *mover) entry(dst []byte, moved func(DocID, uint32) uint32) []byte {
	x := m.uvarint()
	dst = binary.AppendUvarint(dst, x)
	n := m.uvarint() // the document, or the length of the text
	dst = binary.AppendUvarint(dst, n)
	if x&1 == 1 {
		return binary.AppendUvarint(dst, uint64(moved(DocID(n), uint32(m.uvarint()))))
	}
	if n > uint64(len(m.rest)) {
		m.bad = true
		return dst
	}
	dst = append(dst, m.rest[:n]...)
	m.rest = m.rest[n:]
	return dst
}

func (m *mover) uvarint() uint64 {
	x, n := binary.Uvarint(m.rest)
	if n <= 0 {
		m.bad, m.rest = true, nil
		return 0
	}
	m.rest = m.rest[n:]
	return x
}
