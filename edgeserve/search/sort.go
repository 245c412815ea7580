// This file orders matches by the values of fields.

package search

import (
	"cmp"
	"fmt"
	"math"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// order is the keys of a sort; documents break ties.
type order struct {
	keys      []sortKey
	documents bool // the order is that of the documents
	scores    bool // some key is the score
}

// isDefault tells that the order is that of the documents.
func (o *order) isDefault() bool { return o != nil && o.documents }

// sortKey is a column, or the score, and a direction.
type sortKey struct {
	column *snapshot.Column // nil: the score
	asc    bool
}

// idField is the member every sort of a list ends in.
const idField = "ContentID"

// order reads the sort of a body; nil is by score.
func (b *builder) order(keys []query.SortKey) (*order, error) {
	if keys == nil {
		return nil, nil
	}
	o := &order{}
	for _, k := range keys {
		switch k.Field {
		case "_score":
			o.keys, o.scores = append(o.keys, sortKey{asc: k.Asc}), true
			continue
		case "_doc":
			o.documents = len(o.keys) == 0
			return o, nil
		}
		t, ok := b.resolve(k.Field)
		if !ok && address.IsScalar(k.Field) {
			continue // an environment without items has no fields
		}
		if !ok {
			return nil, &query.Error{Code: "bad_sort", Parameter: "sort", Position: -1,
				Message: fmt.Sprintf("sort field %.80q is in no item of this environment", k.Field)}
		}
		o.keys = append(o.keys, sortKey{t.f.SortColumn(), k.Asc})
	}
	if len(o.keys) == 0 {
		o.documents = true
		return o, nil
	}
	m := b.r.Meta()
	if n := len(keys); n > 0 && n <= 2 && keys[0].Field == m.Sort && keys[0].Asc == m.Asc {
		o.documents = n == 1 || keys[1].Field == idField && keys[1].Asc
	}
	return o, nil
}

// value is the key of a document: lesser comes first, and what has no value last.
func (k *sortKey) value(d docID, score float32) uint64 {
	switch {
	case k.column == nil && k.asc:
		return floatKey(score)
	case k.column == nil:
		return scoreKey(score)
	case k.asc:
		return uint64(k.column.Least(d))
	}
	g := k.column.Greatest(d)
	if g == k.column.Distinct {
		return math.MaxUint64
	}
	return uint64(k.column.Distinct - 1 - g)
}

// floatKey orders numbers that are not negative.
func floatKey(f float32) uint64 { return uint64(math.Float32bits(f + 0)) }

// sorted keeps the first matches of an order.
func (c *collector) sorted(s scorer, o *order) ([]docID, error) {
	if a, ok := s.(*allScorer); ok && c.matched == nil && c.total == 0 && o.stored(c.b) {
		c.total = int(a.n)
		return c.slice(&o.keys[0]), nil
	}
	t := &top{k: c.k, compare: o.compare}
	for d := s.next(); d != noMore; d = s.next() {
		h := hit{doc: d}
		if o.scores {
			h.score = s.score()
		}
		h.key = o.keys[0].value(d, h.score)
		t.add(h)
		if err := c.count(d); err != nil {
			return nil, err
		}
	}
	return t.page(c.from), nil
}

// compare orders hits by all keys; the first is at hand.
func (o *order) compare(a, b hit) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	for i := 1; i < len(o.keys); i++ {
		k := &o.keys[i]
		if c := cmp.Compare(k.value(a.doc, a.score), k.value(b.doc, b.score)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.doc, b.doc)
}

// stored tells that a column's pairs are all documents in this very order.
func (o *order) stored(b *builder) bool {
	c := o.keys[0].column
	if c == nil || !c.Single {
		return false
	}
	if len(o.keys) == 1 {
		return c.Distinct == b.items
	}
	ids := b.r.Field(idField)
	return len(o.keys) == 2 && ids != nil && o.keys[1].column == ids.SortColumn() && o.keys[1].asc
}

// slice reads the page off a column: values in order, of each the documents by
// ContentID, then those without a value.
func (c *collector) slice(k *sortKey) []docID {
	col := k.column
	docs := make([]docID, 0, c.k-c.from)
	p, end := c.from, min(c.k, col.DocCount)
	for p < end {
		if k.asc {
			docs = append(docs, col.Doc(p))
			p++
			continue
		}
		ord := col.OrdOf(col.DocCount - 1 - p)
		first, last := col.Start(ord), col.Start(ord+1)
		for i := first + p - (col.DocCount - last); i < last && p < end; i++ {
			docs = append(docs, col.Doc(i))
			p++
		}
	}
	if c.k > col.DocCount {
		docs = append(docs, c.without(col, max(c.from, col.DocCount)-col.DocCount, c.k-col.DocCount)...)
	}
	return docs
}

// without is a slice of the documents that have no value in a column, by ContentID.
func (c *collector) without(col *snapshot.Column, from, to int) (docs []docID) {
	ids := c.b.r.Field(idField)
	for i, n := 0, 0; i < c.b.items && n < to; i++ {
		d := docID(i)
		if ids != nil {
			d = ids.Column().Doc(i)
		}
		if !col.Has(d) {
			if n >= from {
				docs = append(docs, d)
			}
			n++
		}
	}
	return docs
}
