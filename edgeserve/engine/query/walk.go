// This file walks over the parts of a body. Each part answers for itself, beside its own type, so that a new
// query or aggregation has no other place to be added to.

package query

import "slices"

// Part is a part of a body: a query, an aggregation or the value of another member.
type Part interface {
	// Visit shows v the fields that the part names and the parts directly inside of it.
	Visit(v *Visitor)
}

// Visitor is what Visit calls. Both functions ignore what is absent.
type Visitor struct {
	Field func(name string) // a name or a pattern of fields, "" for an absent one
	Part  func(p Part)      // nil for an absent one
}

// visitAll shows v a list of parts.
func visitAll[P Part](v *Visitor, list []P) {
	for _, p := range list {
		v.Part(p)
	}
}

// Walk calls f for p and for all parts inside of it, inner ones first.
func Walk(p Part, f func(Part)) {
	if p == nil {
		return
	}
	p.Visit(&Visitor{Field: func(string) {}, Part: func(inner Part) { Walk(inner, f) }})
	f(p)
}

// Fields returns the sorted names and patterns of the fields that p and the parts inside of it name.
func Fields(p Part) (names []string) {
	add := func(name string) {
		if name != "" {
			names = append(names, name)
		}
	}
	Walk(p, func(p Part) { p.Visit(&Visitor{Field: add, Part: func(Part) {}}) })
	slices.Sort(names)
	return slices.Compact(names)
}

// parent is a query of queries that any other query may replace.
type parent interface {
	// Map is the function Map of the query.
	Map(f func(Node) Node) Node
}

// Map returns a query with f(q) in the place of each query q directly inside: n itself if f changes none. f is
// called in the order in which Elasticsearch rewrites queries, because the first error counts; for the nil of a
// function_score without a query, too. A span query has spans inside, which no other query can replace.
func Map(n Node, f func(Node) Node) Node {
	if p, ok := n.(parent); ok {
		return p.Map(f)
	}
	return n
}

// mapList is Map for a list of queries. changed reports whether out differs from list.
func mapList(list []Node, f func(Node) Node) (out []Node, changed bool) {
	out = list
	for i, n := range list {
		other := f(n)
		if other != n && !changed {
			out, changed = slices.Clone(list), true
		}
		out[i] = other
	}
	return out, changed
}
