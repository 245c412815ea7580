// This file rewrites a query before it is compiled, as Elasticsearch does. A query that can match nothing becomes
// match_none, and a bool without clauses match_all. The queries inside then have no names, no errors and no highlights.
// Only a bad date in a range is an error in any place.

package compile

import (
	"cmp"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// RewriteSteps is the cost of visiting a query, or its name.
const RewriteSteps = 16

// Rewrite returns the query that takes the place of n: n itself if nothing changes. A new query takes over the
// name of n, unless it has a name of its own.
func (c *Compiler) Rewrite(n query.Node) query.Node {
	c.work.Charge(RewriteSteps)
	out := c.rewriteNode(n)
	name, named := c.Names[n]
	if _, own := c.Names[out]; named && !own {
		c.Names[out] = name
	}
	return out
}

// rewriteNode rewrites the queries inside n, then n.
func (c *Compiler) rewriteNode(n query.Node) query.Node {
	switch out := query.Map(n, c.rewriteInner).(type) {
	case *query.Bool:
		return rewriteBool(out)
	case *query.ConstantScore:
		return unlessNone(out.Filter, out)
	case *query.DisMax:
		return out
	case *query.Boosting:
		return unlessNone(out.Positive, out)
	case *query.FunctionScore:
		return unlessNone(out.Query, withoutAllFilters(out))
	}
	if c.empty(n) {
		return &query.MatchNone{}
	}
	return n
}

// unlessNone returns n, or needed if needed can match nothing.
func unlessNone(needed, n query.Node) query.Node {
	if matchesNone(needed) {
		return needed // with its name
	}
	return n
}

// rewriteBool rewrites a bool whose clauses have been rewritten.
func rewriteBool(n *query.Bool) query.Node {
	needed := slices.Concat(n.Must, n.Filter)
	some := func(n query.Node) bool { return !matchesNone(n) }
	switch i := slices.IndexFunc(needed, matchesNone); {
	case len(needed)+len(n.Should)+len(n.MustNot) == 0:
		return &query.MatchAll{Boost: n.Boost}
	case i >= 0:
		return needed[i] // with its name
	case len(needed) == 0 && len(n.Should) > 0 && !slices.ContainsFunc(n.Should, some):
		return &query.MatchNone{}
	}
	return n
}

// withoutAllFilters drops the filters of functions that match every item: no item is compared with them.
func withoutAllFilters(n *query.FunctionScore) *query.FunctionScore {
	for i := range n.Functions {
		if _, all := n.Functions[i].Filter.(*query.MatchAll); !all {
			continue
		}
		out := *n
		out.Functions = slices.Clone(n.Functions)
		for k := i; k < len(out.Functions); k++ {
			if _, all := out.Functions[k].Filter.(*query.MatchAll); all {
				out.Functions[k].Filter = nil
			}
		}
		return &out
	}
	return n
}

func matchesNone(n query.Node) bool {
	_, none := n.(*query.MatchNone)
	return none
}

// empty reports whether a query without queries inside can match nothing, whatever the other clauses are.
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
		return len(c.resolver.Existing(n.Field)) == 0 && !fields.Unsearchable(n.Field, true)
	case *query.IDs:
		return len(n.Values) == 0
	}
	return false
}

func (c *Compiler) unmapped(field string) bool {
	_, ok := c.resolver.Resolve(field)
	return !ok && !fields.Unsearchable(field, false)
}

// lacks reports whether a field is _index or _type and its value, one for all documents, is not wanted.
func (c *Compiler) lacks(field string, is func(value string) bool) bool {
	if field != snapshot.IndexField && field != snapshot.TypeField {
		return false
	}
	t, ok := c.resolver.Resolve(field)
	return ok && !is(string(t.Values.Strings().At(0, nil)))
}

// outside reports whether a range over dates begins after the last date of the field, or ends before the first.
func (c *Compiler) outside(r *query.Range) (bool, error) {
	dates, err := c.field.dateReader(r.Format, r.TimeZone)
	t, ok := c.resolver.Resolve(r.Field)
	if err != nil || !ok || t.Kind != fields.Date {
		return false, err
	}
	lo, hi := rangeBounds(r)
	from, to, err := c.field.ordinals(&t, lo, hi, dates)
	distinct := t.Values.Column().Distinct // 0 if the snapshot has the fields of another one, whose dates are not known
	return distinct > 0 && (from == distinct || to == 0), badValue(err, r.Field)
}
