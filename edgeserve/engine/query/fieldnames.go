// This file lists the fields that a body names, for programs that check them against an index.

package query

import (
	"slices"
	"strings"
)

// ExistsField stands before a colon in a query string where a field's name follows.
const ExistsField = "_exists_"

// FieldNames returns the sorted names and patterns that a body searches, sorts, aggregates by and highlights.
func (b *Body) FieldNames() []string {
	var names fieldNames
	names.body(b)
	slices.Sort(names)
	return slices.Compact(names)
}

func (l *fieldNames) body(b *Body) {
	l.query(b.Query)
	l.query(b.PostFilter)
	for _, r := range b.Rescore {
		l.query(r.Query)
	}
	if b.Collapse != nil {
		l.add(b.Collapse.Field)
		for _, in := range b.Collapse.Inner {
			l.body(in.Body)
		}
	}
	for _, list := range [...][]FieldFormat{b.Fields, b.DocvalueFields} {
		for _, f := range list {
			l.add(f.Field)
		}
	}
	for _, k := range b.Sort {
		l.add(k.Field)
	}
	l.aggs(b.Aggs)
	for _, f := range b.Highlight {
		l.add(f.Name)
		l.query(f.Query)
	}
}

// AllStars reports whether a name is the pattern of all fields. exists knows no such field.
func AllStars(name string) bool { return name != "" && strings.Trim(name, "*") == "" }

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
	case *DisMax:
		for _, q := range n.Queries {
			l.query(q)
		}
	case *Boosting:
		l.query(n.Positive)
		l.query(n.Negative)
	case *FunctionScore:
		l.query(n.Query)
		for _, f := range n.Functions {
			l.query(f.Filter)
			l.add(f.Field)
		}
	case *DistanceFeature:
		l.add(n.Field)
	case *MoreLikeThis:
		for _, name := range n.Fields {
			l.add(name)
		}
	case *Span:
		l.span(n)
	case *Intervals:
		l.add(n.Field)
		l.rule(n.Rule)
	case *Fuzzy:
		l.add(n.Field)
	case *Regexp:
		l.add(n.Field)
	case *MatchBoolPrefix:
		l.add(n.Field)
	case *Term:
		l.add(n.Field)
	case *Terms:
		l.add(n.Field)
		if n.Lookup != nil {
			l.add(n.Lookup.Path)
		}
	case *TermsSet:
		l.add(n.Field)
		l.add(n.MinField)
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

func (l *fieldNames) span(n *Span) {
	if n == nil {
		return
	}
	l.add(n.Field)
	l.query(n.Terms)
	l.span(n.Match)
	l.span(n.Other)
	for _, c := range n.Clauses {
		l.span(c)
	}
}

func (l *fieldNames) rule(n *IntervalRule) {
	l.add(n.UseField)
	for _, r := range n.Rules {
		l.rule(r)
	}
	if n.Filter != nil {
		l.rule(n.Filter.Rule)
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
		if hits, ok := a.Options.(*Body); ok {
			l.body(hits)
		}
		l.aggs(a.Subs)
	}
}
