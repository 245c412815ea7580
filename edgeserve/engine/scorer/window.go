// This file holds windows: the matches in a range of documents, with scores.

package scorer

import (
	"math"
	"math/bits"
)

// windowLen is the documents of a window: its scores and bits fit the first-level cache.
const windowLen = 2048

// sparseWindow is how many postings seek skips at the cost of adding one to a window.
const sparseWindow = 8

// boundSlack covers rounding differences between a bound and a score.
const boundSlack = 1 + 1e-5

type window struct {
	scores [windowLen]float32
	bits   windowBits
	only   *windowBits // the documents whose matches are needed: a Scorer may leave out others; nil means all
	other  *window
	sums   *[windowLen]float64 // sums of a disjunction while it fills the window, otherwise nil
}

// windowBits is a set of the documents of a window.
type windowBits [windowLen / 64]uint64

// scratch returns an empty window for another Scorer's matches. Each window may have one.
func (w *window) scratch() *window {
	if w.other == nil {
		w.other = &window{}
	}
	w.other.clear()
	w.other.only = w.only
	return w.other
}

// restrictedScratch is a scratch window limited to the matches of w.
func (w *window) restrictedScratch() *window {
	other := w.scratch()
	other.only = &w.bits
	return other
}

func (w *window) clear() { w.bits, w.only = windowBits{}, nil }

// dropOthers removes matches that are not needed.
func (w *window) dropOthers() {
	if w.only == nil {
		return
	}
	for i, word := range w.only {
		w.bits[i] &= word
	}
}

func (w *window) count() (n int) {
	for _, word := range w.bits {
		n += bits.OnesCount64(word)
	}
	return n
}

// put adds a match. A further score of the same document is added, or with best the greater one is kept.
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

func (w *window) merge(o *window, scoring, best bool) {
	if scoring {
		o.each(func(i uint32) { w.put(i, o.scores[i], best) })
		return
	}
	for i, word := range o.bits {
		w.bits[i] |= word
	}
}

func (w *window) each(f func(i uint32)) {
	for k, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			f(uint32(k<<6 + bits.TrailingZeros64(word)))
		}
	}
}

// list stores the matches in docs and returns their number.
func (w *window) list(base docID, docs *[windowLen]docID) (n int) {
	for k, word := range w.bits {
		for ; word != 0; word &= word - 1 {
			docs[n&(windowLen-1)] = base + docID(k<<6+bits.TrailingZeros64(word))
			n++
		}
	}
	return n
}

// setRange adds index [from, to), at least one, to an empty window.
func (w *window) setRange(from, to uint32) {
	first, last := from>>6, (to-1)>>6
	for i := first; i <= last; i++ {
		w.bits[i] = math.MaxUint64
	}
	w.bits[first] &= math.MaxUint64 << (from & 63)
	w.bits[last] &= math.MaxUint64 >> (63 - (to-1)&63)
}

func (w *window) setScores(s float32, scoring bool) {
	if scoring {
		w.each(func(i uint32) { w.scores[i] = s })
	}
}

// keep removes the matches that o does not have. With add it adds the scores of o.
func (w *window) keep(o *window, add bool) {
	for i := range w.bits {
		w.bits[i] &= o.bits[i]
	}
	if add {
		w.each(func(i uint32) { w.scores[i] += o.scores[i] })
	}
}

func (w *window) drop(o *window) {
	for i, word := range o.bits {
		w.bits[i] &^= word
	}
}

func (w *window) addScores(o *window) {
	for k, word := range w.bits {
		for word &= o.bits[k]; word != 0; word &= word - 1 {
			i := k<<6 + bits.TrailingZeros64(word)
			w.scores[i] += o.scores[i]
		}
	}
}
