// This file parses queries about exact terms: term, terms, terms_set, exists, ids.

package body

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

var termOptions = newQueryTable("term", []option[query.Term]{
	{"value", required, func(p *parser, n *query.Term, v *strictjson.Value) { n.Value = p.scalar(v) }},
	{"case_insensitive", optional, func(p *parser, n *query.Term, v *strictjson.Value) { n.CaseInsensitive = p.bool(v) }},
})

func parseTerm(p *parser, v *strictjson.Value) query.Node {
	n := &query.Term{Boost: 1}
	n.Field, _ = termOptions.onField(p, n, v)
	return n
}

// All other members of terms name the field.
var termsOptions = newQueryTable[query.Terms]("terms", nil)

func parseTerms(p *parser, v *strictjson.Value) query.Node {
	n := &query.Terms{Boost: 1}
	var field *strictjson.Value
	for i := range v.Items {
		m := &v.Items[i]
		switch r := termsOptions.row(m.Name); {
		case r != nil:
			r.parse(p, n, m)
		case m.Name == "":
			p.unnamed(v, m)
		case m.Kind != strictjson.Array && m.Kind != strictjson.Object:
			p.wrongValue(m, "an array of values")
		case field != nil:
			p.fail(m, p.code(m), "%s names two fields, %q and %q: give only one", p.path(v), strictjson.Clip(field.Name), strictjson.Clip(m.Name))
		default:
			field = m
		}
	}
	if field == nil {
		p.fail(v, p.code(v), "%s must name one field and give an array of values", p.path(v))
		return n
	}
	if p.tooMany(field, "values", len(field.Items), maxValues) {
		return n
	}
	if n.Field = field.Name; field.Kind == strictjson.Object {
		n.Lookup = &query.Lookup{}
		lookupOptions.parse(p, n.Lookup, field)
		return n
	}
	n.Values = make([]query.Value, 0, len(field.Items))
	p.each(field, func(e *strictjson.Value) { n.Values = append(n.Values, p.scalar(e)) })
	return n
}

// lookupOptions are the options of a terms lookup, which takes the values of terms from an item.
var lookupOptions = newTable("a terms lookup", []option[query.Lookup]{
	{"index", required, func(p *parser, l *query.Lookup, v *strictjson.Value) { l.Index = p.quoted(v) }},
	{"id", required, func(p *parser, l *query.Lookup, v *strictjson.Value) {
		if l.ID = p.quoted(v); l.ID == "" {
			p.wrongValue(v, "the id of an item")
		}
	}},
	{"path", required, func(p *parser, l *query.Lookup, v *strictjson.Value) {
		p.quoted(v)
		l.Path = p.fieldName(v)
	}},
	noEffect[query.Lookup]("routing", func(p *parser, v *strictjson.Value) { p.quoted(v) }), // there is one shard
})

var termsSetOptions = newQueryTable("terms_set", []option[query.TermsSet]{
	{"terms", required, func(p *parser, n *query.TermsSet, v *strictjson.Value) { n.Values = p.scalars(v) }},
	{"minimum_should_match_field", required, func(p *parser, n *query.TermsSet, v *strictjson.Value) { n.MinField = p.fieldName(v) }},
	{"minimum_should_match_script", unlisted, func(p *parser, _ *query.TermsSet, v *strictjson.Value) {
		p.fail(v, problem.UnknownOption, "scripts do not run here: name the field that holds the number in minimum_should_match_field")
	}},
})

func parseTermsSet(p *parser, v *strictjson.Value) query.Node {
	n := &query.TermsSet{Boost: 1}
	f := p.field(v)
	if f == nil {
		return n
	}
	n.Field = f.Name
	if f.Kind != strictjson.Object {
		p.wrongValue(f, `an object like {"terms":["a"],"minimum_should_match_field":"Data.needed"}`)
		return n
	}
	termsSetOptions.parse(p, n, f)
	return n
}

// scalars parses an array of values. It refuses more values than a query may have clauses.
func (p *parser) scalars(v *strictjson.Value) (list []query.Value) {
	if v.Kind != strictjson.Array {
		p.wrongValue(v, "an array of values")
		return nil
	}
	if p.tooMany(v, "values", len(v.Items), lucene.MaxClauses) {
		return nil
	}
	p.each(v, func(e *strictjson.Value) { list = append(list, p.scalar(e)) })
	return list
}

var existsOptions = newQueryTable("exists", []option[query.Exists]{
	{"field", required, func(p *parser, n *query.Exists, v *strictjson.Value) {
		if n.Field = p.fieldName(v); query.AllStars(n.Field) {
			p.fail(v, p.code(v), "exists needs a field, and %q is not one: use match_all", n.Field)
		}
	}},
})

func parseExists(p *parser, v *strictjson.Value) query.Node {
	n := &query.Exists{Boost: 1}
	existsOptions.parse(p, n, v)
	return n
}

var idsOptions = newQueryTable("ids", []option[query.IDs]{
	{"values", optional, func(p *parser, n *query.IDs, v *strictjson.Value) {
		if n.Values = p.texts(v, maxValues); slices.Contains(n.Values, "") {
			p.fail(v, p.code(v), "%s holds an empty id, which no item has: leave it out", p.path(v))
		}
	}},
})

func parseIDs(p *parser, v *strictjson.Value) query.Node {
	n := &query.IDs{Boost: 1}
	idsOptions.parse(p, n, v)
	return n
}
