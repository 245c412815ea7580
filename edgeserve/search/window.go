// This file scores a window of documents at a time. Adding each list's matches into an
// array costs a few nanoseconds a posting; deciding document by document which of
// several cursors stands least costs several times that.

package search

import (
	"math/bits"

	"contentedge/edgeserve/snapshot"
)

// windowLen is the number of documents of a window: its scores and bits stay in the
// first-level cache.
const windowLen = 2048

// sparseWindow is how many postings may be passed over by a seek for the price of
// putting one into a window.
const sparseWindow = 8

// boundSlack covers that a bound and a score round differently.
const boundSlack = 1 + 1e-5

// window holds the matches among windowLen documents from a base on, and their scores.
type window struct {
	scores [windowLen]float32
	bits   [windowLen / 64]uint64
	other  *window
}

// scratch is an empty window to put another scorer's matches in. There is one for each
// window, and it has one itself.
func (w *window) scratch() *window {
	if w.other == nil {
		w.other = &window{}
	}
	w.other.clear()
	return w.other
}

// clear forgets the matches.
func (w *window) clear() { w.bits = [windowLen / 64]uint64{} }

// count is the number of matches.
func (w *window) count() (n int) {
	for _, word := range w.bits {
		n += bits.OnesCount64(word)
	}
	return n
}

// put adds a match: the first score of a document is set, further ones are added or,
// with best, compete.
func (w *window) put(i uint32, s float32, best bool) {
	word, bit := &w.bits[i>>6], uint64(1)<<(i&63)
	switch {
	case *word&bit == 0:
		*word |= bit
		w.scores[i] = s
	case best:
		w.scores[i] = max(w.scores[i], s)
	default:
		w.scores[i] += s
	}
}

// merge adds the matches of another window.
func (w *window) merge(o *window, scoring, best bool) {
	if scoring {
		o.each(func(i uint32) { w.put(i, o.scores[i], best) })
		return
	}
	for i, word := range o.bits {
		w.bits[i] |= word
	}
}

// each calls f for every match, by its place in the window.
func (w *window) each(f func(i uint32)) {
	for k, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			f(uint32(k<<6 + bits.TrailingZeros64(word)))
		}
	}
}

// setScores gives all matches one score.
func (w *window) setScores(s float32, scoring bool) {
	if scoring {
		w.each(func(i uint32) { w.scores[i] = s })
	}
}

// keep leaves the matches that o has too, and adds its scores.
func (w *window) keep(o *window, add bool) {
	for i := range w.bits {
		w.bits[i] &= o.bits[i]
	}
	if add {
		w.each(func(i uint32) { w.scores[i] += o.scores[i] })
	}
}

// drop takes out the matches that o has too.
func (w *window) drop(o *window) {
	for i, word := range o.bits {
		w.bits[i] &^= word
	}
}

// addScores adds the scores of the matches that o has too.
func (w *window) addScores(o *window) {
	for k, word := range w.bits {
		for word &= o.bits[k]; word != 0; word &= word - 1 {
			i := k<<6 + bits.TrailingZeros64(word)
			w.scores[i] += o.scores[i]
		}
	}
}

// keepEach leaves the matches that s matches, asking it for each.
func (w *window) keepEach(s scorer, base docID, add bool) {
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

// dropEach takes out the matches that b excludes, asking for each.
func (w *window) dropEach(b *butNot, base docID) {
	for k := range w.bits {
		for word := w.bits[k]; word != 0; word &= word - 1 {
			bit := bits.TrailingZeros64(word)
			if b.excluded(base + docID(k<<6+bit)) {
				w.bits[k] &^= 1 << bit
			}
		}
	}
}

// fillByNext fills a window from a scorer that walks its matches.
func fillByNext(s scorer, w *window, base, end docID, scoring bool) docID {
	d := s.seek(base)
	for ; d < end; d = s.next() {
		var sc float32
		if scoring {
			sc = s.score()
		}
		w.put(d-base, sc, false)
	}
	return d
}

// fill puts a term's matches into an empty window.
func (s *termScorer) fill(w *window, base, end docID, scoring bool) docID {
	return s.merge(w, base, end, scoring, false)
}

// merge adds a term's matches to a window, a block of postings at a time.
func (s *termScorer) merge(w *window, base, end docID, scoring, best bool) docID {
	d := s.p.Seek(base)
	for d < end {
		docs := s.p.Chunk(end)
		if scoring {
			s.putScores(w, base, docs, best)
		} else {
			for _, d := range docs {
				i := (d - base) & (windowLen - 1)
				w.bits[i>>6] |= 1 << (i & 63)
			}
		}
		d = s.p.Skip(len(docs))
	}
	return d
}

// keep leaves the matches of a window that are the term's too.
func (s *termScorer) keep(w *window, base, end docID, add bool) {
	var kept [windowLen / 64]uint64
	for d := s.p.Seek(base); d < end; {
		docs := s.p.Chunk(end)
		if add {
			s.addKept(w, base, docs, &kept)
		} else {
			for _, d := range docs {
				i := (d - base) & (windowLen - 1)
				kept[i>>6] |= 1 << (i & 63)
			}
		}
		d = s.p.Skip(len(docs))
	}
	for i, word := range kept {
		w.bits[i] &= word
	}
}

// addKept adds the scores of a chunk of the term's matches where the window has them.
func (s *termScorer) addKept(w *window, base docID, docs []docID, kept *[windowLen / 64]uint64) {
	tfs := s.p.Frequencies()
	for k, d := range docs {
		i := (d - base) & (windowLen - 1)
		if bit := uint64(1) << (i & 63); w.bits[i>>6]&bit != 0 {
			kept[i>>6] |= bit
			w.scores[i] += s.scoreOf(d, int(tfs[k]))
		}
	}
}

// putScores puts a chunk of the term's matches.
func (s *termScorer) putScores(w *window, base docID, docs []docID, best bool) {
	tfs := s.p.Frequencies()[:len(docs)]
	if s.bytes == nil {
		for k, d := range docs {
			w.put(d-base, s.scoreOf(d, int(tfs[k])), best)
		}
		return
	}
	for k, d := range docs {
		w.put(d-base, bm25(s.weight, float32(tfs[k]), s.inv[s.bytes[d]]), best)
	}
}

// fill merges the alternatives.
func (a *anyOf) fill(w *window, base, end docID, scoring bool) docID {
	if a.need > 1 || a.max && a.tie != 0 {
		return fillByNext(a, w, base, end, scoring)
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

// least is the least current document of the alternatives.
func (a *anyOf) least() docID {
	d := noMore
	for _, e := range a.docs {
		d = min(d, e)
	}
	return d
}

// bound is that of the blocks that reach into [base, end).
func (s *termScorer) bound(base, end docID) float32 {
	return impactBound(s.weight, greatestImpact(s.p, base, end))
}

// greatestImpact is that of the blocks of a list that reach into [base, end).
func greatestImpact(p *snapshot.Postings, base, end docID) (greatest byte) {
	if p.Doc() >= end {
		return 0
	}
	for d := base; d < end; {
		last, impact := p.BlockMax(d)
		greatest = max(greatest, impact)
		if last >= end {
			break
		}
		d = last + 1
	}
	return greatest
}
