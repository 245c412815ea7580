// This file compiles ranges. On every column a range is a run of ordinals.

package search

import (
	"math"
	"strconv"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

func rangeBounds(n *query.Range) (lo, hi *iter.Bound) {
	one := func(open, inc *query.Value) *iter.Bound {
		switch {
		case inc != nil:
			return &iter.Bound{Text: inc.Text, Inc: true}
		case open != nil:
			return &iter.Bound{Text: open.Text}
		}
		return nil
	}
	return one(n.Gt, n.Gte), one(n.Lt, n.Lte)
}

func (c *fieldCompiler) valueRange(t fields.Target, lo, hi *iter.Bound, boost float64) (iter.Scorer, error) {
	return c.rangeOf(t, lo, hi, nil, boost)
}

// rangeOf is valueRange for dates of other formats or zones. A nil reader is for all others.
func (c *fieldCompiler) rangeOf(t fields.Target, lo, hi *iter.Bound, dates *analysis.DateReader, boost float64) (iter.Scorer, error) {
	if t.Kind == fields.Text {
		return c.named(t, c.TermRange(t.Field, lo, hi, boost), func() string { return rangeText(lo, hi) }), nil
	}
	from, to, err := c.ordinals(&t, lo, hi, dates)
	if err != nil {
		return nil, err
	}
	s := c.Ordinals(t.Values.Column(), from, to, boost)
	if t.Kind == fields.Date && from == 0 && to == t.Values.Column().Distinct {
		return c.Titled(s, func() string { return constantOf(existsText(&t)) }), nil // as Elasticsearch rewrites it
	}
	return c.named(t, s, func() string { return c.valuesText(&t, lo, hi, dates) }), nil
}

func (c *fieldCompiler) ordinals(t *fields.Target, lo, hi *iter.Bound, dates *analysis.DateReader) (from, to int, err error) {
	to = t.Values.Column().Distinct
	now := c.Now
	if lo != nil {
		if from, err = ordinal(t, lo.Text, !lo.Inc, dates, now); err != nil {
			return 0, 0, err
		}
	}
	if hi != nil {
		to, err = ordinal(t, hi.Text, hi.Inc, dates, now)
	}
	return from, to, err
}

// ordinal is the first ordinal whose value is at least that of a text, or, past it, above.
func ordinal(t *fields.Target, text string, past bool, dates *analysis.DateReader, now func() time.Time) (int, error) {
	if t.Kind == fields.Keyword {
		ord, exact := t.Values.Strings().Find([]byte(text))
		if exact && past {
			ord++
		}
		return ord, nil
	}
	n, ok := t.Values.Numbers(), false
	var f float64
	var i int64
	whole := true
	switch t.Kind {
	case fields.Float, fields.Double:
		return findFloat(n, text, past, t.Kind)
	case fields.Date: // a lower bound is the floor of its text, one past it the ceiling
		if dates != nil {
			i, ok = dates.Parse(text, past, now)
		} else {
			i, ok = analysis.ParseDate(text, past, now)
		}
	case fields.Boolean:
		i, ok = analysis.ReadBool(text)
	default:
		f, i, whole, ok = analysis.ParseNumber(text)
	}
	if !ok || !whole && (f >= 1<<63 || f < -1<<63) {
		return 0, unfit(t.Kind, text)
	}
	return findLong(n, f, i, whole, past), nil
}

// findLong returns the first ordinal at a bound or, past it, above. It rounds a fraction up.
func findLong(n *snapshot.Numbers, f float64, i int64, isInt, past bool) int {
	switch {
	case isInt && past && i == math.MaxInt64:
		return n.Len()
	case isInt && past:
		return n.FindInt(i + 1)
	case isInt:
		return n.FindInt(i)
	}
	return n.FindInt(int64(math.Ceil(f)))
}

func findFloat(n *snapshot.Numbers, text string, past bool, kind fields.Kind) (int, error) {
	f, err := strconv.ParseFloat(text, kind.Bits())
	if err != nil || !isFinite(f, kind) {
		return 0, unfit(kind, text)
	}
	if past {
		f = math.Nextafter(f, math.Inf(1))
	}
	return n.FindFloat(f), nil
}
