// This file scores alternatives a window of documents at a time. Where several lists
// are merged, adding each list's scores into an array costs a few nanoseconds a
// posting; finding the least of all cursors for every document costs several times
// that.

package search

import "math/bits"

// windowLen is the number of documents of a window: its scores and bits stay in the
// first-level cache.
const windowLen = 2048

// window holds the matches among windowLen documents from base on, and their scores.
type window struct {
	scores [windowLen]float32
	bits   [windowLen / 64]uint64
}

// clear forgets the matches.
func (w *window) clear() { w.bits = [windowLen / 64]uint64{} }

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

// windowed tells that a scorer is merged by windows: alternatives, of which the sum
// or the best counts.
func windowed(s scorer) (*anyOf, bool) {
	a, ok := s.(*anyOf)
	return a, ok && a.need == 1 && (!a.max || a.tie == 0)
}

// fill adds a's matches in [base, end) to w. least is the next document that a
// matches at or after end.
func (a *anyOf) fill(w *window, base, end docID, best, scoring bool) {
	for i, s := range a.subs {
		if a.docs[i] < base || !a.on {
			a.docs[i] = s.seek(base)
		}
		if a.docs[i] >= end {
			continue
		}
		if t, ok := s.(*termScorer); ok {
			a.docs[i] = t.fill(w, base, end, best, scoring)
			continue
		}
		if sub, ok := windowed(s); ok && sub.max != best {
			a.docs[i] = sub.merge(w, base, end, best, scoring)
			continue
		}
		d := a.docs[i]
		for ; d < end; d = s.next() {
			var sc float32
			if scoring {
				sc = s.score()
			}
			w.put(d-base, sc, best)
		}
		a.docs[i] = d
	}
	a.on = true
}

// merge computes a's own window and adds it to w, of which the other rule holds.
func (a *anyOf) merge(w *window, base, end docID, best, scoring bool) docID {
	if a.inner == nil {
		a.inner = &window{}
	}
	a.inner.clear()
	a.fill(a.inner, base, end, a.max, scoring)
	for k, word := range a.inner.bits {
		for ; word != 0; word &= word - 1 {
			i := uint32(k<<6 + bits.TrailingZeros64(word))
			w.put(i, a.inner.scores[i], best)
		}
	}
	a.cur = a.least()
	return a.cur
}

// least is the least current document.
func (a *anyOf) least() docID {
	d := noMore
	for _, e := range a.docs {
		d = min(d, e)
	}
	return d
}

// fill adds a term's matches from its current document on.
func (s *termScorer) fill(w *window, base, end docID, best, scoring bool) docID {
	d := s.p.Doc()
	for d < end {
		if scoring {
			w.put(d-base, s.scoreOf(d, s.p.TF()), best)
		} else {
			i := d - base
			w.bits[i>>6] |= 1 << (i & 63)
		}
		d = s.p.Next()
	}
	return d
}

// windowBound bounds the score of any document in [base, end).
func windowBound(s scorer, base, end docID) float32 {
	switch s := s.(type) {
	case *termScorer:
		return s.windowBound(base, end)
	case *anyOf:
		sum, best := float32(0), float32(0)
		for _, sub := range s.subs {
			b := windowBound(sub, base, end)
			sum += b
			best = max(best, b)
		}
		if s.max {
			return best + (sum-best)*s.tie
		}
		return sum
	}
	return s.bound()
}

func (s *termScorer) windowBound(base, end docID) float32 {
	if s.p.Doc() >= end {
		return 0
	}
	greatest := byte(0)
	for d := base; d < end; {
		last, impact := s.p.BlockMax(d)
		greatest = max(greatest, impact)
		if last >= end {
			break
		}
		d = last + 1
	}
	return s.impactBound(greatest)
}

// bestOfWindows keeps the best matches of alternatives. Where no document of a window
// can score enough, its matches are only counted.
func (c *collector) bestOfWindows(a *anyOf, t *top) error {
	w := &window{}
	a.seek(0)
	for d := a.least(); d != noMore; d = a.least() {
		base := d &^ 63
		end := base + windowLen
		scoring := c.k > 0 && !(t.full() && scoreKey(windowBound(a, base, end)*(1+1e-5)) >= t.hits[0].key)
		w.clear()
		a.fill(w, base, end, a.max, scoring)
		for k, word := range w.bits {
			c.total += bits.OnesCount64(word)
			if c.matched != nil {
				c.matched.or(int(base>>6)+k, word)
			}
			for ; scoring && word != 0; word &= word - 1 {
				i := uint32(k<<6 + bits.TrailingZeros64(word))
				t.add(hit{key: scoreKey(w.scores[i]), doc: base + i})
			}
		}
		if err := c.b.tick(windowLen / 4); err != nil {
			return err
		}
	}
	return nil
}
