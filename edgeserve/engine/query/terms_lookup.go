// This file parses terms_set, and terms whose values are those of an item (terms lookup).

package query

import "contentedge/edgeserve/wire/problem"

type (
	// Lookup names the values of an item at a path.
	Lookup struct{ Index, ID, Path string }

	// TermsSet matches items that have as many of Values as their number at MinField says.
	TermsSet struct {
		Field    string
		Values   []Value
		MinField string
		Boost    float64
	}
)

// Type implements Node.
func (*TermsSet) Type() string { return "terms_set" }

// Visit implements Part.
func (n *TermsSet) Visit(v *Visitor) {
	v.Field(n.Field)
	v.Field(n.MinField)
}

// lookup parses {"index":…,"id":…,"path":…}.
func (p *bodyParser) lookup(v *value) *Lookup {
	l := &Lookup{}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "index":
			l.Index = p.text(m)
		case "id":
			l.ID = p.text(m)
		case "path":
			l.Path = p.fieldName(m)
		case "routing": // no effect: there is one shard
			p.text(m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of a terms lookup; known options: index, id, path, routing", clip(m.name))
		}
	}
	for _, name := range []string{"index", "id", "path"} {
		p.require(v, name)
	}
	return l
}

func (p *bodyParser) termsSet(t *queryType, m *value) Node {
	n := &TermsSet{Boost: 1}
	f := p.field(m)
	if f == nil {
		return n
	}
	n.Field = f.name
	if f.kind != kindObject {
		p.wrongValue(f, `an object like {"terms":["a"],"minimum_should_match_field":"Data.needed"}`)
		return n
	}
	for i := range f.items {
		switch o := &f.items[i]; o.name {
		case "terms":
			n.Values = p.scalars(o)
		case "minimum_should_match_field":
			n.MinField = p.fieldName(o)
		case "minimum_should_match_script":
			p.fail(o, problem.UnknownOption, "scripts do not run here: name the field that holds the number in minimum_should_match_field")
		default:
			p.commonOption(t, o, &n.Boost)
		}
	}
	p.require(f, "terms")
	p.require(f, "minimum_should_match_field")
	return n
}

// scalars parses an array of at most as many values as a query may have clauses.
func (p *bodyParser) scalars(v *value) (list []Value) {
	if v.kind != kindArray {
		p.wrongValue(v, "an array of values")
		return nil
	}
	if p.tooMany(v, "values", len(v.items), maxClauses) {
		return nil
	}
	p.each(v, func(e *value) { list = append(list, p.scalar(e)) })
	return list
}
