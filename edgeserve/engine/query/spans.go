// This file parses span queries, which match places in a text.

package query

import "slices"

// Span is a span query. Kind is its name in a body and decides which fields apply.
type Span struct {
	Kind    string
	Field   string  // span_term, span_gap; field_masking_span: the field that it claims
	Value   string  // span_term
	Clauses []*Span // span_near, span_or
	Slop    int     // span_near
	Ordered bool    // span_near
	Match   *Span   // span_first, field_masking_span; include of span_not; little
	Other   *Span   // exclude of span_not; big
	End     int     // span_first; the words of a span_gap
	Pre     int     // span_not, like the next
	Post    int
	Terms   Node // span_multi: a prefix, a wildcard, a range…
	Boost   float64
}

// Type implements Node.
func (s *Span) Type() string { return s.Kind }

// Visit implements Part.
func (s *Span) Visit(v *Visitor) {
	v.Field(s.Field)
	v.Part(s.Terms)
	for _, inner := range append([]*Span{s.Match, s.Other}, s.Clauses...) {
		if inner != nil {
			v.Part(inner)
		}
	}
}

// termKinds are the queries that span_multi takes.
var termKinds = []string{"prefix", "wildcard", "range", "fuzzy", "regexp"}

func (p *bodyParser) span(t *queryType, v *value) Node {
	n := &Span{Kind: t.name, Ordered: true, Boost: 1}
	if t.name == "span_term" {
		p.spanTerm(n, t, v)
		return n
	}
	dist, around := false, false
	for i := range v.items {
		switch m := &v.items[i]; {
		case !slices.Contains(t.options, m.name):
			p.unknownOption(t, m)
		case m.name == "clauses":
			n.Clauses = p.spanClauses(m, t.name == "span_near")
		case m.name == "slop":
			n.Slop = p.signed(m)
		case m.name == "in_order":
			n.Ordered = p.bool(m)
		case m.name == "end":
			n.End = p.integer(m, 0)
		case m.name == "pre":
			n.Pre, around = max(0, p.signed(m)), true
		case m.name == "post":
			n.Post, around = max(0, p.signed(m)), true
		case m.name == "dist":
			n.Pre = max(0, p.signed(m))
			n.Post, dist = n.Pre, true
		case m.name == "field":
			n.Field = p.fieldName(m)
		case m.name == "match" && t.name == "span_multi":
			if n.Terms = p.query(m); n.Terms != nil && !slices.Contains(termKinds, n.Terms.Type()) {
				p.fail(m, p.code(m), "%s must be a prefix, wildcard, range, fuzzy or regexp query, not %s", p.path(m), n.Terms.Type())
			}
			delete(p.names, n.Terms) // it only lists terms, and never matches by itself
		case m.name == "match" || m.name == "include" || m.name == "little" || m.name == "query":
			n.Match = p.innerSpan(m)
		case m.name == "exclude" || m.name == "big":
			n.Other = p.innerSpan(m)
		default:
			p.commonOption(t, m, &n.Boost)
		}
	}
	if dist && around {
		p.fail(v, p.code(v), "%s has dist, which is pre and post, beside one of them", p.path(v))
	}
	for _, name := range spanNeeds[t.name] {
		p.require(v, name)
	}
	if v.member("clauses") != nil && len(n.Clauses) == 0 {
		p.fail(v, p.code(v), "%s needs at least one span query in clauses", p.path(v))
	}
	return n
}

// spanNeeds are the options that a span query cannot do without.
var spanNeeds = map[string][]string{
	"span_near": {"clauses"}, "span_or": {"clauses"}, "span_first": {"match", "end"}, "span_not": {"include", "exclude"},
	"span_containing": {"big", "little"}, "span_within": {"big", "little"}, "span_multi": {"match"}, "field_masking_span": {"query", "field"},
}

func (p *bodyParser) spanTerm(n *Span, t *queryType, v *value) {
	f := p.field(v)
	if f == nil {
		return
	}
	n.Field = f.name
	if f.kind != kindObject {
		n.Value = p.scalar(f).Text
		return
	}
	given := false
	for i := range f.items {
		switch m := &f.items[i]; m.name {
		case "value", "term":
			n.Value, given = p.scalar(m).Text, true
		default:
			p.commonOption(t, m, &n.Boost)
		}
	}
	if !given {
		p.require(f, "value")
	}
}

func (p *bodyParser) spanClauses(v *value, gaps bool) (list []*Span) {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of span queries")
		return nil
	}
	if p.tooMany(v, "clauses", len(v.items), maxClauses) {
		return nil
	}
	words := 0
	p.each(v, func(e *value) {
		if gap := e.member("span_gap"); gap != nil && gaps && len(e.items) == 1 {
			list = append(list, p.spanGap(gap))
			return
		}
		words++
		if s := p.innerSpan(e); s != nil {
			list = append(list, s)
		}
	})
	if words == 0 && len(list) > 0 {
		p.fail(v, p.code(v), "%s has only gaps: they stand between other span queries", p.path(v))
	}
	return list
}

func (p *bodyParser) spanGap(v *value) *Span {
	n := &Span{Kind: "span_gap", Boost: 1}
	if v.kind != kindObject {
		p.wrongValue(v, `an object like {"Data.title":1}`)
		return n
	}
	if f := p.field(v); f != nil {
		n.Field, n.End = f.name, p.integer(f, 0)
	}
	return n
}

// innerSpan parses a span query in another one. Only the outermost may have a boost.
func (p *bodyParser) innerSpan(v *value) *Span {
	n, ok := p.query(v).(*Span)
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
func (p *bodyParser) signed(v *value) int { return p.integer(v, -1<<31) }
