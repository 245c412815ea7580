// This file reads the numbers of queries as Elasticsearch does. Fractions have the syntax of Java's
// doubles. Integers have the syntax of its BigDecimal: neither suffixes nor white space.

package compile

import (
	"math"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// number matches a number. No integer equals a fraction, NaN or infinity.
func (c *fieldCompiler) number(t fields.Target, text string, boost float64) (scorer.Scorer, error) {
	from, to, err := numberOrdinals(t, text)
	if err != nil || from == to {
		return nil, err
	}
	return c.named(t, c.request.Ordinals(t.Values.Column(), from, to, boost), func() string { return "[" + text + " TO " + text + "]" }), nil
}

// numberOrdinals returns the ordinals of a number. It returns none if no item has the number.
func numberOrdinals(t fields.Target, text string) (from, to int, err error) {
	f, ok := analysis.ParseDouble(text, t.Kind.Bits())
	switch {
	case !ok, t.Kind.IsFraction() && !isFinite(f):
		return 0, 0, unfit(t.Kind, text)
	case t.Kind == fields.Long && math.Mod(f, 1) != 0:
		return 0, 0, nil
	}
	if from, err = numberOrdinal(t, text, false); err != nil {
		return 0, 0, err
	}
	to, err = numberOrdinal(t, text, true)
	return from, to, err
}

// numberOrdinal is ordinal for a target of numbers.
func numberOrdinal(t fields.Target, text string, past bool) (int, error) {
	n := t.Values.Numbers()
	f, ok := analysis.ParseDouble(text, t.Kind.Bits())
	switch {
	case !ok, t.Kind == fields.Float && !isFinite(f):
		return 0, unfit(t.Kind, text)
	case t.Kind.IsFraction():
		return findFloat(n, f, past), nil
	}
	i, ok := analysis.ReadLong(text)
	if !ok {
		return 0, unfit(t.Kind, text)
	}
	if math.Mod(f, 1) != 0 {
		past = f > 0 // ReadLong has cut the fraction towards zero
	}
	return findLong(n, i, past), nil
}

// findLong returns the first ordinal whose value is at least i or, with past, above i.
func findLong(n *snapshot.Numbers, i int64, past bool) int {
	switch {
	case past && i == math.MaxInt64:
		return n.Len()
	case past:
		i++
	}
	return n.FindInt(i)
}

// findFloat is findLong for fractions, in Java's order: -0 comes before 0, NaN after infinity. Columns hold no -0.
func findFloat(n *snapshot.Numbers, f float64, past bool) int {
	switch {
	case math.IsNaN(f):
		return n.Len()
	case f == 0 && math.Signbit(f):
		return n.FindFloat(0)
	case past:
		f = math.Nextafter(f, math.Inf(1))
	}
	return n.FindFloat(f)
}

func isFinite(f float64) bool { return !math.IsInf(f, 0) && !math.IsNaN(f) }
