// This file computes filter and filters aggregations.

package aggs

import (
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/iter"
)

// filter writes the bucket of a query over a set.
func (a *aggregator) filter(dst []byte, agg *query.Agg, q query.Node, set *iter.Bitset, path string) ([]byte, error) {
	set, err := a.matching(q, set)
	if err != nil {
		return nil, err
	}
	from := len(dst)
	dst = appendCount(dst, set.Count)
	if len(agg.Subs) > 0 {
		dst = append(dst, ',')
		if dst, err = a.members(dst, agg.Subs, set, path+".aggs"); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), a.wrote(from, len(dst))
}

// appendCount writes the start of a bucket without a key.
func appendCount(dst []byte, n int) []byte {
	return strconv.AppendInt(append(dst, `{"doc_count":`...), int64(n), 10)
}

func (a *aggregator) filters(dst []byte, agg *query.Agg, set *iter.Bitset, path string) ([]byte, error) {
	if err := a.spend(len(agg.Filters)); err != nil {
		return nil, err
	}
	return appendFilters(dst, agg, func(dst []byte, i int) ([]byte, error) {
		return a.filter(dst, agg, agg.Filters[i].Filter, set, path)
	})
}

// appendFilters writes buckets: named ones by name, anonymous ones in the order of the
// body.
func appendFilters(dst []byte, agg *query.Agg, bucket func(dst []byte, i int) ([]byte, error)) ([]byte, error) {
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
		var err error
		if dst, err = bucket(dst, k); err != nil {
			return nil, err
		}
	}
	return append(dst, shut...), nil
}

// matching returns the documents of a set that a query matches.
func (a *aggregator) matching(q query.Node, set *iter.Bitset) (*iter.Bitset, error) {
	s, err := a.c.Compile(q)
	if err != nil {
		return nil, err
	}
	return a.Intersect(s, set)
}

// filterCounts returns the number of matching documents in each bucket.
func (a *aggregator) filterCounts(q query.Node, bs buckets) ([]int, error) {
	set, err := a.matching(q, bs.set)
	if err != nil {
		return nil, err
	}
	counts := make([]int, len(bs.ids))
	for i, id := range bs.ids {
		if err := a.walk(bs.of, id, set, func(docs []docID) { counts[i] += len(docs) }); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// filterCells computes a filter aggregation inside buckets.
func (a *aggregator) filterCells(sub *query.Agg, bs buckets) (c cells, err error) {
	counts, err := a.filterCounts(sub.Filter, bs)
	if err != nil {
		return c, err
	}
	for _, n := range counts {
		c.buf = append(appendCount(c.buf, n), '}')
		if err := c.end(a); err != nil {
			return c, err
		}
	}
	return c, nil
}

// filtersCells computes a filters aggregation inside buckets.
func (a *aggregator) filtersCells(sub *query.Agg, bs buckets) (c cells, err error) {
	if err := a.spend(len(sub.Filters) * len(bs.ids)); err != nil {
		return c, err
	}
	counts := make([][]int, len(sub.Filters))
	for i, f := range sub.Filters {
		if counts[i], err = a.filterCounts(f.Filter, bs); err != nil {
			return c, err
		}
	}
	for k := range bs.ids {
		c.buf, _ = appendFilters(c.buf, sub, func(dst []byte, i int) ([]byte, error) {
			return append(appendCount(dst, counts[i][k]), '}'), nil
		})
		if err := c.end(a); err != nil {
			return c, err
		}
	}
	return c, nil
}
