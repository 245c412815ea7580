// This file builds a snapshot of a few kilobytes with every kind of section and list. It is
// small enough to damage each of its bits. The file also has functions to damage snapshots.

package snapshot

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"testing"
)

// pocketItems is one more than fills a block.
const pocketItems = postBlock + 1

func pocket() *twin {
	tw := &twin{meta: Meta{Env: "pocket", Sort: "Name", Asc: true, Analysis: 1, Items: pocketItems}}
	ids := newTwinField("ContentID", Text)
	for d := range pocketItems {
		id := fmt.Sprintf("%03d", pocketItems-d)
		tw.ids, tw.rank = append(tw.ids, id), append(tw.rank, pocketItems-1-d)
		tw.fragments = append(tw.fragments, `{"ContentID":"`+id+`"}`)
		put(ids.strings, id, DocID(d))
	}
	tw.fragments[7] = `{"ContentID":"122","s":["a string that is\u0020long","a string that is long too"]}`
	tw.fields = []*twinField{ids, pocketFloats(), pocketNumbers(), pocketStrings(), pocketWords(), pocketSets()}
	return tw
}

func pocketFloats() *twinField {
	f := newTwinField("f", Float)
	for d, v := range []float64{math.Inf(-1), -2.5, 0, 0.1, math.MaxFloat64} {
		put(f.floats, v, DocID(d))
	}
	return f
}

func pocketNumbers() *twinField {
	n := newTwinField("n", Long)
	for d := range DocID(pocketItems) {
		put(n.ints, int64(d%5)-2, d)
		if d%50 == 0 {
			put(n.ints, 1000, d)
		}
	}
	n.sort = n.column()
	n.sort[0], n.sort[1] = n.sort[1], n.sort[0]
	return n
}

func pocketStrings() *twinField {
	s := newTwinField("s", Text)
	for d, text := range []string{"", "a", "a b", "\xff", "same", "same as this", "same as that"} {
		put(s.strings, text, DocID(d))
	}
	for i, text := range []string{"a string that is long", "a string that is long too"} {
		put(s.strings, text, 7)
		s.where[text] = StringValue{Doc: 7, Offset: []uint32{25, 54}[i]}
	}
	for i := range 20 {
		put(s.strings, fmt.Sprintf("value %02d", i), DocID(i+20))
	}
	s.grams = map[uint64][]uint32{GramKey('a', 'm', 'e'): {0}, GramKey('s', 'a', 'm'): {0}}
	return s
}

// pocketWords has a list with a full block and a tail, short lists, and terms with one
// document.
func pocketWords() *twinField {
	w := newTwinField("w", Text)
	all, some := map[DocID][]uint32{}, map[DocID][]uint32{}
	for d := range DocID(pocketItems) {
		all[d] = []uint32{0, 5 + d}[:1+d%2]
		w.norms[d] = byte(1 + d)
		if d%20 == 3 {
			some[d] = []uint32{d, d + 1, d + 1000}
		}
	}
	w.terms["all"], w.terms["some"] = all, some
	for i := range 18 {
		w.terms[fmt.Sprintf("only %02d", i)] = map[DocID][]uint32{DocID(i * 7): []uint32{4, 9}[:1+i%2]}
	}
	w.terms["eight"] = map[DocID][]uint32{9: {1, 2, 3, 4, 5, 6, 7, 8}}
	w.terms["nine"] = map[DocID][]uint32{9: {1, 2, 3, 4, 5, 6, 7, 8, 90}}
	for i := range w.factor {
		w.factor[i] = 0.3 + float32(i)/40
	}
	return w
}

// pocketSets has seven sets of values without anything in common. In set i, documents i and
// i+1 have a value, and i has a second one.
func pocketSets() *twinField {
	x := newTwinField("x", Float)
	two := func(i DocID) (lower, higher docSet) { return docSet{i: true}, docSet{i: true, i + 1: true} }
	floats := func(i DocID, a, b float64) *twinNumbers {
		n := newTwinNumbers()
		n.floats[a], n.floats[b] = two(i)
		return n
	}
	ints := func(i DocID, a, b int64) *twinNumbers {
		n := newTwinNumbers()
		n.ints[a], n.ints[b] = two(i)
		return n
	}
	x.twinNumbers = floats(0, float64(float32(0.1)), 2)
	x.strings["0.1"], x.strings["2.0"] = two(1)
	x.subs = [SubCount]*twinNumbers{
		SubLong: ints(2, 0, 2), SubDouble: floats(3, 0.1, 2), SubBoolean: ints(4, 0, 1), SubDate: ints(5, 1000, 2000),
	}
	lower, higher := two(6)
	x.sort = []docSet{higher, lower}
	return x
}

// repair corrects all checksums that the table leads to.
func repair(b []byte) []byte {
	if len(b) < headerLen+footerLen {
		return b
	}
	foot := b[len(b)-footerLen:]
	at := binary.LittleEndian.Uint64(foot)
	if at > uint64(len(b)-footerLen) {
		return b
	}
	toc := b[at : len(b)-footerLen]
	for e := toc; len(e) >= entryLen; e = e[entryLen:] {
		row := entry{off: binary.LittleEndian.Uint64(e[8:]), n: binary.LittleEndian.Uint64(e[16:])}
		if row.off <= at && row.n <= at-row.off && row.padded() <= at {
			binary.LittleEndian.PutUint32(e[24:], crc32.Checksum(b[row.off:row.padded()], crcTable))
		}
	}
	binary.LittleEndian.PutUint32(foot[12:], crc32.Checksum(toc, crcTable))
	binary.LittleEndian.PutUint32(foot[24:], frameSum(binary.LittleEndian.Uint32(b[8:]), foot))
	return b
}

// damage changes the bytes of a valid snapshot.
type damage func(t testing.TB, b []byte) []byte

// row changes the table entry of a section.
func row(k kind, path string, change func(e []byte)) damage {
	return func(t testing.TB, b []byte) []byte {
		r, err := OpenBytes(b)
		if err != nil {
			t.Fatal(err)
		}
		field := uint32(NoField)
		if path != "" {
			field = r.Field(path).no
		}
		for i, e := range r.toc {
			if e.kind == k && e.field == field {
				change(b[len(b)-footerLen-(len(r.toc)-i)*entryLen:])
				return b
			}
		}
		t.Fatalf("no %s of %s", kindNames[k], path)
		return nil
	}
}

// in changes the bytes of a section.
func in(k kind, path string, change func(s []byte)) damage {
	return func(t testing.TB, b []byte) []byte {
		return row(k, path, func(e []byte) {
			off, n := binary.LittleEndian.Uint64(e[8:]), binary.LittleEndian.Uint64(e[16:])
			change(b[off : off+n])
		})(t, b)
	}
}

// u64 returns a change that writes an integer.
func u64(at int, v uint64) func([]byte) {
	return func(b []byte) { binary.LittleEndian.PutUint64(b[at:], v) }
}

// set returns a change that writes bytes. A negative offset counts from the end.
func set(at int, v ...byte) func([]byte) {
	return func(b []byte) {
		if at < 0 {
			at += len(b)
		}
		copy(b[at:], v)
	}
}

// swap returns a change that replaces the first occurrence of old by other, of the same
// length.
func swap(old, other string) func([]byte) {
	return func(b []byte) { copy(b[bytes.Index(b, []byte(old)):], other) }
}

func TestPocket(t *testing.T) {
	b := pocket().write(t)
	r := pocket().open(t)
	if len(b) > 11_000 {
		t.Errorf("%d bytes are many to damage one by one", len(b))
	}
	has := map[kind]bool{}
	for _, e := range r.toc {
		has[e.kind] = has[e.kind] || e.n > 0
	}
	for k, name := range kindNames {
		if !has[k] && k != kindLeftOut && k != kindItemSums { // left_out_test.go and search_only_test.go damage these
			t.Errorf("no %s section", name)
		}
	}
}
