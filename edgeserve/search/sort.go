// This file orders matches by the values of fields.

package search

import (
	"cmp"
	"fmt"
	"math"
	"strings"

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
		t, ok := b.sortTarget(k)
		if !ok && mayBeMissing(k.Field) {
			continue // all items lack it
		}
		if !ok {
			return nil, &query.Error{Code: "bad_sort", Parameter: "sort", Position: -1,
				Message: fmt.Sprintf("%.80q is no field to sort by: name one of %s, _score, or a path like Data.title", k.Field, strings.Join(address.ScalarFields(), ", "))}
		}
		o.keys = append(o.keys, sortKey{t.order, k.Asc})
	}
	if len(o.keys) == 0 {
		o.documents = true
		return o, nil
	}
	m := b.r.Meta()
	if n := len(keys); n > 0 && n <= 2 && keys[0].Field == m.Sort && keys[0].Asc == m.Asc {
		o.documents = n == 1 || keys[1].Field == snapshot.IDField && keys[1].Asc
	}
	return o, nil
}

// value is the key of a document: lesser comes first, and what has no value last.
func (k *sortKey) value(d docID, score float32) uint32 {
	switch {
	case k.column == nil && k.asc:
		return floatKey(score)
	case k.column == nil:
		return scoreKey(score)
	case k.asc:
		return uint32(k.column.Least(d))
	}
	g := k.column.Greatest(d)
	if g == k.column.Distinct {
		return math.MaxUint32
	}
	return uint32(k.column.Distinct - 1 - g)
}

// sorted keeps the first matches of an order.
func (c *collector) sorted(s scorer, o *order) ([]docID, error) {
	if lo, hi, ok := o.stored(c, s); ok {
		c.total = s.cost()
		return c.slice(&o.keys[0], lo, hi, len(o.keys) > 1), nil
	}
	if len(o.keys) == 1 {
		return c.sortedByOne(s, o)
	}
	t := &best[hit]{k: c.k, compare: o.compare, keys: len(o.keys), budget: c.b.Budget}
	err := c.walk(s, func(docID, docID) bool { return o.scores }, func(w *window, base docID) bool {
		c.b.tick(sortSteps * w.count())
		w.each(func(i uint32) {
			h := hit{doc: base + i}
			if o.scores {
				h.score = w.scores[i]
			}
			h.key = o.keys[0].value(h.doc, h.score)
			t.add(h)
		})
		return true
	})
	if err != nil {
		return nil, err
	}
	kept := t.sorted()
	var docs []docID
	for _, h := range kept[min(c.from, len(kept)):] {
		docs = append(docs, h.doc)
	}
	return docs, c.b.failed
}

// sortSteps is what reading a match's key takes, and keeping it where it is among the best.
const sortSteps = 2

// sortedByOne is sorted by one key.
func (c *collector) sortedByOne(s scorer, o *order) ([]docID, error) {
	t := &top{k: c.k}
	err := c.walk(s, func(docID, docID) bool { return o.scores }, func(w *window, base docID) bool {
		c.b.tick(sortSteps * w.count())
		w.each(func(i uint32) { t.add(rankOf(o.keys[0].value(base+i, w.scores[i]), base+i)) })
		return true
	})
	return t.page(c.from), err
}

// hit is a match of an order of several keys.
type hit struct {
	key   uint32 // the first
	doc   docID
	score float32
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

// stored tells that the matches, in this order, are the pairs of a column: those of
// all documents, or of a range of its ordinals [lo, hi).
func (o *order) stored(c *collector, s scorer) (lo, hi int, ok bool) {
	col := o.keys[0].column
	if col == nil || !col.Single || c.matched != nil || len(o.keys) > 2 {
		return 0, 0, false
	}
	if ids := c.b.r.Field(snapshot.IDField); len(o.keys) == 2 && (ids == nil || o.keys[1].column != ids.SortColumn() || !o.keys[1].asc) {
		return 0, 0, false
	}
	if k, is := s.(*constant); is {
		s = k.scorer
	}
	switch s := s.(type) {
	case *allScorer:
		return 0, col.Distinct, true
	case *ordinalScorer:
		return s.lo, s.hi, s.c == col
	}
	return 0, 0, false
}

// slice reads the page off the pairs of the ordinals [lo, hi): values in order; of each
// value its documents by ContentID if byID is set, else by number; last, where all
// documents match, those without a value.
func (c *collector) slice(k *sortKey, lo, hi int, byID bool) []docID {
	col := k.column
	first, n := col.Start(lo), col.Start(hi)-col.Start(lo)
	docs := make([]docID, 0, c.k-c.from)
	for p, end := c.from, min(c.k, n); p < end; {
		pair := first + p
		if !k.asc {
			pair = first + n - 1 - p
		}
		ord := col.OrdOf(pair)
		from, to := col.Start(ord), col.Start(ord+1)
		skip := pair - from
		if !k.asc {
			skip = to - 1 - pair
		}
		take := min(to-from-skip, end-p)
		docs = c.group(docs, col, ord, skip, take, byID)
		p += take
	}
	if c.k > n && c.total > n {
		docs = append(docs, c.without(col, max(c.from, n)-n, c.k-n, byID)...)
	}
	return docs
}

// group appends some documents of one value.
func (c *collector) group(docs []docID, col *snapshot.Column, ord, skip, take int, byID bool) []docID {
	from, to := col.Start(ord), col.Start(ord+1)
	if byID || to-from == 1 {
		for i := from + skip; i < from+skip+take; i++ {
			docs = append(docs, col.Doc(i))
		}
		return docs
	}
	o := &ordinalScorer{c: col, lo: ord, hi: ord + 1, from: from, to: to, b: c.b}
	sub := &collector{b: c.b, from: skip, k: skip + take}
	return append(docs, sub.firstOf(o)...)
}

// without is a slice of the documents that have no value in a column.
func (c *collector) without(col *snapshot.Column, from, to int, byID bool) (docs []docID) {
	ids := c.b.r.Field(snapshot.IDField)
	c.b.tick(c.b.items / 4)
	for i, n := 0, 0; i < c.b.items && n < to; i++ {
		d := docID(i)
		if byID && ids != nil {
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
