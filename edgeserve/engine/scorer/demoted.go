// This file multiplies the scores of the documents that a second Scorer matches.

package scorer

// Demoted multiplies the scores of s by boost, and the scores of documents that negative matches by factor too.
func Demoted(s, negative Scorer, factor, boost float64) Scorer {
	out := s
	switch {
	case s == nil:
		return nil
	case negative != nil:
		out = &demoted{s, negative, float32(factor), float32(boost)}
	case boost != 1:
		out = &demoted{s, &listScorer{}, 1, float32(boost)}
	}
	if x, ok := s.(*Explained); ok {
		return explainDemoted(out, x, explainedOf(negative), float32(factor), float32(boost))
	}
	return out
}

type demoted struct {
	Scorer
	negative      Scorer
	factor, boost float32
}

func (b *demoted) score() float32 {
	s := b.Scorer.score()
	if b.isNegative(b.Scorer.doc()) {
		s *= b.factor
	}
	return s * b.boost
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
	negative := w.restrictedScratch()
	b.negative.fill(negative, base, end, false)
	for i := range w.bits {
		negative.bits[i] &= w.bits[i]
	}
	negative.each(func(i uint32) { w.scores[i] *= b.factor })
	if b.boost != 1 {
		w.each(func(i uint32) { w.scores[i] *= b.boost })
	}
	return d
}

func (b *demoted) bound(base, end docID) float32 {
	return b.Scorer.bound(base, end) * max(1, b.factor) * b.boost
}
