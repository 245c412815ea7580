// Package sorts gives the keys of a sort their meaning. It orders documents, and picks the value of a
// document that a hit shows. It finds where a page begins that follows the values of a hit.
package sorts

import (
	"fmt"
	"math"
	"sort"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// Form is the type of a key's values.
type Form uint8

// The forms of values. A Long is a number without a fraction, a date or a boolean.
const (
	Score Form = iota
	Document
	Text
	Long
	Float // of 32 bits
	Double
)

// Key is a key of a sort.
type Key struct {
	query.SortKey
	fields.Target // its Values are nil for the score, the document number and a field that no item has
	Form

	items  int
	nanos  bool     // shown are nanoseconds
	absent uint64   // bits of what stands for a document without a value; not for a Text
	joined []uint64 // bits by document of a mode that joins values; nil until needed
	place  uint32   // of the value that stands for absence, if places decide; see placeOf
	text   []byte   // that value
	shown  []byte   // scratch: the text of a hit
}

// Compile finds the values of a key. Errors are *query.Error.
func Compile(r fields.Resolver, k query.SortKey) (*Key, error) {
	key := &Key{SortKey: k, items: r.Reader.Items()}
	switch k.Field {
	case "_score":
		return key, nil
	case "_doc":
		key.Form = Document
		return key, nil
	}
	switch t, ok := resolve(r, k); {
	case fields.Valueless(k.Field):
		return nil, key.bad("%.80q has no values to sort by", k.Field)
	case ok:
		key.Target = t
		key.Form = formOf(t.Kind)
	default:
		if err := key.unmapped(); err != nil {
			return nil, err
		}
	}
	if err := key.numericType(); err != nil {
		return nil, err
	}
	return key, key.readMissing()
}

func resolve(r fields.Resolver, k query.SortKey) (fields.Target, bool) {
	if !k.Exact {
		return r.Resolve(k.Field)
	}
	if f := r.Reader.Field(k.Field); f != nil {
		return fields.OfPath(f), true
	}
	return fields.Target{}, false
}

func formOf(k fields.Kind) Form {
	switch {
	case !k.Typed():
		return Text
	case k == fields.Float:
		return Float
	case k == fields.Double:
		return Double
	}
	return Long
}

// unmapped gives a field that no item has a form.
func (k *Key) unmapped() error {
	k.Form = Text
	if k.Unmapped == "" {
		return nil
	}
	switch k.Unmapped {
	case "keyword", "ip":
	case "float", "half_float":
		k.Form = Float
	case "double":
		k.Form = Double
	default:
		k.Form = Long
	}
	return query.CheckUnmapped(k.Unmapped)
}

// numericType changes the form to that of the option numeric_type.
func (k *Key) numericType() error {
	switch {
	case k.Form == Text && k.NumericType != "":
		return k.bad("numeric_type needs numbers or dates; %.80q holds neither", k.SortKey.Field)
	case k.Form == Text && joins(k.Mode):
		return k.bad("the mode %s needs numbers or dates; %.80q holds neither", k.Mode, k.SortKey.Field)
	case k.NumericType == "date_nanos" && k.Values != nil && k.Kind != fields.Date:
		return k.bad("the numeric_type date_nanos needs dates; %.80q holds none", k.SortKey.Field)
	}
	switch k.NumericType {
	case "":
	case "double":
		k.Form = Double
	default:
		k.Form = Long
		k.nanos = k.NumericType == "date_nanos"
	}
	return nil
}

// readMissing reads the value that stands for documents without one.
func (k *Key) readMissing() error {
	first := k.Missing != nil && k.Missing.Kind == query.String && k.Missing.Text == "_first"
	low := first == k.Asc // the least value stands for none, else the greatest
	if k.Form == Text {
		k.place = math.MaxUint32
		switch {
		case first:
			k.place = 0
		case k.Missing != nil && k.SortKey.Field != fields.IDName:
			k.text = []byte(k.Missing.Text)
			k.place = k.placeOf(k.text)
		}
		return nil
	}
	switch {
	case k.Missing == nil || first:
		k.absent = k.extreme(low)
	case k.Form == Long:
		n, ok := k.Missing.Long()
		if !ok {
			return k.unfit()
		}
		k.absent = longBits(n)
	default:
		f, ok := k.Missing.Double()
		if !ok {
			return k.unfit()
		}
		k.absent = k.fraction(f)
	}
	if k.byPlace() {
		k.place = k.placeOfNumber(k.absent)
	}
	return nil
}

func (k *Key) unfit() error {
	return k.bad("the value %.80q of missing does not fit the type of the field %.80q", k.Missing.Text, k.SortKey.Field)
}

func (k *Key) bad(format string, args ...any) error {
	return &query.Error{Code: query.CodeSort, Parameter: "sort", Position: -1, Message: fmt.Sprintf(format, args...)}
}

// extreme returns the bits of the greatest value of a form, or of the least.
func (k *Key) extreme(low bool) uint64 {
	switch {
	case k.Form == Long && low:
		return longBits(math.MinInt64)
	case k.Form == Long:
		return longBits(math.MaxInt64)
	case low:
		return doubleBits(math.Inf(-1))
	}
	return doubleBits(math.Inf(1))
}

// Bits have the order of the numbers that they stand for.

func longBits(n int64) uint64 { return uint64(n) ^ 1<<63 }

func bitsLong(b uint64) int64 { return int64(b ^ 1<<63) }

func doubleBits(f float64) uint64 {
	b := math.Float64bits(f)
	if b>>63 == 1 {
		return ^b
	}
	return b | 1<<63
}

func bitsDouble(b uint64) float64 {
	if b>>63 == 1 {
		return math.Float64frombits(b &^ (1 << 63))
	}
	return math.Float64frombits(^b)
}

// fraction returns the bits of a number in the precision of the form.
func (k *Key) fraction(f float64) uint64 {
	if k.Form == Float {
		f = float64(float32(f))
	}
	return doubleBits(f)
}

// Plain reports whether the order is that of Column, documents without a value last.
func (k *Key) Plain() bool {
	if k.Exact || k.Values == nil {
		return !k.HasOptions()
	}
	return !k.HasOptions() && k.byPlace() && (k.Form == Text || k.place%spread != 0)
}

// Column is what documents are ordered by: of a list the order of lists, else the values that hits
// show and pages follow.
func (k *Key) Column() *snapshot.Column {
	if k.Exact {
		return k.Sort
	}
	return k.Values.Column()
}

// Listed reports whether lists have the same order.
func (k *Key) Listed() bool { return k.Values != nil && k.Column() == k.Sort }

// ordinal returns the ordinal of the value that decides among those of a document, or Distinct.
func (k *Key) ordinal(d snapshot.DocID) int {
	c := k.Values.Column()
	if k.greatest() {
		return c.Greatest(d)
	}
	return c.Least(d)
}

// greatest reports whether the greatest value of a document decides, else the least.
func (k *Key) greatest() bool { return k.Mode == "max" || k.Mode == "" && !k.Asc }

// bits returns the value of a document as bits, for all forms of numbers.
func (k *Key) bits(d snapshot.DocID) uint64 {
	if k.Values == nil {
		return k.absent
	}
	if joins(k.Mode) && !k.Values.Column().Single {
		if k.joined == nil {
			k.join()
		}
		return k.joined[d]
	}
	ord := k.ordinal(d)
	if ord == k.Values.Column().Distinct {
		return k.absent
	}
	return k.number(ord)
}

// number returns the bits of a value.
func (k *Key) number(ord int) uint64 {
	if k.Form == Long {
		return longBits(k.long(ord))
	}
	return k.fraction(k.double(ord))
}

// long returns a value without its fraction.
func (k *Key) long(ord int) int64 {
	n := k.Values.Numbers()
	if k.Kind.IsFraction() {
		return query.LongOf(n.Float(ord))
	}
	if k.nanos {
		return n.Int(ord) * nanosPerMilli
	}
	return n.Int(ord)
}

// nanosPerMilli is the number of nanoseconds of a millisecond.
const nanosPerMilli = 1e6

func (k *Key) double(ord int) float64 {
	n := k.Values.Numbers()
	if k.Kind.IsFraction() {
		return n.Float(ord)
	}
	return float64(n.Int(ord))
}

// spread leaves room between the places of two values for those of values that no document has.
const spread = scorer.PlaceSpread

// byPlace reports whether the key of a document is the place of its value: no two values are equal
// in the form of the key.
func (k *Key) byPlace() bool {
	if k.Values == nil || k.Form == Text {
		return k.Form == Text
	}
	same := k.Form == Double && k.Kind.IsFraction() || k.Form == formOf(k.Kind)
	return same && !k.nanos && (!joins(k.Mode) || k.Values.Column().Single)
}

// placeOf returns the place of a text: that of an ordinal, or behind the one before it.
func (k *Key) placeOf(text []byte) uint32 {
	if k.Values == nil {
		return spread + 2 // between no values
	}
	return placeAt(k.Values.Strings().Find(text))
}

// placeOfNumber is placeOf for the bits of a number.
func (k *Key) placeOfNumber(bits uint64) uint32 {
	n := k.Values.Numbers().Len()
	switch { // mostly it is what stands for absence, beyond all values
	case n == 0 || bits < k.number(0):
		return placeAt(0, false)
	case bits > k.number(n-1):
		return placeAt(n, false)
	}
	ord := sort.Search(n, func(ord int) bool { return k.number(ord) >= bits })
	return placeAt(ord, ord < n && k.number(ord) == bits)
}

func placeAt(ord int, exact bool) uint32 {
	if exact {
		return uint32(ord+1) * spread
	}
	return uint32(ord)*spread + 2
}

// absentKey returns the key of documents without a value.
func (k *Key) absentKey() uint32 {
	if k.place == 0 || k.place == math.MaxUint32 {
		return k.place // first or last, either way
	}
	return k.turned(k.place)
}

func (k *Key) turned(place uint32) uint32 { return scorer.PlaceKey(place, k.Asc) }

// Order appends what documents are sorted by.
func (k *Key) Order(keys []scorer.SortKey) []scorer.SortKey {
	switch k.Form {
	case Score:
		return append(keys, scorer.SortKey{Asc: k.Asc})
	case Document:
		return append(keys, scorer.SortKey{Of: func(d snapshot.DocID) uint32 { return k.documentKey(d) }})
	}
	switch {
	case k.byPlace() && k.Values == nil:
		return append(keys, scorer.SortKey{Of: func(snapshot.DocID) uint32 { return k.absentKey() }})
	case k.byPlace():
		return append(keys, scorer.SortKey{Column: k.Values.Column(), Asc: k.Asc, Greatest: k.greatest(), Absent: k.absentKey()})
	}
	high := func(d snapshot.DocID) uint32 { return uint32(k.numberKey(k.bits(d)) >> 32) }
	low := func(d snapshot.DocID) uint32 { return uint32(k.numberKey(k.bits(d))) }
	return append(keys, scorer.SortKey{Of: high}, scorer.SortKey{Of: low})
}

func (k *Key) documentKey(d snapshot.DocID) uint32 {
	if k.Asc {
		return d
	}
	return math.MaxUint32 - d
}

func (k *Key) numberKey(bits uint64) uint64 {
	if k.Asc {
		return bits
	}
	return ^bits
}
