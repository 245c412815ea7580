// This file compiles ranges. On every column a range is a run of ordinals.

package compile

import (
	"time"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

func rangeBounds(n *query.Range) (lo, hi *scorer.Bound) {
	one := func(open, inc *query.Value) *scorer.Bound {
		switch {
		case inc != nil:
			return &scorer.Bound{Text: inc.Text, Inc: true}
		case open != nil:
			return &scorer.Bound{Text: open.Text}
		}
		return nil
	}
	return one(n.Gt, n.Gte), one(n.Lt, n.Lte)
}

func (c *fieldCompiler) valueRange(t fields.Target, lo, hi *scorer.Bound, boost float64) (scorer.Scorer, error) {
	return c.rangeOf(t, lo, hi, nil, boost)
}

// rangeOf compiles a range. dates reads bounds in formats or a zone of the query; nil reads the usual forms.
func (c *fieldCompiler) rangeOf(t fields.Target, lo, hi *scorer.Bound, dates *analysis.DateReader, boost float64) (scorer.Scorer, error) {
	if c.listing != nil {
		c.listing.to.Range(c.listing.leaf(t, boost), copyOf(lo), copyOf(hi))
		return nil, nil
	}
	if t.Kind == fields.Text {
		return c.named(t, c.request.TermRange(t.Field, lo, hi, boost), func() string { return rangeText(lo, hi) }), nil
	}
	from, to, err := c.ordinals(&t, lo, hi, dates)
	if err != nil {
		return nil, err
	}
	s := c.request.Ordinals(t.Values.Column(), from, to, boost)
	if t.Kind == fields.Date && from == 0 && to == t.Values.Column().Distinct {
		return c.request.WithDescription(s, func() string { return constantOf(existsText(&t)) }), nil // as Elasticsearch rewrites it
	}
	return c.named(t, s, func() string { return c.valuesText(&t, lo, hi, dates) }), nil
}

func (c *fieldCompiler) ordinals(t *fields.Target, lo, hi *scorer.Bound, dates *analysis.DateReader) (from, to int, err error) {
	to = t.Values.Column().Distinct
	now := c.clock.Now
	for _, b := range []*scorer.Bound{lo, hi} {
		if b != nil && c.work.Charge(scorer.LookupCost(len(b.Text))) != nil {
			return 0, 0, c.work.Failed()
		}
	}
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

// ordinal returns the first ordinal whose value is at least the value of a text or, with past, above that value.
func ordinal(t *fields.Target, text string, past bool, dates *analysis.DateReader, now func() time.Time) (int, error) {
	if t.Kind == fields.Keyword {
		ord, exact := t.Values.Strings().Find([]byte(text))
		if exact && past {
			ord++
		}
		return ord, nil
	}
	var i int64
	ok := false
	switch t.Kind {
	case fields.Date: // the text names a span of time; past selects its end instead of its start
		if dates != nil {
			i, ok = dates.Parse(text, past, now)
		} else {
			i, ok = analysis.ParseDate(text, past, now)
		}
	case fields.Boolean:
		i, ok = analysis.ReadBool(text)
	default:
		return numberOrdinal(*t, text, past)
	}
	if !ok {
		return 0, unfit(t.Kind, text)
	}
	return findLong(t.Values.Numbers(), i, past), nil
}
