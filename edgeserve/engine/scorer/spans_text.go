// This file walks the spans of one text whose positions are in memory, as highlights need them.

package scorer

// TextSpanWork returns the account that the spans of one text share. It passes their steps to charge.
func TextSpanWork(charge func(steps int) error) *SpanWork { return &SpanWork{charge: charge} }

// textSpans are the places of words of the only text.
type textSpans struct {
	span
	w   *SpanWork
	pos []uint32
	i   int
}

// Places returns places at ascending positions of the only text, or nil without positions.
func (w *SpanWork) Places(positions []uint32) Spans {
	if len(positions) == 0 {
		return nil
	}
	return &textSpans{w: w, pos: positions}
}

func (t *textSpans) cost() int { return len(t.pos) }

func (t *textSpans) seek(d docID) docID {
	if d > 0 {
		return noMore
	}
	return 0
}

func (t *textSpans) begin() {
	t.reset()
	t.i = 0
}

func (t *textSpans) next() bool {
	if t.i == len(t.pos) || t.w.spent(1) {
		return t.done()
	}
	at := int(t.pos[t.i])
	t.i++
	t.span = span{start: at, end: at + 1}
	return true
}

// EachSpan calls f for the spans of the only text, with the positions of the words in them.
func (w *SpanWork) EachSpan(s Spans, f func(start, end int, words []int)) {
	if s == nil || s.seek(0) != 0 {
		return
	}
	var words []int
	for s.begin(); s.next(); {
		words = appendWords(words[:0], s)
		f(s.current().start, s.current().end, words)
		if w.spent(2 + len(words)) {
			return
		}
	}
}

// appendWords adds the positions of the words in the current span.
func appendWords(words []int, s Spans) []int {
	var parts []Spans
	switch s := s.(type) {
	case *textSpans:
		return append(words, s.start)
	case *orSpans:
		return appendWords(words, s.heap.Items[0])
	case *firstSpans:
		return appendWords(words, s.Spans)
	case *notSpans:
		return appendWords(words, s.Spans)
	case *containSpans:
		parts = s.parts
	case *orderedSpans:
		parts = s.parts
	case *unorderedSpans:
		parts = s.parts
	}
	for _, p := range parts {
		words = appendWords(words, p)
	}
	return words
}
