// This file writes the queries for places in a text: spans and intervals.

package encode

import "contentedge/edgeserve/engine/query"

func (e *encoder) span(n *query.Span) object {
	o := object{}
	switch n.Kind {
	case "span_term":
		o["value"] = n.Value
		return e.below(n.Field, n, o)
	case "span_gap":
		e.member(o, n.Field, whole(n.End))
		return object{n.Kind: o}
	case "span_near":
		o["clauses"] = e.spans(n.Clauses)
		integer(o, "slop", n.Slop, 0)
		flagOff(o, "in_order", !n.Ordered)
	case "span_or":
		o["clauses"] = e.spans(n.Clauses)
	case "span_first":
		o["match"], o["end"] = e.innerSpan(n.Match), whole(n.End)
	case "span_not":
		o["include"], o["exclude"] = e.innerSpan(n.Match), e.innerSpan(n.Other)
		integer(o, "pre", n.Pre, 0)
		integer(o, "post", n.Post, 0)
	case "span_containing", "span_within":
		o["little"], o["big"] = e.innerSpan(n.Match), e.innerSpan(n.Other)
	case "field_masking_span":
		o["query"], o["field"] = e.innerSpan(n.Match), n.Field
	case "span_multi":
		o["match"] = e.node(n.Terms)
	default:
		return e.unknown(n)
	}
	return e.query(n, o)
}

// innerSpan writes a span that another needs.
func (e *encoder) innerSpan(n *query.Span) object {
	if n == nil {
		return e.unknown(nil)
	}
	return e.span(n)
}

func (e *encoder) spans(list []*query.Span) []any {
	out := make([]any, len(list))
	for i, n := range list {
		out[i] = e.innerSpan(n)
	}
	return out
}

// intervalRule writes an object with one member, whose name is the kind of the rule.
func (e *encoder) intervalRule(r *query.IntervalRule) object {
	if r == nil {
		e.fail("a rule of intervals is absent")
		return nil
	}
	o := object{}
	switch r.Kind {
	case "match":
		o["query"] = r.Text
	case "prefix":
		o["prefix"] = r.Text
	case "wildcard":
		o["pattern"] = r.Text
	case "fuzzy":
		o["term"] = r.Text
		fuzziness(o, &r.Fuzziness, true)
		integer(o, "prefix_length", r.PrefixLength, 0)
		flagOff(o, "transpositions", r.NoTranspositions)
	case "all_of", "any_of":
		rules := make([]any, len(r.Rules))
		for i, inner := range r.Rules {
			rules[i] = e.intervalRule(inner)
		}
		o["intervals"] = rules
	default:
		e.fail("unknown rule %q of intervals", r.Kind)
	}
	integer(o, "max_gaps", r.MaxGaps, -1)
	flag(o, "ordered", r.Ordered)
	text(o, "use_field", r.UseField)
	if r.Filter != nil {
		o["filter"] = object{r.Filter.Kind: e.intervalRule(r.Filter.Rule)}
	}
	return object{r.Kind: o}
}
