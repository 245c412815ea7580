// This file reuses a field of an older snapshot: equal strings that moved within their fragments.

package snapshot

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Encoded returns a field of an open snapshot in encoded form; nil if the snapshot lacks the field. The
// new snapshot must have the same values in the same documents. rebase maps the old offset of a string in
// the fragment of doc to its new offset; nil means that no string moved. The result shares the Reader's
// memory.
func (r *Reader) Encoded(path string, rebase func(doc DocID, offset uint32) uint32) *EncodedField {
	f := r.byPath[path]
	if f == nil {
		return nil
	}
	own := slices.Clone(r.entriesOf(f.no))
	slices.SortFunc(own, func(a, b entry) int { return cmp.Compare(a.off, b.off) }) // in file order
	out := &EncodedField{path: path, entry: f.entry}
	for _, e := range own {
		out.parts = append(out.parts, part{kind: e.kind, b: r.data[e.off : e.off+e.n]})
	}
	if k := f.subs[SubKeyword]; rebase != nil && k != nil {
		index, data, err := k.strings.rebase(rebase, r.section(kindValueIndex, f.no))
		out.setErr(err)
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

// rebase encodes the values again, and their index: its block offsets change too.
func (s *Strings) rebase(rebase func(DocID, uint32) uint32, index []byte) (newIndex, data []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("snapshot writer: %w", corrupt("values", "they do not end where the section does"))
		}
	}()
	defer Recover(&err)
	data = make([]byte, 0, len(s.data)+len(s.data)/16)
	var before, after []uint64
	d := decoder{b: s.data, what: "values"}
	for i := range s.n {
		if i%blockLen == 0 {
			before, after = append(before, uint64(len(s.data)-len(d.b))), append(after, uint64(len(data)))
		}
		data = d.copyEntry(data, rebase)
	}
	table := len(appendPacked(nil, before))
	if len(d.b) > 0 || table > len(index) {
		d.fail("wrong length")
	}
	return appendPacked(slices.Clone(index[:len(index)-table]), after), data, nil
}

func (d *decoder) copyEntry(dst []byte, rebase func(DocID, uint32) uint32) []byte {
	x, n := d.uvarint(), d.uvarint() // n is the document, or the length of the inline bytes
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, x), n)
	if x&1 == 1 {
		return binary.AppendUvarint(dst, uint64(rebase(DocID(n), uint32(d.uvarint()))))
	}
	return append(dst, d.bytes(int(n))...)
}
