// This file ends a walk after a number of matches.

package iter

import "math/bits"

// Head is the first matches of a Scorer.
type Head struct {
	Scorer
	left int
	more bool
}

// NewHead returns the first n matches of a Scorer that is not nil. It is for Collect alone, which
// fills windows.
func NewHead(s Scorer, n int) *Head { return &Head{Scorer: s, left: n} }

// More reports whether there were more matches.
func (h *Head) More() bool { return h.more }

func (h *Head) fill(w *window, base, end docID, scoring bool) docID {
	d := h.Scorer.fill(w, base, end, scoring)
	for i, word := range w.bits {
		n := bits.OnesCount64(word)
		for ; n > h.left; n-- {
			h.more = true
			word &^= 1 << (63 - bits.LeadingZeros64(word))
		}
		w.bits[i] = word
		h.left -= n
	}
	if h.more {
		return noMore
	}
	return d
}
