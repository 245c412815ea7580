// This file computes sampler aggregations: a bucket of the matches with the best scores.

package aggs

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// Sample selects the best documents of one part of the matches after the other.
type Sample interface {
	Take(docs []docID)
	Best() []docID // valid until the next Take, which begins another part
}

type sampler struct {
	a      *aggregator
	sample Sample
	subs   *subs
}

func (a *aggregator) newSampler(agg *query.Agg, path string, in scope) (evaluator, error) {
	size := min(agg.Buckets.Size, a.request.Items)
	if !a.allot(4*a.request.Items + 16*size) { // scores and ranks
		return nil, a.work.Failed()
	}
	sample, err := a.ranking.Sample(size)
	return &sampler{a, sample, a.inside(agg, path, scope{root: in.root, nested: true, many: in.many})}, err
}

func (s *sampler) evaluate(dst []byte, set *scorer.Bitset) []byte {
	best := s.of(s.a.whole(set), 0)
	part := s.a.emptyPart()
	defer func() { s.a.depth-- }()
	s.walk(best, part.add)
	part.set.Count = len(part.set.List)
	if s.a.work.Failed() != nil {
		return nil
	}
	return s.a.appendSingle(dst, s.subs, &part.set)
}

// of returns the best documents of a bucket in their order.
func (s *sampler) of(bs buckets, i int) []docID {
	bs.walk(i, s.sample.Take)
	best := s.sample.Best()
	slices.Sort(best)
	return best
}

func (s *sampler) walk(docs []docID, f func([]docID)) {
	for block := range slices.Chunk(docs, blockLen) {
		f(block)
		s.a.work.Charge(8 + len(block))
	}
}

// best returns the best documents of all buckets.
func (s *sampler) best(bs buckets) buckets {
	docs := make([][]docID, bs.n)
	for i := range docs {
		docs[i] = slices.Clone(s.of(bs, i))
		if !s.a.allot(4*len(docs[i])) || s.a.work.Failed() != nil {
			break
		}
	}
	return buckets{n: bs.n, set: bs.set, walk: func(i int, f func([]docID)) { s.walk(docs[i], f) }}
}
