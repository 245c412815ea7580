// Package search evaluates search bodies against a snapshot. It selects the page of matches and aggregates all
// matches. It reads the items on the page only for fields that hits show and for highlights.
//
//	evaluation compiles a body's queries, sort and collapse, and collects the page (search.go, sort.go, collapse.go).
//	compile    makes Scorers from the queries.
//	scorer     walks them, and gives the page and, for aggregations, the set of all matches.
//	aggs       aggregates the set. For its buckets top_hits.go finds the hits.
//	suggest    corrects words of the body's text.
//	hits       holds the result. To its page hit_parts.go adds fields, explanations, highlights and names of queries.
package search

import (
	"cmp"
	"math"

	"contentedge/edgeserve/engine/aggs"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/suggest"
)

// evaluation is the evaluation of one body.
type evaluation struct {
	request  scorer.Request
	work     *scorer.WorkLimit // of the request
	resolver fields.Resolver
	compiler compile.Compiler
	body     *query.Body
	checks   bool // only for errors, including errors of hits

	ended bool           // terminate_after ended the search
	end   snapshot.DocID // the match that ended it

	scores []float32 // of all matches, by document, once an aggregation needs them

	windows [][]snapshot.DocID // what each rescore has scored again, for explanations

	marked, explained int // bytes of the response's highlights, and of its explanations
}

// Result is what a snapshot finds for a body: the result of every evaluator, and the documents of the page with their
// scores.
type Result struct {
	hits.Result
	Docs   []snapshot.DocID
	Scores scorer.Scores
}

// Eval evaluates a body within a whole work limit. An error is a *query.Error if the body is wrong or too costly, or
// if its time is over (scorer.ErrTimeout), or else a *snapshot.CorruptError.
func Eval(limit scorer.Limit, r *snapshot.Reader, body *query.Body) (*Result, error) {
	return EvalWithin(scorer.NewWorkLimit(limit), r, body)
}

// EvalHits evaluates a body as EvalWithin does, with the scores of the page.
func EvalHits(b *scorer.WorkLimit, r *snapshot.Reader, body *query.Body) (*Result, error) {
	c := &evaluation{body: body}
	c.request.KeepScores = true
	return c.evaluate(b, r)
}

// EvalWithin evaluates a body within the rest of a work limit.
func EvalWithin(b *scorer.WorkLimit, r *snapshot.Reader, body *query.Body) (*Result, error) {
	return (&evaluation{body: body}).evaluate(b, r)
}

// Check evaluates a body on a snapshot without documents, only for its errors: the errors of EvalHits, and errors that
// occur only in hits of a page, of inner_hits and of highlights in top_hits. timed reports whether a result depends on
// the clock.
func Check(b *scorer.WorkLimit, r *snapshot.Reader, body *query.Body) (timed bool, err error) {
	c := &evaluation{body: body, checks: true}
	c.request.KeepScores = true
	_, err = c.evaluate(b, r)
	return c.compiler.Clock.WasRead(), err
}

func (c *evaluation) evaluate(b *scorer.WorkLimit, r *snapshot.Reader) (res *Result, err error) {
	defer snapshot.Recover(&err)
	c.open(b, r)
	defer c.request.Close()
	return c.eval(c.body)
}

// open begins work on a snapshot, whose names are resolved within the limit too.
func (c *evaluation) open(b *scorer.WorkLimit, r *snapshot.Reader) {
	c.request.Open(b, r.Items())
	c.work = b
	c.resolver = fields.Resolver{Reader: r, Spend: b.Charge}
	c.compiler.Open(&c.request, c.resolver)
}

func (c *evaluation) eval(body *query.Body) (*Result, error) {
	found, err := c.find(body, len(body.Aggs) > 0)
	if err != nil {
		return nil, err
	}
	if body.Window.Size == 0 {
		found.Best = float32(math.NaN()) // also where a page before would have a hit
	}
	var sort *hits.SortValues
	if c.request.KeepScores {
		sort = hits.NewSortValues(c.resolver.Reader, body.Order.Keys)
	}
	res := &Result{Docs: found.Docs, Scores: found.Scores}
	res.Page = hits.NewPage(c.resolver.Reader, found.Docs, found.Scores, sort)
	res.Total, res.Recycle = found.Total, aggs.Release
	if len(body.Aggs) > 0 {
		res.Aggregations, err = aggs.Aggregate(&aggs.Search{Request: &c.request, Resolver: c.resolver, Compiler: &c.compiler, Ranking: c}, body.Aggs, found.Set)
	}
	if err == nil && c.work.Failed() == nil && len(body.Suggest) > 0 {
		res.Suggestions, err = suggest.Append(nil, &c.request, c.resolver, body.Suggest)
	}
	if err == nil && c.work.Failed() == nil {
		err = (&hitParts{c: c, body: body, by: body, windows: c.windows}).add(&res.Page, res.Docs)
	}
	if err == nil && c.work.Failed() == nil && body.Collapse != nil {
		err = c.inner(body, &res.Page, res.Docs)
	}
	if err = cmp.Or(err, c.work.Failed()); err != nil {
		return nil, err
	}
	res.Ended = c.ended
	res.Timed = c.compiler.Clock.WasRead()
	return res, nil
}

// find collects the page of a body; with all, also the set of all matches.
func (c *evaluation) find(body *query.Body, all bool) (found scorer.Hits, err error) {
	order, err := c.order(body)
	if err != nil {
		return found, err
	}
	s, err := c.matchesOf(body)
	if err != nil {
		return found, err
	}
	c.request.KeepTable = body.TerminateAfter == 0 && len(body.Aggs) > 0 && ranksByScore(body)
	if body.PostFilter == nil {
		found, err = c.page(body, s, order, all)
	} else {
		found, err = c.filtered(body, s, order)
	}
	return found, cmp.Or(err, c.work.Failed())
}

// matchesOf compiles the query and the min_score of a body.
func (c *evaluation) matchesOf(body *query.Body) (s scorer.Scorer, err error) {
	if body.SuggestsOnly() {
		return nil, nil
	}
	if body.Query == nil {
		s = c.request.All(1)
	} else if s, err = c.compiler.Compile(body.Query); err != nil || c.work.Failed() != nil {
		return nil, cmp.Or(err, c.work.Failed())
	}
	if body.MinScore != nil {
		s = scorer.AtLeast(s, *body.MinScore)
	}
	return s, nil
}

// page collects the page of the matches of s; with all, also the set of all.
func (c *evaluation) page(body *query.Body, s scorer.Scorer, order *scorer.Order, all bool) (found scorer.Hits, err error) {
	if body.Rescore != nil {
		if err := checkRescore(body); err != nil {
			return found, err
		}
	}
	if body.Collapse != nil {
		if order, err = c.collapse(body, order); err != nil {
			return found, err
		}
	}
	if body.TerminateAfter > 0 && s != nil {
		head := scorer.NewHead(s, body.TerminateAfter)
		defer func() { c.end, c.ended = head.End() }()
		s = head
	}
	if body.Rescore != nil {
		return c.rescore(body, s, all)
	}
	c.request.TrackScores = c.request.KeepScores && body.Order.TrackScores
	return c.request.Collect(s, order, body.Window.From, body.Window.Size, all), nil
}

// filtered collects the page of the matches that the post_filter selects. The set has all matches, because aggregations
// do not see the filter, but only up to the match that ended the search.
func (c *evaluation) filtered(body *query.Body, s scorer.Scorer, order *scorer.Order) (found scorer.Hits, err error) {
	set := found.Set
	if len(body.Aggs) > 0 {
		set = c.request.Collect(s, nil, 0, 0, true).Set
		if s, err = c.matchesOf(body); err != nil {
			return found, err
		}
	}
	f, err := c.compiler.Compile(body.PostFilter)
	if err != nil {
		return found, err
	}
	if s != nil && body.Query == nil && body.MinScore == nil {
		s = scorer.Constant(f, 1)
	} else {
		s = c.request.Combine(&scorer.Clauses{Must: []scorer.Scorer{s}, Filter: []scorer.Scorer{f}})
	}
	if found, err = c.page(body, s, order, false); c.ended && set != nil && c.work.Failed() == nil {
		set.Cut(c.end)
		c.work.Charge(len(set.Words) / 8)
	}
	found.Set = set
	return found, err
}
