// This file combines scorers: all of, any of, all but.

package search

import (
	"cmp"
	"slices"
)

// allOf matches documents that every part matches; the scores of those in scoring add up.
type allOf struct {
	lead    scorer
	others  []scorer // by cost
	scoring []scorer
	items   int
}

// newAllOf combines required scorers: must ones score, filters do not.
func newAllOf(must, filter []scorer, items int) scorer {
	all := slices.Concat(must, filter)
	if len(all) == 1 && len(filter) == 0 {
		return all[0]
	}
	slices.SortStableFunc(all, func(a, b scorer) int { return cmp.Compare(a.cost(), b.cost()) })
	if len(all) == 1 {
		return &constant{scorer: all[0]}
	}
	return &allOf{lead: all[0], others: all[1:], scoring: must, items: items}
}

func (a *allOf) doc() docID  { return a.lead.doc() }
func (a *allOf) next() docID { return a.settle(a.lead.next()) }
func (a *allOf) seek(d docID) docID {
	return a.settle(a.lead.seek(d))
}

// settle moves to the first document at or above d on which all agree.
func (a *allOf) settle(d docID) docID {
	for i := 0; i < len(a.others); {
		if d == noMore {
			return noMore
		}
		o := a.others[i]
		if p, ok := o.(prober); ok {
			if p.probe(d) {
				i++
			} else {
				d, i = a.lead.next(), 0
			}
			continue
		}
		if at(o, d) {
			i++
			continue
		}
		d, i = a.lead.seek(o.doc()), 0
	}
	return d
}

func (a *allOf) score() float32 {
	sum := 0.0
	for _, s := range a.scoring {
		sum += float64(s.score())
	}
	return float32(sum)
}

// fill starts from the lead's matches and keeps those of the others: one by one where
// few are left or the other can tell at once, else window by window.
func (a *allOf) fill(w *window, base, end docID, scoring bool) docID {
	d := a.lead.fill(w, base, end, scoring && a.scores(a.lead))
	if scoring && !a.scores(a.lead) {
		w.setScores(0, true)
	}
	for _, o := range a.others {
		n := w.count()
		if n == 0 {
			break
		}
		add := scoring && a.scores(o)
		if _, ok := o.(prober); ok || n*sparseWindow < o.cost()*windowLen/a.items && n < windowLen/16 {
			w.keepEach(o, base, add)
			continue
		}
		if t, ok := o.(*termScorer); ok {
			t.keep(w, base, end, add)
			continue
		}
		other := w.scratch()
		o.fill(other, base, end, add)
		w.keep(other, add)
	}
	return d
}

func (a *allOf) scores(s scorer) bool { return slices.Contains(a.scoring, s) }

func (a *allOf) cost() int { return a.lead.cost() }
func (a *allOf) bound(base, end docID) float32 {
	sum, _ := bounds(a.scoring, base, end)
	return sum
}

// bounds adds up the bounds of scorers, and finds the greatest.
func bounds(ss []scorer, base, end docID) (sum, best float32) {
	for _, s := range ss {
		b := s.bound(base, end)
		sum += b
		best = max(best, b)
	}
	return sum, best
}

// anyOf matches documents that at least need parts match. The scores of those that
// match add up, or, with max, the greatest counts and tie times each of the others.
type anyOf struct {
	subs []scorer
	docs []docID // current document of each part
	cur  docID
	on   bool
	need int
	max  bool
	tie  float32
}

// newAnyOf combines optional scorers, at least need of which must match.
func newAnyOf(subs []scorer, need int) scorer {
	subs = some(subs)
	switch {
	case need > len(subs) || len(subs) == 0:
		return nil
	case len(subs) == 1:
		return subs[0]
	}
	return &anyOf{subs: subs, docs: make([]docID, len(subs)), need: max(need, 1)}
}

// newBest combines the fields of one clause: the best field's score counts.
func newBest(subs []scorer, tie float32) scorer {
	subs = some(subs)
	switch len(subs) {
	case 0:
		return nil
	case 1:
		return subs[0]
	}
	return &anyOf{subs: subs, docs: make([]docID, len(subs)), need: 1, max: true, tie: tie}
}

// some leaves out the scorers that match nothing.
func some(subs []scorer) []scorer {
	return slices.DeleteFunc(subs, func(s scorer) bool { return s == nil })
}

func (a *anyOf) doc() docID { return a.cur }

func (a *anyOf) next() docID { return nextBySeek(a, a.on, a.cur) }

// nextBySeek is next for a scorer that stands on cur, or, unless on, nowhere yet.
func nextBySeek(s scorer, on bool, cur docID) docID {
	switch {
	case !on:
		return s.seek(0)
	case cur == noMore:
		return noMore
	}
	return s.seek(cur + 1)
}

func (a *anyOf) seek(d docID) docID {
	if a.on && a.cur >= d {
		return a.cur
	}
	for {
		least := noMore
		for i, s := range a.subs {
			if !a.on || a.docs[i] < d {
				a.docs[i] = s.seek(d)
			}
			least = min(least, a.docs[i])
		}
		a.on, a.cur = true, least
		if least == noMore || a.need == 1 || a.matching() >= a.need {
			return least
		}
		d = least + 1
	}
}

func (a *anyOf) matching() (n int) {
	for _, d := range a.docs {
		if d == a.cur {
			n++
		}
	}
	return n
}

func (a *anyOf) score() float32 {
	sum, best := 0.0, float32(0)
	for i, d := range a.docs {
		if d == a.cur {
			s := a.subs[i].score()
			sum += float64(s)
			best = max(best, s)
		}
	}
	if a.max {
		return float32(float64(best) + (sum-float64(best))*float64(a.tie))
	}
	return float32(sum)
}

func (a *anyOf) cost() int {
	n := 0
	for _, s := range a.subs {
		n += s.cost()
	}
	return n
}

func (a *anyOf) bound(base, end docID) float32 {
	sum, best := bounds(a.subs, base, end)
	if a.max {
		return best + (sum-best)*a.tie
	}
	return sum
}

// withOptional adds the score of an optional scorer where it matches too.
type withOptional struct {
	scorer
	optional scorer
}

func (w *withOptional) score() float32 {
	s, d := w.scorer.score(), w.scorer.doc()
	if at(w.optional, d) {
		return float32(float64(s) + float64(w.optional.score()))
	}
	return s
}

// at moves a scorer to d, or behind it if it does not match d.
func at(s scorer, d docID) bool { return s.seek(d) == d }

func (w *withOptional) fill(win *window, base, end docID, scoring bool) docID {
	d := w.scorer.fill(win, base, end, scoring)
	if !scoring || win.count() == 0 {
		return d
	}
	more := win.scratch()
	w.optional.fill(more, base, end, true)
	win.addScores(more)
	return d
}

func (w *withOptional) bound(base, end docID) float32 {
	return w.scorer.bound(base, end) + w.optional.bound(base, end)
}

// butNot leaves out the documents of another scorer.
type butNot struct {
	scorer
	not scorer
}

func (b *butNot) next() docID        { return b.skip(b.scorer.next()) }
func (b *butNot) seek(d docID) docID { return b.skip(b.scorer.seek(d)) }

func (b *butNot) skip(d docID) docID {
	for d != noMore && b.excluded(d) {
		d = b.scorer.next()
	}
	return d
}

func (b *butNot) excluded(d docID) bool {
	if p, ok := b.not.(prober); ok {
		return p.probe(d)
	}
	return at(b.not, d)
}

func (b *butNot) fill(w *window, base, end docID, scoring bool) docID {
	d := b.scorer.fill(w, base, end, scoring)
	switch n := w.count(); {
	case n == 0:
	case n < windowLen/64:
		w.dropEach(b, base)
	default:
		not := w.scratch()
		b.not.fill(not, base, end, false)
		w.drop(not)
	}
	return d
}
