// This file finds and writes the first hits of parts of the matches, for top_hits aggregations.

package search

import (
	"math"
	"strconv"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/aggs"
	"contentedge/edgeserve/search/hits"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

// topHits writes hits as Elasticsearch does.
type topHits struct {
	c       *compiler
	body    *query.Body
	ranking *iter.Ranking
	writer  *hits.Writer
	scored  bool // hits have scores
}

// TopHits implements aggs.Compiler.
func (c *compiler) TopHits(body *query.Body) (aggs.Hits, error) {
	order, err := c.order(body)
	if err != nil {
		return nil, err
	}
	t := &topHits{c: c, body: body, writer: hits.NewWriter(c.Reader, c.Reader.Meta().Env, body), scored: order == nil || body.TrackScores}
	t.writer.HideScores = !t.scored
	var scores []float32
	if order.NeedsScores() || body.TrackScores {
		if scores, err = c.scoreTable(); err != nil {
			return nil, err
		}
	}
	t.ranking = c.NewRanking(order, scores, body.From, body.Size)
	return t, nil
}

// scoreTable returns the scores of all matches of the body.
func (c *compiler) scoreTable() ([]float32, error) {
	if c.scores == nil {
		s, err := c.matchesOf(c.body)
		if err != nil {
			return nil, err
		}
		c.scores = c.ScoreTable(s)
	}
	return c.scores, c.Failed()
}

// Take implements aggs.Hits.
func (t *topHits) Take(docs []snapshot.DocID) { t.ranking.Add(docs) }

// Append implements aggs.Hits.
func (t *topHits) Append(dst []byte) ([]byte, error) {
	found := t.ranking.Hits()
	t.ranking.Reset()
	if err := t.c.Failed(); err != nil {
		return nil, err
	}
	dst = strconv.AppendInt(append(dst, `{"hits":{"total":{"value":`...), int64(found.Total), 10)
	best := found.Best
	if !t.scored {
		best = float32(math.NaN())
	}
	dst = hits.AppendScore(append(dst, `,"relation":"eq"},"max_score":`...), best)
	page := &hits.Page{Docs: found.Docs, Scores: found.Scores}
	if err := t.c.hitFields(t.body, page); err != nil {
		return nil, err
	}
	dst, err := t.writer.AppendAll(append(dst, `,"hits":`...), page, t.c.WorkLimit)
	return append(dst, "}}"...), err
}
