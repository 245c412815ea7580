// This file answers aggregations inside the buckets of another. Each is answered for
// all buckets before the next, so that what it needs is made once and then let go.

package search

import (
	"strings"

	"contentedge/edgeserve/query"
)

// cells is a JSON text a bucket.
type cells struct {
	buf  []byte
	ends []int
}

func (c *cells) at(i int) []byte {
	if i == 0 {
		return c.buf[:c.ends[0]]
	}
	return c.buf[c.ends[i-1]:c.ends[i]]
}

// end closes a cell.
func (c *cells) end(a *aggregator) error {
	from := 0
	if n := len(c.ends); n > 0 {
		from = c.ends[n-1]
	}
	c.ends = append(c.ends, len(c.buf))
	return a.wrote(from, len(c.buf))
}

// buckets are the groups of a source that are part of an answer. An id below zero is
// a bucket without documents.
type buckets struct {
	of  *source
	ids []int
	set *bitset // the documents they divide
}

// inside answers all aggregations inside some buckets: a column of cells each.
func (a *aggregator) inside(agg *query.Agg, path string, bs buckets) ([]cells, error) {
	all := make([]cells, len(agg.Subs))
	for i := range agg.Subs {
		sub := &agg.Subs[i]
		var err error
		if all[i], err = a.column(sub, path+".aggs."+sub.Name, bs); err != nil {
			return nil, err
		}
		a.bytes += len(all[i].buf)
	}
	return all, nil
}

// written forgets cells that have become part of the answer.
func (a *aggregator) written(all []cells) {
	for i := range all {
		a.bytes -= len(all[i].buf)
	}
}

// appendCells writes the members of bucket i.
func appendCells(dst []byte, agg *query.Agg, all []cells, i int) []byte {
	for k := range all {
		dst = append(dst, ',')
		dst = append(appendJSONString(dst, agg.Subs[k].Name), ':')
		dst = append(dst, all[k].at(i)...)
	}
	return dst
}

// column answers one aggregation in each bucket.
func (a *aggregator) column(sub *query.Agg, path string, bs buckets) (c cells, err error) {
	switch sub.Kind {
	case query.AggFilter:
		return a.filterCells(sub, bs)
	case query.AggFilters:
		return a.filtersCells(sub, bs)
	}
	f, err := a.fold(sub, path)
	if err != nil {
		return c, err
	}
	err = a.eachBucket(f, bs, func() error {
		if c.buf, err = f.finish(c.buf, nil); err != nil {
			return err
		}
		return c.end(a)
	})
	return c, err
}

// eachBucket feeds f the documents of one bucket after the other; done is called
// behind each.
func (a *aggregator) eachBucket(f fold, bs buckets, done func() error) error {
	s := f.source()
	r, err := a.reader(s, bs.set)
	if err != nil {
		return err
	}
	feed := func(docs []docID) { r.each(docs, f.take) }
	if !f.direct() {
		a.tally.room(s.ids)
		feed = func(docs []docID) { r.tally(docs, a.tally) }
	}
	for _, id := range bs.ids {
		if err := a.walk(bs.of, id, bs.set, feed); err != nil {
			return err
		}
		if !f.direct() {
			a.tally.drain(s.zeroIDs(), f.take)
			a.b.work += s.zeroIDs()
		}
		if err := done(); err != nil {
			return err
		}
	}
	return nil
}

// numbers is what an order compares: one number of an aggregation inside, a bucket.
func (a *aggregator) numbers(agg *query.Agg, order, path string, bs buckets) ([]float64, error) {
	sub, part := orderedBy(agg, order)
	out := make([]float64, 0, len(bs.ids))
	if sub.Kind == query.AggFilter {
		counts, err := a.filterCounts(sub.Filter, bs)
		for _, n := range counts {
			out = append(out, float64(n))
		}
		return out, err
	}
	f, err := a.fold(sub, path+".aggs."+sub.Name)
	if err != nil {
		return nil, err
	}
	m := f.(*metric)
	err = a.eachBucket(f, bs, func() error {
		out = append(out, m.number(part))
		m.reset()
		return nil
	})
	return out, err
}

// orderedBy finds the aggregation an order names, and which number of it.
func orderedBy(agg *query.Agg, order string) (sub *query.Agg, part string) {
	for i := range agg.Subs {
		sub = &agg.Subs[i]
		if order == sub.Name && sub.Kind != query.AggStats {
			return sub, string(sub.Kind)
		}
		if rest, ok := strings.CutPrefix(order, sub.Name+"."); ok && sub.Kind == query.AggStats {
			return sub, rest
		}
	}
	return sub, part
}

// reader tells of documents which groups of a source they are in.
type reader struct {
	s      *source
	column bool     // documents without a value are left out
	first  []uint32 // document -> its first entry in ids, where a document may have several
	ids    []uint32
}

// reader makes a reader for the documents of a set.
func (a *aggregator) reader(s *source, set *bitset) (*reader, error) {
	r := &reader{s: s}
	if s.col == nil || s.col.Single {
		return r, nil
	}
	r.first = make([]uint32, a.b.items+2)
	err := a.eachPair(s, set, func(d docID, _ int) { r.first[d+2]++ })
	if err != nil {
		return nil, err
	}
	for d := range a.b.items {
		r.first[d+2] += r.first[d+1]
	}
	r.ids = make([]uint32, r.first[a.b.items+1])
	return r, a.eachPair(s, set, func(d docID, id int) {
		r.ids[r.first[d+1]] = uint32(id)
		r.first[d+1]++
	})
}

// eachPair gives the documents of each group, group by group, as often as they have
// a value of it.
func (a *aggregator) eachPair(s *source, set *bitset, f func(d docID, id int)) error {
	for id := range s.ids {
		lo, hi := s.ordinals(id)
		from, to := s.col.Start(lo), s.col.Start(hi)
		for p := from; p < to; p++ {
			if d := s.col.Doc(p); set.has(d) {
				f(d, id)
			}
		}
		if err := a.b.tick(1 + to - from); err != nil {
			return err
		}
	}
	return nil
}

// tally counts the groups of documents.
func (r *reader) tally(docs []docID, t *tally) {
	if r.first != nil {
		r.each(docs, t.add)
		return
	}
	if r.s.col != nil && r.s.group == nil && (r.column || r.s.none < 0) {
		ords := t.ords[:len(docs)]
		r.s.col.Leasts(docs, ords)
		t.addEach(ords, uint32(r.s.col.Distinct))
		return
	}
	for _, d := range docs {
		if id := r.one(d); id >= 0 {
			t.add(id, 1)
		}
	}
}

// each tells take the groups of each document.
func (r *reader) each(docs []docID, take func(id, n int)) {
	for _, d := range docs {
		if r.first == nil {
			if id := r.one(d); id >= 0 {
				take(id, 1)
			}
			continue
		}
		r.several(d, take)
	}
}

// one is the group of a document that has at most one, or -1.
func (r *reader) one(d docID) int {
	s := r.s
	if s.col != nil {
		if ord := s.col.Least(d); ord < s.col.Distinct {
			if s.group != nil {
				return int(s.group[ord])
			}
			return ord
		}
	}
	if r.column {
		return -1
	}
	return s.none
}

func (r *reader) several(d docID, take func(id, n int)) {
	ids := r.ids[r.first[d]:r.first[d+1]]
	if len(ids) == 0 && r.s.none >= 0 {
		take(r.s.none, 1)
	}
	for i, id := range ids {
		if i == 0 || id != ids[i-1] {
			take(int(id), 1)
		}
	}
}
