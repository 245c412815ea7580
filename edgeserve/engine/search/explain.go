// This file explains the scores of the hits of a page: the query is compiled once more, into Scorers
// that explain themselves.

package search

import (
	"cmp"
	"slices"

	"contentedge/edgeserve/engine/explain"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// maxExplained limits the bytes of the explanations of a response.
const maxExplained = 8 << 20

// explanations explains the scores of documents as JSON; windows are what each rescore has scored again.
func (c *evaluation) explanations(body *query.Body, windows [][]snapshot.DocID, docs []snapshot.DocID) ([][]byte, error) {
	c.request.Explain = true
	defer func() { c.request.Explain = false }()
	s, err := c.explaining(body.Query)
	if err != nil {
		return nil, err
	}
	again := make([]scorer.Scorer, len(body.Rescore))
	for i := range body.Rescore {
		if again[i], err = c.explaining(body.Rescore[i].Query); err != nil {
			return nil, err
		}
	}
	order := make([]int, len(docs)) // iterators do not go back
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(docs[a], docs[b]) })
	list := make([][]byte, len(docs))
	for _, i := range order {
		e := c.request.ExplainScore(s, docs[i])
		for k := range body.Rescore {
			e = c.explainRescore(&body.Rescore[k], windows[k], again[k], docs[i], e)
		}
		list[i] = e.Append(nil)
		c.work.Hold(len(list[i]))
		if err := c.work.Charge(len(list[i]) / explainedPerStep); err != nil {
			return nil, err
		}
		if c.explained += len(list[i]); c.explained > maxExplained {
			return nil, scorer.ErrTooCostly
		}
	}
	return list, c.work.Failed()
}

// explainedPerStep is the number of bytes of an explanation that are written in a step.
const explainedPerStep = 16

// explaining compiles a query into a Scorer that explains itself; nil is all items.
func (c *evaluation) explaining(n query.Node) (scorer.Scorer, error) {
	if n == nil {
		return c.request.All(1), nil
	}
	return c.compiler.Compile(n)
}

// explainRescore explains what a rescore makes of a score.
func (c *evaluation) explainRescore(r *query.Rescore, window []snapshot.DocID, s scorer.Scorer, d snapshot.DocID, first explain.Explanation) explain.Explanation {
	score := float32(float32(first.Value) * r.Weight)
	primary := explain.First(r, score, first)
	if !slices.Contains(window, d) {
		return primary
	}
	second := c.request.ExplainScore(s, d)
	if !second.Matches {
		return primary
	}
	added := float32(float32(second.Value) * r.QueryWeight)
	return explain.Second(r, combine(r.Mode, score, added), added, primary, second)
}

// Explain explains the score of an item.
func Explain(b *scorer.WorkLimit, r *snapshot.Reader, body *query.Body, d snapshot.DocID) (e hits.Explained, err error) {
	defer snapshot.Recover(&err)
	c := &evaluation{body: body}
	c.open(b, r)
	defer c.request.Close()
	c.request.Explain = true
	s, err := c.explaining(body.Query)
	if err != nil {
		return e, err
	}
	tree := c.request.ExplainScore(s, d)
	e = hits.Explained{JSON: tree.Append(nil), Matches: tree.Matches, Timed: c.compiler.Clock.WasRead()}
	return e, cmp.Or(c.work.Failed(), c.work.Charge(len(e.JSON)/explainedPerStep))
}
