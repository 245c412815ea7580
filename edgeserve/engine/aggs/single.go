// This file computes aggregations of one bucket: missing and global.

package aggs

import (
	"math/bits"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// missing is the bucket of the documents without a value.
type missing struct {
	a    *aggregator
	s    *valuesSource
	subs *subs
}

func (a *aggregator) newMissing(agg *query.Agg, path string, in scope) (evaluator, error) {
	s, err := a.valuesSource(agg, path)
	return &missing{a: a, s: s, subs: a.inside(agg, path, scope{root: in.root, nested: true, many: in.many})}, err
}

func (m *missing) has(d docID) bool { return m.s.none < 0 && (m.s.col == nil || !m.s.col.Has(d)) }

func (m *missing) evaluate(dst []byte, set *scorer.Bitset) []byte {
	set = m.a.kept(m, set)
	defer func() { m.a.depth-- }()
	return m.a.appendSingle(dst, m.subs, set)
}

// global is the bucket of all documents.
type global struct {
	a    *aggregator
	all  *scorer.Bitset
	subs *subs
}

func (a *aggregator) newGlobal(agg *query.Agg, path string, _ scope) (evaluator, error) {
	all := scorer.NewBitset(a.request.Items)
	for i := range all.Words {
		all.Words[i] = 1<<64 - 1
	}
	if rest := a.request.Items % 64; rest > 0 {
		all.Words[len(all.Words)-1] >>= 64 - rest
	}
	for _, w := range all.Words {
		all.Count += bits.OnesCount64(w)
	}
	return &global{a: a, all: all, subs: a.inside(agg, path, scope{root: all})}, a.work.Charge(len(all.Words))
}

func (g *global) evaluate(dst []byte, _ *scorer.Bitset) []byte {
	return g.a.appendSingle(dst, g.subs, g.all)
}
