// This file holds the sets of values of a field: those of the path, of its sub-fields,
// and the order of REST lists. Most of them are alike, and what two have in common is
// written once.

package snapshot

import (
	"fmt"
	"math"
	"slices"
)

// Sub is a sub-field: the values of a path that can be read in one way. It depends on
// the text of a value alone, not on whether that was a string or a number.
type Sub byte

// The sub-fields of a path, in the order of their sets.
const (
	SubKeyword Sub = iota // the whole text of every value
	SubLong               // integers; fractions are cut
	SubDouble             // numbers of 64 bits
	SubBoolean            // true and false
	SubDate               // milliseconds since 1970
	SubCount              // how many there are
)

var subNames = [SubCount]string{"keyword", "long", "double", "boolean", "date"}

// String is the name that stands behind the path: "keyword", "long", …
func (s Sub) String() string { return subNames[s] }

// FindSub finds a sub-field by its name.
func FindSub(name string) (Sub, bool) {
	i := slices.Index(subNames[:], name)
	return Sub(max(i, 0)), i >= 0
}

// The sets of values of a field: the path itself, its sub-fields, REST order.
const (
	setPath  = 0
	setRest  = 1 + int(SubCount)
	setCount = setRest + 1
)

// subKind is the section of a sub-field's numbers; those of its column follow.
func subKind(s Sub) kind { return kindSubs + 5*kind(s) }

// setKinds are the sections of a set's numbers and of its column.
func setKinds(set int) (numbers, column kind) {
	switch set {
	case setPath:
		return kindNumbers, kindColumn
	case setRest:
		return 0, kindSort
	}
	k := subKind(Sub(set - 1))
	return k, k + 1
}

// NumberData is distinct numbers, ascending, and the documents of each: either Ints or
// Floats.
type NumberData struct {
	Ints   []int64
	Floats []float64
	Column ColumnData
}

func (n *NumberData) len() int { return len(n.Ints) + len(n.Floats) }

// maxExact is the integer up to which every one is a float64.
const maxExact = 1 << 53

// exact tells whether an integer is a float64 without loss.
func exact(i int64) bool { return -maxExact <= i && i <= maxExact }

// serves tells whether the numbers of a set, as they are written, are those of another:
// to the bit, for -0 is not written as 0 is.
func (n *NumberData) serves(o *NumberData) bool {
	if len(n.Floats) > 0 || len(o.Floats) == 0 {
		return slices.Equal(n.Ints, o.Ints) && slices.EqualFunc(n.Floats, o.Floats, sameBits)
	}
	return slices.EqualFunc(n.Ints, o.Floats, func(i int64, f float64) bool {
		return exact(i) && sameBits(float64(i), f)
	})
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

// same tells whether two columns have the same documents for each of their ordinals.
func (w *columnWriter) same(o *columnWriter) bool {
	return slices.Equal(w.starts, o.starts) && slices.Equal(w.docs, o.docs)
}

// setWriter encodes the sets of values of a field, in their order.
type setWriter struct {
	e       *EncodedField
	f       *FieldData
	items   int
	numbers [setCount]*NumberData   // those that were written
	columns [setCount]*columnWriter // likewise
	out     []byte                  // what the field's entry says of them
}

// sets encodes all values of a field and gives what its entry says of them.
func (e *EncodedField) sets(f *FieldData, items int) []byte {
	w := setWriter{e: e, f: f, items: items}
	var texts *columnWriter
	switch {
	case f.Strings != nil:
		texts = e.strings(f, items)
	case f.Type == Text:
		e.keep(fmt.Errorf("snapshot writer: text field %s has no texts", f.Path))
	}
	if w.path(texts); e.err != nil {
		return nil
	}
	w.keyword(texts)
	for sub := SubLong; sub < SubCount; sub++ {
		w.sub(sub)
	}
	w.rest(texts)
	return w.out
}

// path takes the values of the path itself.
func (w *setWriter) path(texts *columnWriter) {
	c := texts
	if w.f.Type != Text {
		n := &w.f.NumberData
		if w.e.keep(w.f.refuseNumbers(n, w.f.Type == Float, w.items)); w.e.err != nil {
			return
		}
		w.number(setPath, n, w.f.Type == Float)
		c = columnOf(&n.Column, w.items)
	}
	if w.e.err == nil {
		w.own(setPath, c)
	}
}

// keyword refers to the texts: the path's own values, or such as only it has.
func (w *setWriter) keyword(texts *columnWriter) {
	set := 1 + int(SubKeyword)
	switch {
	case texts == nil:
		w.out = append(w.out, 0)
	case w.f.Type == Text:
		w.refer(set, setPath, texts)
	default:
		w.refer(set, set, texts)
	}
}

// sub takes the numbers of a sub-field.
func (w *setWriter) sub(sub Sub) {
	set, n := 1+int(sub), w.f.Subs[sub]
	if n == nil || n.len() == 0 {
		w.out = append(w.out, 0)
		return
	}
	if w.e.keep(w.f.refuseNumbers(n, sub == SubDouble, w.items)); w.e.err != nil {
		return
	}
	values := slices.IndexFunc(w.numbers[:set], func(o *NumberData) bool { return o != nil && o.serves(n) })
	if values < 0 {
		values = set
		w.number(set, n, sub == SubDouble)
	}
	w.refer(set, values, columnOf(&n.Column, w.items))
}

// rest takes the order of REST lists: one of its own, or that of the texts.
func (w *setWriter) rest(texts *columnWriter) {
	switch {
	case w.f.Sort != nil:
		if w.e.keep(w.f.refuseColumn(w.f.Sort, w.items)); w.e.err == nil {
			w.refer(setRest, 0, columnOf(w.f.Sort, w.items))
		}
	case texts != nil && w.f.Type != Text:
		w.refer(setRest, 0, texts)
	default:
		w.out = append(w.out, 0)
	}
}

// number writes the numbers of a set.
func (w *setWriter) number(set int, n *NumberData, floats bool) {
	k, _ := setKinds(set)
	if floats {
		w.e.add(k, appendFloats(n.Floats))
	} else {
		w.e.add(k, appendInts(n.Ints))
	}
	w.numbers[set] = n
}

// refer appends the byte of a set, whose values are known; its column may be that of an
// earlier set.
func (w *setWriter) refer(set, values int, c *columnWriter) {
	column := slices.IndexFunc(w.columns[:set], func(o *columnWriter) bool { return o != nil && o.same(c) })
	if column < 0 {
		column = set
	}
	if w.out = append(w.out, byte(1+setCount*values+column)); column == set {
		w.own(set, c)
	}
}

// own writes the column of a set, and lets go of what no later column is compared with.
func (w *setWriter) own(set int, c *columnWriter) {
	_, k := setKinds(set)
	w.out = append(w.out, w.e.column(k, c)...)
	c.least, c.greatest = nil, nil
	w.columns[set] = c
}

// Values are the values of a path, or of one of its sub-fields.
type Values struct {
	strings *Strings
	numbers *Numbers
	column  *Column
}

// Strings is the values of text and keyword, nil for other types.
func (v *Values) Strings() *Strings { return v.strings }

// Numbers is the values of a date, long, float, double or boolean.
func (v *Values) Numbers() *Numbers { return v.numbers }

// Column tells which documents have which value.
func (v *Values) Column() *Column { return v.column }

// setReader opens the sets of values of a field.
type setReader struct {
	r    *Reader
	f    *Field
	d    *dec // the field's entry
	sets [setCount]*Values
}

// open reads the path's own values, then what the entry says of the other sets.
func (s *setReader) open() error {
	f := s.f
	f.column = s.r.column(s.d, kindColumn, f.no)
	if s.d.err != nil {
		return s.d.err
	}
	if err := s.path(); err != nil {
		return err
	}
	s.sets[setPath] = &f.Values
	for set := 1; set < setCount; set++ {
		if err := s.set(set); err != nil {
			return err
		}
	}
	if k := s.sets[1+int(SubKeyword)]; f.Type == Text && (k == nil || k.strings != f.strings || k.column != f.column) {
		return bad("fields", "the keyword of %q is not its texts", f.Path)
	}
	copy(f.subs[:], s.sets[1:setRest])
	if rest := s.sets[setRest]; rest != nil {
		f.sort = rest.column
	}
	return nil
}

// path opens the values of the path itself.
func (s *setReader) path() (err error) {
	f := s.f
	if f.Type == Text {
		if f.strings, err = s.texts(&f.Values); err == nil {
			err = s.r.openText(f)
		}
		return err
	}
	f.numbers, err = s.numbers(setPath, f.column, f.Type == Float)
	return err
}

// set opens a set that refers to itself or to earlier ones.
func (s *setReader) set(set int) (err error) {
	b := s.d.byte()
	if s.d.err != nil || b == 0 {
		return s.d.err
	}
	values, column := int(b-1)/setCount, int(b-1)%setCount
	if values > set || !s.has(column, set) || !s.has(values, set) || set == setRest && values != setPath {
		return bad("fields", "set %d of %q refers to one that is not there", set, s.f.Path)
	}
	v := &Values{}
	s.sets[set] = v
	if column < set {
		v.column = s.sets[column].column
	} else {
		_, k := setKinds(set)
		if v.column = s.r.column(s.d, k, s.f.no); s.d.err != nil {
			return s.d.err
		}
	}
	switch {
	case set == setRest:
		return nil
	case Sub(set-1) == SubKeyword:
		return s.keyword(v, values)
	}
	return s.sub(v, set, values)
}

// has tells whether a set can be referred to by another.
func (s *setReader) has(set, by int) bool { return set == by || s.sets[set] != nil }

// keyword opens the texts of the values.
func (s *setReader) keyword(v *Values, values int) (err error) {
	if values == setPath {
		v.strings = s.f.strings
	} else {
		v.strings, err = s.texts(v)
	}
	if err == nil && v.strings == nil {
		err = bad("fields", "the keyword of %q is of a path without texts", s.f.Path)
	}
	return err
}

// sub opens the numbers of a sub-field. That integers are exact as doubles Check proves.
func (s *setReader) sub(v *Values, set, values int) (err error) {
	double := Sub(set-1) == SubDouble
	if values == set {
		v.numbers, err = s.numbers(set, v.column, double)
		return err
	}
	v.numbers = s.sets[values].numbers
	if v.numbers == nil || v.numbers.Len() != v.column.Distinct || v.numbers.float && !double {
		return bad("fields", "set %d of %q has not one value of its type an ordinal", set, s.f.Path)
	}
	return nil
}

// texts opens the strings of the field.
func (s *setReader) texts(v *Values) (*Strings, error) {
	r, no := s.r, s.f.no
	t, err := openStrings(r, r.section(kindValueIndex, no), r.section(kindValues, no))
	if err == nil && t.n != v.column.Distinct {
		err = bad("value index", "not one value an ordinal")
	}
	return t, err
}

// numbers opens the numbers of a set.
func (s *setReader) numbers(set int, c *Column, floats bool) (*Numbers, error) {
	k, _ := setKinds(set)
	d := s.r.dec(k, s.f.no)
	n := d.numbers()
	if d.err == nil && (n.Len() != c.Distinct || n.float != floats) {
		d.fail("not one value of its type an ordinal")
	}
	return n, d.err
}

// checkSets proves all sets of values of a field, each column and list of values once.
func (r *Reader) checkSets(f *Field) error {
	c := setChecker{r: r, columns: map[*Column]bool{}, numbers: map[*Numbers]bool{nil: true}}
	if err := c.set(&f.Values); err != nil {
		return err
	}
	for sub, v := range f.subs {
		if v == nil {
			continue
		}
		err := c.set(v)
		if err == nil {
			err = v.checkSub(Sub(sub))
		}
		if err != nil {
			return fmt.Errorf("sub-field %s: %w", Sub(sub), err)
		}
	}
	if f.sort != nil {
		if err := c.set(&Values{column: f.sort}); err != nil {
			return fmt.Errorf("REST order: %w", err)
		}
	}
	return nil
}

// setChecker proves columns and numbers that it has not met.
type setChecker struct {
	r       *Reader
	columns map[*Column]bool
	numbers map[*Numbers]bool
}

func (c *setChecker) set(v *Values) error {
	if !c.columns[v.column] {
		if err := c.r.checkColumn(v.column); err != nil {
			return err
		}
	}
	if !c.numbers[v.numbers] {
		if err := v.numbers.check(); err != nil {
			return err
		}
	}
	c.columns[v.column], c.numbers[v.numbers] = true, true
	return nil
}

// checkSub proves the texts of keyword, and that the integers of double are exact.
func (v *Values) checkSub(sub Sub) error {
	switch n := v.numbers; {
	case sub == SubKeyword:
		return v.strings.check()
	case sub == SubDouble && !n.float && n.Len() > 0 && !(exact(n.Int(0)) && exact(n.Int(n.Len()-1))):
		return bad("numbers", "integers above %d serve as doubles", maxExact)
	}
	return nil
}
