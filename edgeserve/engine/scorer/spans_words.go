// This file finds words in order, the most frequent kind of spans and intervals: all spans of a document at once,
// without a call for each position.

package scorer

// wordsInOrder has single words one after the other, as orderedSpans or orderedIntervals.
type wordsInOrder struct {
	span
	together
	words    []*termSpans // the parts
	shortest bool         // true for intervals: no span is within another
	most     int          // words between them
	found    []span       // in the current document
	i        int          // index in found of the next span
}

// inOrder returns the places of parts that are all words; nil if one is not.
func (w *SpanWork) inOrder(parts []Spans, shortest bool, most int) Spans {
	words := make([]*termSpans, len(parts))
	for i, s := range parts {
		t, ok := s.(*termSpans)
		if !ok {
			return nil
		}
		words[i] = t
	}
	return &wordsInOrder{together: w.together(parts), words: words, shortest: shortest, most: most}
}

func (o *wordsInOrder) begin() {
	o.reset()
	o.i = 0
	for _, t := range o.words {
		t.positions()
		o.w.n += len(t.pos)
	}
	o.find()
}

func (o *wordsInOrder) find() {
	o.found = o.found[:0]
	if o.shortest {
		o.findShortest()
	} else {
		o.findAll()
	}
}

func (o *wordsInOrder) next() bool {
	if o.i == len(o.found) {
		return o.done()
	}
	o.span = o.found[o.i]
	o.i++
	return true
}

func (o *wordsInOrder) add(start, end, width int) {
	if width <= o.most {
		o.found = append(o.found, span{start, end, width})
	}
}

// findAll finds, from each place of the first word, the nearest places of the others.
func (o *wordsInOrder) findAll() {
	for _, at := range o.words[0].pos {
		end, width := int(at)+1, 0
		for _, t := range o.words[1:] {
			for t.i < len(t.pos) && int(t.pos[t.i]) < end {
				t.i++
			}
			if t.i == len(t.pos) {
				return
			}
			width += int(t.pos[t.i]) - end
			end = int(t.pos[t.i]) + 1
		}
		o.add(int(at), end, width)
	}
}

// findShortest moves the words in the steps of orderedIntervals.
func (o *wordsInOrder) findShortest() {
	first := o.words[0]
	for _, t := range o.words[1:] {
		t.i = -1
	}
	for first.i < len(first.pos) {
		last := first.pos[first.i]
		for _, t := range o.words[1:] {
			for t.i++; t.i < len(t.pos) && t.pos[t.i] <= last; t.i++ {
			}
			if t.i >= len(t.pos) {
				return
			}
			last = t.pos[t.i]
		}
		start := first.pos[first.i]
		for first.i++; first.i < len(first.pos) && o.chain(last); first.i++ {
			start = first.pos[first.i]
		}
		o.add(int(start), int(last), int(last-start)+1-len(o.words))
	}
}

// chain moves each word past the previous word. It reports whether all stay before last, the position of the last word.
func (o *wordsInOrder) chain(last uint32) bool {
	before := o.words[0].pos[o.words[0].i]
	for _, t := range o.words[1:] {
		if before >= last || t.pos[t.i] > before {
			break
		}
		for t.pos[t.i] <= before {
			if t.i++; t.i == len(t.pos) {
				return false
			}
		}
		before = t.pos[t.i]
	}
	return before < last
}
