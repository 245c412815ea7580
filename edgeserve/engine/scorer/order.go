// This file sorts matches by the values of columns.

package scorer

import (
	"cmp"
	"math"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
)

func (o *Order) scores() bool {
	return slices.ContainsFunc(o.Keys, SortKey.isScore)
}

func (c *collector) sorted(s Scorer, o *Order) (docs []docID) {
	if lo, hi, ok := o.stored(c, s); ok {
		c.total = s.cost()
		return c.slice(o, lo, hi)
	}
	page, s, ok := c.walked(s, o)
	if ok {
		return page
	}
	track := c.r.TrackScores
	if len(o.Keys) == 1 && o.After == nil && o.Group == nil && !track {
		return c.sortedByOne(s, o)
	}
	t := NewTopK(c.r.Work, c.k, max(len(o.Keys), 1), o.compare)
	scores := o.scores() || track
	groups := c.groups(o)
	first := uint32(0) // a page that follows a document begins with its first key
	if o.After != nil {
		first = o.After[0]
	}
	c.walkKeys(s, o, scores, func(docs []docID, keys []uint32, w *window, base docID) {
		for i, key := range keys {
			h := hit{key: key, doc: docs[i]}
			if scores {
				h.score = w.scores[h.doc-base]
			}
			if track {
				c.top = max(c.top, h.score)
			}
			switch {
			case groups != nil:
				groups.offer(o, h)
			case key < first || t.full && key > t.last.key:
			case o.After == nil || o.follows(h):
				t.Add(h)
			}
		}
	})
	if groups != nil {
		groups.each(t.Add)
	}
	kept := t.Sorted()
	kept = kept[min(c.from, len(kept)):]
	docs = slices.Grow(docs, len(kept))
	if c.r.KeepScores {
		c.kept = slices.Grow(c.kept, len(kept))
	}
	for _, h := range kept {
		docs = append(docs, h.doc)
		if c.r.KeepScores {
			c.kept = append(c.kept, h.score)
		}
	}
	return docs
}

// sortSteps is the cost of reading a match's key and keeping a match on the page.
const sortSteps = 2

// takeKeys receives matches, their first keys and, if asked for, the window from base that has scores.
type takeKeys = func(docs []docID, keys []uint32, w *window, base docID)

// walkKeys calls take for parts of the matches, one after the other.
func (c *collector) walkKeys(s Scorer, o *Order, scores bool, take takeKeys) {
	if term, ok := s.(*termScorer); ok && !scores && c.matched == nil {
		c.walkTerm(term, o, take)
		return
	}
	docs := &c.r.pool.batch.docs
	c.walk(s, func(docID, docID) bool { return scores }, func(w *window, base docID) bool {
		c.takeKeys(o, docs[:w.list(base, docs)], w, base, take)
		return true
	})
}

// walkTerm takes the matches of a term as they are in its list.
func (c *collector) walkTerm(s *termScorer, o *Order, take takeKeys) {
	for d := s.seek(0); d != noMore; {
		docs := s.p.Chunk(noMore)
		if c.r.Work.Charge(len(docs)/4) != nil {
			return
		}
		c.total += len(docs)
		c.takeKeys(o, docs, nil, 0, take)
		d = s.p.Skip(len(docs))
	}
}

func (c *collector) takeKeys(o *Order, docs []docID, w *window, base docID, take takeKeys) {
	c.r.Work.Charge(sortSteps * len(docs))
	keys := c.r.pool.batch.keys[:len(docs)]
	switch {
	case len(o.Keys) == 0:
		clear(keys)
	case o.Keys[0].isScore():
		for i, d := range docs {
			keys[i] = ScoreKey(w.scores[d-base], o.Keys[0].Asc)
		}
	default:
		o.Keys[0].values(docs, keys)
	}
	take(docs, keys, w, base)
}

func (c *collector) sortedByOne(s Scorer, o *Order) []docID {
	t := c.topRanks()
	c.walkKeys(s, o, o.scores(), func(docs []docID, keys []uint32, _ *window, _ docID) {
		for i, key := range keys {
			t.add(rankOf(key, docs[i]))
		}
	})
	return c.page(t)
}

type hit struct {
	key   uint32 // the first key
	doc   docID
	score float32
}

func (o *Order) compare(a, b hit) int {
	if a.key != b.key {
		return cmp.Compare(a.key, b.key)
	}
	for i := 1; i < len(o.Keys); i++ {
		k := &o.Keys[i]
		if c := cmp.Compare(k.value(a.doc, a.score), k.value(b.doc, b.score)); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.doc, b.doc)
}

// follows reports whether a hit comes after the document that the page follows. A hit with equal keys does not.
func (o *Order) follows(h hit) bool {
	for i := range o.Keys {
		key := h.key
		if i > 0 {
			key = o.Keys[i].value(h.doc, h.score)
		}
		if key != o.After[i] {
			return key > o.After[i]
		}
	}
	return false
}

// stored reports whether the matches are the pairs of a column, or the pairs of its ordinals [lo, hi).
func (o *Order) stored(c *collector, s Scorer) (lo, hi int, ok bool) {
	if len(o.Keys) == 0 || o.After != nil || o.Group != nil || c.r.TrackScores {
		return 0, 0, false
	}
	col := o.Keys[0].Column
	if col == nil || !col.Single || o.Keys[0].Absent != math.MaxUint32 || c.matched != nil || len(o.Keys) > 2 {
		return 0, 0, false
	}
	if len(o.Keys) == 2 && (o.IDs == nil || o.Keys[1].Column != o.IDs.SortColumn() || !o.Keys[1].Asc) {
		return 0, 0, false
	}
	if k, is := s.(*constant); is {
		s = k.Scorer
	}
	switch s := s.(type) {
	case *allScorer:
		return 0, col.Distinct, true
	case *ordinalScorer:
		return s.lo, s.hi, s.c == col
	}
	return 0, 0, false
}

// slice reads the page from the pairs of the ordinals [lo, hi). Within a value the order is by ContentID if that is the
// second key, otherwise by number. Documents without a value come last.
func (c *collector) slice(o *Order, lo, hi int) []docID {
	k, byID := o.Keys[0], len(o.Keys) > 1
	col := k.Column
	first, n := col.Start(lo), col.Start(hi)-col.Start(lo)
	docs := make([]docID, 0, c.k-c.from)
	for p, end := c.from, min(c.k, n); p < end; {
		pair := first + p
		if !k.Asc {
			pair = first + n - 1 - p
		}
		ord := col.OrdOf(pair)
		from, to := col.Start(ord), col.Start(ord+1)
		skip := pair - from
		if !k.Asc {
			skip = to - 1 - pair
		}
		take := min(to-from-skip, end-p)
		docs = c.group(docs, col, ord, skip, take, byID)
		p += take
	}
	if c.k > n && c.total > n {
		docs = append(docs, c.without(o, max(c.from, n)-n, c.k-n)...)
	}
	return docs
}

func (c *collector) group(docs []docID, col *snapshot.Column, ord, skip, take int, byID bool) []docID {
	from, to := col.Start(ord), col.Start(ord+1)
	if byID || to-from == 1 {
		for i := from + skip; i < from+skip+take; i++ {
			docs = append(docs, col.Doc(i))
		}
		return docs
	}
	o := &ordinalScorer{c: col, lo: ord, hi: ord + 1, from: from, to: to, r: c.r}
	sub := &collector{r: c.r, from: skip, k: skip + take}
	return append(docs, sub.firstOf(o)...)
}

func (c *collector) without(o *Order, from, to int) (docs []docID) {
	c.r.Work.Charge(c.r.Items / 4)
	for i, n := 0, 0; i < c.r.Items && n < to; i++ {
		d := docID(i)
		if len(o.Keys) > 1 {
			d = o.IDs.Column().Doc(i)
		}
		if !o.Keys[0].Column.Has(d) {
			if n >= from {
				docs = append(docs, d)
			}
			n++
		}
	}
	return docs
}
