// This file selects spans by their place: near the start of a text, around, within or apart from
// others.

package scorer

// firstSpans are spans that end at or before a position.
type firstSpans struct {
	Spans
	end  int
	over span
	past bool
}

// First returns the spans of s that end at or before a position.
func (w *SpanWork) First(s Spans, end int) Spans {
	if s == nil {
		return nil
	}
	return &firstSpans{Spans: s, end: end}
}

func (f *firstSpans) begin() {
	f.past = false
	f.Spans.begin()
}

func (f *firstSpans) current() *span {
	if f.past {
		return &f.over
	}
	return f.Spans.current()
}

func (f *firstSpans) next() bool {
	for !f.past && f.Spans.next() && f.Spans.current().start < f.end {
		if f.Spans.current().end <= f.end {
			return true
		}
	}
	f.past = true
	return f.over.done()
}

// notSpans are spans that no other overlaps, with some words before and after.
type notSpans struct {
	without
	pre, post int
}

// without walks spans together with others that a document need not have.
type without struct {
	Spans
	w   *SpanWork
	not Spans
	doc docID // of not, if on
	on  bool
	has bool // the current document has spans of not
	cur docID
}

// Not returns the spans of s except the spans that a span of not overlaps.
func (w *SpanWork) Not(s, not Spans, pre, post int) Spans {
	if s == nil || not == nil {
		return s
	}
	return &notSpans{without: without{Spans: s, w: w, not: not}, pre: pre, post: post}
}

func (n *without) seek(d docID) docID {
	n.cur = n.Spans.seek(d)
	return n.cur
}

func (n *without) begin() {
	n.Spans.begin()
	if n.find(); n.has {
		n.not.begin()
	}
}

// find looks for the current document in not.
func (n *without) find() {
	if !n.on || n.doc < n.cur {
		n.doc, n.on = n.not.seek(n.cur), true
	}
	n.has = n.doc == n.cur
}

func (n *notSpans) begin() {
	if n.without.begin(); n.has {
		n.not.next()
	}
}

func (n *notSpans) sure() bool {
	c, ok := n.Spans.(quickSpans)
	if !ok || !c.sure() {
		return false
	}
	n.find()
	return !n.has
}

func (n *notSpans) count() int { return n.Spans.(quickSpans).count() }

func (n *notSpans) next() bool {
	for n.Spans.next() && !n.w.spent(1) {
		if !n.has || n.apart(n.Spans.current()) {
			return true
		}
	}
	return false
}

func (n *notSpans) apart(p *span) bool {
	for n.not.current().end <= p.start-n.pre {
		if n.w.n++; !n.not.next() {
			return true
		}
	}
	return n.not.current().start-n.post >= p.end
}

// containSpans are the big spans that contain a little one, or the little ones within a big one.
type containSpans struct {
	span
	together
	big, little Spans
	within      bool
}

// Containing returns the spans of big that contain a span of little; Within returns the spans of little inside a span
// of big.
func (w *SpanWork) Containing(big, little Spans) Spans { return w.contain(big, little, false) }

// Within returns the spans of little that one of big contains.
func (w *SpanWork) Within(big, little Spans) Spans { return w.contain(big, little, true) }

func (w *SpanWork) contain(big, little Spans, within bool) Spans {
	if big == nil || little == nil {
		return nil
	}
	return &containSpans{together: w.together([]Spans{big, little}), big: big, little: little, within: within}
}

func (c *containSpans) begin() {
	c.reset()
	c.beginAll()
}

func (c *containSpans) next() bool {
	big, little := c.big.current, c.little.current
	if c.within {
		for c.little.next() && !c.w.spent(1) {
			for big().end < little().end {
				if c.w.n++; !c.big.next() {
					return c.done()
				}
			}
			if big().start <= little().start {
				c.span = *little()
				return true
			}
		}
		return c.done()
	}
	for c.big.next() && !c.w.spent(1) {
		for little().start < big().start {
			if c.w.n++; !c.little.next() {
				return c.done()
			}
		}
		if big().end >= little().end {
			c.span = *big()
			return true
		}
	}
	return c.done()
}
