// This file multiplies the scores of documents that another iterator matches.

package iter

// Demoted gives the matches of s that negative matches too their score times factor. Only
// explanations need the boost, which s has counted already.
func Demoted(s, negative Scorer, factor, boost float64) Scorer {
	out := s
	if s != nil && negative != nil {
		out = &demoted{s, negative, float32(factor)}
	}
	if x, ok := s.(*Explained); ok {
		return explainDemoted(out, x, explainedOf(negative), float32(factor), float32(boost))
	}
	return out
}

type demoted struct {
	Scorer
	negative Scorer
	factor   float32
}

func (b *demoted) score() float32 {
	s := b.Scorer.score()
	if b.isNegative(b.Scorer.doc()) {
		return s * b.factor
	}
	return s
}

func (b *demoted) isNegative(d docID) bool {
	if p, ok := b.negative.(prober); ok {
		return p.probe(d)
	}
	return at(b.negative, d)
}

func (b *demoted) fill(w *window, base, end docID, scoring bool) docID {
	d := b.Scorer.fill(w, base, end, scoring)
	if !scoring || w.count() == 0 {
		return d
	}
	negative := w.beside()
	b.negative.fill(negative, base, end, false)
	for i := range w.bits {
		negative.bits[i] &= w.bits[i]
	}
	negative.each(func(i uint32) { w.scores[i] *= b.factor })
	return d
}

func (b *demoted) bound(base, end docID) float32 {
	return b.Scorer.bound(base, end) * max(1, b.factor)
}
