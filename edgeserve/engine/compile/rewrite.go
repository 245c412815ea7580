// This file rewrites a query before it is compiled, as Elasticsearch does: what can match nothing becomes
// match_none, and a bool without clauses match_all. What stood inside has no names and no errors, and
// marks no words; but a bad date in a range is an error wherever it stands.

package compile

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// RewriteSteps is the work of looking at a query, or at its name.
const RewriteSteps = 16

// rewrite returns what becomes of a query, which is n itself unless something changes. The new query has
// the name of the old one, unless it has one.
func (c *Compiler) Rewrite(n query.Node) query.Node {
	c.Charge(RewriteSteps)
	out := c.rewriteNode(n)
	name, named := c.Names[n]
	if _, own := c.Names[out]; named && !own {
		c.Names[out] = name
	}
	return out
}

func (c *Compiler) rewriteNode(n query.Node) query.Node {
	switch n := n.(type) {
	case *query.Bool:
		return c.rewriteBool(n)
	case *query.ConstantScore:
		filter := c.Rewrite(n.Filter)
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
		positive, negative := c.Rewrite(n.Positive), c.Rewrite(n.Negative)
		if matchesNone(positive) {
			return positive
		}
		if positive != n.Positive || negative != n.Negative {
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
func (c *Compiler) rewriteAll(list []query.Node) (out []query.Node, changed bool) {
	for i, n := range list {
		other := c.Rewrite(n)
		if other != n && !changed {
			list, changed = slices.Clone(list), true
		}
		list[i] = other
	}
	return list, changed
}

func (c *Compiler) rewriteBool(n *query.Bool) query.Node {
	if len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot) == 0 {
		return &query.MatchAll{Boost: n.Boost}
	}
	must, a := c.rewriteAll(n.Must)
	filter, b := c.rewriteAll(n.Filter)
	should, d := c.rewriteAll(n.Should)
	mustNot, e := c.rewriteAll(n.MustNot)
	needed := slices.Concat(must, filter)
	some := func(n query.Node) bool { return !matchesNone(n) }
	switch i := slices.IndexFunc(needed, matchesNone); {
	case i >= 0:
		return needed[i] // with its name
	case len(needed) == 0 && len(should) > 0 && !slices.ContainsFunc(should, some):
		return &query.MatchNone{}
	case a || b || d || e:
		return &query.Bool{Must: must, Filter: filter, Should: should, MustNot: mustNot, MinShouldMatch: n.MinShouldMatch, Boost: n.Boost}
	}
	return n
}

func (c *Compiler) rewriteFunctionScore(n *query.FunctionScore) query.Node {
	inner, functions, changed := c.Rewrite(n.Query), n.Functions, false
	for i := range functions {
		filter := c.Rewrite(functions[i].Filter)
		if _, all := filter.(*query.MatchAll); all {
			filter = nil // nobody asks it anything
		}
		if filter == functions[i].Filter {
			continue
		}
		if !changed {
			functions, changed = slices.Clone(functions), true
		}
		functions[i].Filter = filter
	}
	switch {
	case matchesNone(inner):
		return inner
	case changed || inner != n.Query:
		out := *n
		out.Query, out.Functions = inner, functions
		return &out
	}
	return n
}

func matchesNone(n query.Node) bool {
	_, none := n.(*query.MatchNone)
	return none
}

// empty tells that a query without other queries inside can match nothing, whatever else is asked.
func (c *Compiler) empty(n query.Node) bool {
	switch n := n.(type) {
	case *query.Term:
		return c.unmapped(n.Field) || !n.CaseInsensitive && c.lacks(n.Field, func(value string) bool { return value == n.Value.Text })
	case *query.Prefix:
		return c.unmapped(n.Field) || !n.CaseInsensitive && c.lacks(n.Field, func(value string) bool { return strings.HasPrefix(value, n.Value) })
	case *query.Wildcard:
		return c.unmapped(n.Field)
	case *query.Range:
		outside, err := c.outside(n)
		c.wrong = cmp.Or(c.wrong, err)
		return outside || c.unmapped(n.Field)
	case *query.Fuzzy:
		return c.unmapped(n.Field)
	case *query.Terms:
		if n.Lookup != nil && c.looked[n.Lookup] == nil {
			c.wrong = cmp.Or(c.wrong, c.lookup(n.Lookup))
		}
		values := c.valuesFor(n)
		has := func(value string) bool {
			return slices.ContainsFunc(values, func(v query.Value) bool { return v.Text == value })
		}
		return len(values) == 0 || c.unmapped(n.Field) || c.lacks(n.Field, has)
	case *query.Exists:
		return len(c.Existing(n.Field)) == 0 && !fields.Unsearchable(n.Field, true)
	case *query.IDs:
		return len(n.Values) == 0
	}
	return false
}

func (c *Compiler) unmapped(field string) bool {
	_, ok := c.Resolve(field)
	return !ok && !fields.Unsearchable(field, false)
}

// lacks tells that the value that all documents share in a metadata field is another one.
func (c *Compiler) lacks(field string, is func(value string) bool) bool {
	if field != snapshot.IndexField && field != snapshot.TypeField {
		return false
	}
	t, ok := c.Resolve(field)
	return ok && !is(string(t.Values.Strings().At(0, nil)))
}

// outside tells that a range over dates begins after the last of them, or ends before the first.
func (c *Compiler) outside(r *query.Range) (bool, error) {
	dates, err := c.dateReader(r.Format, r.TimeZone)
	t, ok := c.Resolve(r.Field)
	if err != nil || !ok || t.Kind != fields.Date {
		return false, err
	}
	lo, hi := rangeBounds(r)
	from, to, err := c.ordinals(&t, lo, hi, dates)
	return from == t.Values.Column().Distinct || to == 0, badValue(err, r.Field)
}
