// This file holds the sets of doc values of a field: the path itself, its sub-fields, and
// the order of REST lists. Sets with equal values or equal columns share one copy.

package snapshot

import (
	"fmt"
	"math"
	"slices"
)

// maxExact is 2^53: float64 represents all integers up to it.
const maxExact = 1 << 53

func exact(i int64) bool { return -maxExact <= i && i <= maxExact }

// canReplace reports whether both sets encode to the same bits. 0 and -0 differ.
func (n *NumberData) canReplace(o *NumberData) bool {
	if len(n.Floats) > 0 || len(o.Floats) == 0 {
		return slices.Equal(n.Ints, o.Ints) && slices.EqualFunc(n.Floats, o.Floats, sameBits)
	}
	return slices.EqualFunc(n.Ints, o.Floats, func(i int64, f float64) bool {
		return exact(i) && sameBits(float64(i), f)
	})
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func (w *columnWriter) equal(o *columnWriter) bool {
	return slices.Equal(w.starts, o.starts) && slices.Equal(w.docs, o.docs)
}

type setWriter struct {
	e       *EncodedField
	f       *FieldData
	items   int
	numbers [setCount]*NumberData   // sets with numbers of their own
	columns [setCount]*columnWriter // sets with a column of their own
	out     []byte                  // the part of the field's entry
}

// sets encodes all doc values of a field and returns their part of the field's entry.
func (e *EncodedField) sets(f *FieldData, items int) []byte {
	w := setWriter{e: e, f: f, items: items}
	var keyword *columnWriter
	switch {
	case f.Strings != nil:
		keyword = e.strings(f, items)
	case f.Type == Text:
		e.setErr(fmt.Errorf("snapshot writer: text field %s has no texts", f.Path))
	}
	if w.path(keyword); e.err != nil {
		return nil
	}
	w.keyword(keyword)
	for sub := SubLong; sub < SubCount; sub++ {
		w.sub(sub)
	}
	w.rest(keyword)
	return w.out
}

func (w *setWriter) path(keyword *columnWriter) {
	c := keyword
	if w.f.Type != Text {
		n := &w.f.NumberData
		if w.e.setErr(w.f.validateNumbers(n, w.f.Type == Float, w.items)); w.e.err != nil {
			return
		}
		w.number(setPath, n, w.f.Type == Float)
		c = encodeColumn(&n.Column, w.items)
	}
	if w.e.err == nil {
		w.column(setPath, c)
	}
}

// keyword encodes the strings. A text path has the same strings.
func (w *setWriter) keyword(keyword *columnWriter) {
	set := 1 + int(SubKeyword)
	switch {
	case keyword == nil:
		w.out = append(w.out, 0)
	case w.f.Type == Text:
		w.share(set, setPath, keyword)
	default:
		w.share(set, set, keyword)
	}
}

func (w *setWriter) sub(sub Sub) {
	set, n := 1+int(sub), w.f.Subs[sub]
	if n == nil || n.len() == 0 {
		w.out = append(w.out, 0)
		return
	}
	if w.e.setErr(w.f.validateNumbers(n, sub == SubDouble, w.items)); w.e.err != nil {
		return
	}
	values := slices.IndexFunc(w.numbers[:set], func(o *NumberData) bool { return o != nil && o.canReplace(n) })
	if values < 0 {
		values = set
		w.number(set, n, sub == SubDouble)
	}
	w.share(set, values, encodeColumn(&n.Column, w.items))
}

// rest encodes the order of REST lists: a column of its own, or the column of keyword.
func (w *setWriter) rest(keyword *columnWriter) {
	switch {
	case w.f.Sort != nil:
		if w.e.setErr(w.f.validateColumn(w.f.Sort, w.items)); w.e.err == nil {
			w.share(setRest, 0, encodeColumn(w.f.Sort, w.items))
		}
	case keyword != nil && w.f.Type != Text:
		w.share(setRest, 0, keyword)
	default:
		w.out = append(w.out, 0)
	}
}

func (w *setWriter) number(set int, n *NumberData, floats bool) {
	k, _ := setKinds(set)
	if floats {
		w.e.add(k, appendFloats(n.Floats))
	} else {
		w.e.add(k, appendInts(n.Ints))
	}
	w.numbers[set] = n
}

// share appends the byte of a set. It looks for an equal column among the earlier sets.
func (w *setWriter) share(set, values int, c *columnWriter) {
	column := slices.IndexFunc(w.columns[:set], func(o *columnWriter) bool { return o != nil && o.equal(c) })
	if column < 0 {
		column = set
	}
	w.out = append(w.out, byte(1+setCount*values+column))
	switch {
	case column == set:
		w.column(set, c)
	case c.least != nil: // it is not a column of another set
		c.free()
	}
}

// column writes the column of a set. It drops data that later comparisons do not need.
func (w *setWriter) column(set int, c *columnWriter) {
	_, k := setKinds(set)
	w.out = append(w.out, w.e.column(k, c)...)
	c.least, c.greatest = nil, nil
	w.columns[set] = c
}

// Values holds the doc values of a path or of a sub-field.
type Values struct {
	strings *Strings
	numbers *Numbers
	column  *Column
}

// Strings returns the values of text and keyword, nil for other types.
func (v *Values) Strings() *Strings { return v.strings }

// Numbers returns the values of a date, long, float, double or boolean.
func (v *Values) Numbers() *Numbers { return v.numbers }

// Column maps documents to values and back.
func (v *Values) Column() *Column { return v.column }

type setReader struct {
	r    *Reader
	f    *Field
	d    *decoder // the field's entry
	sets [setCount]*Values
}

func (s *setReader) open() {
	f := s.f
	f.column = s.r.column(s.d, kindColumn, f.no)
	if f.Type == Text {
		f.strings = s.strings(&f.Values)
		s.r.openText(f)
	} else {
		f.numbers = s.numbers(setPath, f.column, f.Type == Float)
	}
	s.sets[setPath] = &f.Values
	for set := 1; set < setCount; set++ {
		s.set(set)
	}
	if k := s.sets[1+int(SubKeyword)]; f.Type == Text && (k == nil || k.strings != f.strings || k.column != f.column) {
		panic(corrupt("fields", "the keyword of %q is not its texts", f.Path))
	}
	copy(f.subs[:], s.sets[1:setRest])
	if rest := s.sets[setRest]; rest != nil {
		f.sort = rest.column
	}
}

func (s *setReader) set(set int) {
	b := s.d.byte()
	if b == 0 {
		return
	}
	values, column := int(b-1)/setCount, int(b-1)%setCount
	if values > set || !s.shareable(column, set) || !s.shareable(values, set) || set == setRest && values != setPath {
		panic(corrupt("fields", "set %d of %q refers to a set that does not exist", set, s.f.Path))
	}
	v := &Values{}
	s.sets[set] = v
	if column < set {
		v.column = s.sets[column].column
	} else {
		_, k := setKinds(set)
		v.column = s.r.column(s.d, k, s.f.no)
	}
	switch {
	case set == setRest:
	case Sub(set-1) == SubKeyword:
		s.keyword(v, values)
	default:
		s.sub(v, set, values)
	}
}

// shareable reports whether the set by can use the parts of set.
func (s *setReader) shareable(set, by int) bool { return set == by || s.sets[set] != nil }

func (s *setReader) keyword(v *Values, values int) {
	if values == setPath {
		v.strings = s.f.strings
	} else {
		v.strings = s.strings(v)
	}
	if v.strings == nil {
		panic(corrupt("fields", "the keyword of %q is of a path without texts", s.f.Path))
	}
}

// sub opens the numbers of a sub-field. Check proves that integers of double are exact.
func (s *setReader) sub(v *Values, set, values int) {
	double := Sub(set-1) == SubDouble
	if values == set {
		v.numbers = s.numbers(set, v.column, double)
		return
	}
	v.numbers = s.sets[values].numbers
	if v.numbers == nil || v.numbers.Len() != v.column.Distinct || v.numbers.float && !double {
		panic(corrupt("fields", "set %d of %q has not one value of its type an ordinal", set, s.f.Path))
	}
}

func (s *setReader) strings(v *Values) *Strings {
	r, no := s.r, s.f.no
	t := openStrings(r, r.section(kindValueIndex, no), r.section(kindValues, no))
	if t.n != v.column.Distinct {
		panic(corrupt("value index", "not one value an ordinal"))
	}
	return t
}

func (s *setReader) numbers(set int, c *Column, floats bool) *Numbers {
	k, _ := setKinds(set)
	d := s.r.dec(k, s.f.no)
	n := d.numbers()
	if n.Len() != c.Distinct || n.float != floats {
		d.fail("not one value of its type an ordinal")
	}
	return n
}

// maxValues limits the distinct values of a path: an ordinal has 32 bits.
const maxValues = 1<<32 - 2

// column opens a column. It limits the pairs to the file's bits: integers of width 0 take no space,
// so a damaged file may claim more.
func (r *Reader) column(d *decoder, first kind, field uint32) *Column {
	items, limit := r.meta.Items, 8*len(r.data)
	c := &Column{Single: d.byte()&1 == 1}
	c.Distinct = d.count(min(limit, maxValues))
	c.Pairs = d.count(limit)
	c.DocCount = d.count(items)
	none := uint64(c.Distinct)
	c.starts, c.docs, c.min = r.dec(first, field).packed(), r.dec(first+1, field).packed(), r.dec(first+2, field).docMap(items, none)
	if !c.Single {
		c.max = r.dec(first+3, field).docMap(items, none)
	}
	if c.docs.n != c.Pairs || c.starts.n != 0 && c.starts.n != c.Distinct+1 || c.starts.n == 0 && c.Pairs != c.Distinct {
		d.fail("column tables of different lengths")
	}
	return c
}
