// This file computes sub-aggregations one by one, each for all buckets, to free its tables early.

package aggs

import (
	"strings"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/iter"
)

// buckets are the groups of a response. An id below zero is a bucket without documents.
type buckets struct {
	of  *valuesSource
	ids []int
	set *iter.Bitset // the documents of all buckets
}

// appendBuckets writes buckets with sub-aggregations. head writes the beginning of bucket i.
func (a *aggregator) appendBuckets(dst []byte, agg *query.Agg, path string, bs buckets, head func(dst []byte, i int) []byte) []byte {
	subs := a.inside(agg, path, bs)
	if a.Failed() != nil {
		return nil
	}
	for i := range bs.ids {
		from := len(dst)
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendCells(head(append(dst, '{'), i), agg, subs, i), '}')
		if a.wrote(from, len(dst)) != nil {
			return nil
		}
	}
	for i := range subs { // they are copied
		a.bytes -= len(subs[i].buf)
	}
	return append(dst, "]}"...)
}

func (a *aggregator) inside(agg *query.Agg, path string, bs buckets) []cells {
	all := make([]cells, len(agg.Subs))
	for i := range agg.Subs {
		sub := &agg.Subs[i]
		if all[i] = a.column(sub, path+".aggs."+sub.Name, bs); a.Failed() != nil {
			break
		}
		a.bytes += len(all[i].buf)
	}
	return all
}

func appendCells(dst []byte, agg *query.Agg, all []cells, i int) []byte {
	for k := range all {
		dst = append(dst, ',')
		dst = append(appendJSONString(dst, agg.Subs[k].Name), ':')
		dst = append(dst, all[k].at(i)...)
	}
	return dst
}

func (a *aggregator) column(sub *query.Agg, path string, bs buckets) (c cells) {
	switch sub.Kind {
	case query.AggFilter:
		return a.filterCells(sub, bs)
	case query.AggFilters:
		return a.filtersCells(sub, bs)
	}
	f, err := a.collector(sub, path)
	if a.Fail(err) != nil {
		return c
	}
	a.eachBucket(f, bs, func() error {
		c.buf = f.finish(c.buf, nil)
		return c.end(a)
	})
	return c
}

// eachBucket feeds f the documents of each bucket, then calls done, until the request fails.
func (c *counter) eachBucket(f collector, bs buckets, done func() error) {
	s := f.values()
	r := c.reader(s, bs.set)
	feed := func(docs []docID) { r.each(docs, f.take) }
	if !f.direct() {
		c.tally.room(s.ids)
		feed = func(docs []docID) { r.tally(docs, c.tally) }
	}
	for _, id := range bs.ids {
		if c.walk(bs.of, id, bs.set, feed); c.Failed() != nil {
			return
		}
		if !f.direct() {
			c.tally.drain(s.zeroIDs(), f.take)
			c.Add(s.zeroIDs())
		}
		if done() != nil {
			return
		}
	}
}

// numbers returns a sort value per bucket for one order key.
func (a *aggregator) numbers(agg *query.Agg, order, path string, bs buckets) []float64 {
	sub, part := orderedBy(agg, order)
	out := make([]float64, 0, len(bs.ids))
	if sub.Kind == query.AggFilter {
		for _, n := range a.filterCounts(sub.Filter, bs) {
			out = append(out, float64(n))
		}
		return out
	}
	f, err := a.collector(sub, path+".aggs."+sub.Name)
	if a.Fail(err) != nil {
		return nil
	}
	m := f.(*metric)
	a.eachBucket(f, bs, func() error {
		out = append(out, m.number(part))
		m.reset()
		return nil
	})
	return out
}

// orderedBy returns the sub-aggregation that an order key names, and the part of its numbers.
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
