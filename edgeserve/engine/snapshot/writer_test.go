// These tests check that the Writer rejects invalid input, and that equal input gives equal
// bytes.

package snapshot

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"
)

// textData is a field of one item with a word and a value.
func textData(change func(f *FieldData)) *FieldData {
	f := &FieldData{
		Path: "t", Type: Text, Docs: 1, Tokens: 1, Norms: []Norm{{0, 1}},
	}
	values(f, []DocID{0})
	words(f, "a")
	change(f)
	return f
}

// values gives a field the value "a" once per list of documents.
func values(f *FieldData, docs ...[]DocID) {
	var list []StringValue
	for _, ds := range docs {
		list = append(list, StringValue{Text: []byte("a"), Docs: ds})
	}
	f.Strings = slices.Values(list)
}

// words gives a field terms with one document each.
func words(f *FieldData, terms ...string) {
	lists(f, terms, []Posting{{0, []uint32{0}}})
}

func lists(f *FieldData, terms []string, list []Posting) {
	f.Terms = func(add func([]byte, []Posting)) {
		for _, term := range terms {
			add([]byte(term), list)
		}
	}
}

func TestWriterRefuses(t *testing.T) {
	two := [][]DocID{{0}, {0}}
	tests := []struct {
		name   string
		change func(f *FieldData)
		want   string
	}{
		{"nothing", func(f *FieldData) {}, ""},
		{"equal terms", func(f *FieldData) { words(f, "a", "a") }, `term "a" of field t out of order`},
		{"falling terms", func(f *FieldData) { words(f, "b", "a") }, `term "a" of field t out of order`},
		{"empty list", func(f *FieldData) { lists(f, []string{"a"}, nil) }, `term "a" of field t out of order`},
		{"no positions", func(f *FieldData) { lists(f, []string{"a"}, []Posting{{0, nil}}) }, `term "a" of field t out of order`},
		{"equal positions", func(f *FieldData) { lists(f, []string{"a"}, []Posting{{0, []uint32{4, 4}}}) }, `term "a" of field t out of order`},
		{"equal documents", func(f *FieldData) { lists(f, []string{"a"}, []Posting{{0, []uint32{4}}, {0, []uint32{5}}}) }, `term "a" of field t out of order`},
		{"document beyond the last", func(f *FieldData) { lists(f, []string{"a"}, []Posting{{1, []uint32{4}}}) }, `term "a" of field t out of order`},
		{"no length", func(f *FieldData) { f.Norms[0].Length = 0 }, "field t: length 0 of document 0 is 0, out of order, or of no item"},
		{"equal lengths", func(f *FieldData) { f.Norms = append(f.Norms, f.Norms[0]) }, "field t: length 1 of document 0 is 0, out of order, or of no item"},
		{"length beyond the last", func(f *FieldData) { f.Norms[0].Doc = 1 }, "field t: length 1 of document 1 is 0, out of order, or of no item"},
		{"equal strings", func(f *FieldData) { values(f, two...) }, "values of field t out of order"},
		{"equal grams", func(f *FieldData) { f.Grams = slices.Values(make([]Gram, 2)) }, "grams of field t out of order"},
		{"equal integers", func(f *FieldData) { f.Type, f.Ints, f.Column.Docs = Long, []int64{1, 1}, two }, "values of field t out of order"},
		{"both zeros", func(f *FieldData) { f.Type, f.Floats, f.Column.Docs = Float, []float64{math.Copysign(0, -1), 0}, two }, "values of field t out of order"},
		{"no number", func(f *FieldData) { f.Type, f.Floats = Float, []float64{math.NaN()} }, "values of field t out of order"},
		{"too few values", func(f *FieldData) { f.Type, f.Ints, f.Column.Docs = Long, []int64{1}, two }, "field t has 1 values and documents of 2"},
		{"value of no document", func(f *FieldData) { values(f, nil) }, "field t has a value without documents or beyond the last"},
		{"value of no item", func(f *FieldData) { values(f, []DocID{1}) }, "field t has a value without documents or beyond the last"},
		{"number of no item", func(f *FieldData) { f.Type, f.Ints, f.Column.Docs = Long, []int64{1}, [][]DocID{{1}} }, "field t has a value without documents or beyond the last"},
		{"text without texts", func(f *FieldData) { f.Strings = nil }, "text field t has no texts"},
		{"fractions of a long", func(f *FieldData) { f.Type, f.Floats, f.Column.Docs = Long, []float64{1}, [][]DocID{{0}} }, "field t has integers for fractions, or fractions for integers"},
		{"integers of a double", func(f *FieldData) {
			f.Subs[SubDouble] = &NumberData{Ints: []int64{1}, Column: ColumnData{Docs: [][]DocID{{0}}}}
		}, "field t has integers for fractions, or fractions for integers"},
		{"fractions of a date", func(f *FieldData) {
			f.Subs[SubDate] = &NumberData{Floats: []float64{1}, Column: ColumnData{Docs: [][]DocID{{0}}}}
		}, "field t has integers for fractions, or fractions for integers"},
		{"equal integers of a sub-field", func(f *FieldData) {
			f.Subs[SubLong] = &NumberData{Ints: []int64{1, 1}, Column: ColumnData{Docs: two}}
		}, "values of field t out of order"},
		{"sub-field of no item", func(f *FieldData) {
			f.Subs[SubBoolean] = &NumberData{Ints: []int64{1}, Column: ColumnData{Docs: [][]DocID{{1}}}}
		}, "field t has a value without documents or beyond the last"},
		{"sub-field without values", func(f *FieldData) { f.Subs[SubLong] = &NumberData{} }, ""},
		{"sort of no item", func(f *FieldData) { f.Sort = &ColumnData{Docs: [][]DocID{{1}}} }, "field t has a value without documents or beyond the last"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := NewWriter(&bytes.Buffer{}, Meta{Items: 1})
			w.Fragment([]byte("{}"))
			w.Field(EncodeField(textData(tt.change), 1))
			got := ""
			if err := w.Close(); err != nil {
				got = err.Error()
			}
			want := tt.want
			if want != "" {
				want = "snapshot writer: " + want
			}
			if got != want {
				t.Errorf("error %q, want %q", got, want)
			}
		})
	}
}

func TestWriterRefusesSequence(t *testing.T) {
	field := func(path string) *EncodedField { return EncodeField(&FieldData{Path: path, Type: Long}, 1) }
	tests := []struct {
		name  string
		write func(w *Writer)
		want  string
	}{
		{"no fragment", func(w *Writer) {}, "snapshot writer: 0 fragments for 1 items"},
		{"equal paths", func(w *Writer) { w.Fragment([]byte("{}")); w.Field(field("a")); w.Field(field("a")) }, `snapshot writer: field "a" after "a"`},
		{"falling paths", func(w *Writer) { w.Fragment([]byte("{}")); w.Field(field("b")); w.Field(field("a")) }, `snapshot writer: field "a" after "b"`},
		{"fragment after a field", func(w *Writer) { w.Fragment([]byte("{}")); w.Field(field("a")); w.Fragment([]byte("{}")) }, "snapshot writer: a fragment after the fields began"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := NewWriter(&bytes.Buffer{}, Meta{Items: 1})
			tt.write(w)
			if err := w.Close(); err == nil || err.Error() != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
		})
	}
}

// fullDisk is a disk that runs out of space.
type fullDisk struct{ room int }

var errFull = errors.New("no room")

func (f *fullDisk) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestWriterKeepsError(t *testing.T) {
	for _, room := range []int{0, 20, 1000, 3000} {
		w := NewWriter(&fullDisk{room}, Meta{Items: 1000})
		for range 1000 {
			w.Fragment([]byte("{}"))
		}
		if err := w.Close(); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

func TestSameInputSameBytes(t *testing.T) {
	if !bytes.Equal(newTwin(5, 200).write(t), newTwin(5, 200).write(t)) {
		t.Error("two writes of one twin differ")
	}
}
