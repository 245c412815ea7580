// This file gives the keys of a sort their meaning: how they order documents, and which value of a document a
// hit shows.

package hits

import (
	"fmt"
	"math"
	"sort"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// SortForm is the type of a key's values.
type SortForm uint8

// The forms of values. A Long is a number without a fraction, a date or a boolean.
const (
	SortScore SortForm = iota
	SortDocument
	sortText
	sortLong
	sortFloat // of 32 bits
	sortDouble
)

// SortKey is a key of a sort.
type SortKey struct {
	asked  query.SortKey
	target fields.Target // its Values are nil for the score, the document number and a field that no item has
	Form   SortForm

	items  int
	nanos  bool     // shown are nanoseconds
	absent uint64   // bits of the value for a document without one; not for a Text
	joined []uint64 // bits by document of a mode that joins values; nil until needed
	place  uint32   // of the value for absence, if places decide; see placeOf
	text   []byte   // that value
	shown  []byte   // scratch: the text of a hit
}

// CompileSort finds the values of a key. Errors are *query.Error.
func CompileSort(r fields.Resolver, k query.SortKey) (*SortKey, error) {
	key := &SortKey{asked: k, items: r.Reader.Items()}
	switch k.Field {
	case "_score":
		return key, nil
	case "_doc":
		key.Form = SortDocument
		return key, nil
	}
	switch t, ok := resolve(r, k); {
	case fields.Valueless(k.Field):
		return nil, key.bad("%.80q has no values to sort by", k.Field)
	case ok:
		key.target = t
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

func formOf(k fields.TargetKind) SortForm {
	switch {
	case !k.Typed():
		return sortText
	case k == fields.Float:
		return sortFloat
	case k == fields.Double:
		return sortDouble
	}
	return sortLong
}

// Absent reports whether no item has the field.
func (k *SortKey) Absent() bool { return k.target.Values == nil && k.Form > SortDocument }

// unmapped gives a field that no item has a form.
func (k *SortKey) unmapped() error {
	k.Form = sortText
	if k.asked.Unmapped == "" {
		return nil
	}
	switch k.asked.Unmapped {
	case "keyword", "ip":
	case "float", "half_float":
		k.Form = sortFloat
	case "double":
		k.Form = sortDouble
	default:
		k.Form = sortLong
	}
	return query.CheckUnmapped(k.asked.Unmapped)
}

// numericType changes the form to the form of the option numeric_type.
func (k *SortKey) numericType() error {
	switch {
	case k.Form == sortText && k.asked.NumericType != "":
		return k.bad("numeric_type needs numbers or dates; %.80q holds neither", k.asked.Field)
	case k.Form == sortText && joins(k.asked.Mode):
		return k.bad("the mode %s needs numbers or dates; %.80q holds neither", k.asked.Mode, k.asked.Field)
	case k.asked.NumericType == "date_nanos" && k.target.Values != nil && k.target.Kind != fields.Date:
		return k.bad("the numeric_type date_nanos needs dates; %.80q holds none", k.asked.Field)
	}
	switch k.asked.NumericType {
	case "":
	case "double":
		k.Form = sortDouble
	default:
		k.Form = sortLong
		k.nanos = k.asked.NumericType == "date_nanos"
	}
	return nil
}

// readMissing reads the value for documents without one.
func (k *SortKey) readMissing() error {
	first := k.asked.Missing != nil && k.asked.Missing.Kind == query.String && k.asked.Missing.Text == "_first"
	low := first == k.asked.Asc // absence counts as the least value, otherwise as the greatest
	if k.Form == sortText {
		k.place = math.MaxUint32
		switch {
		case first:
			k.place = 0
		case k.asked.Missing != nil && k.asked.Field != fields.IDName:
			k.text = []byte(k.asked.Missing.Text)
			k.place = k.placeOf(k.text)
		}
		return nil
	}
	switch {
	case k.asked.Missing == nil || first:
		k.absent = k.extreme(low)
	case k.Form == sortLong:
		n, ok := k.asked.Missing.Long()
		if !ok {
			return k.unfit()
		}
		k.absent = longBits(n)
	default:
		f, ok := k.asked.Missing.Double()
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

func (k *SortKey) unfit() error {
	return k.bad("the value %.80q of missing does not fit the type of the field %.80q", k.asked.Missing.Text, k.asked.Field)
}

func (k *SortKey) bad(format string, args ...any) error {
	return &query.Error{Code: problem.BadSort, Parameter: "sort", Position: -1, Message: fmt.Sprintf(format, args...)}
}

// extreme returns the bits of the greatest value of a form, or of the least.
func (k *SortKey) extreme(low bool) uint64 {
	switch {
	case k.Form == sortLong && low:
		return longBits(math.MinInt64)
	case k.Form == sortLong:
		return longBits(math.MaxInt64)
	case low:
		return doubleBits(math.Inf(-1))
	}
	return doubleBits(math.Inf(1))
}

// Bits have the order of the numbers that they represent.

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
func (k *SortKey) fraction(f float64) uint64 {
	if k.Form == sortFloat {
		f = float64(float32(f))
	}
	return doubleBits(f)
}

// Plain reports whether the order is the order of Column, documents without a value last.
func (k *SortKey) Plain() bool {
	if k.asked.Exact || k.target.Values == nil {
		return !k.asked.HasOptions()
	}
	return !k.asked.HasOptions() && k.byPlace() && (k.Form == sortText || k.place%spread != 0)
}

// Column is what documents are ordered by: of a list the order of lists, otherwise the values that hits show and pages
// follow.
func (k *SortKey) Column() *snapshot.Column {
	if k.asked.Exact {
		return k.target.Sort
	}
	return k.target.Values.Column()
}

// Listed reports whether lists have the same order.
func (k *SortKey) Listed() bool { return k.target.Values != nil && k.Column() == k.target.Sort }

// ordinal returns the ordinal of the value that decides among a document's values, or Distinct.
func (k *SortKey) ordinal(d snapshot.DocID) int {
	c := k.target.Values.Column()
	if k.greatest() {
		return c.Greatest(d)
	}
	return c.Least(d)
}

// greatest reports whether the greatest value of a document decides, or the least.
func (k *SortKey) greatest() bool { return k.asked.Mode == "max" || k.asked.Mode == "" && !k.asked.Asc }

// bits returns the value of a document as bits, for all forms of numbers.
func (k *SortKey) bits(d snapshot.DocID) uint64 {
	if k.target.Values == nil {
		return k.absent
	}
	if joins(k.asked.Mode) && !k.target.Values.Column().Single {
		if k.joined == nil {
			k.join()
		}
		return k.joined[d]
	}
	ord := k.ordinal(d)
	if ord == k.target.Values.Column().Distinct {
		return k.absent
	}
	return k.number(ord)
}

// number returns the bits of a value.
func (k *SortKey) number(ord int) uint64 {
	if k.Form == sortLong {
		return longBits(k.long(ord))
	}
	return k.fraction(k.double(ord))
}

// long returns a value without its fraction.
func (k *SortKey) long(ord int) int64 {
	n := k.target.Values.Numbers()
	if k.target.Kind.IsFraction() {
		return query.LongOf(n.Float(ord))
	}
	if k.nanos {
		return n.Int(ord) * nanosPerMilli
	}
	return n.Int(ord)
}

// nanosPerMilli is the number of nanoseconds of a millisecond.
const nanosPerMilli = 1e6

func (k *SortKey) double(ord int) float64 {
	n := k.target.Values.Numbers()
	if k.target.Kind.IsFraction() {
		return n.Float(ord)
	}
	return float64(n.Int(ord))
}

// spread leaves room between the places of two values for the places of values that no document has.
const spread = scorer.PlaceSpread

// byPlace reports whether the key of a document is the place of its value: no two values are equal
// in the form of the key.
func (k *SortKey) byPlace() bool {
	if k.target.Values == nil || k.Form == sortText {
		return k.Form == sortText
	}
	same := k.Form == sortDouble && k.target.Kind.IsFraction() || k.Form == formOf(k.target.Kind)
	return same && !k.nanos && (!joins(k.asked.Mode) || k.target.Values.Column().Single)
}

// placeOf returns the place of a text: the place of an ordinal, or a place after the previous ordinal.
func (k *SortKey) placeOf(text []byte) uint32 {
	if k.target.Values == nil {
		return spread + 2 // between no values
	}
	return placeAt(k.target.Values.Strings().Find(text))
}

// placeOfNumber is placeOf for the bits of a number.
func (k *SortKey) placeOfNumber(bits uint64) uint32 {
	n := k.target.Values.Numbers().Len()
	switch { // mostly it is the value for absence, beyond all others
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
func (k *SortKey) absentKey() uint32 {
	if k.place == 0 || k.place == math.MaxUint32 {
		return k.place // first or last, either way
	}
	return k.directed(k.place)
}

func (k *SortKey) directed(place uint32) uint32 { return scorer.PlaceKey(place, k.asked.Asc) }

// Order appends what documents are sorted by.
func (k *SortKey) Order(keys []scorer.SortKey) []scorer.SortKey {
	switch k.Form {
	case SortScore:
		return append(keys, scorer.SortKey{Asc: k.asked.Asc})
	case SortDocument:
		return append(keys, scorer.SortKey{Document: true, Asc: k.asked.Asc})
	}
	switch {
	case k.byPlace() && k.target.Values == nil:
		return append(keys, scorer.SortKey{Of: func(snapshot.DocID) uint32 { return k.absentKey() }})
	case k.byPlace():
		return append(keys, scorer.SortKey{Column: k.target.Values.Column(), Asc: k.asked.Asc, Greatest: k.greatest(), Absent: k.absentKey()})
	}
	high := func(d snapshot.DocID) uint32 { return uint32(k.numberKey(k.bits(d)) >> 32) }
	low := func(d snapshot.DocID) uint32 { return uint32(k.numberKey(k.bits(d))) }
	return append(keys, scorer.SortKey{Of: high}, scorer.SortKey{Of: low})
}

func (k *SortKey) numberKey(bits uint64) uint64 {
	if k.asked.Asc {
		return bits
	}
	return ^bits
}
