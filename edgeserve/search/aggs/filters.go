// This file computes filter and filters aggregations.

package aggs

import (
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/iter"
)

func (a *aggregator) filter(dst []byte, agg *query.Agg, q query.Node, set *iter.Bitset, path string) []byte {
	set = a.matching(q, set)
	from := len(dst)
	dst = appendCount(dst, set.Count)
	if len(agg.Subs) > 0 {
		dst = a.members(append(dst, ','), agg.Subs, set, path+".aggs")
	}
	dst = append(dst, '}')
	a.wrote(from, len(dst))
	return dst
}

func appendCount(dst []byte, n int) []byte {
	return strconv.AppendInt(append(dst, `{"doc_count":`...), int64(n), 10)
}

func (a *aggregator) filters(dst []byte, agg *query.Agg, set *iter.Bitset, path string) []byte {
	if a.spend(len(agg.Filters)) != nil {
		return nil
	}
	return a.appendFilters(dst, agg, func(dst []byte, i int) []byte {
		return a.filter(dst, agg, agg.Filters[i].Filter, set, path)
	})
}

// appendFilters writes buckets: named ones by name, anonymous ones in the order of the body.
func (a *aggregator) appendFilters(dst []byte, agg *query.Agg, bucket func(dst []byte, i int) []byte) []byte {
	order := make([]int, len(agg.Filters))
	for i := range order {
		order[i] = i
	}
	open, shut := "[", "]}"
	if !agg.Anonymous {
		open, shut = "{", "}}"
		slices.SortFunc(order, func(i, k int) int { return strings.Compare(agg.Filters[i].Name, agg.Filters[k].Name) })
	}
	dst = append(append(dst, `{"buckets":`...), open...)
	for i, k := range order {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !agg.Anonymous {
			dst = append(appendJSONString(dst, agg.Filters[k].Name), ':')
		}
		if dst = bucket(dst, k); a.Failed() != nil {
			return nil
		}
	}
	return append(dst, shut...)
}

func (a *aggregator) matching(q query.Node, set *iter.Bitset) *iter.Bitset {
	s, err := a.c.Compile(q)
	a.Fail(err)
	return a.Intersect(s, set)
}

func (a *aggregator) filterCounts(q query.Node, bs buckets) []int {
	set := a.matching(q, bs.set)
	counts := make([]int, len(bs.ids))
	for i, id := range bs.ids {
		a.walk(bs.of, id, set, func(docs []docID) { counts[i] += len(docs) })
	}
	return counts
}

func (a *aggregator) filterCells(sub *query.Agg, bs buckets) (c cells) {
	for _, n := range a.filterCounts(sub.Filter, bs) {
		c.buf = append(appendCount(c.buf, n), '}')
		if c.end(a) != nil {
			break
		}
	}
	return c
}

func (a *aggregator) filtersCells(sub *query.Agg, bs buckets) (c cells) {
	if a.spend(len(sub.Filters)*len(bs.ids)) != nil {
		return c
	}
	counts := make([][]int, len(sub.Filters))
	for i, f := range sub.Filters {
		if counts[i] = a.filterCounts(f.Filter, bs); a.Failed() != nil {
			return c
		}
	}
	for k := range bs.ids {
		c.buf = a.appendFilters(c.buf, sub, func(dst []byte, i int) []byte {
			return append(appendCount(dst, counts[i][k]), '}')
		})
		if c.end(a) != nil {
			break
		}
	}
	return c
}
