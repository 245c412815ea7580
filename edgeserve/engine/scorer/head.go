// This file ends a walk after a number of matches.

package scorer

import "math/bits"

// Head is the first matches of a Scorer.
type Head struct {
	Scorer
	left int
	end  docID // the first match that is left out, or noMore
}

// NewHead returns the first n matches of a Scorer that is not nil. Only Collect uses it, which fills windows.
func NewHead(s Scorer, n int) *Head { return &Head{Scorer: s, left: n, end: noMore} }

// End returns the match that ended the walk; ok is false if no match ended it.
func (h *Head) End() (d docID, ok bool) { return h.end, h.end != noMore }

func (h *Head) fill(w *window, base, end docID, scoring bool) docID {
	d := h.Scorer.fill(w, base, end, scoring)
	for i, word := range w.bits {
		n := bits.OnesCount64(word)
		for ; n > h.left; n-- {
			last := 63 - bits.LeadingZeros64(word)
			h.end = min(h.end, base+docID(i<<6+last))
			word &^= 1 << last
		}
		w.bits[i] = word
		h.left -= n
	}
	if h.end != noMore {
		return noMore
	}
	return d
}
