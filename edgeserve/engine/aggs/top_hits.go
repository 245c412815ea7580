// This file computes top_hits aggregations. The search finds and writes the hits, through Hits.

package aggs

import (
	"errors"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// Hits writes the first hits of one part of the matches after the other.
type Hits interface {
	Take(docs []docID)
	Append(dst []byte) ([]byte, error) // writes an object, and begins another part
}

type topHits struct {
	a     *aggregator
	hits  Hits
	place string // of its options, in the body
}

func (a *aggregator) newTopHits(agg *query.Agg, path string, in scope) (evaluator, error) {
	if !a.allot(4 * a.request.Items) { // scores
		return nil, a.work.Failed()
	}
	h, err := a.ranking.TopHits(agg.Options.(*query.Body))
	t := &topHits{a, h, path + "." + string(agg.Kind)}
	return t, t.located(err)
}

// located adds the place of the options to the parameter of an error.
func (t *topHits) located(err error) error {
	var e *query.Error
	if !errors.As(err, &e) {
		return err
	}
	moved := *e
	moved.Parameter = t.place + "." + e.Parameter
	return &moved
}

func (t *topHits) evaluate(dst []byte, set *scorer.Bitset) []byte {
	return t.stream(dst, t.a.whole(set), 0)
}

func (t *topHits) stream(dst []byte, bs buckets, i int) []byte {
	bs.walk(i, t.hits.Take)
	if t.a.work.Failed() != nil {
		return nil
	}
	from := len(dst)
	dst, err := t.hits.Append(dst)
	if t.a.work.Fail(t.located(err)) == nil {
		t.a.wrote(from, len(dst))
	}
	return dst
}
