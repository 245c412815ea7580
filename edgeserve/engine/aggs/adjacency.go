// This file computes adjacency matrices: a bucket for each of several queries, and for each two.

package aggs

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

type adjacency struct {
	a       *aggregator
	in      scope
	subs    *subs
	filters []query.NamedFilter
	matched []*scorer.Bitset // by filter, made for the first set
	pairs   []pair           // by key
}

// pair is a bucket: the documents that two filters match. The bucket of one filter names it twice.
type pair struct {
	key  string
	x, y int
}

func (a *aggregator) newAdjacency(agg *query.Agg, path string, in scope) (evaluator, error) {
	m := &adjacency{a: a, in: in, subs: a.inside(agg, path, in), filters: agg.Filters.List}
	separator := agg.Options.(*query.Adjacency).Separator
	for x, f := range m.filters {
		m.pairs = append(m.pairs, pair{f.Name, x, x})
		for y, g := range m.filters {
			if f.Name < g.Name {
				m.pairs = append(m.pairs, pair{f.Name + separator + g.Name, x, y})
			}
		}
	}
	a.work.Charge(len(m.pairs) * bits.Len(uint(len(m.pairs))))
	slices.SortFunc(m.pairs, func(p, q pair) int { return cmp.Compare(p.key, q.key) })
	for i := range m.pairs[1:] {
		if m.pairs[i].key == m.pairs[i+1].key {
			return nil, badAgg(path, agg, "filters", "two buckets have the key %.80q: rename a filter or give another separator", m.pairs[i].key)
		}
	}
	return m, nil
}

func (m *adjacency) prepare() bool {
	if m.matched != nil {
		return true
	}
	for _, f := range m.filters {
		if !m.a.allot(len(m.in.root.Words) * 8) {
			return false
		}
		m.matched = append(m.matched, m.a.matching(f.Filter, m.in.root))
	}
	return m.a.work.Failed() == nil
}

func (m *adjacency) evaluate(dst []byte, set *scorer.Bitset) []byte {
	a := m.a
	if !m.prepare() {
		return nil
	}
	var found []pair
	var counts []int
	for _, p := range m.pairs {
		n := 0
		x, y := m.matched[p.x].Words, m.matched[p.y].Words
		for i, w := range set.Words {
			n += bits.OnesCount64(w & x[i] & y[i])
		}
		if a.work.Charge(1+len(set.Words)/4) != nil {
			return nil
		}
		if n > 0 {
			found, counts = append(found, p), append(counts, n)
		}
	}
	if a.spend(len(found)) != nil {
		return nil
	}
	bs := buckets{n: len(found), set: set, walk: func(i int, f func([]docID)) { m.walk(found[i], set, f) }}
	bs.key = func(i, j int) int { return cmp.Compare(found[i].key, found[j].key) }
	bs.name = func(dst []byte, i int) []byte { return appendJSONString(dst, found[i].key) }
	dst = a.appendBuckets(append(dst, `{"buckets":[`...), m.subs, bs, func(dst []byte, i int) []byte {
		dst = appendJSONString(append(dst, `{"key":`...), found[i].key)
		return strconv.AppendInt(append(dst, `,"doc_count":`...), int64(counts[i]), 10)
	})
	return append(dst, "]}"...)
}

// walk calls f with blocks of the documents of a bucket in a set.
func (m *adjacency) walk(p pair, set *scorer.Bitset, f func([]docID)) {
	w := walker{c: &m.a.counter, f: f, err: m.a.work.Failed()}
	x, y := m.matched[p.x].Words, m.matched[p.y].Words
	for i, both := range set.Words {
		for both &= x[i] & y[i]; both != 0 && w.err == nil; both &= both - 1 {
			w.add(docID(i<<6 + bits.TrailingZeros64(both)))
		}
	}
	m.a.work.Add(len(set.Words) / 4)
	w.flush()
}
