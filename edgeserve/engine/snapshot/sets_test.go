// These tests compare sub-fields with the twin. The table of contents must show that equal
// parts of two sets are written once, which keeps snapshots small.

package snapshot

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// subFields compares every sub-field.
func (c *comparer) subFields(f *twinField, got *Field) {
	if v := got.Sub(SubKeyword); (v != nil) != f.hasTexts() {
		c.Errorf("%s: keyword %t, want %t", f.path, v != nil, f.hasTexts())
	} else if v != nil {
		c.column(f, v.Column(), sets(f.strings))
		if c.strings(f, v.Strings()); v.Numbers() != nil {
			c.Errorf("%s: keyword has numbers", f.path)
		}
	}
	for sub := SubLong; sub < SubCount; sub++ {
		v, want := got.Sub(sub), f.subs[sub]
		if (v != nil) != (want != nil && len(want.column()) > 0) {
			c.Errorf("%s: %s %t, want %v", f.path, sub, v != nil, want)
		} else if v != nil {
			c.column(f, v.Column(), want.column())
			if c.numbers(f, v.Numbers(), want); v.Strings() != nil {
				c.Errorf("%s: %s has strings", f.path, sub)
			}
		}
	}
}

// sections checks that the field has exactly the expected sections.
func (c *comparer) sections(f *twinField, got *Field) {
	if have, want := setSections(c.r, got), f.sections(); !slices.Equal(have, want) {
		c.Errorf("%s: sections %q, want %q", f.path, have, want)
	}
}

// setSections returns the names of the sections of a field's numbers and columns.
func setSections(r *Reader, f *Field) (names []string) {
	for _, e := range r.toc {
		if e.field == f.no && (e.kind == kindNumbers || e.kind >= kindColumn) {
			names = append(names, kindNames[e.kind])
		}
	}
	return names
}

// sections returns the names of the sections that the field's sets need.
func (f *twinField) sections() (names []string) {
	var columns [][]docSet
	var numbers []*twinNumbers
	var kinds []kind
	column := func(k kind, c []docSet) {
		if !slices.ContainsFunc(columns, func(o []docSet) bool { return sameSets(o, c) }) {
			columns = append(columns, c)
			kinds = append(kinds, k, k+1, k+2)
			if multiValued(c) {
				kinds = append(kinds, k+3)
			}
		}
	}
	if column(kindColumn, f.column()); f.typ != Text {
		kinds, numbers = append(kinds, kindNumbers), append(numbers, f.twinNumbers)
	}
	if f.hasTexts() {
		column(subKind(SubKeyword)+1, sets(f.strings))
	}
	for sub := SubLong; sub < SubCount; sub++ {
		n := f.subs[sub]
		if n == nil || len(n.column()) == 0 {
			continue
		}
		if !slices.ContainsFunc(numbers, n.writtenAs) {
			kinds, numbers = append(kinds, subKind(sub)), append(numbers, n)
		}
		column(subKind(sub)+1, n.column())
	}
	column(kindSort, f.rest())
	slices.Sort(kinds)
	for _, k := range kinds {
		names = append(names, kindNames[k])
	}
	return names
}

// sameSets reports whether all values have the same documents.
func sameSets(a, b []docSet) bool {
	return len(a) == len(b) && (len(a) == 0 || reflect.DeepEqual(a, b))
}

// multiValued reports whether a document has several values.
func multiValued(values []docSet) bool {
	seen := docSet{}
	for _, s := range values {
		for d := range s {
			if seen[d] {
				return true
			}
			seen[d] = true
		}
	}
	return false
}

// writtenAs reports whether the numbers equal o, or o's integers as fractions.
func (n *twinNumbers) writtenAs(o *twinNumbers) bool {
	text := func(f float64) uint64 { return math.Float64bits(f) }
	mine, theirs := sortedKeys(n.floats), sortedKeys(o.floats)
	if len(mine) > 0 && len(theirs) == 0 {
		for _, i := range sortedKeys(o.ints) {
			if i < -1<<53 || i > 1<<53 {
				return false
			}
			theirs = append(theirs, float64(i))
		}
		return slices.EqualFunc(mine, theirs, func(a, b float64) bool { return text(a) == text(b) })
	}
	return slices.Equal(sortedKeys(n.ints), sortedKeys(o.ints)) &&
		slices.EqualFunc(mine, theirs, func(a, b float64) bool { return text(a) == text(b) })
}

// columnNames returns the sections of a single-valued column.
func columnNames(set string) []string {
	return []string{set + " starts", set + " documents", set + " least"}
}

// shared returns numbers of documents 0, 1, …, given as pairs of number and document.
func shared[N int64 | float64](values ...N) *twinNumbers {
	n := newTwinNumbers()
	for d, v := range values {
		switch v := any(v).(type) {
		case int64:
			put(n.ints, v, DocID(d))
		case float64:
			put(n.floats, v, DocID(d))
		}
	}
	return n
}

// texts gives each of the documents 0, 1, … a text.
func texts(f *twinField, values ...string) {
	for d, v := range values {
		put(f.strings, v, DocID(d))
	}
}

// TestSharedSections checks that equal parts of sets are written once, and different ones
// not.
func TestSharedSections(t *testing.T) {
	const two53 = 1 << 53
	own := append([]string{"numbers"}, columnNames("column")...)
	tests := []struct {
		name string
		typ  Type
		fill func(f *twinField)
		want []string // in addition to the path's own
	}{
		{"text alone", Text, func(f *twinField) { texts(f, "a", "b") }, nil},
		{"integers and all that follows from them", Long, func(f *twinField) {
			f.twinNumbers, f.subs[SubLong], f.subs[SubDouble], f.subs[SubDate] = shared[int64](7, 8), shared[int64](7, 8), shared[float64](7, 8), shared[int64](7, 8)
			texts(f, "7", "8")
			f.sort = f.column()
		}, nil},
		{"integers whose texts have another order", Long, func(f *twinField) {
			f.twinNumbers, f.subs[SubLong] = shared[int64](7, 10), shared[int64](7, 10)
			texts(f, "7", "10")
			f.sort = f.column()
		}, columnNames("keyword")},
		{"dates that sort by their texts", Date, func(f *twinField) {
			f.twinNumbers, f.subs[SubDate] = shared[int64](5, 6), shared[int64](5, 6)
			texts(f, "2020-01-02", "2020-01-01T12")
		}, columnNames("keyword")},
		{"numbers without texts", Boolean, func(f *twinField) {
			f.twinNumbers, f.subs[SubBoolean] = shared[int64](0, 1), shared[int64](0, 1)
		}, nil},
		{"double of the greatest exact integers", Long, func(f *twinField) {
			f.twinNumbers, f.subs[SubDouble] = shared[int64](-two53, two53), shared[float64](-two53, two53)
		}, nil},
		{"double of an integer that is rounded", Long, func(f *twinField) {
			f.twinNumbers, f.subs[SubDouble] = shared[int64](1, two53+1), shared[float64](1, two53)
		}, []string{"double numbers"}},
		{"double of a negative integer that is rounded", Long, func(f *twinField) {
			f.twinNumbers, f.subs[SubDouble] = shared[int64](-two53-1, 1), shared[float64](-two53, 1)
		}, []string{"double numbers"}},
		{"negative zero for an integer", Long, func(f *twinField) {
			f.twinNumbers, f.subs[SubDouble] = shared[int64](0), shared(math.Copysign(0, -1))
		}, []string{"double numbers"}},
		{"negative zero for a fraction", Float, func(f *twinField) {
			f.twinNumbers, f.subs[SubDouble] = shared(0.0), shared(math.Copysign(0, -1))
		}, []string{"double numbers"}},
		{"fractions of 32 bits and of 64", Float, func(f *twinField) {
			f.twinNumbers, f.subs[SubDouble] = shared(float64(float32(0.1)), 1), shared(0.1, 1)
		}, []string{"double numbers"}},
		{"fractions that are equal", Float, func(f *twinField) {
			f.twinNumbers, f.subs[SubDouble], f.subs[SubLong] = shared(0.5, 1.5), shared(0.5, 1.5), shared[int64](0, 1)
		}, []string{"long numbers"}},
		{"date and long of a text", Text, func(f *twinField) {
			texts(f, "8", "7")
			f.subs[SubLong], f.subs[SubDate], f.subs[SubDouble] = shared[int64](8, 7), shared[int64](8, 7), shared[float64](8, 7)
		}, []string{"long numbers"}},
		{"numbers of some texts", Text, func(f *twinField) {
			texts(f, "1", "x")
			f.subs[SubLong], f.subs[SubDate] = shared[int64](1), shared[int64](1)
			f.sort = shared[int64](1).column()
		}, append([]string{"long numbers"}, columnNames("long")...)},
		{"same numbers in other documents", Text, func(f *twinField) {
			texts(f, "a", "b")
			f.subs[SubBoolean], f.subs[SubDate] = shared[int64](1, 0), shared[int64](0, 1)
		}, append(columnNames("boolean"), "boolean numbers")},
		{"REST order of its own", Text, func(f *twinField) {
			texts(f, "a", "b")
			f.sort = []docSet{{1: true}, {0: true}}
		}, columnNames("sort")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tw := small()
			f := newTwinField("x", tt.typ)
			tt.fill(f)
			tw.fields = append(tw.fields, f)
			compare(t, 1, tw)
			r := tw.open(t)
			want := append(tt.want, own...)
			if tt.typ == Text {
				want = append(tt.want, columnNames("column")...)
			}
			have := setSections(r, r.Field("x"))
			if slices.Sort(have); !slices.Equal(have, slices.Sorted(slices.Values(want))) {
				t.Errorf("sections %q, want %q", have, want)
			}
		})
	}
}

// TestSharedValues checks that sets with shared parts also share the Reader's memory, so
// that Check and searches see one.
func TestSharedValues(t *testing.T) {
	tw := small()
	f := newTwinField("x", Long)
	f.twinNumbers, f.subs[SubLong], f.subs[SubDouble] = shared[int64](7, 8), shared[int64](7, 8), shared[float64](7, 8)
	texts(f, "7", "8")
	tw.fields = append(tw.fields, f)
	got := tw.open(t).Field("x")
	for sub := SubKeyword; sub <= SubDouble; sub++ {
		if v := got.Sub(sub); v.Column() != got.Column() || sub != SubKeyword && v.Numbers() != got.Numbers() {
			t.Errorf("%s has a column or numbers of its own", sub)
		}
	}
	if got.SortColumn() != got.Column() {
		t.Error("REST order has a column of its own")
	}
	if got.Sub(SubDate) != nil || got.Sub(SubBoolean) != nil {
		t.Error("a sub-field of no values is there")
	}
}

func TestFindSub(t *testing.T) {
	for sub := SubKeyword; sub < SubCount; sub++ {
		if got, ok := FindSub(sub.String()); !ok || got != sub {
			t.Errorf("FindSub(%s) = %d, %t", sub, got, ok)
		}
	}
	if _, ok := FindSub("raw"); ok {
		t.Error("a sub-field raw is there")
	}
}
