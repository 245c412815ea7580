// These tests damage snapshots: first with wrong checksums, then with repaired ones, so
// that only the structure reveals the damage.

package snapshot

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
)

// faults must be found by Open, with and without right checksums.
var faults = []struct {
	name   string
	damage damage
	want   string
}{
	{"empty", cut(0), "header: 0 bytes are too few"},
	{"short", cut(headerLen + footerLen - 1), "header: 47 bytes are too few"},
	{"other file", bytesAt(0, 'P', 'K'), "header: not a snapshot"},
	{"other byte order", bytesAt(12, 1, 2, 3, 4), "header: wrong byte order"},
	{"end mark", bytesAt(-1, 0), "footer: checksum or end mark is wrong"},
	{"footer", bytesAt(-9, 1), "footer: checksum or end mark is wrong"},
	{"cut at the end", cut(-1), "footer: checksum or end mark is wrong"},
	{"appended zeros", appended(make([]byte, 64)), "footer: checksum or end mark is wrong"},
	{"doubled", doubled, "footer: file of 20464 bytes, expected 10232"},
	{"table beyond the file", footed(set(0, 0xff, 0xff, 0xff)), "footer: 84 sections do not fit a table at 16777215"},
	{"table elsewhere", footed(set(7, 0x80)), "footer: 84 sections do not fit a table at 9223372036854783320"},
	{"too many entries", footed(set(8, 0xff, 0xff, 0xff, 0xff)), "footer: 4294967295 sections do not fit a table at 7512"},
	{"table", bytesAt(-footerLen-1, 1), "table of contents: checksum is wrong"},
}

func cut(n int) damage {
	return func(t testing.TB, b []byte) []byte {
		if n < 0 {
			return b[:len(b)+n]
		}
		return b[:n]
	}
}

func bytesAt(at int, v ...byte) damage {
	return func(t testing.TB, b []byte) []byte {
		set(at, v...)(b)
		return b
	}
}

func appended(tail []byte) damage {
	return func(t testing.TB, b []byte) []byte { return append(b, tail...) }
}

func doubled(t testing.TB, b []byte) []byte { return append(b, b...) }

// footed changes the footer and repairs its checksum.
func footed(change func([]byte)) damage {
	return func(t testing.TB, b []byte) []byte {
		foot := b[len(b)-footerLen:]
		change(foot)
		binary.LittleEndian.PutUint32(foot[24:], frameSum(Version, foot))
		return b
	}
}

// lies have right checksums. Open, Verify or Check must find them.
var lies = []struct {
	name   string
	damage damage
	want   string
}{
	{"section off its place", row(kindNorms, "w", set(8, 1)), "table of contents: norms section outside the file"},
	{"section beyond the table", row(kindNorms, "w", u64(8, 1<<20)), "table of contents: norms section outside the file"},
	{"section that wraps around", row(kindNorms, "w", u64(16, 1<<64-8)), "table of contents: norms section outside the file"},
	{"entries out of order", row(kindNorms, "w", set(0, byte(kindTerms))), "table of contents: entry 39 is not in order"},
	{"overlapping sections", row(kindTerms, "w", u64(8, headerLen)), "table of contents: terms section is not next to another"},
	{"bytes of no section", gap, "table of contents: sections and table do not meet"},
	{"section too short", row(kindGrams, "s", set(16, 8)), "grams: cut short"},
	{"section missing", row(kindNumbers, "f", set(0, 30)), "numbers: cut short"},
	{"unknown section", row(kindGrams, "s", set(0, byte(kindGrams+1))), ""},

	{"no meta", row(kindMeta, "", set(16, 0)), "meta: bad varint"},
	{"too many items", in(kindMeta, "", set(-2, 0xff, 0x7f)), "starts: not one start an item"},
	{"too few items", in(kindMeta, "", set(-2, 0x80, 0)), "starts: not one start an item"},
	{"width of an array", in(kindStarts, "", set(7, 57)), "starts: packed array header"},
	{"endless array", in(kindStarts, "", u64(0, 1<<41)), "starts: packed array header"},
	{"long array", in(kindStarts, "", set(4, 1)), "starts: cut short"},
	{"last start", in(kindStarts, "", set(-10, 0)), "starts: fragments of another length"},
	{"first start", in(kindStarts, "", set(8, 1)), "starts: fragments of another length"},
	{"fragment", in(kindFragments, "", set(0, '[')), "fragments: document 0 is not an object"},
	{"comma", in(kindFragments, "", set(19, ' ')), "fragments: no comma after document 0"},
	{"start", in(kindStarts, "", set(10, 0xff)), "fragments: outside the section"},

	{"more items than fragments", tooManyItems, "starts: more items than their fragments have room for"},

	{"unknown type", in(kindFields, "", set(11, 9)), "fields: unknown type of field"},
	{"other type", in(kindFields, "", set(11, byte(Long))), "numbers: cut short"},
	{"too many fields", in(kindFields, "", set(0, 7)), "fields: bad varint"},
	{"too few fields", in(kindFields, "", set(0, 5)), "fields: bytes after the last one"},
	{"fields out of order", in(kindFields, "", set(2, 'z')), `fields: "f" after "zontentID"`},
	{"documents with a token", in(kindFields, "", set(12, 1)), "field ContentID: snapshot is damaged: norms: 0 documents with a token, expected 1"},
	{"id that is not there", in(kindColumn+2, "ContentID", set(18, 0xff)), "ContentID: snapshot is damaged: column least: document 1 has value 127"},

	{"item without an id", missingID, "fields: ContentID does not name every item"},
	{"ids that are numbers", numericIDs, "fields: ContentID does not name every item"},
	{"id of two items", duplicateIDs, "fields: ContentID does not name every item"},

	{"none of a map", in(kindNorms, "w", set(0, 1)), "norms: document map of the wrong shape"},
	{"length of a map", in(kindNorms, "w", set(9, 0x80)), "norms: document map of the wrong shape"},
	{"endless map", in(kindNorms, "ContentID", wideEmptyMap), "norms: document map of the wrong shape"},
	{"norm of a document", in(kindNorms, "w", set(17, 0)), "norms: 128 documents with a token, expected 129"},
	{"norm above a byte", rewriteSection("w", kindNorms, wideNorm), "norms: document 20 has length 256"},

	{"kind of numbers", in(kindNumbers, "f", set(0, 0)), "numbers: not one value of its type an ordinal"},
	{"no number", in(kindNumbers, "f", u64(17+4*8, 1<<64-1)), "numbers: value 4 is not a number"},
	{"numbers out of order", in(kindNumbers, "f", u64(17, 1<<63)), "numbers: value 1 is not in order"},
	{"integers that wrap", in(kindNumbers, "n", u64(1, 1<<63-1)), "numbers: value 1 is not in order"},

	{"value of no document", in(kindColumn, "n", set(8, 0, 0)), "column starts: value 0 has no documents"},
	{"pair of no value", in(kindColumn, "n", set(8, 1)), "column starts: not all pairs belong to a value"},
	{"pairs out of order", in(kindColumn+1, "n", set(8, 0xff)), "document 255 of 129"},
	{"pairs not by id", rewriteSection("n", kindColumn+1, swappedPairs), "field n: snapshot is damaged: column documents: value 0 is not in order"},
	{"value of no pair", rewriteSection("s", kindColumn+2, documentWithoutPair), "field s: snapshot is damaged: column least: 29 documents with a value, expected 28"},
	{"greatest of no pair", rewriteSection("s", kindColumn+3, documentWithoutPair), "field s: snapshot is damaged: column least: 29 documents with a value, expected 28"},
	{"endless column", endlessColumn, "fields: count 549755813888 above"},
	{"least value", in(kindColumn+2, "n", set(17, 0)), "column least: 127 documents with a value, expected 129"},
	{"greatest value", in(kindColumn+3, "n", set(17, 0xff)), "column least: 126 documents with a value, expected 129"},
	{"sort", in(kindSort+1, "n", set(9, 0xff)), "field n: REST order: snapshot is damaged: column documents: document 255 of 129"},

	{"number of terms", in(kindTermIndex, "w", set(0, 40)), "term index: "},
	{"head of a block", in(kindTermIndex, "w", set(9, 'z')), "term index: term 0 is not found"},
	{"terms out of order", in(kindTerms, "w", swap("eight", "aight")), "terms: term 1 is not in order"},
	{"shared more than there is", in(kindTerms, "w", swap("\x00\x07only", "\x09\x07only")), "terms: shares more than there is"},
	{"shared across blocks", in(kindTerms, "w", swap("\x00\x07only 13", "\x01\x07only 13")), "terms: shares more than there is"},
	{"block of terms elsewhere", rewriteSection("w", kindTermIndex, shiftOffset(0)), "term index: term 16 is not found"},
	{"block's postings elsewhere", rewriteSection("w", kindTermIndex, shiftOffset(1)), "term index: term 16 is not found"},
	{"block's positions elsewhere", rewriteSection("w", kindTermIndex, shiftOffset(2)), "term index: term 16 is not found"},
	{"tokens", in(kindFields, "", swap("\x81\x01\x82\x02", "\x81\x01\x83\x02")), "terms: 22 terms and 258 tokens, expected 22 and 259"},
	{"document without a length", withoutLength, `term "all": snapshot is damaged: postings: document 5 after 4`},
	{"document twice", in(kindPostings, "w", swap("\x28\x03\x28\x03", "\x00\x03\x28\x03")), `term "some": snapshot is damaged: postings: document 3 after 3`},
	{"position twice", in(kindTerms, "w", swap("\x13\x08\x01\x01", "\x13\x08\x01\x00")), `term "eight": snapshot is damaged: positions: document 9: not in order`},
	{"postings of a term", in(kindTerms, "w", set(7, 0x80, 0)), "postings: cut short"},
	{"term without documents", in(kindTerms, "w", set(5, 0, 0)), "terms: a term without documents"},
	{"last document of a block", in(kindPostings, "w", set(3, 9)), "postings: block ends at another document"},
	{"block elsewhere", in(kindPostings, "w", set(7, 0xff)), "postings: outside the section"},
	{"positions elsewhere", in(kindPostings, "w", set(14, 0x40)), "positions: outside the section"},
	{"width of frequencies", in(kindPostings, "w", set(17, 60)), "postings: "},
	{"positions", in(kindPositions, "w", set(0, 0)), "positions: two at one place"},

	{"value out of order", in(kindValues, "s", swap("same", "Same")), "values: value 5 is not in order"},
	{"value shares more", in(kindValues, "s", set(5, 9<<1)), "values: shares more than there is"},
	{"value shares less", in(kindFragments, "", twice("a string", "a_string")), "values: value 3 shares other than 2 bytes"},
	{"value shares across blocks", rewriteSection("s", kindValues, sharedFirstByte), "value index: value 16 is not found"},
	{"value outside its fragment", in(kindValues, "s", set(11, 0x7f)), "values: outside the fragment"},
	{"head of a value", in(kindValueIndex, "s", set(9, 'z')), "value index: value 0 is not found"},
	{"block of values elsewhere", rewriteSection("ContentID", kindValueIndex, shiftOffset(0)), "value index: value 16 is not found"},
	{"number of values", in(kindValueIndex, "s", set(0, 28)), "value index: not one value an ordinal"},
	{"gram out of order", in(kindGrams, "s", set(8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)), "grams: entry 1 is not in order"},
	{"value of a gram", in(kindGrams, "s", set(-1, 40)), "grams: entry 1: value 40 of 29"},
	{"bytes behind the grams", rewriteSection("s", kindGrams, func(b []byte) []byte { return append(b, 0) }), "grams: entries and data end apart"},
	{"bytes before the grams", rewriteSection("s", kindGrams, shiftedGrams), "grams: entry 0 is not in order"},
	{"gap of a gram", in(kindGrams, "s", set(-1, 0x80)), "grams: bad varint"},
}

// twice swaps two byte strings.
func twice(old, other string) func([]byte) {
	return func(b []byte) {
		swap(old, other)(b)
		swap(old, other)(b)
	}
}

// shiftOffset moves the second block's offset by one byte in one array of an index.
func shiftOffset(array int) func(b []byte) []byte {
	return func(b []byte) []byte {
		d := &decoder{b: b}
		d.blockIndex(d.count(pocketItems))
		out := bytes.Clone(b[:len(b)-len(d.b)])
		for i := 0; len(d.b) > 0; i++ {
			offs := integers(d)
			if i == array {
				offs[1]++
			}
			out = appendPacked(out, offs)
		}
		return out
	}
}

// shiftedGrams has an extra byte before the values of the first gram.
func shiftedGrams(b []byte) []byte {
	d := &decoder{b: b}
	keys, offs := integers(d), integers(d)
	for i := range offs {
		offs[i]++
	}
	return append(append(appendPacked(appendPacked(nil, keys), offs), 0), d.b...)
}

// withoutLength has a document with words but without a length.
func withoutLength(t testing.TB, _ []byte) []byte {
	tw := pocket()
	i := slices.IndexFunc(tw.fields, func(f *twinField) bool { return f.path == "w" })
	delete(tw.fields[i].norms, 5)
	return tw.write(t)
}

func integers(d *decoder) []uint64 {
	p := d.packed()
	vs := make([]uint64, p.n)
	for i := range vs {
		vs[i] = p.At(i)
	}
	return vs
}

// wideEmptyMap gives both arrays of an empty sparse map 2^39 integers of width 0.
func wideEmptyMap(s []byte) {
	u64(9, 1<<39)(s)
	u64(25, 1<<39)(s)
}

// rewriteSection rewrites the pocket snapshot with another section of a field.
func rewriteSection(path string, k kind, change func(b []byte) []byte) damage {
	return func(t testing.TB, _ []byte) []byte {
		return rewrite(t, pocket(), func(e *EncodedField) {
			for i := range e.parts {
				if e.path == path && e.parts[i].kind == k {
					e.parts[i].b = change(append(e.parts[i].head, e.parts[i].b...))
					e.parts[i].head = nil
				}
			}
		})
	}
}

// rewrite writes a twin and changes each field after it is encoded.
func rewrite(t testing.TB, tw *twin, change func(e *EncodedField)) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, tw.meta)
	for _, f := range tw.fragments {
		w.Fragment([]byte(f))
	}
	for _, f := range tw.fields {
		e := EncodeField(tw.data(f), tw.meta.Items)
		change(e)
		w.Field(e)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wideNorm encodes lengths, one of which exceeds a byte.
func wideNorm([]byte) []byte {
	norms := slices.Repeat([]uint64{1}, pocketItems)
	norms[20] = 256
	return denseDocMap(norms, 0, false)
}

// documentWithoutPair encodes least values of field s. One belongs to a document without a pair.
func documentWithoutPair(b []byte) []byte {
	d := &decoder{b: b}
	m := d.docMap(pocketItems, 29)
	vals := make([]uint64, pocketItems)
	for i := range vals {
		vals[i] = m.At(DocID(i))
	}
	vals[pocketItems-1] = 3
	return denseDocMap(vals, 29, false)
}

// swappedPairs swaps the first two pairs.
func swappedPairs(b []byte) []byte {
	d := &decoder{b: b}
	docs := integers(d)
	docs[0], docs[1] = docs[1], docs[0]
	return appendPacked(nil, docs)
}

// sharedFirstByte makes the first value of a block share a byte with the previous one.
func sharedFirstByte(b []byte) []byte {
	return bytes.Replace(b, []byte("\x00\x08value 08"), []byte("\x02\x07alue 08"), 1)
}

// missingID has an item without an id, numericIDs has numeric ids, duplicateIDs has two items
// with the same id.
func missingID(t testing.TB, _ []byte) []byte {
	tw := small()
	delete(tw.fields[0].strings, "a")
	return tw.write(t)
}

func numericIDs(t testing.TB, _ []byte) []byte {
	tw := small()
	tw.fields[0] = newTwinField("ContentID", Long)
	put(tw.fields[0].ints, 1, 0)
	put(tw.fields[0].ints, 2, 1)
	return tw.write(t)
}

func duplicateIDs(t testing.TB, _ []byte) []byte {
	tw := small()
	put(tw.fields[0].strings, "a", 0)
	delete(tw.fields[0].strings, "b")
	return tw.write(t)
}

// tooManyItems claims more items than the fragments have bytes for.
func tooManyItems(t testing.TB, _ []byte) []byte {
	return rewrite(t, &twin{meta: Meta{Items: 3}, fragments: []string{"{}", "", ""}}, nil)
}

// endlessColumn is a field that claims 2^39 values without any bytes.
func endlessColumn(t testing.TB, _ []byte) []byte {
	const n = 1 << 39
	none := binary.LittleEndian.AppendUint64(nil, n)
	array := append(binary.LittleEndian.AppendUint64(nil, n), make([]byte, tail)...)
	least := append(append(bytes.Clone(none), 0), appendPacked(nil, []uint64{0, 0})...)
	return rewrite(t, small(), func(e *EncodedField) {
		if e.path != "n" {
			return
		}
		e.entry = append(appendStr(nil, "n"), byte(Long), 0, 0, 0)
		e.entry = binary.AppendUvarint(binary.AppendUvarint(e.entry, n), n)
		e.entry = append(e.entry, 2, 0, 0, 0, 0, 0, 0)
		e.parts = []part{
			{kind: kindNumbers, b: append(make([]byte, 9), array...)}, {kind: kindColumn, b: appendPacked[uint32](nil, nil)},
			{kind: kindColumn + 1, b: array}, {kind: kindColumn + 2, b: least}, {kind: kindColumn + 3, b: least},
		}
	})
}

// gap has bytes before the table that no section covers.
func gap(t testing.TB, b []byte) []byte {
	foot := b[len(b)-footerLen:]
	at := binary.LittleEndian.Uint64(foot)
	b = slices.Insert(b, int(at), make([]byte, align)...)
	foot = b[len(b)-footerLen:]
	binary.LittleEndian.PutUint64(foot, at+align)
	binary.LittleEndian.PutUint64(foot[16:], uint64(len(b)))
	return b
}

// prove opens a snapshot and runs Verify and Check.
func prove(b []byte) error {
	r, err := OpenBytes(b)
	if err != nil {
		return err
	}
	return cmp.Or(r.Verify(nil), r.Check())
}

func TestOtherVersions(t *testing.T) {
	good := pocket().write(t)
	for v, want := range map[byte]string{
		1: "the snapshot was written by an older program: it has format version 1, this program reads version 2: build the release again",
		7: "the snapshot was written by a newer program: it has format version 7, this program reads version 2: use the program that built the release, or a newer one",
	} {
		b := slices.Clone(good)
		b[8] = v
		if _, err := OpenBytes(b); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestFaults(t *testing.T) {
	good := pocket().write(t)
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			_, err := OpenBytes(tt.damage(t, slices.Clone(good)))
			want := "snapshot is damaged: " + tt.want
			if err == nil || err.Error() != want {
				t.Errorf("error %q, want %q", err, want)
			}
		})
	}
}

func TestLies(t *testing.T) {
	good := pocket().write(t)
	for _, tt := range lies {
		t.Run(tt.name, func(t *testing.T) {
			err := prove(repair(tt.damage(t, slices.Clone(good))))
			var corrupt *CorruptError
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &corrupt)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
