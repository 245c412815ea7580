// This file answers aggregations that are queries: filter and filters.

package search

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/query"
)

// filter writes the bucket of a query over a set.
func (a *aggregator) filter(dst []byte, agg *query.Agg, q query.Node, set *bitset, path string) ([]byte, error) {
	set, err := a.matching(q, set)
	if err != nil {
		return nil, err
	}
	from := len(dst)
	dst = appendCount(dst, set.count)
	if len(agg.Subs) > 0 {
		dst = append(dst, ',')
		if dst, err = a.members(dst, agg.Subs, set, path+".aggs"); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), a.wrote(from, len(dst))
}

// appendCount writes the start of a bucket that has no key.
func appendCount(dst []byte, n int) []byte {
	return strconv.AppendInt(append(dst, `{"doc_count":`...), int64(n), 10)
}

// filters writes a bucket for each query.
func (a *aggregator) filters(dst []byte, agg *query.Agg, set *bitset, path string) ([]byte, error) {
	if err := a.spend(len(agg.Filters)); err != nil {
		return nil, err
	}
	return appendFilters(dst, agg, func(dst []byte, i int) ([]byte, error) {
		return a.filter(dst, agg, agg.Filters[i].Filter, set, path)
	})
}

// appendFilters writes buckets: named ones by name, others in the body's order.
func appendFilters(dst []byte, agg *query.Agg, bucket func(dst []byte, i int) ([]byte, error)) ([]byte, error) {
	order := make([]int, len(agg.Filters))
	for i := range order {
		order[i] = i
	}
	open, shut := "[", "]}"
	if !agg.Anon {
		open, shut = "{", "}}"
		slices.SortFunc(order, func(i, k int) int { return strings.Compare(agg.Filters[i].Name, agg.Filters[k].Name) })
	}
	dst = append(append(dst, `{"buckets":`...), open...)
	for i, k := range order {
		if i > 0 {
			dst = append(dst, ',')
		}
		if !agg.Anon {
			dst = append(appendJSONString(dst, agg.Filters[k].Name), ':')
		}
		var err error
		if dst, err = bucket(dst, k); err != nil {
			return nil, err
		}
	}
	return append(dst, shut...), nil
}

// matching is the documents of a set that a query matches.
func (a *aggregator) matching(q query.Node, set *bitset) (*bitset, error) {
	if err := a.b.check(q); err != nil {
		return nil, err
	}
	s, err := a.b.build(q, 1)
	if err != nil {
		return nil, err
	}
	out := newBitset(a.b.items)
	if err := a.b.tick(len(out.words)); err != nil {
		return nil, err
	}
	if s == nil {
		return out, nil
	}
	if err := a.b.tick(weigh(s, a.b.items)); err != nil {
		return nil, err
	}
	w := a.b.pool.window()
	for d := s.seek(0); d != noMore; {
		base := d &^ 63
		w.clear()
		d = s.fill(w, base, base+windowLen, false)
		out.addBoth(w, set, base)
		if err := a.b.tick(windowLen / 4); err != nil {
			return nil, err
		}
	}
	return out, a.b.failed
}

// addBoth adds the matches of a window that another set has too.
func (b *bitset) addBoth(w *window, set *bitset, base docID) {
	at := int(base >> 6)
	for i, word := range w.bits[:min(len(w.bits), len(b.words)-at)] {
		word &= set.words[at+i]
		b.words[at+i] |= word
		b.count += bits.OnesCount64(word)
	}
}

// filterCounts is how many documents of each bucket a query matches.
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

// filterCells is filter inside buckets.
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

// filtersCells is filters inside buckets.
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
