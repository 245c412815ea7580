// This file rewrites a query before it is compiled, as Elasticsearch does: what can match nothing becomes
// match_none, and a bool without clauses match_all. What stood inside has no errors and no names, and
// marks no words.

package search

import (
	"slices"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
)

// rewrite returns what becomes of a query, which is n itself unless something changes. The new query has
// the name of the old one, unless it has one.
func (c *compiler) rewrite(n query.Node) query.Node {
	out := c.rewriteNode(n)
	name, named := c.names[n]
	if _, own := c.names[out]; named && !own {
		c.names[out] = name
	}
	return out
}

func (c *compiler) rewriteNode(n query.Node) query.Node {
	switch n := n.(type) {
	case *query.Bool:
		return c.rewriteBool(n)
	case *query.ConstantScore:
		filter := c.rewrite(n.Filter)
		switch {
		case matchesNone(filter):
			return filter
		case filter != n.Filter:
			return &query.ConstantScore{Filter: filter, Boost: n.Boost}
		}
	case *query.DisMax:
		if queries, changed := c.rewriteAll(n.Queries); changed {
			return &query.DisMax{Queries: queries, TieBreaker: n.TieBreaker, Boost: n.Boost}
		}
	case *query.Boosting:
		positive := c.rewrite(n.Positive)
		if matchesNone(positive) {
			return positive
		}
		if negative := c.rewrite(n.Negative); positive != n.Positive || negative != n.Negative {
			return &query.Boosting{Positive: positive, Negative: negative, NegativeBoost: n.NegativeBoost, Boost: n.Boost}
		}
	case *query.FunctionScore:
		return c.rewriteFunctionScore(n)
	default:
		if c.empty(n) {
			return &query.MatchNone{}
		}
	}
	return n
}

// rewriteAll rewrites a list of queries.
func (c *compiler) rewriteAll(list []query.Node) (out []query.Node, changed bool) {
	for i, n := range list {
		other := c.rewrite(n)
		if other != n && !changed {
			list, changed = slices.Clone(list), true
		}
		list[i] = other
	}
	return list, changed
}

func (c *compiler) rewriteBool(n *query.Bool) query.Node {
	if len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot) == 0 {
		return &query.MatchAll{Boost: n.Boost}
	}
	out, changed := *n, false
	for _, list := range []*[]query.Node{&out.Must, &out.MustNot, &out.Filter, &out.Should} {
		var other bool
		*list, other = c.rewriteAll(*list)
		changed = changed || other
	}
	some := func(n query.Node) bool { return !matchesNone(n) }
	switch {
	case slices.ContainsFunc(out.Must, matchesNone), slices.ContainsFunc(out.Filter, matchesNone),
		len(out.Must)+len(out.Filter) == 0 && len(out.Should) > 0 && !slices.ContainsFunc(out.Should, some):
		return &query.MatchNone{}
	case changed:
		return &out
	}
	return n
}

func (c *compiler) rewriteFunctionScore(n *query.FunctionScore) query.Node {
	out := *n
	out.Query = c.rewrite(n.Query)
	if matchesNone(out.Query) {
		return out.Query
	}
	changed := out.Query != n.Query
	for i := range n.Functions {
		filter := c.rewrite(n.Functions[i].Filter)
		if _, all := filter.(*query.MatchAll); all {
			filter = nil // nobody asks it anything
		}
		if filter == n.Functions[i].Filter {
			continue
		}
		if !changed || &out.Functions[0] == &n.Functions[0] {
			out.Functions, changed = slices.Clone(n.Functions), true
		}
		out.Functions[i].Filter = filter
	}
	if changed {
		return &out
	}
	return n
}

func matchesNone(n query.Node) bool {
	_, none := n.(*query.MatchNone)
	return none
}

// empty tells that a query without other queries inside can match nothing, whatever else is asked.
func (c *compiler) empty(n query.Node) bool {
	switch n := n.(type) {
	case *query.Term:
		return c.unmapped(n.Field)
	case *query.Prefix:
		return c.unmapped(n.Field)
	case *query.Wildcard:
		return c.unmapped(n.Field)
	case *query.Range:
		outside, _ := c.outside(n) // check has reported the error
		return outside || c.unmapped(n.Field)
	case *query.Fuzzy:
		return c.unmapped(n.Field)
	case *query.Terms:
		return len(c.valuesFor(n)) == 0 || c.unmapped(n.Field)
	case *query.Exists:
		return len(c.Existing(n.Field)) == 0
	case *query.IDs:
		return len(n.Values) == 0
	}
	return false
}

func (c *compiler) unmapped(field string) bool {
	_, ok := c.Resolve(field)
	return !ok
}

// outside tells that a range over dates begins after the last of them, or ends before the first.
func (c *compiler) outside(r *query.Range) (bool, error) {
	dates, err := c.dateReader(r.Format, r.TimeZone)
	t, ok := c.Resolve(r.Field)
	if err != nil || !ok || t.Kind != fields.Date {
		return false, err
	}
	lo, hi := rangeBounds(r)
	from, to, err := c.ordinals(&t, lo, hi, dates)
	return from == t.Values.Column().Distinct || to == 0, badValue(err, r.Field)
}
