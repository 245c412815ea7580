// This file compiles the query tree. What a clause means on a field is in the files of
// fieldCompiler; here is what holds for all clauses: the order in which they are
// compiled, which decides which of several errors is reported.

package search

import (
	"slices"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

// compiler compiles the query of one request.
type compiler struct {
	fieldCompiler
	fields.Resolver
	own iter.WorkLimit // of a request that brings none
}

// Compile returns the Scorer of a query, nil if nothing can match.
func (c *compiler) Compile(n query.Node) (iter.Scorer, error) {
	if err := c.check(n); err != nil {
		return nil, err
	}
	return c.node(n, 1)
}

// badValue reports a value that a field cannot hold.
func badValue(err error, field string) error {
	if !isUnfit(err) {
		return err
	}
	return &query.Error{Code: "bad_value", Position: -1, Parameter: field, Message: field + " " + err.Error()}
}

// check reports the errors that count wherever they stand: a bad date in a range.
func (c *compiler) check(n query.Node) error {
	for _, child := range children(n) {
		if err := c.check(child); err != nil {
			return err
		}
	}
	r, ok := n.(*query.Range)
	if !ok {
		return nil
	}
	t, ok := c.Resolve(r.Field)
	if !ok || t.Kind != fields.Date {
		return nil
	}
	lo, hi := rangeBounds(r)
	_, _, err := c.ordinals(&t, lo, hi)
	return badValue(err, r.Field)
}

func children(n query.Node) []query.Node {
	switch n := n.(type) {
	case *query.Bool:
		var all []query.Node
		for _, l := range [][]query.Node{n.Must, n.Filter, n.Should, n.MustNot} {
			all = append(all, l...)
		}
		return all
	case *query.ConstantScore:
		return []query.Node{n.Filter}
	}
	return nil
}

// empty tells that a node matches nothing whatever the items hold. It is called before
// the siblings of a clause are compiled, so that their errors are not reported.
func (c *compiler) empty(n query.Node) bool {
	switch n := n.(type) {
	case *query.MatchNone:
		return true
	case *query.Term, *query.Prefix, *query.Wildcard, *query.Range:
		return c.unmapped(fieldOf(n))
	case *query.Terms:
		return len(n.Values) == 0 || c.unmapped(n.Field)
	case *query.Exists:
		return len(c.Existing(n.Field)) == 0
	case *query.IDs:
		return len(n.Values) == 0
	case *query.ConstantScore:
		return c.empty(n.Filter)
	case *query.Bool:
		return c.emptyBool(n)
	}
	return false
}

func (c *compiler) unmapped(field string) bool {
	_, ok := c.Resolve(field)
	return !ok
}

func (c *compiler) emptyBool(n *query.Bool) bool {
	if slices.ContainsFunc(n.Must, c.empty) || slices.ContainsFunc(n.Filter, c.empty) {
		return true
	}
	if len(n.Must)+len(n.Filter) > 0 || len(n.Should) == 0 {
		return false
	}
	return !slices.ContainsFunc(n.Should, func(s query.Node) bool { return !c.empty(s) })
}

// node returns the Scorer of a node, nil if nothing can match.
func (c *compiler) node(n query.Node, boost float64) (iter.Scorer, error) {
	if err := c.Charge(64); err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *query.MatchAll:
		return c.All(boost * n.Boost), nil
	case *query.MatchNone:
		return nil, nil
	case *query.Bool:
		return c.bool(n, boost*n.Boost)
	case *query.ConstantScore:
		s, err := c.node(n.Filter, 1)
		if err != nil {
			return nil, err
		}
		return iter.Constant(s, boost*n.Boost), nil
	case *query.Exists:
		return c.exists(n.Field, boost*n.Boost), nil
	case *query.IDs:
		return c.ids(n, boost*n.Boost), nil
	case *query.QueryString:
		return c.queryString(n, boost*n.Boost)
	case *query.SimpleQueryString:
		return c.simpleQueryString(n, boost*n.Boost)
	case *query.MultiMatch:
		return c.multiMatch(n, boost*n.Boost)
	case *typedOnly:
		return c.typed(n, boost)
	case *keywordTerm:
		return c.keywordTerm(n, boost), nil
	case *wordBelow:
		return c.wordBelow(n, boost)
	case *elementNamed:
		return c.elementNamed(n, boost), nil
	}
	return c.onField(n, boost)
}

// onField compiles a node that names one field.
func (c *compiler) onField(n query.Node, boost float64) (iter.Scorer, error) {
	field := fieldOf(n)
	t, ok := c.Resolve(field)
	if !ok {
		return nil, nil
	}
	if r, is := n.(*query.Range); is && r.Gt == nil && r.Gte == nil && r.Lt == nil && r.Lte == nil {
		return c.exists(field, boost*r.Boost), nil
	}
	s, err := c.clause(n, t, boost)
	return s, badValue(err, field)
}

func fieldOf(n query.Node) string {
	switch n := n.(type) {
	case *query.Term:
		return n.Field
	case *query.Terms:
		return n.Field
	case *query.Prefix:
		return n.Field
	case *query.Wildcard:
		return n.Field
	case *query.Range:
		return n.Field
	case *query.Match:
		return n.Field
	case *query.MatchPhrase:
		return n.Field
	case *query.MatchPhrasePrefix:
		return n.Field
	}
	return ""
}

// bool compiles a bool query.
func (c *compiler) bool(n *query.Bool, boost float64) (iter.Scorer, error) {
	if c.emptyBool(n) {
		return nil, nil
	}
	if len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot) == 0 {
		return c.All(boost), nil
	}
	var parts iter.Clauses
	for _, part := range []struct {
		nodes []query.Node
		into  *[]iter.Scorer
	}{{n.Must, &parts.Must}, {n.Filter, &parts.Filter}, {n.Should, &parts.Should}, {n.MustNot, &parts.Not}} {
		for _, node := range part.nodes {
			s, err := c.node(node, boost)
			if err != nil {
				return nil, err
			}
			*part.into = append(*part.into, s)
		}
	}
	if len(n.Must)+len(n.Filter) == 0 && len(n.Should) > 0 {
		parts.Need = 1
	}
	if n.MinShouldMatch != "" {
		need := minShouldMatch(n.MinShouldMatch, len(n.Should))
		if parts.Need = max(need, parts.Need); parts.Need > len(n.Should) {
			return nil, nil
		}
	}
	return c.Combine(&parts), nil
}

// minShouldMatch is how many of n clauses have to match; the option has been validated.
func minShouldMatch(spec string, n int) int {
	need, err := query.MinMatch(spec, n)
	if err != nil {
		return n
	}
	return need
}

func (c *compiler) exists(name string, boost float64) iter.Scorer {
	var subs []iter.Scorer
	for _, t := range c.Existing(name) {
		s := c.HasValue(t.Sort, boost)
		if iter.IsAll(s) {
			return s
		}
		subs = append(subs, s)
	}
	return iter.Constant(iter.Disjunction(subs, 1), boost)
}

func (c *compiler) ids(n *query.IDs, boost float64) iter.Scorer {
	set := c.DocSet()
	c.Charge(iter.LookupSteps * len(n.Values))
	for _, id := range n.Values {
		if d, ok := c.Reader.Lookup(id); ok {
			set.Add(d)
		}
	}
	return set.Scorer(boost)
}

func (c *compiler) multiMatch(n *query.MultiMatch, boost float64) (iter.Scorer, error) {
	ts, lenient := c.List(n.Fields, false)
	if len(n.Fields) == 0 {
		ts, lenient = c.AllFields(), true
	}
	if n.Lenient != nil {
		lenient = *n.Lenient
	}
	w := words{n.And, n.MinShouldMatch, n.Fuzziness, n.PrefixLength, n.MaxExpansions}
	var subs []iter.Scorer
	for _, t := range ts {
		s, none, err := c.matchOn(t, n.Text.Text, w, boost*t.Boost)
		if isUnfit(err) && lenient {
			continue
		}
		if err != nil {
			return nil, badValue(err, t.Name())
		}
		if none && n.ZeroTermsAll {
			s = c.All(boost * t.Boost)
		}
		subs = append(subs, s)
	}
	return iter.DisjunctionMax(subs, float32(n.TieBreaker)), nil
}
