// Package compile turns the query tree of a search into Scorers over the documents of a snapshot. Queries mean what
// they mean in Elasticsearch 7 with a dynamic mapping. The package reads dictionaries and columns. The only items that
// it reads are the examples of a more_like_this.
//
//	Rewrite       simplifies the tree, as Elasticsearch does (rewrite.go).
//	Compiler      compiles each query of the rewritten tree (compile.go, and a file for each larger type).
//	fields        (package) resolves the name of a field to targets: paths and sub-fields, with their doc values.
//	fieldCompiler compiles a clause on one target (field*.go).
//	scorer        (package) makes the Scorers, which walk documents and know neither queries nor names of fields.
//	Leaves        lists for highlights what the leaves of a query look for (leaves.go).
//
// The order in which queries are compiled decides which of several errors is reported.
package compile

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// Compiler compiles the queries of one request.
type Compiler struct {
	Names map[query.Node]string // the _name of queries, also of rewritten ones; nil if the names are not needed
	Clock Clock

	request  *scorer.Request
	work     *scorer.WorkLimit // of the request
	resolver fields.Resolver
	field    fieldCompiler
	looked   map[*query.Lookup][]query.Value
	wrong    error // the first error that rewriting found

	rewriteInner func(query.Node) query.Node // Rewrite, as a value that is allocated once and not for each query
}

// Open begins the work of a zero Compiler, whose Scorers belong to an open request.
func (c *Compiler) Open(request *scorer.Request, resolver fields.Resolver) {
	c.request, c.work, c.resolver = request, request.Work, resolver
	c.field = fieldCompiler{request: request, work: request.Work, clock: &c.Clock}
	c.rewriteInner = c.Rewrite
}

// open returns a compiler with a request of its own, which the caller closes.
func open(work *scorer.WorkLimit, r *snapshot.Reader) *Compiler {
	request := &scorer.Request{}
	request.Open(work, r.Items())
	c := &Compiler{}
	c.Open(request, fields.Resolver{Reader: r, Spend: work.Charge})
	return c
}

// CanMatch reports whether the query of a body may match, as far as rewriting shows. timed reports whether that
// depends on the clock.
func CanMatch(work *scorer.WorkLimit, r *snapshot.Reader, body *query.Body) (ok, timed bool, err error) {
	defer snapshot.Recover(&err)
	c := open(work, r)
	defer c.request.Close()
	ok = body.Query == nil || !matchesNone(c.Rewrite(body.Query))
	return ok, c.Clock.WasRead(), cmp.Or(c.wrong, c.work.Failed())
}

// Compile returns the Scorer of a query, or nil if nothing can match.
func (c *Compiler) Compile(n query.Node) (scorer.Scorer, error) {
	n = c.Rewrite(n)
	if err := c.wrong; err != nil {
		c.wrong = nil
		return nil, err
	}
	return c.node(n, 1)
}

// CompileRewritten compiles a query that Rewrite has returned.
func (c *Compiler) CompileRewritten(n query.Node) (scorer.Scorer, error) { return c.node(n, 1) }

func (c *Compiler) node(n query.Node, boost float64) (scorer.Scorer, error) {
	if err := c.work.Charge(64); err != nil {
		return nil, err
	}
	if !c.request.Explain {
		return c.clause(n, boost)
	}
	s, err := c.clause(n, boost)
	if _, ok := s.(*scorer.Explained); !ok {
		s = c.request.WithDescription(s, func() string { return n.Type() }) // no other text describes the query
	}
	return scorer.Boosted(s, boostOf(n)), err
}

func (c *Compiler) clause(n query.Node, boost float64) (scorer.Scorer, error) {
	switch n := n.(type) {
	case *query.MatchAll:
		return c.request.All(boost * n.Boost), nil
	case *query.MatchNone:
		return nil, nil
	case *query.Bool:
		return scored(boost*n.Boost, func(boost float64) (scorer.Scorer, error) { return c.bool(n, boost) })
	case *query.ConstantScore:
		s, err := c.node(unboosted(n.Filter), 1)
		if err != nil {
			return nil, err
		}
		return scorer.Constant(s, boost*n.Boost), nil
	case *query.Span:
		return c.span(n, boost*n.Boost)
	case *query.Intervals:
		return c.intervals(n, boost*n.Boost)
	case *query.MoreLikeThis:
		return c.moreLikeThis(n, boost*n.Boost)
	case *query.FunctionScore:
		return scored(boost*n.Boost, func(boost float64) (scorer.Scorer, error) { return c.functionScore(n, boost) })
	case *query.Exists:
		return c.exists(n.Field, boost*n.Boost)
	case *query.IDs:
		return c.ids(n, boost*n.Boost), nil
	case *query.QueryString:
		return c.queryString(n, boost*n.Boost)
	case *query.SimpleQueryString:
		return c.simpleQueryString(n, boost*n.Boost)
	case *query.MultiMatch:
		return c.multiMatch(n, boost*n.Boost)
	case *query.Term:
		if n.CaseInsensitive {
			return c.onText(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.termQuery(t, n, boost*n.Boost) })
		}
		return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.termQuery(t, n, boost*n.Boost) })
	case *query.Terms:
		return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.terms(t, c.valuesFor(n), boost*n.Boost) })
	case *query.Prefix:
		return c.onText(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.prefixQuery(t, n, boost*n.Boost) })
	case *query.Wildcard:
		return c.onText(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.wildcard(t, n, boost*n.Boost) })
	case *query.Range:
		return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.rangeQuery(t, n, boost*n.Boost) })
	case *query.DistanceFeature:
		return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.distanceFeature(t, n, boost*n.Boost) })
	case *query.Match:
		return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.match(t, n, boost*n.Boost) })
	case *query.MatchPhrase:
		return c.on(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.matchPhrase(t, n, boost*n.Boost) })
	case *query.MatchPhrasePrefix:
		return c.onText(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.matchPhrasePrefix(t, n, boost*n.Boost) })
	case *query.MatchBoolPrefix:
		return c.onText(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.matchBoolPrefix(t, n, boost*n.Boost) })
	case *query.Fuzzy:
		return c.onText(n.Field, func(t fields.Target) (scorer.Scorer, error) { return c.field.fuzzyQuery(t, n, boost*n.Boost) })
	case *query.Regexp:
		return c.regexp(n, boost*n.Boost)
	case *query.TermsSet:
		return c.termsSet(n, boost*n.Boost)
	case *query.DisMax:
		return scored(boost*n.Boost, func(boost float64) (scorer.Scorer, error) { return c.disMax(n, boost) })
	case *query.Boosting:
		return scored(boost*n.Boost, func(boost float64) (scorer.Scorer, error) { return c.boosting(n, boost) })
	case *InGroup:
		return c.inGroup(n, boost), nil
	case *TypedOnly:
		return c.typed(n, boost)
	case *KeywordTerm:
		return c.keywordTerm(n, boost), nil
	case *WordBelow:
		return c.wordBelow(n, boost), nil
	case *ElementNamed:
		return c.elementNamed(n, boost), nil
	}
	return nil, fmt.Errorf("search: no meaning for %T", n)
}

// scored compiles a query with queries inside. With a boost of 0 Lucene computes no scores, and the min_score of a
// function_score inside sees scores without that boost.
func scored(boost float64, compile func(boost float64) (scorer.Scorer, error)) (scorer.Scorer, error) {
	if boost != 0 {
		return compile(boost)
	}
	s, err := compile(1)
	return scorer.Constant(s, 0), err
}

// unboosted returns a query without the boosts that Lucene drops in a constant_score: the boosts of the query, and of
// the only clause that Lucene replaces it with. A function_score with min_score makes the difference visible.
func unboosted(n query.Node) query.Node {
	switch n := n.(type) {
	case *query.Bool:
		if only := onlyScoring(n); only != nil {
			return unboosted(only)
		}
		out := *n
		out.Boost = 1
		return &out
	case *query.DisMax:
		if len(n.Queries) == 1 {
			return unboosted(n.Queries[0])
		}
		out := *n
		out.Boost = 1
		return &out
	case *query.FunctionScore:
		out := *n
		out.Boost = 1
		return &out
	}
	return n
}

// onlyScoring returns the query of a bool that has one must or one should clause and no other; nil for other bools.
func onlyScoring(n *query.Bool) query.Node {
	scoring := slices.Concat(n.Must, n.Should)
	if len(scoring) != 1 || len(n.Filter)+len(n.MustNot) > 0 || n.MinShouldMatch != "" {
		return nil
	}
	return scoring[0]
}

// onlyFilter returns the filter of a bool that Lucene makes a constant_score of: the only clause, after Lucene has
// dropped filters that are equal or match everything, and one must that matches everything. It returns nil for other
// bools, whose filters keep their boosts.
func onlyFilter(n *query.Bool) (only query.Node) {
	isAll := func(n query.Node) bool { _, all := n.(*query.MatchAll); return all }
	if len(n.Must) > 1 || len(n.Must) == 1 && !isAll(n.Must[0]) || len(n.Should)+len(n.MustNot) > 0 || n.MinShouldMatch != "" {
		return nil
	}
	for _, f := range n.Filter {
		switch {
		case isAll(f) || only != nil && reflect.DeepEqual(only, f):
		case only != nil:
			return nil
		default:
			only = f
		}
	}
	return only
}

func (c *Compiler) bool(n *query.Bool, boost float64) (s scorer.Scorer, err error) {
	nodes := func(nodes []query.Node, boost float64) []scorer.Scorer {
		ss := make([]scorer.Scorer, len(nodes))
		for i := 0; i < len(nodes) && err == nil; i++ {
			ss[i], err = c.node(nodes[i], boost)
		}
		return ss
	}
	filters, filterBoost := n.Filter, boost
	if only := onlyFilter(n); only != nil {
		filters, filterBoost = []query.Node{unboosted(only)}, 1
	}
	parts := scorer.Clauses{Must: nodes(n.Must, boost), Filter: nodes(filters, filterBoost), Should: nodes(n.Should, boost), Not: nodes(n.MustNot, boost)}
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
	return c.request.Combine(&parts), nil
}

func (c *Compiler) ids(n *query.IDs, boost float64) scorer.Scorer {
	set := c.request.DocSet()
	c.work.Charge(scorer.LookupSteps * len(n.Values))
	for _, id := range n.Values {
		if d, ok := c.resolver.Reader.Lookup(id); ok {
			set.Add(d)
		}
	}
	return c.request.WithDescription(set.Scorer(boost), func() string { return idsText(n.Values) })
}
