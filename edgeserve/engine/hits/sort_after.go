// This file reads the values of a hit that a page follows.

package hits

import (
	"bytes"
	"cmp"
	"math"
	"strconv"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// After appends the keys of a value, as many as Order appends. nil is the absence of a text.
func (k *SortKey) After(keys []uint32, v *query.Value) ([]uint32, error) {
	switch {
	case k.Form == sortText && v == nil && k.text != nil:
		return append(keys, 0), nil // Elasticsearch begins before all texts then
	case k.Form == sortText && v == nil:
		return append(keys, k.absentKey()), nil
	case k.Form == sortText:
		return append(keys, k.afterText([]byte(v.Text))), nil
	case v == nil:
		return nil, k.badAfter("null")
	case k.Form == SortDocument:
		n, ok := nearestLong(v)
		if !ok || n < math.MinInt32 || n > math.MaxInt32 {
			return nil, k.badAfter(v.Text)
		}
		if n < 0 {
			return append(keys, k.directed(0)), nil
		}
		return append(keys, k.directed(uint32(n))), nil
	case k.Form == SortScore:
		f, ok := v.Double()
		if !ok || f != f {
			return nil, k.badAfter(v.Text)
		}
		if f < 0 { // below all scores
			return append(keys, k.directed(0)), nil
		}
		return append(keys, scorer.ScoreKey(float32(f), k.asked.Asc)), nil
	}
	bits, ok := k.afterNumber(v)
	if !ok {
		return nil, k.badAfter(v.Text)
	}
	if k.byPlace() {
		return append(keys, k.afterPlace(k.placeOfNumber(bits), cmp.Compare(bits, k.absent))), nil
	}
	bits = k.numberKey(bits)
	return append(keys, uint32(bits>>32), uint32(bits)), nil
}

func (k *SortKey) badAfter(text string) error {
	err := k.bad("the value %.80q of search_after does not fit the sort key %.80q", text, k.asked.Field).(*query.Error)
	err.Parameter = "search_after"
	return err
}

// afterText returns the key of a text.
func (k *SortKey) afterText(text []byte) uint32 {
	order := 0
	if k.text != nil {
		order = bytes.Compare(text, k.text)
	}
	return k.afterPlace(k.placeOf(text), order)
}

// afterPlace returns the key of a value at a place. If it is between the same two values as the value for absence,
// their order decides.
func (k *SortKey) afterPlace(place uint32, order int) uint32 {
	if place == k.place && place%spread != 0 {
		place = uint32(int(place) + order)
	}
	return k.directed(place)
}

func (k *SortKey) afterNumber(v *query.Value) (bits uint64, ok bool) {
	if k.Form != sortLong {
		f, ok := v.Double()
		return k.fraction(f), ok
	}
	if v.Kind == query.Number {
		n, ok := nearestLong(v)
		return longBits(n), ok
	}
	n, ok := k.afterString(v.Text)
	return longBits(n), ok
}

// nearestLong is the integer that a number has, or the nearest one of 64 bits.
func nearestLong(v *query.Value) (int64, bool) {
	if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
		return n, true
	}
	f, ok := v.Double()
	return query.LongOf(f), ok
}

// afterString reads a text as the type of the field does.
func (k *SortKey) afterString(text string) (n int64, ok bool) {
	boolean, date := k.asked.Unmapped == "boolean", k.asked.Unmapped == "date" || k.asked.Unmapped == "date_nanos"
	if k.target.Values != nil {
		boolean, date = k.target.Kind == fields.Boolean, k.target.Kind == fields.Date
	}
	switch {
	case boolean:
		switch text {
		case "true":
			return 1, true
		case "false":
			return 0, true
		}
		return 0, false
	case date:
		n, ok := analysis.ParseDate(text, false, nil)
		if k.nanos {
			n *= nanosPerMilli
		}
		return n, ok
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, true
	}
	v := query.Value{Kind: query.String, Text: text}
	f, ok := v.Double()
	return query.LongOf(math.Floor(f)), ok
}
