// This file parses terms_set, and terms whose values are those of an item (terms lookup).

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// lookup parses {"index":…,"id":…,"path":…}.
func parseLookup(p *parser, v *strictjson.Value) *query.Lookup {
	l := &query.Lookup{}
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "index":
			l.Index = p.text(m)
		case "id":
			l.ID = p.text(m)
		case "path":
			l.Path = p.fieldName(m)
		case "routing": // no effect: there is one shard
			p.text(m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of a terms lookup; known options: index, id, path, routing", strictjson.Clip(m.Name))
		}
	}
	for _, name := range []string{"index", "id", "path"} {
		p.require(v, name)
	}
	return l
}

func parseTermsSet(p *parser, t *queryType, m *strictjson.Value) query.Node {
	n := &query.TermsSet{Boost: 1}
	f := p.field(m)
	if f == nil {
		return n
	}
	n.Field = f.Name
	if f.Kind != strictjson.Object {
		p.wrongValue(f, `an object like {"terms":["a"],"minimum_should_match_field":"Data.needed"}`)
		return n
	}
	for i := range f.Items {
		switch o := &f.Items[i]; o.Name {
		case "terms":
			n.Values = parseScalars(p, o)
		case "minimum_should_match_field":
			n.MinField = p.fieldName(o)
		case "minimum_should_match_script":
			p.fail(o, problem.UnknownOption, "scripts do not run here: name the field that holds the number in minimum_should_match_field")
		default:
			parseCommonOption(p, t, o, &n.Boost)
		}
	}
	p.require(f, "terms")
	p.require(f, "minimum_should_match_field")
	return n
}

// scalars parses an array of at most as many values as a query may have clauses.
func parseScalars(p *parser, v *strictjson.Value) (list []query.Value) {
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
