// This file prints compiled queries as Lucene does, for explanations. Nothing else reads the texts.

package compile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// named describes a Scorer with a constant score as a query of a field.
func (c *fieldCompiler) named(t fields.Target, s scorer.Scorer, text func() string) scorer.Scorer {
	return c.request.WithDescription(s, func() string { return t.Name() + ":" + text() })
}

// rewritten describes a Scorer as named does, unless the rewrite method scores terms.
func (c *fieldCompiler) rewritten(t fields.Target, s scorer.Scorer, r query.Rewrite, text func() string) scorer.Scorer {
	if !r.IsConstant() {
		return s
	}
	return c.named(t, s, text)
}

// explained returns the text of a term, or "" if the request explains nothing.
func (c *fieldCompiler) explained(term []byte) string {
	if !c.request.Explain {
		return ""
	}
	return string(term)
}

// boostOf is the boost of the query itself, without the boosts of the queries around it.
func boostOf(n query.Node) float64 {
	if b, ok := n.(query.Boosted); ok {
		return *b.BoostOption()
	}
	return 1
}

func constantOf(text string) string { return "ConstantScore(" + text + ")" }

func existsText(t *fields.Target) string {
	if t.Kind == fields.Text {
		return "NormsFieldExistsQuery [field=" + t.Name() + "]"
	}
	return "DocValuesFieldExistsQuery [field=" + t.Name() + "]"
}

func idsText(ids []string) string { return constantOf("_id:[" + strings.Join(ids, " ") + "]") }

// valueText is the value of an ordinal as Lucene prints the term.
func valueText(t fields.Target, ord int) string {
	if t.Kind == fields.Boolean {
		return "FT"[t.Values.Numbers().Int(ord):][:1]
	}
	return string(t.Values.Strings().At(ord, nil))
}

// maxListedTerms is the greatest number of terms that Lucene prints as optional clauses.
const maxListedTerms = 16

func termsText(t fields.Target, values []query.Value) string {
	var texts []string
	for _, v := range values {
		text := v.Text
		if t.Kind == fields.Boolean {
			text = map[string]string{"true": "T", "false": "F"}[text]
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	texts = slices.Compact(texts)
	switch {
	case t.Kind.Typed() && t.Kind != fields.Boolean:
		slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
		return t.Name() + ":{" + strings.Join(texts, " ") + "}"
	case len(texts) > maxListedTerms:
		return t.Name() + ":(" + strings.Join(texts, " ") + ")"
	}
	for i, text := range texts {
		texts[i] = t.Name() + ":" + text
	}
	return constantOf(strings.Join(texts, " "))
}

// rangeText prints a range of terms.
func rangeText(lo, hi *scorer.Bound) string {
	text := "[*"
	switch {
	case lo != nil && lo.Inc:
		text = "[" + lo.Text
	case lo != nil:
		text = "{" + lo.Text
	}
	switch {
	case hi == nil:
		return text + " TO *]"
	case hi.Inc:
		return text + " TO " + hi.Text + "]"
	}
	return text + " TO " + hi.Text + "}"
}

// valuesText prints a range of values. Like Lucene it includes both ends in a range of integers or dates.
func (c *fieldCompiler) valuesText(t *fields.Target, lo, hi *scorer.Bound, dates *analysis.DateReader) string {
	if t.Kind != fields.Long && t.Kind != fields.Date {
		return rangeText(lo, hi)
	}
	end := func(b *scorer.Bound, low bool) string {
		switch {
		case b == nil && low:
			return "-9223372036854775808"
		case b == nil:
			return "9223372036854775807"
		}
		n, ok := c.integerOf(t, b.Text, b.Inc != low, dates)
		if !ok {
			return b.Text
		}
		if !b.Inc && low {
			n++
		} else if !b.Inc {
			n--
		}
		return strconv.FormatInt(n, 10)
	}
	return "[" + end(lo, true) + " TO " + end(hi, false) + "]"
}

// integerOf reads a bound. If the bound names a span of time, last selects its end instead of its start.
func (c *fieldCompiler) integerOf(t *fields.Target, text string, last bool, dates *analysis.DateReader) (n int64, ok bool) {
	switch {
	case t.Kind == fields.Long:
		_, n, whole, ok := analysis.ParseNumber(text)
		return n, ok && whole
	case dates != nil:
		return dates.Parse(text, last, c.clock.Now)
	}
	return analysis.ParseDate(text, last, c.clock.Now)
}

// spanText prints a span query.
func (s *spanCompiler) spanText(n *query.Span) string {
	list := func() string {
		var texts []string
		for _, sub := range n.Clauses {
			texts = append(texts, s.spanText(sub))
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	switch n.Kind {
	case "span_term":
		return n.Field + ":" + n.Value
	case "span_near":
		return "spanNear(" + list() + ", " + strconv.Itoa(n.Slop) + ", " + strconv.FormatBool(n.Ordered) + ")"
	case "span_or":
		return "spanOr(" + list() + ")"
	case "span_first":
		return "spanFirst(" + s.spanText(n.Match) + ", " + strconv.Itoa(n.End) + ")"
	case "span_not":
		return "spanNot(" + s.spanText(n.Match) + ", " + s.spanText(n.Other) + ", " + strconv.Itoa(n.Pre) + ", " + strconv.Itoa(n.Post) + ")"
	case "span_containing":
		return "SpanContaining(" + s.spanText(n.Other) + ", " + s.spanText(n.Match) + ")"
	case "span_within":
		return "SpanWithin(" + s.spanText(n.Other) + ", " + s.spanText(n.Match) + ")"
	case "field_masking_span":
		return "mask(" + s.spanText(n.Match) + ") as " + n.Field
	case "span_multi":
		return "spanOr(" + n.ClaimedField() + ")"
	}
	return n.Kind
}

// nearest returns that value of a document which is nearest to the number to.
func nearest(column *snapshot.Column, numbers *snapshot.Numbers, d snapshot.DocID, to int64) int64 {
	low, high := numbers.Int(column.Least(d)), numbers.Int(column.Greatest(d))
	if max(low, to)-min(low, to) <= max(high, to)-min(high, to) {
		return low
	}
	return high
}
