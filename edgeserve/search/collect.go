// This file walks the matches of a scorer and keeps the page that was asked for.

package search

import (
	"math"
	"math/bits"
	"slices"

	"contentedge/edgeserve/query"
)

// collector counts matches and keeps the best.
type collector struct {
	b       *builder
	from, k int     // the page is [from, k) of the order
	matched *bitset // all matches, where aggregations want them
	total   int
}

// collect walks s in the order asked for.
func (b *builder) collect(s scorer, o *order, body *query.Body) (*Result, error) {
	c := &collector{b: b, from: min(body.From, b.items)}
	c.k = c.from + min(body.Size, b.items-c.from)
	if len(body.Aggs) > 0 {
		c.matched = b.pool.bitset(b.items)
		b.matched = c.matched
	}
	if s == nil {
		return &Result{}, nil
	}
	var docs []docID
	var err error
	switch {
	case o == nil && flat(s) || o.isDefault():
		docs, err = c.first(s)
	case o == nil:
		docs, err = c.best(s)
	default:
		docs, err = c.sorted(s, o)
	}
	return &Result{Total: c.total, Docs: docs}, err
}

// flat tells that all matches of a scorer score alike.
func flat(s scorer) bool {
	switch s := s.(type) {
	case *allScorer, *listScorer, *bitScorer, *ordinalScorer, *constant:
		return true
	case *butNot:
		return flat(s.scorer)
	}
	return false
}

// exactCost tells that cost is the number of matches.
func exactCost(s scorer) bool {
	switch s := s.(type) {
	case *allScorer, *listScorer, *bitScorer, *ordinalScorer, *termScorer:
		return true
	case *constant:
		return exactCost(s.scorer)
	}
	return false
}

// known tells that the total needs no walk.
func (c *collector) known(s scorer) bool { return c.matched == nil && exactCost(s) }

// walk fills window after window. scoring is asked before each whether scores are
// wanted in it; take gets it, and ends the walk by returning false.
func (c *collector) walk(s scorer, scoring func(base, end docID) bool, take func(w *window, base docID) bool) error {
	if !c.known(s) { // else few windows may do
		if err := c.b.tick(weigh(s, c.b.items)); err != nil {
			return err
		}
	}
	w := c.b.pool.window()
	for d := s.seek(0); d != noMore; {
		base := d &^ 63
		end := base + windowLen
		w.clear()
		d = s.fill(w, base, end, scoring != nil && scoring(base, end))
		c.total += w.count()
		if c.matched != nil {
			copy(c.matched.words[base>>6:], w.bits[:])
			c.matched.count = c.total
		}
		if !take(w, base) {
			return nil
		}
		if err := c.b.tick(windowLen / 4); err != nil {
			return err
		}
	}
	return c.b.failed
}

// first keeps the first matches by document.
func (c *collector) first(s scorer) ([]docID, error) {
	if a, ok := s.(*allScorer); ok && c.matched == nil {
		c.total = int(a.n)
		docs := make([]docID, 0, c.k-c.from)
		for d := c.from; d < min(c.k, c.total); d++ {
			docs = append(docs, docID(d))
		}
		return docs, nil
	}
	if o, ok := s.(*ordinalScorer); ok && c.known(s) && o.walk == nil {
		return c.firstOf(o), nil
	}
	var docs []docID
	seen := 0
	err := c.walk(s, nil, func(w *window, base docID) bool {
		if seen < c.k {
			w.each(func(i uint32) {
				if seen >= c.from && seen < c.k {
					docs = append(docs, base+i)
				}
				seen++
			})
		}
		return !(c.known(s) && seen >= c.k)
	})
	if c.known(s) {
		c.total = s.cost()
	}
	return docs, err
}

// firstOf finds the first documents of a range of ordinals: where they are many by
// looking at each document, else by gathering them.
func (c *collector) firstOf(o *ordinalScorer) (docs []docID) {
	c.total = o.cost()
	if c.k == 0 {
		return nil
	}
	if c.total*firstShare < o.b.items {
		l := o.walker()
		for i, d := 0, l.next(); d != noMore && i < c.k; i, d = i+1, l.next() {
			if i >= c.from {
				docs = append(docs, d)
			}
		}
		return docs
	}
	n := 0
	o.c.EachDoc(func(d docID, ord int) bool {
		if ord >= o.lo && ord < o.hi {
			if n >= c.from {
				docs = append(docs, d)
			}
			n++
		}
		return n < c.k
	})
	return docs
}

// firstShare is how rare matches may be for looking at each document to find the first.
const firstShare = 64

// rankOf is what a match is ordered by: its key, then its document. Lesser ones come
// first.
func rankOf(key uint32, d docID) uint64 { return uint64(key)<<32 | uint64(d) }

// scoreKey orders scores, which are never negative, from the greatest down.
func scoreKey(s float32) uint32 { return ^floatKey(s) }

// floatKey orders numbers that are not negative.
func floatKey(f float32) uint32 { return math.Float32bits(f + 0) }

// top keeps the k least ranks in a heap whose root is the greatest.
type top struct {
	k     int
	ranks []uint64
}

// full tells that the next rank has to beat the root.
func (t *top) full() bool { return len(t.ranks) >= t.k }

func (t *top) add(rank uint64) {
	switch {
	case !t.full():
		if t.ranks = append(t.ranks, rank); t.full() {
			for i := len(t.ranks)/2 - 1; i >= 0; i-- {
				t.down(i)
			}
		}
	case t.k > 0 && rank < t.ranks[0]:
		t.ranks[0] = rank
		t.down(0)
	}
}

// addWindow adds the scores of a window. Documents only ascend, so a hit that equals
// the last one kept stays out.
func (t *top) addWindow(w *window, base docID) {
	least := t.least()
	for k, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			i := uint32(k<<6 + bits.TrailingZeros64(word))
			if s := w.scores[i&(windowLen-1)]; s > least {
				t.add(rankOf(scoreKey(s), base+i))
				least = t.least()
			}
		}
	}
}

// least is the score that a hit has to exceed.
func (t *top) least() float32 {
	if !t.full() {
		return -1
	}
	return math.Float32frombits(^uint32(t.ranks[0] >> 32))
}

func (t *top) down(i int) {
	r := t.ranks
	for {
		c := 2*i + 1
		if c >= len(r) {
			return
		}
		if c+1 < len(r) && r[c+1] > r[c] {
			c++
		}
		if r[c] <= r[i] {
			return
		}
		r[i], r[c] = r[c], r[i]
		i = c
	}
}

// page sorts what was kept and cuts the page out of it.
func (t *top) page(from int) []docID {
	slices.Sort(t.ranks)
	kept := t.ranks[min(from, len(t.ranks)):]
	docs := make([]docID, len(kept))
	for i, rank := range kept {
		docs[i] = docID(rank)
	}
	return docs
}

// best keeps the matches with the greatest scores.
func (c *collector) best(s scorer) ([]docID, error) {
	t := &top{k: c.k}
	if c.k == 0 && c.known(s) {
		c.total = s.cost()
		return nil, nil
	}
	if term, ok := s.(*termScorer); ok {
		c.bestOfTerm(term, t)
		c.total = s.cost()
		return t.page(c.from), c.matchTerm(term)
	}
	scored := false
	err := c.walk(s, func(base, end docID) bool {
		scored = c.k > 0 && s.bound(base, end)*boundSlack > t.least()
		return scored
	}, func(w *window, base docID) bool {
		if scored {
			t.addWindow(w, base)
		}
		return true
	})
	return t.page(c.from), err
}

// matchTerm gathers all matches of a term, where aggregations want them.
func (c *collector) matchTerm(s *termScorer) error {
	if c.matched == nil {
		return nil
	}
	list := c.b.pool.docs[:0]
	s.p.Restart()
	for d := s.p.Next(); d != noMore; {
		docs := s.p.Chunk(noMore)
		list = append(list, docs...)
		for _, d := range docs {
			c.matched.mark(d)
		}
		d = s.p.Skip(len(docs))
	}
	c.b.pool.docs = list
	c.matched.list, c.matched.count = list, len(list)
	return c.b.tick(len(list) / 4)
}

// bestOfTerm skips the blocks of a list in which nothing can score enough.
func (c *collector) bestOfTerm(s *termScorer, t *top) {
	if c.k == 0 {
		return
	}
	for d := docID(0); ; {
		last, impact := s.p.BlockMax(d)
		if impactBound(s.weight, impact) > t.least() {
			if s.p.Seek(d) == noMore {
				return
			}
			s.addChunk(t, s.p.Chunk(noMore))
		}
		if last == noMore {
			return
		}
		d = last + 1
	}
}

// addChunk adds a chunk of the term's matches.
func (s *termScorer) addChunk(t *top, docs []docID) {
	tfs, least := s.p.Frequencies(), t.least()
	for k, d := range docs {
		if score := s.scoreOf(d, int(tfs[k])); score > least {
			t.add(rankOf(scoreKey(score), d))
			least = t.least()
		}
	}
}
