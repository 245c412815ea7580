// This file computes the axes of histograms.

package aggs

import (
	"math"
	"strconv"
	"time"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
)

func (a *aggregator) newDateHistogram(agg *query.Agg, path string, in scope) (evaluator, error) {
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	x, err := a.dateAxis(agg, s, path)
	if err != nil {
		return nil, err
	}
	return a.newHistogramOf(agg, s, path, in, x)
}

func (a *aggregator) dateAxis(agg *query.Agg, s *valuesSource, path string) (x axis, err error) {
	h := agg.Options.(*query.Histogram)
	r := &rounding{interval: agg.Buckets.Interval, fixed: query.LongOf(h.Interval), offset: query.LongOf(h.Offset)}
	zone, write, err := dateWriter(agg, path)
	if err != nil {
		return x, err
	}
	if r.zone = zone; s.kind == fields.Date || agg.Values.Format != "" {
		x.name = write
	}
	x.at, x.floor, x.next = s.date, r.floor, r.next
	if s.v != nil && !s.v.Numbers().IsFloat() {
		x.dates = s.v.Numbers()
	}
	x.even = r.zone == time.UTC
	if ms := s.missing.i; s.none >= 0 {
		if s.missing.fraction {
			ms = toMillis(s.missing.f)
		}
		x.missing = r.floor(min(max(ms, -lastDate), lastDate))
	}
	x.number = func(dst []byte, key int64) []byte { return strconv.AppendInt(dst, key, 10) }
	parse := func(v *query.Value) (float64, bool) {
		ms, ok := a.parseDateBound(v, agg.Values.Format, r.zone)
		return float64(ms), ok
	}
	round := func(v float64) float64 { return float64(r.start(query.LongOf(v))) } // without the offset
	lo, hi, err := bounds(agg, path, "extended_bounds", h.Extended, parse, round)
	if err != nil {
		return x, err
	}
	if lo != nil {
		x.min = new(query.LongOf(*lo) + r.offset)
	}
	if hi != nil {
		x.max = new(query.LongOf(*hi) + r.offset)
	}
	least, most, err := hardBounds(agg, path, h.Hard, parse, round, lo, hi)
	if h.Hard != nil {
		x.inside = func(key int64) bool {
			return (least == nil || key >= query.LongOf(*least)) && (most == nil || key < query.LongOf(*most))
		}
	}
	return x, err
}

// date returns the value of an ordinal in milliseconds.
func (s *valuesSource) date(ord int) int64 {
	if n := s.v.Numbers(); !n.IsFloat() {
		return min(max(n.Int(ord), -lastDate), lastDate)
	}
	return toMillis(s.v.Numbers().Float(ord))
}

// bounds resolves the bounds of a histogram.
func bounds(agg *query.Agg, path, member string, b *query.Bounds, parse func(*query.Value) (float64, bool), round func(float64) float64) (lo, hi *float64, err error) {
	if b == nil {
		return nil, nil, nil
	}
	one := func(name string, v *query.Value) *float64 {
		if v == nil || err != nil {
			return nil
		}
		f, ok := parse(v)
		if !ok {
			err = badAgg(path, agg, member+"."+name, "%.80q is not a value of field %.80q", v.Text, agg.Values.Field)
		}
		return &f
	}
	if lo, hi = one("min", b.Min), one("max", b.Max); err == nil && lo != nil && hi != nil && *lo > *hi {
		err = badAgg(path, agg, member, "min is above max")
	}
	for _, v := range []*float64{lo, hi} {
		if v != nil {
			*v = round(*v)
		}
	}
	return lo, hi, err
}

// hardBounds resolves the hard bounds of a histogram. They have to include the extended bounds lo and hi.
func hardBounds(agg *query.Agg, path string, b *query.Bounds, parse func(*query.Value) (float64, bool), round func(float64) float64, lo, hi *float64) (least, most *float64, err error) {
	least, most, err = bounds(agg, path, "hard_bounds", b, parse, round)
	if err == nil && (least != nil && lo != nil && *least > *lo || most != nil && hi != nil && *most < *hi) {
		err = badAgg(path, agg, "extended_bounds", "extended_bounds must be inside of hard_bounds")
	}
	return least, most, err
}

func (a *aggregator) newHistogram(agg *query.Agg, path string, in scope) (evaluator, error) {
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	x, err := a.numberAxis(agg, s, path)
	if err != nil {
		return nil, err
	}
	return a.newHistogramOf(agg, s, path, in, x)
}

func (a *aggregator) numberAxis(agg *query.Agg, s *valuesSource, path string) (x axis, err error) {
	h := agg.Options.(*query.Histogram)
	key := func(v float64) int64 { return intervalKey(math.Floor((v - h.Offset) / h.Interval)) }
	value := func(key int64) float64 { return float64(intervalNumber(key)*h.Interval) + h.Offset }
	x = axis{
		at:     func(ord int) int64 { return key(s.v.Numbers().Float(ord)) },
		floor:  func(key int64) int64 { return key },
		next:   func(key int64) int64 { return key + 1 },
		number: func(dst []byte, key int64) []byte { return appendDouble(dst, value(key)) },
	}
	if s.none >= 0 {
		x.missing = key(s.missing.f)
	}
	if x.name, err = numberName(agg, s, path, value); err != nil {
		return x, err
	}
	parse := func(v *query.Value) (float64, bool) {
		f, err := strconv.ParseFloat(v.Text, 64)
		return f, err == nil && !math.IsNaN(f)
	}
	same := func(v float64) float64 { return v }
	lo, hi, err := bounds(agg, path, "extended_bounds", h.Extended, parse, same)
	if err != nil {
		return x, err
	}
	if lo != nil {
		x.min = new(key(*lo))
	}
	if hi != nil {
		x.max = new(key(*hi))
	}
	least, most, err := hardBounds(agg, path, h.Hard, parse, same, lo, hi)
	if err != nil {
		return x, err
	}
	if h.Hard != nil {
		x.inside = func(key int64) bool {
			v := intervalNumber(key) * h.Interval
			return (least == nil || v >= *least) && (most == nil || v <= *most)
		}
	}
	return x, nil
}

// exactIntervals is the greatest number of an interval that is its own key. Not all greater integers can be a float64:
// the key of such a number is its rank among the integers that can.
const exactIntervals = 1 << 53

// intervalKey returns the key of the interval with a number. Keys have the order of the numbers.
func intervalKey(n float64) int64 {
	if math.Abs(n) <= exactIntervals {
		return int64(n)
	}
	key := exactIntervals + int64(math.Float64bits(math.Abs(n))-math.Float64bits(exactIntervals))
	if n < 0 {
		return -key
	}
	return key
}

// intervalNumber is the number of the interval with a key.
func intervalNumber(key int64) float64 {
	switch {
	case key > exactIntervals:
		return math.Float64frombits(math.Float64bits(exactIntervals) + uint64(key-exactIntervals))
	case key < -exactIntervals:
		return -intervalNumber(-key)
	}
	return float64(key)
}

// numberName returns a function that writes keys by the format, or by the kind of the field.
func numberName(agg *query.Agg, s *valuesSource, path string, value func(int64) float64) (func([]byte, int64) []byte, error) {
	if s.kind == fields.Date {
		_, write, err := dateWriter(agg, path)
		if err != nil {
			return nil, err
		}
		return func(dst []byte, key int64) []byte { return write(dst, query.LongOf(value(key))) }, nil
	}
	if s.kind == fields.Boolean {
		return func(dst []byte, key int64) []byte {
			return strconv.AppendQuote(dst, strconv.FormatBool(value(key) != 0))
		}, nil
	}
	if agg.Values.Format == "" {
		return nil, nil
	}
	write, err := numberFormat(agg, path)
	return func(dst []byte, key int64) []byte { return write(dst, value(key)) }, err
}
