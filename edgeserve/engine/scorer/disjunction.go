// This file merges Scorers; a document has to match a minimum number.

package scorer

import (
	"math/bits"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
)

// disjunction matches documents that at least need parts match and adds up their scores. With max
// the greatest score counts, plus tie times each of the others.
type disjunction struct {
	subs []Scorer
	docs []docID
	cur  docID
	on   bool
	need int
	max  bool
	tie  float32

	counts *[windowLen]uint16 // parts of each document of a window, if need is more than one
}

// Disjunction combines optional scorers, at least need of which must match.
func Disjunction(subs []Scorer, need int) Scorer {
	xs, ok := explanations(subs)
	s := disjoin(subs, need)
	switch {
	case !ok || s == nil:
		return s
	case len(xs) == 1:
		return xs[0]
	}
	return newBool(s, clausesOf(should, xs), asked(need))
}

// asked is the minimum that a query states, or 0 if Lucene requires as many clauses without it.
func asked(need int) int {
	if need <= 1 {
		return 0
	}
	return need
}

func disjoin(subs []Scorer, need int) Scorer {
	subs = some(subs)
	switch {
	case need > len(subs) || len(subs) == 0:
		return nil
	case len(subs) == 1:
		return subs[0]
	}
	return &disjunction{subs: subs, docs: make([]docID, len(subs)), need: max(need, 1)}
}

// DisjunctionMax combines the fields of one clause. The best field's score counts.
func DisjunctionMax(subs []Scorer, tie float32) Scorer {
	xs, ok := explanations(subs)
	s := disjoinMax(subs, tie)
	if !ok || s == nil {
		return s
	}
	return explainBest(s, xs, tie)
}

func disjoinMax(subs []Scorer, tie float32) Scorer {
	subs = some(subs)
	switch len(subs) {
	case 0:
		return nil
	case 1:
		return subs[0]
	}
	return &disjunction{subs: subs, docs: make([]docID, len(subs)), need: 1, max: true, tie: tie}
}

func some(subs []Scorer) []Scorer {
	return slices.DeleteFunc(subs, func(s Scorer) bool { return s == nil })
}

func (a *disjunction) doc() docID { return a.cur }

func (a *disjunction) next() docID { return nextBySeek(a, a.on, a.cur) }

func (a *disjunction) seek(d docID) docID {
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

func (a *disjunction) matching() (n int) {
	for _, d := range a.docs {
		if d == a.cur {
			n++
		}
	}
	return n
}

func (a *disjunction) score() float32 {
	sum, best := 0.0, float32(0)
	for i, d := range a.docs {
		if d == a.cur {
			s := a.subs[i].score()
			sum += float64(s)
			best = max(best, s)
		}
	}
	if a.max {
		return a.tied(best, sum)
	}
	return float32(sum)
}

func (a *disjunction) cost() int {
	n := 0
	for _, s := range a.subs {
		n += s.cost()
	}
	return n
}

func (a *disjunction) bound(base, end docID) float32 {
	sum, best := bounds(a.subs, base, end)
	if a.max {
		return best + float32((sum-best)*a.tie)
	}
	return sum
}

func (a *disjunction) fill(w *window, base, end docID, scoring bool) docID {
	switch {
	case scoring && a.max && a.tie != 0:
		return a.fillTied(w, base, end)
	case a.need > 1:
		return a.fillCounting(w, base, end, scoring)
	}
	for i, s := range a.subs {
		if a.docs[i] >= end {
			continue
		}
		if t, ok := s.(*termScorer); ok {
			a.docs[i] = t.merge(w, base, end, scoring, a.max)
			continue
		}
		other := w.scratch()
		a.docs[i] = s.fill(other, base, end, scoring)
		w.merge(other, scoring, a.max)
	}
	a.on = false
	return a.least()
}

// fillCounting counts the parts that match each document of a window, and drops documents with too few.
func (a *disjunction) fillCounting(w *window, base, end docID, scoring bool) docID {
	if a.counts == nil {
		a.counts = new([windowLen]uint16)
	}
	for i, s := range a.subs {
		if a.docs[i] >= end {
			continue
		}
		other := w.scratch()
		a.docs[i] = s.fill(other, base, end, scoring)
		for k, word := range other.bits {
			for ; word != 0; word &= word - 1 {
				j := uint32(k<<6 + bits.TrailingZeros64(word))
				if w.bits[k]&(1<<(j&63)) == 0 {
					a.counts[j] = 0
				}
				a.counts[j]++
				w.put(j, other.scores[j], false)
			}
		}
	}
	for k, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			if bit := bits.TrailingZeros64(word); int(a.counts[k<<6+bit]) < a.need {
				w.bits[k] &^= 1 << bit
			}
		}
	}
	a.on = false
	return a.least()
}

// fillTied adds a share of the other scores to the greatest score of each document of a window.
func (a *disjunction) fillTied(w *window, base, end docID) docID {
	if w.sums == nil {
		w.sums = new([windowLen]float64)
	}
	sums := w.sums
	for i, s := range a.subs {
		if a.docs[i] >= end {
			continue
		}
		other := w.scratch()
		a.docs[i] = s.fill(other, base, end, true)
		other.each(func(j uint32) {
			if w.bits[j>>6]&(1<<(j&63)) == 0 {
				sums[j] = 0
			}
			sums[j] += float64(other.scores[j])
			w.put(j, other.scores[j], true)
		})
	}
	w.each(func(j uint32) { w.scores[j] = a.tied(w.scores[j], sums[j]) })
	a.on = false
	return a.least()
}

// tied computes a score from the greatest score of the parts and the sum of all scores.
func (a *disjunction) tied(best float32, sum float64) float32 {
	return float32(float64(best) + float64((sum-float64(best))*float64(a.tie)))
}

func (a *disjunction) least() docID {
	d := noMore
	for _, e := range a.docs {
		d = min(d, e)
	}
	return d
}

// AnyTerm matches the documents of any of several entries: the first ones that begin with a prefix.
func (r *Request) AnyTerm(f *snapshot.Field, prefix string, infos []snapshot.TermInfo, boost float64) Scorer {
	subs := make([]Scorer, len(infos))
	names := r.expansionNames(f, prefix, len(infos))
	for i, info := range infos {
		subs[i] = r.Term(f, names(i), info, info.DF, boost)
	}
	return Disjunction(subs, 1)
}
