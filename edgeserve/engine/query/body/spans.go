// This file parses span queries, which match places in a text.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"slices"
)

// termKinds are the queries that span_multi takes.
var termKinds = []string{"prefix", "wildcard", "range", "fuzzy", "regexp"}

func parseSpan(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.Span{Kind: t.name, Ordered: true, Boost: 1}
	if t.name == "span_term" {
		parseSpanTerm(p, n, t, v)
		return n
	}
	dist, around := false, false
	for i := range v.Items {
		switch m := &v.Items[i]; {
		case !slices.Contains(t.options, m.Name):
			parseUnknownOption(p, t, m)
		case m.Name == "clauses":
			n.Clauses = parseSpanClauses(p, m, t.name == "span_near")
		case m.Name == "slop":
			n.Slop = p.signed(m)
		case m.Name == "in_order":
			n.Ordered = p.bool(m)
		case m.Name == "end":
			n.End = p.integer(m, 0)
		case m.Name == "pre":
			n.Pre, around = max(0, p.signed(m)), true
		case m.Name == "post":
			n.Post, around = max(0, p.signed(m)), true
		case m.Name == "dist":
			n.Pre = max(0, p.signed(m))
			n.Post, dist = n.Pre, true
		case m.Name == "field":
			n.Field = p.fieldName(m)
		case m.Name == "match" && t.name == "span_multi":
			if n.Terms = parseQuery(p, m); n.Terms != nil && !slices.Contains(termKinds, n.Terms.Type()) {
				p.fail(m, p.code(m), "%s must be a prefix, wildcard, range, fuzzy or regexp query, not %s", p.path(m), n.Terms.Type())
			}
			delete(p.names, n.Terms) // it only lists terms, and never matches by itself
		case m.Name == "match" || m.Name == "include" || m.Name == "little" || m.Name == "query":
			n.Match = parseInnerSpan(p, m)
		case m.Name == "exclude" || m.Name == "big":
			n.Other = parseInnerSpan(p, m)
		default:
			parseCommonOption(p, t, m, &n.Boost)
		}
	}
	if dist && around {
		p.fail(v, p.code(v), "%s has dist, which is pre and post, beside one of them", p.path(v))
	}
	for _, name := range spanNeeds[t.name] {
		p.require(v, name)
	}
	if v.Member("clauses") != nil && len(n.Clauses) == 0 {
		p.fail(v, p.code(v), "%s needs at least one span query in clauses", p.path(v))
	}
	return n
}

// spanNeeds are the options that a span query cannot do without.
var spanNeeds = map[string][]string{
	"span_near": {"clauses"}, "span_or": {"clauses"}, "span_first": {"match", "end"}, "span_not": {"include", "exclude"},
	"span_containing": {"big", "little"}, "span_within": {"big", "little"}, "span_multi": {"match"}, "field_masking_span": {"query", "field"},
}

func parseSpanTerm(p *parser, n *query.Span, t *queryType, v *strictjson.Value) {
	f := p.field(v)
	if f == nil {
		return
	}
	n.Field = f.Name
	if f.Kind != strictjson.Object {
		n.Value = p.scalar(f).Text
		return
	}
	given := false
	for i := range f.Items {
		switch m := &f.Items[i]; m.Name {
		case "value", "term":
			n.Value, given = p.scalar(m).Text, true
		default:
			parseCommonOption(p, t, m, &n.Boost)
		}
	}
	if !given {
		p.require(f, "value")
	}
}

func parseSpanClauses(p *parser, v *strictjson.Value, gaps bool) (list []*query.Span) {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, "an array of span queries")
		return nil
	}
	if p.tooMany(v, "clauses", len(v.Items), lucene.MaxClauses) {
		return nil
	}
	words := 0
	p.each(v, func(e *strictjson.Value) {
		if gap := e.Member("span_gap"); gap != nil && gaps && len(e.Items) == 1 {
			list = append(list, parseSpanGap(p, gap))
			return
		}
		words++
		if s := parseInnerSpan(p, e); s != nil {
			list = append(list, s)
		}
	})
	if words == 0 && len(list) > 0 {
		p.fail(v, p.code(v), "%s has only gaps: they stand between other span queries", p.path(v))
	}
	return list
}

func parseSpanGap(p *parser, v *strictjson.Value) *query.Span {
	n := &query.Span{Kind: "span_gap", Boost: 1}
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"Data.title":1}`)
		return n
	}
	if f := p.field(v); f != nil {
		n.Field, n.End = f.Name, p.integer(f, 0)
	}
	return n
}

// innerSpan parses a span query in another one. Only the outermost may have a boost.
func parseInnerSpan(p *parser, v *strictjson.Value) *query.Span {
	n, ok := parseQuery(p, v).(*query.Span)
	switch {
	case p.err != nil:
		return nil
	case !ok:
		p.fail(v, p.code(v), "%s must be a span query: one of span_term, span_near, span_or, span_first, span_not, span_containing, span_within, span_multi, field_masking_span", p.path(v))
		return nil
	case n.Boost != 1:
		p.fail(v, p.code(v), "%s has a boost, which only the outermost span query may have", p.path(v))
	}
	return n
}

// signed parses an integer of 32 bits.
func (p *parser) signed(v *strictjson.Value) int { return p.integer(v, -1<<31) }
