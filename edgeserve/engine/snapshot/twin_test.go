// This file holds the twin: the expected contents of a snapshot in maps, and a function
// that writes it. Round-trip tests compare both.

package snapshot

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"slices"
	"testing"

	"contentedge/edgeserve/leftout"
)

// docSet has the documents with a value.
type docSet map[DocID]bool

type twinField struct {
	path    string
	typ     Type
	terms   map[string]map[DocID][]uint32
	norms   map[DocID]byte
	factor  [256]float32
	strings map[string]docSet
	where   map[string]StringValue // strings that a fragment contains
	grams   map[uint64][]uint32
	sort    []docSet

	*twinNumbers // of a path that is not text
	subs         [SubCount]*twinNumbers
}

func newTwinField(path string, typ Type) *twinField {
	return &twinField{path: path, typ: typ, terms: map[string]map[DocID][]uint32{}, norms: map[DocID]byte{},
		strings: map[string]docSet{}, where: map[string]StringValue{}, twinNumbers: newTwinNumbers()}
}

// twinNumbers holds integers or fractions.
type twinNumbers struct {
	ints   map[int64]docSet
	floats map[float64]docSet
}

func newTwinNumbers() *twinNumbers {
	return &twinNumbers{ints: map[int64]docSet{}, floats: map[float64]docSet{}}
}

// column returns the documents of each number, by ordinal.
func (n *twinNumbers) column() []docSet { return append(sets(n.ints), sets(n.floats)...) }

func put[K comparable](values map[K]docSet, k K, d DocID) {
	if values[k] == nil {
		values[k] = docSet{}
	}
	values[k][d] = true
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// sets returns the documents of all values in order.
func sets[K cmp.Ordered](values map[K]docSet) (out []docSet) {
	for _, k := range sortedKeys(values) {
		out = append(out, values[k])
	}
	return out
}

// column returns the documents of the field's values, by ordinal.
func (f *twinField) column() []docSet {
	if f.typ == Text {
		return sets(f.strings)
	}
	return f.twinNumbers.column()
}

// hasTexts reports whether the field has a keyword.
func (f *twinField) hasTexts() bool { return f.typ == Text || len(f.strings) > 0 }

// rest returns the documents of the values in REST order.
func (f *twinField) rest() []docSet {
	switch {
	case f.sort != nil:
		return f.sort
	case f.hasTexts():
		return sets(f.strings)
	}
	return f.column()
}

type twin struct {
	meta      Meta
	ids       []string
	rank      []int // of a document by ContentID
	fragments []string
	fields    []*twinField
	out       leftout.Rules
}

// byRank sorts documents by ContentID, as columns require.
func (tw *twin) byRank(s docSet) []DocID {
	return slices.SortedFunc(maps.Keys(s), func(a, b DocID) int { return cmp.Compare(tw.rank[a], tw.rank[b]) })
}

func (tw *twin) columnData(values []docSet) (c ColumnData) {
	for _, s := range values {
		c.Docs = append(c.Docs, tw.byRank(s))
	}
	return c
}

// data returns the Writer's input for a field.
func (tw *twin) data(f *twinField) *FieldData {
	out := &FieldData{Path: f.path, Type: f.typ, Factor: f.factor}
	if f.hasTexts() {
		out.Strings = tw.strings(f)
	}
	if f.typ == Text {
		tw.text(f, out)
	} else {
		out.NumberData = tw.numbers(f.twinNumbers)
	}
	for sub, n := range f.subs {
		if n != nil {
			d := tw.numbers(n)
			out.Subs[sub] = &d
		}
	}
	if len(f.grams) > 0 {
		out.Grams = func(yield func(Gram) bool) {
			for _, k := range sortedKeys(f.grams) {
				if !yield(Gram{k, f.grams[k]}) {
					return
				}
			}
		}
	}
	if f.sort != nil {
		c := tw.columnData(f.sort)
		out.Sort = &c
	}
	return out
}

func (tw *twin) numbers(n *twinNumbers) NumberData {
	return NumberData{Ints: sortedKeys(n.ints), Floats: sortedKeys(n.floats), Column: tw.columnData(n.column())}
}

// strings yields the texts of a field's values.
func (tw *twin) strings(f *twinField) iter.Seq[StringValue] {
	return func(yield func(StringValue) bool) {
		for _, k := range sortedKeys(f.strings) {
			v := f.where[k]
			v.Text, v.Docs = []byte(k), tw.byRank(f.strings[k])
			if !yield(v) {
				return
			}
		}
	}
}

func (tw *twin) text(f *twinField, out *FieldData) {
	for _, d := range slices.Sorted(maps.Keys(f.norms)) {
		out.Norms = append(out.Norms, Norm{d, f.norms[d]})
	}
	out.Docs = len(f.norms)
	for _, list := range f.terms {
		for _, at := range list {
			out.Tokens += len(at)
		}
	}
	out.Terms = func(add func([]byte, []Posting)) {
		for _, k := range sortedKeys(f.terms) {
			add([]byte(k), listOf(f.terms[k]))
		}
	}
}

func listOf(docs map[DocID][]uint32) (list []Posting) {
	for _, d := range sortedKeys(docs) {
		list = append(list, Posting{d, docs[d]})
	}
	return list
}

func (tw *twin) write(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, tw.meta)
	w.LeaveOut(tw.out)
	for _, f := range tw.fragments {
		w.Fragment([]byte(f))
	}
	for _, f := range tw.fields {
		w.Field(EncodeField(tw.data(f), tw.meta.Items))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// open returns the twin's snapshot after it was written, read and proved.
func (tw *twin) open(t testing.TB) *Reader {
	t.Helper()
	r, err := OpenBytes(tw.write(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := cmp.Or(r.Verify(nil), r.Check()); err != nil {
		t.Fatal(err)
	}
	return r
}
