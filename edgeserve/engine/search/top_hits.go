// This file finds and writes the first hits of parts of the matches, for top_hits aggregations.

package search

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/aggs"
	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

// topHits writes hits as Elasticsearch does.
type topHits struct {
	parts   hitParts
	ranking *scorer.Ranking
	writer  *hits.Writer
	sort    *hits.SortValues
	scored  bool        // hits have scores
	second  [][]float32 // scores of the body's rescores by document; nil if nothing can match
}

// TopHits implements aggs.Compiler.
func (c *evaluation) TopHits(body *query.Body) (aggs.Hits, error) {
	order, err := c.order(body)
	if err != nil {
		return nil, err
	}
	t := &topHits{parts: hitParts{c: c, body: body, by: c.body, windows: c.windows}, writer: hits.NewWriter(c.resolver.Reader.Meta().Env, body), sort: hits.NewSortValues(c.resolver.Reader, body.Order.Keys), scored: order == nil || body.Order.TrackScores}
	check := t.parts.fields // also where no bucket has documents
	if c.checks {
		check = t.parts.add
	}
	if err := check(&hits.Page{}, nil); err != nil {
		return nil, err
	}
	t.writer.HideScores = !t.scored
	var scores []float32
	if order.NeedsScores() || body.Order.TrackScores {
		if scores, err = c.scoreTable(); err != nil {
			return nil, err
		}
	}
	from, size := body.Window.From, body.Window.Size
	if order == nil && len(c.body.Rescore) > 0 {
		if from, size = 0, from+size; size > 0 {
			for i := range c.body.Rescore {
				size = max(size, c.body.Rescore[i].Window)
			}
		}
		if err := t.rescoreTables(); err != nil {
			return nil, err
		}
	}
	t.ranking = c.request.NewRanking(order, scores, from, size)
	return t, nil
}

// rescoreTables scores all matches of the rescores once, for all parts.
func (t *topHits) rescoreTables() error {
	for i := range t.parts.c.body.Rescore {
		s, err := t.parts.c.compiler.Compile(t.parts.c.body.Rescore[i].Query)
		if err != nil {
			return err
		}
		t.second = append(t.second, t.parts.c.request.ScoreTable(s, float32(math.NaN())))
	}
	return t.parts.c.work.Failed()
}

// rescore sorts the first hits of a part by their new scores and cuts the page.
func (t *topHits) rescore(found *scorer.Hits) error {
	list := make([]rescored, len(found.Docs))
	for i, d := range found.Docs {
		list[i] = rescored{d, found.Of[i]}
	}
	t.parts.windows = nil
	for i, table := range t.second {
		r := &t.parts.c.body.Rescore[i]
		var scores []float32
		var docs []snapshot.DocID
		for _, h := range list[:min(r.Window, len(list))] {
			docs = append(docs, h.doc)
			if table != nil {
				scores = append(scores, table[h.doc])
			}
		}
		t.parts.windows = append(t.parts.windows, docs)
		if err := t.parts.c.reorder(r, list, scores); err != nil {
			return err
		}
	}
	found.Docs, found.Of = nil, nil
	if len(list) > 0 {
		found.Best = list[0].score
	}
	for _, h := range list[min(t.parts.body.Window.From, len(list)):min(t.parts.body.Window.From+t.parts.body.Window.Size, len(list))] {
		found.Docs, found.Of = append(found.Docs, h.doc), append(found.Of, h.score)
	}
	return nil
}

// scoreTable returns the scores of all matches of the body.
func (c *evaluation) scoreTable() ([]float32, error) {
	if c.scores == nil {
		c.scores = c.request.KeptTable()
	}
	if c.scores == nil {
		s, err := c.matchesOf(c.body)
		if err != nil {
			return nil, err
		}
		c.scores = c.request.ScoreTable(s, 0)
	}
	return c.scores, c.work.Failed()
}

// ranksByScore reports whether a top_hits of a body needs the scores of all matches.
func ranksByScore(body *query.Body) (needed bool) {
	look := func(p query.Part) {
		if a, ok := p.(*query.Agg); ok && a.Kind == query.AggTopHits {
			hits := a.Options.(*query.Body)
			byScore := func(k query.SortKey) bool { return k.Field == "_score" }
			needed = needed || hits.Order.TrackScores || hits.Order.Keys == nil || slices.ContainsFunc(hits.Order.Keys, byScore)
		}
	}
	for i := range body.Aggs {
		query.Walk(&body.Aggs[i], look)
	}
	return needed
}

// Take implements aggs.Hits.
func (t *topHits) Take(docs []snapshot.DocID) { t.ranking.Add(docs) }

// Append implements aggs.Hits.
func (t *topHits) Append(dst []byte) ([]byte, error) {
	found := t.ranking.Hits()
	t.ranking.Reset()
	if err := t.parts.c.work.Failed(); err != nil {
		return nil, err
	}
	if t.second != nil {
		if err := t.rescore(&found); err != nil {
			return nil, err
		}
	}
	dst = hits.AppendTotal(append(dst, `{"hits":{`...), found.Total, t.parts.c.body.Totals.AsInt)
	best := found.Best
	if !t.scored {
		best = float32(math.NaN())
	}
	dst = hits.AppendScore(append(dst, `"max_score":`...), best)
	page := hits.NewPage(t.parts.c.resolver.Reader, found.Docs, found.Scores, t.sort)
	if err := t.parts.add(&page, found.Docs); err != nil {
		return nil, err
	}
	dst, err := t.writer.AppendAll(append(dst, `,"hits":`...), &page, t.parts.c.work)
	return append(dst, "}}"...), err
}

// sample is the best of a part of the matches.
type sample struct{ ranking *scorer.Ranking }

// Sample implements aggs.Compiler.
func (c *evaluation) Sample(size int) (aggs.Sample, error) {
	scores, err := c.scoreTable()
	if err != nil {
		return nil, err
	}
	return sample{c.request.NewRanking(nil, scores, 0, size)}, nil
}

// Take implements aggs.Sample.
func (s sample) Take(docs []snapshot.DocID) { s.ranking.Add(docs) }

// Best implements aggs.Sample.
func (s sample) Best() []snapshot.DocID {
	found := s.ranking.Hits()
	s.ranking.Reset()
	return found.Docs
}
