// This file walks the matches of a Scorer and selects the requested page.

package scorer

import "contentedge/edgeserve/engine/snapshot"

// Hits is the result of a search.
type Hits struct {
	Total int     // all matches
	Docs  []docID // documents of the page, in order
	Set   *Bitset // all matches, if the caller asked for them; valid until Request.Close
	Scores
}

type collector struct {
	r       *Request
	from, k int     // the page is [from, k) of the order
	matched *Bitset // all matches, if the caller asked for them
	total   int
	kept    []float32   // scores of the page in an order of several keys
	top     float32     // the greatest score, if scores are tracked
	table   *scoreTable // receives the scores of all matches; nil if no aggregation reads them
}

// Collect returns size matches of s in order, starting at from. With all it also returns the set of all matches.
func (r *Request) Collect(s Scorer, o *Order, from, size int, all bool) (h Hits) {
	c := &collector{r: r, from: min(from, r.Items)}
	c.k = c.from + min(size, r.Items-c.from)
	if all {
		c.matched = r.pool.bitset(r.Items)
		h.Set = c.matched
		if r.KeepTable && s != nil {
			c.table, r.KeepTable = r.scoreTable(), false
			r.pool.kept = c.table
		}
	}
	switch {
	case s == nil:
	case o != nil && (r.TrackScores || o.After != nil || o.Group != nil):
		h.Docs = c.sorted(s, o)
	case o == nil && oneScore(s) || o.isDefault():
		h.Docs = c.first(s)
	case o == nil:
		h.Docs = c.best(s)
	default:
		h.Docs = c.sorted(s, o)
	}
	h.Total = c.total
	if r.KeepScores {
		h.Scores = c.scores(s, o, h.Docs)
	}
	return h
}

// Intersect returns the documents of a set that a Scorer matches.
func (r *Request) Intersect(s Scorer, set *Bitset) *Bitset {
	out := NewBitset(r.Items)
	if r.Work.Charge(len(out.Words)) != nil || s == nil {
		return out
	}
	if set.Count < s.cost() { // walk the set, and test its documents
		s = newConjunction(nil, []Scorer{&bitScorer{set: set}, s}, r.Items)
	}
	r.windows(s, estimateCost(s, r.Items), nil, func(w *window, base docID) bool {
		out.addBoth(w, set, base)
		return true
	})
	return out
}

// Matches returns the documents that a Scorer matches; nil matches none.
func (r *Request) Matches(s Scorer) *Bitset {
	out := NewBitset(r.Items)
	if r.Work.Charge(len(out.Words)) != nil || s == nil {
		return out
	}
	r.windows(s, estimateCost(s, r.Items), nil, func(w *window, base docID) bool {
		out.Count += w.count()
		copy(out.Words[base>>6:], w.bits[:])
		return true
	})
	return out
}

// windows fills one window after the other. Before each, scoring reports whether it needs scores (nil means that it
// does not). take receives the window and returns false to end the walk.
func (r *Request) windows(s Scorer, cost int, scoring func(base, end docID) bool, take func(w *window, base docID) bool) {
	if r.Work.Charge(cost) != nil {
		return
	}
	w := &r.pool.win
	for d := s.seek(0); d != noMore; {
		base := d &^ 63
		end := base + windowLen
		w.clear()
		d = s.fill(w, base, end, scoring != nil && scoring(base, end))
		if !take(w, base) || r.Work.Charge(windowLen/4) != nil {
			return
		}
	}
}

func oneScore(s Scorer) bool {
	switch s := s.(type) {
	case *allScorer, *listScorer, *bitScorer, *ordinalScorer, *constant:
		return true
	case *exclusion:
		return oneScore(s.Scorer)
	}
	return false
}

func exactCost(s Scorer) bool {
	switch s := s.(type) {
	case *allScorer, *listScorer, *bitScorer, *ordinalScorer, *termScorer:
		return true
	case *constant:
		return exactCost(s.Scorer)
	}
	return false
}

// totalIsFree reports whether the number of matches is known without walking them all.
func (c *collector) totalIsFree(s Scorer) bool { return c.matched == nil && exactCost(s) }

// walk calls Request.windows and counts the matches.
func (c *collector) walk(s Scorer, scoring func(base, end docID) bool, take func(w *window, base docID) bool) {
	cost := 0 // the total is free, so a few windows may suffice
	if !c.totalIsFree(s) {
		cost = estimateCost(s, c.r.Items)
	}
	needed := scoring
	if c.table != nil {
		needed = func(base, end docID) bool {
			if scoring != nil {
				scoring(base, end)
			}
			return true
		}
	}
	c.r.windows(s, cost, needed, func(w *window, base docID) bool {
		if c.table != nil {
			c.table.addWindow(w, base)
		}
		c.total += w.count()
		if c.matched != nil {
			copy(c.matched.Words[base>>6:], w.bits[:])
			c.matched.Count = c.total
		}
		return take(w, base)
	})
}

func (c *collector) first(s Scorer) (docs []docID) {
	if a, ok := s.(*allScorer); ok && c.matched == nil {
		c.total = int(a.n)
		docs = make([]docID, 0, c.k-c.from)
		for d := c.from; d < min(c.k, c.total); d++ {
			docs = append(docs, docID(d))
		}
		return docs
	}
	if o, ok := s.(*ordinalScorer); ok && c.totalIsFree(s) && o.walk == nil {
		return c.firstOf(o)
	}
	seen := 0
	c.walk(s, nil, func(w *window, base docID) bool {
		if seen < c.k {
			w.each(func(i uint32) {
				if seen >= c.from && seen < c.k {
					docs = append(docs, base+i)
				}
				seen++
			})
		}
		return !(c.totalIsFree(s) && seen >= c.k)
	})
	if c.totalIsFree(s) {
		c.total = s.cost()
	}
	return docs
}

// firstOf tests each document of a range of ordinals if matches are frequent, otherwise it collects all.
func (c *collector) firstOf(o *ordinalScorer) (docs []docID) {
	c.total = o.cost()
	if c.k == 0 {
		return nil
	}
	if c.total*firstShare < o.r.Items {
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

// firstShare is the rarity of matches up to which firstOf tests each document.
const firstShare = 64

func (c *collector) best(s Scorer) []docID {
	t := c.topRanks()
	if c.k == 0 && c.totalIsFree(s) {
		c.total = s.cost()
		return nil
	}
	if term, ok := s.(*termScorer); ok {
		return c.bestOfTerm(term, nil, t)
	}
	functions, _ := s.(*functionScorer)
	low, _ := s.(interface{ raise(floor float32) })
	if c.table != nil {
		functions, low = nil, nil // both would skip matches that cannot reach the page, but the table needs their scores
	}
	if term := functions.term(); term != nil && c.r.Work.Charge(estimateCost(s, c.r.Items)) == nil {
		return c.bestOfTerm(term, functions, t)
	}
	scored := false
	c.walk(s, func(base, end docID) bool {
		if low != nil && c.k > 0 {
			low.raise(t.least())
		}
		scored = c.k > 0 && !(s.bound(base, end)*boundSlack <= t.least()) // infinite bounds may give NaN
		return scored
	}, func(w *window, base docID) bool {
		if scored {
			t.addWindow(w, base)
		}
		return true
	})
	return c.page(t)
}

// matchTerm collects all matches of a term, if the caller asked for them. If their scores are needed,
// it also selects the page by them.
func (c *collector) matchTerm(s *termScorer, t *topRanks) {
	if c.matched == nil {
		return
	}
	list := c.r.pool.docs[:0]
	s.p.Restart()
	for d := s.p.Next(); d != noMore; {
		docs := s.p.Chunk(noMore)
		list = append(list, docs...)
		if c.table != nil {
			c.table.addChunk(s, docs)
			if c.k > 0 {
				c.table.rank(t, docs)
			}
			c.r.Work.Charge(len(docs) / 4)
		}
		for _, d := range docs {
			c.matched.mark(d)
		}
		d = s.p.Skip(len(docs))
	}
	c.r.pool.docs = list
	c.matched.List, c.matched.Count = list, len(list)
	c.r.Work.Charge(len(list) / 4)
}

// bestOfTerm selects the page of a term. f changes scores, unless it is nil.
func (c *collector) bestOfTerm(s *termScorer, f *functionScorer, t *topRanks) []docID {
	if c.k > 0 && c.table == nil {
		c.eachBlock(s, f, t)
	}
	c.total = s.cost()
	c.matchTerm(s, t)
	return c.page(t)
}

// eachBlock skips the blocks of a list whose scores cannot reach the page.
func (c *collector) eachBlock(s *termScorer, f *functionScorer, t *topRanks) {
	for d := docID(0); ; {
		last, impact := s.p.BlockMax(d)
		bound := impactBound(s.weight, impact)
		if f != nil {
			bound = f.atMost(bound)
		}
		if bound > t.least() {
			if s.p.Seek(d) == noMore {
				return
			}
			docs := s.p.Chunk(noMore)
			if f == nil {
				s.addChunk(t, docs)
			} else if f.addChunk(s, t, docs); c.r.Work.Charge(len(docs)/4) != nil {
				return
			}
		}
		if last == noMore {
			return
		}
		d = last + 1
	}
}

func (s *termScorer) addChunk(t *topRanks, docs []docID) {
	tfs, least := s.p.Frequencies()[:len(docs)], t.least()
	reaching, inv, lengths := s.reaching(least), s.inv, s.bytes
	for k, d := range docs {
		var n byte
		if lengths != nil {
			n = lengths[d]
		} else {
			n = byte(s.norms.At(d))
		}
		frequency := float32(float32(tfs[k]) * inv[n])
		if frequency < reaching {
			continue
		}
		if score := saturate(s.weight, frequency); score > least {
			t.add(rankOf(scoreKey(score), d))
			least = t.least()
			reaching = s.reaching(least)
		}
	}
}

// Order holds the sort keys, then the document number. A nil Order sorts by score.
type Order struct {
	Keys      []SortKey
	Documents bool               // sort by document number only
	IDs       *snapshot.Field    // the ids of the documents
	Group     func(docID) uint32 // the page shows only the first match of each group; nil means every match
	Groups    int                // number of groups
	After     []uint32           // keys of the document that the page follows; nil means that the page is counted from the first match
}

func (o *Order) isDefault() bool { return o != nil && o.Documents }
