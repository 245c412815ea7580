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
}

// newAllOf combines required scorers: must ones score, filters do not.
func newAllOf(must, filter []scorer) scorer {
	all := slices.Concat(must, filter)
	if len(all) == 1 && len(filter) == 0 {
		return all[0]
	}
	slices.SortStableFunc(all, func(a, b scorer) int { return cmp.Compare(a.cost(), b.cost()) })
	if len(all) == 1 {
		return &constant{scorer: all[0]}
	}
	return &allOf{lead: all[0], others: all[1:], scoring: must}
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
		e := o.doc()
		if e < d || e == 0 {
			e = o.seek(d)
		}
		if e == d {
			i++
			continue
		}
		d, i = a.lead.seek(e), 0
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

func (a *allOf) cost() int      { return a.lead.cost() }
func (a *allOf) bound() float32 { return sumBounds(a.scoring) }

func sumBounds(ss []scorer) float32 {
	sum := 0.0
	for _, s := range ss {
		sum += float64(s.bound())
	}
	return float32(sum)
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

	inner *window // where a is merged into another window
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

func (a *anyOf) next() docID {
	if !a.on {
		return a.seek(0)
	}
	if a.cur == noMore {
		return noMore
	}
	return a.seek(a.cur + 1)
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

func (a *anyOf) bound() float32 {
	if !a.max {
		return sumBounds(a.subs)
	}
	best := float32(0)
	for _, s := range a.subs {
		best = max(best, s.bound())
	}
	return best + (sumBounds(a.subs)-best)*a.tie
}

// withOptional adds the score of an optional scorer where it matches too.
type withOptional struct {
	scorer
	optional scorer
}

func (w *withOptional) score() float32 {
	s, d := w.scorer.score(), w.scorer.doc()
	o := w.optional.doc()
	if o < d || o == 0 {
		o = w.optional.seek(d)
	}
	if o == d {
		return float32(float64(s) + float64(w.optional.score()))
	}
	return s
}

func (w *withOptional) bound() float32 { return w.scorer.bound() + w.optional.bound() }

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
	e := b.not.doc()
	if e < d || e == 0 {
		e = b.not.seek(d)
	}
	return e == d
}
