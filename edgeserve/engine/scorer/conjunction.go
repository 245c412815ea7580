// This file intersects Scorers.

package scorer

import (
	"cmp"
	"math/bits"
	"slices"
)

// conjunction matches documents that every part matches. It adds up the scores of scoring.
type conjunction struct {
	lead    Scorer
	others  []Scorer // in order of cost
	scoring []Scorer
	items   int
}

// newConjunction combines required scorers: must score, filter do not.
func newConjunction(must, filter []Scorer, items int) Scorer {
	all := slices.Concat(must, filter)
	if len(all) == 1 && len(filter) == 0 {
		return all[0]
	}
	slices.SortStableFunc(all, func(a, b Scorer) int { return cmp.Compare(a.cost(), b.cost()) })
	if len(all) == 1 {
		return &constant{Scorer: all[0]}
	}
	return &conjunction{lead: all[0], others: all[1:], scoring: must, items: items}
}

func (a *conjunction) doc() docID  { return a.lead.doc() }
func (a *conjunction) next() docID { return a.settle(a.lead.next()) }
func (a *conjunction) seek(d docID) docID {
	return a.settle(a.lead.seek(d))
}

// settle moves to the first document at or above d that all parts match.
func (a *conjunction) settle(d docID) docID {
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

func (a *conjunction) score() float32 {
	sum := 0.0
	for _, s := range a.scoring {
		sum += float64(s.score())
	}
	return float32(sum)
}

// fill fills the window with the matches of the lead, then removes the matches that another part lacks. It probes a
// part document by document if few matches are left or probing is cheap, otherwise window by window.
func (a *conjunction) fill(w *window, base, end docID, scoring bool) docID {
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
		other := w.restrictedScratch()
		o.fill(other, base, end, add)
		w.keep(other, add)
	}
	return d
}

func (a *conjunction) scores(s Scorer) bool { return slices.Contains(a.scoring, s) }

func (a *conjunction) cost() int { return a.lead.cost() }
func (a *conjunction) bound(base, end docID) float32 {
	sum, _ := bounds(a.scoring, base, end)
	return sum
}

func bounds(ss []Scorer, base, end docID) (sum, best float32) {
	for _, s := range ss {
		b := s.bound(base, end)
		sum += b
		best = max(best, b)
	}
	return sum, best
}

// keepEach removes the matches that s lacks. It seeks s to each match.
func (w *window) keepEach(s Scorer, base docID, add bool) {
	p, probes := s.(prober)
	for k := range w.bits {
		for word := w.bits[k]; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			i := uint32(k<<6 + bit)
			switch d := base + i; {
			case probes && !p.probe(d), !probes && !at(s, d):
				w.bits[k] &^= 1 << bit
			case add:
				w.scores[i] += s.score()
			}
		}
	}
}
