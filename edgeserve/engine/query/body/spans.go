// This file parses span queries, which match places in a text.

package body

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
)

// spanOptions are the options of each span query.
var spanOptions = newSpanOptions()

func newSpanOptions() map[string]*table {
	tables := map[string]*table{}
	clauses := func(gaps bool) option[query.Span] {
		return option[query.Span]{"clauses", required, func(p *parser, n *query.Span, v *strictjson.Value) { n.Clauses = parseSpanClauses(p, v, gaps) }}
	}
	match := func(name string) option[query.Span] {
		return option[query.Span]{name, required, func(p *parser, n *query.Span, v *strictjson.Value) { n.Match = parseInnerSpan(p, v) }}
	}
	other := func(name string) option[query.Span] {
		return option[query.Span]{name, required, func(p *parser, n *query.Span, v *strictjson.Value) { n.Other = parseInnerSpan(p, v) }}
	}
	value := func(name string) option[query.Span] {
		return option[query.Span]{name, optional, func(p *parser, n *query.Span, v *strictjson.Value) { n.Value = p.scalar(v).Text }}
	}
	for name, rows := range map[string][]option[query.Span]{
		"field_masking_span": {
			match("query"),
			{"field", required, func(p *parser, n *query.Span, v *strictjson.Value) { n.Field = p.fieldName(v) }},
		},
		"span_containing": {other("big"), match("little")},
		"span_within":     {other("big"), match("little")},
		"span_first": {
			match("match"),
			{"end", required, func(p *parser, n *query.Span, v *strictjson.Value) { n.End = p.integer(v, 0) }},
		},
		"span_multi": {{"match", required, parseSpanTerms}},
		"span_near": {
			clauses(true),
			{"slop", optional, func(p *parser, n *query.Span, v *strictjson.Value) { n.Slop = p.signed(v) }},
			{"in_order", optional, func(p *parser, n *query.Span, v *strictjson.Value) { n.Ordered = p.bool(v) }},
		},
		"span_not": {
			match("include"),
			other("exclude"),
			{"pre", optional, func(p *parser, n *query.Span, v *strictjson.Value) { n.Pre = max(0, p.signed(v)) }},
			{"post", optional, func(p *parser, n *query.Span, v *strictjson.Value) { n.Post = max(0, p.signed(v)) }},
			{"dist", optional, func(p *parser, n *query.Span, v *strictjson.Value) { n.Pre = max(0, p.signed(v)); n.Post = n.Pre }},
		},
		"span_or":   {clauses(false)},
		"span_term": {value("value"), value("term")},
	} {
		tables[name] = newQueryTable(name, rows)
	}
	return tables
}

func parseSpan(p *parser, name string, v *strictjson.Value) query.Node {
	n := &query.Span{Kind: name, Ordered: true, Boost: 1}
	t := spanOptions[name]
	if name == "span_term" {
		field, options := t.onField(p, n, v)
		n.Field = field
		p.requireOne(options, "value", "term")
		return n
	}
	t.read(p, n, v)
	if v.Member("dist") != nil && (v.Member("pre") != nil || v.Member("post") != nil) {
		p.fail(v, p.code(v), "%s has dist, which means pre and post, together with pre or post: leave one out", p.path(v))
	}
	t.checkRequired(p, v)
	if v.Member("clauses") != nil && len(n.Clauses) == 0 {
		p.fail(v, p.code(v), "%s needs at least one span query in clauses", p.path(v))
	}
	return n
}

// termKinds are the queries that span_multi takes.
var termKinds = []string{"prefix", "wildcard", "range", "fuzzy", "regexp"}

func parseSpanTerms(p *parser, n *query.Span, v *strictjson.Value) {
	if n.Terms = parseQuery(p, v); n.Terms != nil && !slices.Contains(termKinds, n.Terms.Type()) {
		p.fail(v, p.code(v), "%s must be a prefix, wildcard, range, fuzzy or regexp query, not %s", p.path(v), n.Terms.Type())
	}
	delete(p.names, n.Terms) // a query that only lists terms never matches by itself, so its _name has no effect
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
		p.fail(v, p.code(v), "%s has only gaps: put them between other span queries", p.path(v))
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

// parseInnerSpan parses a span query inside another. Only the outermost may have a boost.
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
