// This file lists the fields that a body names, for programs that check them against an index.

package query

import "slices"

// ExistsField stands before a colon in a query string where a field's name follows.
const ExistsField = "_exists_"

// FieldNames returns the sorted names and patterns that a body searches, sorts and aggregates by.
func (b *Body) FieldNames() []string {
	var names fieldNames
	names.query(b.Query)
	for _, k := range b.Sort {
		names.add(k.Field)
	}
	names.aggs(b.Aggs)
	slices.Sort(names)
	return slices.Compact(names)
}

type fieldNames []string

func (l *fieldNames) add(name string) {
	if name != "" {
		*l = append(*l, name)
	}
}

func (l *fieldNames) list(fields []FieldBoost) {
	for _, f := range fields {
		l.add(f.Field)
	}
}

func (l *fieldNames) query(n Node) {
	switch n := n.(type) {
	case *Bool:
		for _, clauses := range [...][]Node{n.Must, n.Filter, n.Should, n.MustNot} {
			for _, c := range clauses {
				l.query(c)
			}
		}
	case *ConstantScore:
		l.query(n.Filter)
	case *Term:
		l.add(n.Field)
	case *Terms:
		l.add(n.Field)
	case *Prefix:
		l.add(n.Field)
	case *Wildcard:
		l.add(n.Field)
	case *Range:
		l.add(n.Field)
	case *Exists:
		l.add(n.Field)
	case *Match:
		l.add(n.Field)
	case *MatchPhrase:
		l.add(n.Field)
	case *MatchPhrasePrefix:
		l.add(n.Field)
	case *MultiMatch:
		l.list(n.Fields)
	case *SimpleQueryString:
		l.list(n.Fields)
	case *QueryString:
		l.add(n.DefaultField)
		l.list(n.Fields)
		l.group(n.Expr)
	}
}

func (l *fieldNames) group(g *Group) {
	if g == nil {
		return
	}
	for _, c := range g.Clauses {
		l.group(c.Group)
		switch leaf := c.Leaf; {
		case leaf == nil || !leaf.HasField:
		case leaf.Field == ExistsField:
			l.add(leaf.Text)
		default:
			l.add(leaf.Field)
		}
	}
}

func (l *fieldNames) aggs(aggs []Agg) {
	for _, a := range aggs {
		l.add(a.Field)
		l.query(a.Filter)
		for _, f := range a.Filters {
			l.query(f.Filter)
		}
		l.aggs(a.Subs)
	}
}
