// This file builds columns: distinct values in order, the documents of each by ContentID.

package index

import (
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

// ranks orders documents by ContentID, or by number without ids.
type ranks struct {
	of []uint32         // by document
	at []snapshot.DocID // by rank
}

func rankOf(items int, ids []*flushedPath) (ranks, error) {
	r := ranks{make([]uint32, items), make([]snapshot.DocID, 0, items)}
	m := merger{parts: ids}
	m.texts(func(e entry) bool {
		r.at = append(r.at, e.docs...)
		return true
	})
	seen := 0
	for i, d := range r.at {
		if r.of[d] == 0 {
			seen++
		}
		r.of[d] = uint32(i + 1) // 0 means none
	}
	if seen < items || len(r.at) > items {
		r.byNumber()
		return r, m.err
	}
	for d := range r.of {
		r.of[d]--
	}
	return r, m.err
}

func (r *ranks) byNumber() {
	r.at = make([]snapshot.DocID, len(r.of))
	for d := range r.of {
		r.of[d], r.at[d] = uint32(d), snapshot.DocID(d)
	}
}

func (r *ranks) sort(docs []snapshot.DocID) {
	if len(docs) < 2 {
		return
	}
	for i, d := range docs {
		docs[i] = r.of[d]
	}
	slices.Sort(docs)
	for i, n := range docs {
		docs[i] = r.at[n]
	}
}

// columns collects the documents of values, allocating in blocks.
type columns struct {
	data  snapshot.ColumnData
	block []snapshot.DocID
}

func (c *columns) add(docs []snapshot.DocID) {
	if cap(c.block)-len(c.block) < len(docs) {
		c.block = make([]snapshot.DocID, 0, max(min(2*cap(c.block), 1<<12), len(docs), 8))
	}
	start := len(c.block)
	c.block = append(c.block, docs...)
	c.data.Docs = append(c.data.Docs, c.block[start:len(c.block):len(c.block)])
}

type numberOfDoc[K int64 | float64] struct {
	key  K
	rank uint32
}

// group sorts numbers and collects the documents of each number.
func group[K int64 | float64](vs []numberOfDoc[K], rank *ranks) (keys []K, data snapshot.ColumnData) {
	vs = sortNumbers(vs)
	var c columns
	var docs []snapshot.DocID
	for i, v := range vs {
		docs = append(docs, rank.at[v.rank])
		if i+1 == len(vs) || vs[i+1].key != v.key {
			keys = append(keys, v.key)
			c.add(docs)
			docs = docs[:0]
		}
	}
	return keys, c.data
}

// restColumn collects values in REST order. Numbers with different texts may be equal.
type restColumn struct {
	rank *ranks
	c    columns
	last value
	docs []snapshot.DocID
}

func (r *restColumn) add(e entry) bool {
	if len(r.docs) > 0 && compareInRest(&r.last, e.v) != 0 {
		r.end()
	}
	r.last.kind, r.last.text = e.v.kind, append(r.last.text[:0], e.v.text...)
	r.docs = append(r.docs, e.docs...)
	return true
}

func (r *restColumn) end() {
	if len(r.docs) > 0 {
		r.rank.sort(r.docs)
		r.c.add(slices.Compact(r.docs))
		r.docs = r.docs[:0]
	}
}

func (r *restColumn) column() *snapshot.ColumnData {
	r.end()
	return &r.c.data
}

// listDates collects the instants of a path whose values all are dates of lists.
type listDates struct {
	rank *ranks
	typ  snapshot.Type
	all  bool // so far all values are dates
	of   []numberOfDoc[int64]
}

func (d *listDates) add(text []byte, docs []snapshot.DocID) {
	if !d.all {
		return
	}
	var ms int64
	if ms, d.all = analysis.ListDate(string(text)); d.all && d.typ != snapshot.Date {
		d.of = appendNumbers(d.of, ms, d.rank, docs)
	}
}

// column returns the order of lists by these instants. It returns nil if a value is not a date. A path of dates has the
// column already.
func (d *listDates) column(f *snapshot.FieldData) *snapshot.ColumnData {
	switch {
	case !d.all:
		return nil
	case d.typ == snapshot.Date:
		return &f.Column
	}
	_, c := group(d.of, d.rank)
	return &c
}
