// This file combines required, optional and excluded clauses, as a bool query does.

package scorer

import "math/bits"

// Clauses are the parts of a bool query. A part without matches is nil.
type Clauses struct {
	Must, Filter, Should, Not []Scorer
	Need                      int
	Asked                     int      // the minimum that the query itself states, 0 without one; for explanations
	Order                     []Scorer // all clauses as the query lists them, for explanations; nil means part by part
}

// Combine combines the clauses into one Scorer.
func (r *Request) Combine(c *Clauses) Scorer {
	if !r.Explain {
		return r.combine(c)
	}
	written := c.written()
	s := r.combine(c)
	if s == nil {
		s = &listScorer{} // explanations list the clauses of a query without matches
	}
	return newBool(s, written, c.Asked)
}

func (r *Request) combine(c *Clauses) Scorer {
	for _, s := range append(c.Must[:len(c.Must):len(c.Must)], c.Filter...) {
		if s == nil {
			return nil
		}
	}
	var optional Scorer
	should := some(c.Should)
	if c.Need > 0 {
		s := disjoin(should, c.Need)
		if s == nil {
			return nil
		}
		if len(c.Must)+len(c.Filter) == 0 {
			return exclude(s, c.Not)
		}
		c.Must = append(c.Must, s)
	} else if len(should) > 0 {
		optional = disjoin(should, 1)
	}
	var s Scorer
	if len(c.Must)+len(c.Filter) > 0 {
		s = newConjunction(c.Must, c.Filter, r.Items)
	} else {
		s = r.All(0)
	}
	if s == nil {
		return nil
	}
	if optional != nil {
		s = &optionalScore{Scorer: s, optional: optional}
	}
	return exclude(s, c.Not)
}

// Exclusion returns s without the matches of the scorers in not.
func Exclusion(s Scorer, not []Scorer) Scorer {
	x, ok := s.(*Explained)
	if !ok {
		return exclude(s, not)
	}
	cs := clausesOf(should, []*Explained{x})
	for _, other := range not {
		cs = append(cs, clause{mustNot, explainedOf(other), 1})
	}
	return newBool(exclude(s, not), cs, 0)
}

func exclude(s Scorer, not []Scorer) Scorer {
	if n := disjoin(not, 1); n != nil {
		return &exclusion{Scorer: s, not: n}
	}
	return s
}

type optionalScore struct {
	Scorer
	optional Scorer
	floored
	near windowBits // the matches whose scores may exceed floor with the scores of optional
}

func (w *optionalScore) score() float32 {
	s, d := w.Scorer.score(), w.Scorer.doc()
	if at(w.optional, d) {
		return float32(float64(s) + float64(w.optional.score()))
	}
	return s
}

func (w *optionalScore) fill(win *window, base, end docID, scoring bool) docID {
	d := w.Scorer.fill(win, base, end, scoring)
	if !scoring || win.count() == 0 {
		return d
	}
	more := win.restrictedScratch()
	if most := float32(w.optional.bound(base, end) * boundSlack); w.floor > 0 && !(most >= w.floor) { // it may be NaN
		w.near = windowBits{}
		win.each(func(i uint32) {
			if win.scores[i]+most > w.floor {
				w.near[i>>6] |= 1 << (i & 63)
			}
		})
		more.only = &w.near
	}
	w.optional.fill(more, base, end, true)
	win.addScores(more)
	return d
}

func (w *optionalScore) bound(base, end docID) float32 {
	return w.Scorer.bound(base, end) + w.optional.bound(base, end)
}

type exclusion struct {
	Scorer
	not Scorer
}

func (b *exclusion) next() docID        { return b.skip(b.Scorer.next()) }
func (b *exclusion) seek(d docID) docID { return b.skip(b.Scorer.seek(d)) }

func (b *exclusion) skip(d docID) docID {
	for d != noMore && b.excluded(d) {
		d = b.Scorer.next()
	}
	return d
}

func (b *exclusion) excluded(d docID) bool {
	if p, ok := b.not.(prober); ok {
		return p.probe(d)
	}
	return at(b.not, d)
}

func (b *exclusion) fill(w *window, base, end docID, scoring bool) docID {
	d := b.Scorer.fill(w, base, end, scoring)
	switch n := w.count(); {
	case n == 0:
	case n < windowLen/64:
		b.dropEach(w, base)
	default:
		not := w.restrictedScratch()
		b.not.fill(not, base, end, false)
		w.drop(not)
	}
	return d
}

func (b *exclusion) dropEach(w *window, base docID) {
	for k := range w.bits {
		for word := w.bits[k]; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			if b.excluded(base + docID(k<<6+bit)) {
				w.bits[k] &^= 1 << bit
			}
		}
	}
}
