// This file cuts a value into the fragments of the plain highlighter.

package highlight

import (
	"slices"

	"contentedge/edgeserve/engine/scorer"
)

// fragmenter marks the words of a value and cuts it into fragments.
type fragmenter struct {
	plain   *plain
	part    part
	weights map[string]*weighted

	size      int
	fragments int
	position  int // as Lucene counts it: the first word does not count

	limit      int
	best       scorer.Heap[fragment]
	cuts       int             // fragments so far
	kept       int             // bytes of best
	otherBytes int             // bytes held in addition to kept
	found      map[string]bool // words of the fragment
	score      float32
}

func (c *fragmenter) run(ws []plainWord) {
	w := writer{html: c.plain.options.HTML}
	last := 0
	c.found = map[string]bool{}
	end := func() {
		c.keep(w.out)
		w.out, c.score = w.out[:0], 0
		clear(c.found)
	}
	var pending float32
	flush := func(t plainWord) {
		w.text(c.part.text[last:t.start])
		if pending > 0 {
			w.raw(c.plain.options.PreTag)
			w.text(c.part.text[t.start:t.end])
			w.raw(c.plain.options.PostTag)
		} else {
			w.text(c.part.text[t.start:t.end])
		}
		last = t.end
		c.plain.account.goOn(len(c.plain.options.PreTag) / 4)
		c.plain.account.fits(len(w.out))
	}
	for i, t := range ws {
		if i > 0 {
			flush(ws[i-1])
			if c.begins(t) {
				end()
			}
			if c.plain.account.err != nil {
				return
			}
		}
		pending = 0
		if t.candidate {
			pending = c.weightOf(t.text, i)
		}
	}
	if len(ws) > 0 {
		flush(ws[len(ws)-1])
	}
	w.text(c.part.text[last:])
	end()
}

// fragmentBytes is about the memory of a fragment without its text.
const fragmentBytes = 64

// keep adds a fragment to the best fragments if its score is good enough.
func (c *fragmenter) keep(text []byte) {
	f := fragment{score: c.score, place: c.cuts}
	c.cuts++
	if c.plain.account.goOn(fragmentSteps); c.score <= 0 {
		return
	}
	if len(c.best.Items) == c.limit {
		if !c.best.Items[0].after(f) {
			return
		}
		c.kept -= len(c.best.Pop().text) + fragmentBytes
	}
	if c.kept += len(text) + fragmentBytes; c.plain.account.holds(c.otherBytes + c.kept) {
		f.text = string(text)
		c.best.Push(f)
	}
}

// weightOf returns the weight of a word, and adds it to the fragment's score at the word's first place.
func (c *fragmenter) weightOf(text string, position int) float32 {
	w := c.weights[text]
	if w == nil || w.inPhrase && !w.at(position) {
		return 0
	}
	if !c.found[text] {
		c.found[text] = true
		c.score += w.weight
	}
	return w.weight
}

func (w *weighted) at(position int) bool {
	return slices.ContainsFunc(w.spans, func(s *spanSet) bool { return s.covers(position) })
}

// begins reports whether a new fragment begins with the word t.
func (c *fragmenter) begins(t plainWord) bool {
	if c.plain.options.Fragments == 0 {
		return false
	}
	end := c.part.unit(t.end)
	if c.plain.options.Simple {
		return c.isFull(end >= c.size*c.fragments)
	}
	c.position++
	if c.plain.waitFor <= c.position {
		c.plain.waitFor = none
	} else if c.plain.waitFor != none {
		return false
	}
	if w := c.weights[t.text]; w != nil {
		for _, s := range w.spans {
			if last, ok := s.lasts[c.position]; ok {
				c.plain.waitFor = last + 1
				break
			}
		}
	}
	return c.isFull(end >= c.size*c.fragments && c.part.units-end >= int(uint32(c.size)>>1))
}

func (c *fragmenter) isFull(full bool) bool {
	if full {
		c.fragments++
	}
	return full
}
