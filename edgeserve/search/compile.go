// This file compiles the query tree, in the order that decides which of several errors is reported.

package search

import (
	"fmt"
	"slices"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

type compiler struct {
	fieldCompiler
	fields.Resolver
	looked map[*query.Lookup][]query.Value
	own    iter.WorkLimit // of a request that brings none

	ended bool           // terminate_after ended the search
	end   snapshot.DocID // the match that ended it

	body   *query.Body
	scores []float32 // of all matches, by document, once an aggregation needs them

	windows [][]snapshot.DocID // what each rescore has scored again, for explanations

	marked, explained int // bytes of the response's highlights, and of its explanations
}

// Compile returns the Scorer of a query, nil if nothing can match.
func (c *compiler) Compile(n query.Node) (iter.Scorer, error) {
	if err := c.check(n); err != nil {
		return nil, err
	}
	return c.node(n, 1)
}

// check reports the errors that count wherever they stand: a bad date in a range.
func (c *compiler) check(n query.Node) error {
	for _, child := range children(n) {
		if err := c.check(child); err != nil {
			return err
		}
	}
	if terms, ok := n.(*query.Terms); ok && terms.Lookup != nil {
		return c.lookup(terms.Lookup)
	}
	r, ok := n.(*query.Range)
	if !ok {
		return nil
	}
	dates, err := c.dateReader(r.Format, r.TimeZone)
	t, ok := c.Resolve(r.Field)
	if err != nil || !ok || t.Kind != fields.Date {
		return err
	}
	lo, hi := rangeBounds(r)
	_, _, err = c.ordinals(&t, lo, hi, dates)
	return badValue(err, r.Field)
}

func children(n query.Node) []query.Node {
	switch n := n.(type) {
	case *query.Bool:
		return slices.Concat(n.Must, n.Filter, n.Should, n.MustNot)
	case *query.ConstantScore:
		return []query.Node{n.Filter}
	case *query.DisMax:
		return n.Queries
	case *query.Boosting:
		return []query.Node{n.Positive, n.Negative}
	case *query.FunctionScore:
		return functionNodes(n)
	}
	return nil
}

// empty tells that a node matches nothing. Checked before siblings: their errors are not reported.
func (c *compiler) empty(n query.Node) bool {
	switch n := n.(type) {
	case *query.MatchNone:
		return true
	case *query.Term:
		return c.unmapped(n.Field)
	case *query.Prefix:
		return c.unmapped(n.Field)
	case *query.Wildcard:
		return c.unmapped(n.Field)
	case *query.Range:
		return c.unmapped(n.Field)
	case *query.Fuzzy:
		return c.unmapped(n.Field)
	case *query.Boosting:
		return c.empty(n.Positive)
	case *query.DistanceFeature:
		return c.unmapped(n.Field)
	case *query.Intervals:
		return c.unmappedInterval(n)
	case *query.Terms:
		return len(c.valuesFor(n)) == 0 || c.unmapped(n.Field)
	case *query.Exists:
		return len(c.Existing(n.Field)) == 0
	case *query.IDs:
		return len(n.Values) == 0
	case *query.ConstantScore:
		return c.empty(n.Filter)
	case *query.Bool:
		return c.emptyBool(n)
	case *query.FunctionScore:
		return n.Query != nil && c.empty(n.Query)
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

func (c *compiler) node(n query.Node, boost float64) (iter.Scorer, error) {
	if err := c.Charge(64); err != nil {
		return nil, err
	}
	if !c.Explain {
		return c.clause(n, boost)
	}
	s, err := c.clause(n, boost)
	if _, ok := s.(*iter.Explained); !ok {
		s = c.Titled(s, func() string { return n.Type() }) // its score is all there is to say
	}
	return iter.Boosted(s, boostOf(n)), err
}

func (c *compiler) clause(n query.Node, boost float64) (iter.Scorer, error) {
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
	case *query.Span:
		return c.span(n, boost*n.Boost)
	case *query.Intervals:
		return c.intervals(n, boost*n.Boost)
	case *query.MoreLikeThis:
		return c.moreLikeThis(n, boost*n.Boost)
	case *query.FunctionScore:
		return c.functionScore(n, boost*n.Boost)
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
	case *query.Term:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.termQuery(t, n, boost*n.Boost) })
	case *query.Terms:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.terms(t, c.valuesFor(n), boost*n.Boost) })
	case *query.Prefix:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.prefixQuery(t, n, boost*n.Boost) })
	case *query.Wildcard:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.wildcard(t, n, boost*n.Boost) })
	case *query.Range:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.rangeQuery(t, n, boost*n.Boost) })
	case *query.DistanceFeature:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.distanceFeature(t, n, boost*n.Boost) })
	case *query.Match:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.match(t, n, boost*n.Boost) })
	case *query.MatchPhrase:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.matchPhrase(t, n, boost*n.Boost) })
	case *query.MatchPhrasePrefix:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.matchPhrasePrefix(t, n, boost*n.Boost) })
	case *query.MatchBoolPrefix:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.matchBoolPrefix(t, n, boost*n.Boost) })
	case *query.Fuzzy:
		return c.on(n.Field, func(t fields.Target) (iter.Scorer, error) { return c.fuzzyQuery(t, n, boost*n.Boost) })
	case *query.Regexp:
		return c.regexp(n, boost*n.Boost)
	case *query.TermsSet:
		return c.termsSet(n, boost*n.Boost)
	case *query.DisMax:
		return c.disMax(n, boost*n.Boost)
	case *query.Boosting:
		return c.boosting(n, boost*n.Boost)
	case *inGroup:
		return c.inGroup(n, boost), nil
	case *typedOnly:
		return c.typed(n, boost)
	case *keywordTerm:
		return c.keywordTerm(n, boost), nil
	case *wordBelow:
		return c.wordBelow(n, boost), nil
	case *elementNamed:
		return c.elementNamed(n, boost), nil
	}
	return nil, fmt.Errorf("search: no meaning for %T", n)
}

func (c *compiler) bool(n *query.Bool, boost float64) (s iter.Scorer, err error) {
	if c.emptyBool(n) {
		return nil, nil
	}
	if len(n.Must)+len(n.Filter)+len(n.Should)+len(n.MustNot) == 0 {
		return c.All(boost), nil
	}
	nodes := func(nodes []query.Node) []iter.Scorer {
		ss := make([]iter.Scorer, len(nodes))
		for i := 0; i < len(nodes) && err == nil; i++ {
			ss[i], err = c.node(nodes[i], boost)
		}
		return ss
	}
	parts := iter.Clauses{Must: nodes(n.Must), Filter: nodes(n.Filter), Should: nodes(n.Should), Not: nodes(n.MustNot)}
	if err != nil {
		return nil, err
	}
	if len(n.Must)+len(n.Filter) == 0 && len(n.Should) > 0 {
		parts.Need = 1
	}
	if n.MinShouldMatch != "" && len(n.Must)+len(n.Filter)+len(n.Should) > 0 {
		need := minShouldMatch(n.MinShouldMatch, len(n.Should))
		if parts.Need = max(need, parts.Need); parts.Need > len(n.Should) {
			return nil, nil
		}
		parts.Asked = max(0, need)
	}
	return c.Combine(&parts), nil
}

func (c *compiler) ids(n *query.IDs, boost float64) iter.Scorer {
	set := c.DocSet()
	c.Charge(iter.LookupSteps * len(n.Values))
	for _, id := range n.Values {
		if d, ok := c.Reader.Lookup(id); ok {
			set.Add(d)
		}
	}
	return c.Titled(set.Scorer(boost), func() string { return idsText(n.Values) })
}
