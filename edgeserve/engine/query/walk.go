// This file walks over the parts of a body. Each type shows its own parts and fields, in the file that defines it.
// So nothing here changes for a new query or aggregation.

package query

import "slices"

// Part is a part of a body: a query, an aggregation or the value of another member.
type Part interface {
	// Visit calls v for each field that the part names, and for each part directly inside the part.
	Visit(v *Visitor)
}

// Visitor holds the functions that Visit calls. Both ignore absent fields and parts.
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

// Walk calls f for p and for all parts inside p, inner ones first.
func Walk(p Part, f func(Part)) {
	v := &Visitor{Field: func(string) {}}
	v.Part = func(p Part) {
		if p != nil {
			p.Visit(v)
			f(p)
		}
	}
	v.Part(p)
}

// Fields returns the sorted names and patterns of the fields that p and the parts inside p name.
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

// parent is a query with queries inside, each of which any other query may replace.
type parent interface {
	// Map is the function Map of the query.
	Map(f func(Node) Node) Node
}

// Map returns a copy of n with f(q) in the place of each query q directly inside, or n itself if f changes none.
// It calls f in the order in which Elasticsearch rewrites queries, because the first error counts. A
// function_score without a query calls f with nil. Map leaves the spans inside a span query: no other query can
// replace them.
func Map(n Node, f func(Node) Node) Node {
	if p, ok := n.(parent); ok {
		return p.Map(f)
	}
	return n
}

// mapList returns a list of queries with f applied to each. changed reports whether out differs from list.
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
