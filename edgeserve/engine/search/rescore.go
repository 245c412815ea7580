// This file scores the first matches of a search again.

package search

import (
	"cmp"
	"math"
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

// rescored is a match with its score so far.
type rescored struct {
	doc   snapshot.DocID
	score float32
}

// rescoreSteps is the cost of sorting a match, in steps.
const rescoreSteps = 16

// rescore collects the first matches and sorts them by their new scores, then cuts the page.
func (c *evaluation) rescore(body *query.Body, s scorer.Scorer, all bool) (scorer.Hits, error) {
	size := body.Window.From + body.Window.Size
	for _, r := range body.Rescore {
		size = max(size, r.Window)
	}
	if body.Window.Size == 0 {
		size = 0
	}
	keep := c.request.KeepScores
	c.request.KeepScores = true
	found := c.request.Collect(s, nil, 0, size, all)
	c.request.KeepScores = keep
	list := make([]rescored, len(found.Docs))
	for i, d := range found.Docs {
		list[i] = rescored{d, found.Of[i]}
	}
	for i := range body.Rescore {
		if err := c.rescoreBy(&body.Rescore[i], list); err != nil {
			return found, err
		}
	}
	found.Docs, found.Scores = nil, scorer.Scores{Best: float32(math.NaN())}
	if len(list) > 0 {
		found.Best = list[0].score
	}
	for _, h := range list[min(body.Window.From, len(list)):min(body.Window.From+body.Window.Size, len(list))] {
		found.Docs = append(found.Docs, h.doc)
		found.Of = append(found.Of, h.score)
	}
	return found, nil
}

// rescoreBy sorts the matches of the window by both scores, then all.
func (c *evaluation) rescoreBy(r *query.Rescore, list []rescored) error {
	s, err := c.compiler.Compile(r.Query)
	if err != nil {
		return err
	}
	docs := make([]snapshot.DocID, min(r.Window, len(list)))
	for i := range docs {
		docs[i] = list[i].doc
	}
	c.windows = append(c.windows, docs)
	return c.reorder(r, list, c.request.ScoresOf(s, docs))
}

// reorder sorts matches by both scores. scores has the second score of the first matches; NaN: no second score.
func (c *evaluation) reorder(r *query.Rescore, list []rescored, scores []float32) error {
	for i := range list {
		list[i].score = float32(list[i].score * r.Weight)
		if i < len(scores) && scores[i] == scores[i] {
			list[i].score = combine(r.Mode, list[i].score, float32(scores[i]*r.QueryWeight))
		}
	}
	slices.SortFunc(list, func(a, b rescored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.doc, b.doc)) })
	return c.work.Charge(rescoreSteps * len(list))
}

func combine(mode string, first, second float32) float32 {
	switch mode {
	case "multiply":
		return first * second
	case "avg":
		return (first + second) / 2
	case "max":
		return max(first, second)
	case "min":
		return min(first, second)
	}
	return first + second
}

// checkRescore refuses a sort with a rescore.
func checkRescore(body *query.Body) error {
	if k := body.Order.Keys; len(k) == 0 || len(k) == 1 && k[0].Field == "_score" && !k[0].Asc {
		return nil
	}
	return &query.Error{Code: problem.BadRescore, Parameter: "rescore", Position: -1, Message: "rescore cannot be combined with sort: it sorts by scores"}
}
