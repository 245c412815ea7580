// This file walks intervals: stretches of words that a rule finds, none within another. They are Spans whose end is
// their last position, and whose width is the number of words between their parts. Each kind advances its parts in the
// steps of Lucene's interval iterators, which decide what a kind that holds it sees once a part has ended.

package scorer

import (
	"math/bits"

	"contentedge/edgeserve/engine/snapshot"
)

// IntervalScorer scores a document by the number of its intervals, and by how much each interval exceeds the length
// least. Only explanations read the field.
func (w *SpanWork) IntervalScorer(s Spans, field string, least int, boost float64) Scorer {
	if s == nil {
		return nil
	}
	p := &intervalScorer{spanScorer: spanScorer{w: w, s: s, weight: float32(boost)}, least: least}
	if w.r.Explain {
		return explainIntervals(p, field)
	}
	return p
}

type intervalScorer struct {
	spanScorer
	least int
}

func (p *intervalScorer) score() float32 {
	if p.freq == 0 {
		for more := true; more && !p.w.spent(2); more = p.s.next() {
			length := p.s.current().end - p.s.current().start + 1
			p.freq = float32(float64(p.freq) + 1/float64(max(length-p.least+1, 1)))
		}
	}
	return p.weight * (1 - 1/(1+p.freq))
}

func (p *intervalScorer) fill(w *window, base, end docID, scoring bool) docID {
	return fillByNext(p, w, base, end, scoring)
}

// Words returns the places of any of several terms, or nil without terms.
func (w *SpanWork) Words(f *snapshot.Field, infos []snapshot.TermInfo) Spans {
	if len(infos) == 0 {
		return nil
	}
	t := w.terms(f, infos)
	t.size = 0
	return t
}

// lengthOf is the number of words that an interval contributes to the width of a longer one.
func lengthOf(s Spans) int {
	p := s.current()
	n := p.end - p.start + 1
	if _, ok := s.(*repeatedIntervals); ok {
		n -= p.width
	}
	return n
}

// InOrder returns the shortest stretches with all parts one after the other; nil if a part is nil.
func (w *SpanWork) InOrder(parts []Spans) Spans {
	if len(someSpans(parts)) < len(parts) {
		return nil
	}
	if words := w.inOrder(parts, true, noPlace); words != nil {
		return words
	}
	return &orderedIntervals{together: w.together(parts)}
}

type orderedIntervals struct {
	span
	together
}

func (o *orderedIntervals) begin() {
	o.reset()
	o.beginAll()
	o.parts[0].next()
}

func (o *orderedIntervals) next() bool {
	o.span = span{start: noPlace, end: noPlace}
	for last := noPlace; o.chain(last); {
		start := o.parts[0].current().start
		if start == noPlace {
			return o.done()
		}
		tail := o.parts[len(o.parts)-1].current()
		last = tail.start
		o.span = span{start: start, end: tail.end, width: tail.end - start + 1}
		for _, s := range o.parts {
			o.width -= lengthOf(s)
		}
		if o.w.spent(1+len(o.parts)) || !o.parts[0].next() {
			break
		}
	}
	return o.start != noPlace
}

// chain moves each part past the previous part. It reports whether all parts end before last, the position of the last
// part of the stretch found so far, or noPlace without a stretch.
func (o *orderedIntervals) chain(last int) bool {
	for i := 1; ; i++ {
		before := o.parts[i-1].current().end
		switch {
		case before >= last:
			return false
		case i == len(o.parts), last != noPlace && o.parts[i].current().start > before:
			return true
		}
		for ok := true; ok; ok = o.parts[i].current().start <= before {
			if o.parts[i].current().end >= last || o.w.spent(1) || !o.parts[i].next() {
				return false
			}
		}
	}
}

// InAnyOrder returns the shortest stretches with all parts; nil if a part is nil.
func (w *SpanWork) InAnyOrder(parts []Spans) Spans {
	if len(someSpans(parts)) < len(parts) {
		return nil
	}
	return &unorderedIntervals{together: w.together(parts), heap: Heap[Spans]{Less: func(a, b Spans) bool {
		x, y := a.current(), b.current()
		return x.start < y.start || x.start == y.start && x.end >= y.end
	}}}
}

type unorderedIntervals struct {
	span
	together
	heap    Heap[Spans] // of the parts that have not ended
	last    int         // the greatest end so far
	covered int         // the words that the parts in the heap count
}

func (u *unorderedIntervals) begin() {
	u.reset()
	u.beginAll()
	u.heap.Items, u.last, u.covered = u.heap.Items[:0], -1, 0
	for _, s := range u.parts {
		if !s.next() {
			break
		}
		u.push(s)
	}
}

func (u *unorderedIntervals) push(s Spans) {
	u.heap.Push(s)
	u.w.n += 4
	u.last = max(u.last, s.current().end)
	u.covered += lengthOf(s)
}

func (u *unorderedIntervals) full() bool { return len(u.heap.Items) == len(u.parts) }

// move moves the leftmost part on.
func (u *unorderedIntervals) move() {
	s := u.heap.Pop()
	u.covered -= lengthOf(s)
	if !u.w.spent(mergeSteps*bits.Len(uint(len(u.parts)))) && s.next() {
		u.push(s)
	}
}

func (u *unorderedIntervals) next() bool {
	for u.full() && u.heap.Items[0].current().start == u.start {
		u.move()
	}
	if !u.full() {
		return u.done()
	}
	for end := u.last; u.full() && end == u.last; u.move() {
		top := u.heap.Items[0].current()
		u.span = span{start: top.start, end: end, width: end - top.start + 1 - u.covered}
		if top.end == end {
			return true
		}
	}
	return true
}

// Block returns the stretches of all parts with no word between; nil if a part is nil.
func (w *SpanWork) Block(parts []Spans) Spans {
	if len(someSpans(parts)) < len(parts) {
		return nil
	}
	return &blockIntervals{together: w.together(parts)}
}

type blockIntervals struct {
	span
	together
}

func (b *blockIntervals) begin() {
	b.reset()
	b.beginAll()
}

func (b *blockIntervals) next() bool {
	if !b.parts[0].next() {
		return b.done()
	}
	for i := 1; i < len(b.parts); {
		before := b.parts[i-1].current().end
		for b.parts[i].current().start <= before {
			if b.w.spent(1) || !b.parts[i].next() {
				return b.done()
			}
		}
		switch {
		case b.parts[i].current().start == before+1:
			i++
		case b.w.spent(1) || !b.parts[0].next():
			return b.done()
		default:
			i = 1
		}
	}
	b.span = span{start: b.parts[0].current().start, end: b.parts[len(b.parts)-1].current().end}
	return true
}

// AnyOf returns the stretches of any part that contain no other stretch; nil if all parts are nil.
func (w *SpanWork) AnyOf(parts []Spans) Spans {
	parts = someSpans(parts)
	if len(parts) == 0 {
		return nil
	}
	return &orIntervals{anyOf: w.anyOf(parts), heap: Heap[Spans]{Less: func(a, b Spans) bool {
		x, y := a.current(), b.current()
		return x.end < y.end || x.end == y.end && x.start >= y.start
	}}}
}

type orIntervals struct {
	span
	anyOf
	heap Heap[Spans]
}

func (o *orIntervals) begin() {
	o.reset()
	o.heap.Items = o.heap.Items[:0]
	for i, s := range o.parts {
		if o.docs[i] == o.cur {
			s.begin()
			s.next()
			o.heap.Push(s)
		}
	}
}

func (o *orIntervals) next() bool {
	at := o.span
	for len(o.heap.Items) > 0 && at.start >= 0 {
		top := o.heap.Items[0].current()
		if at.start < top.start || at.start > top.end || at.end < top.start || at.end > top.end {
			break
		}
		if s := o.heap.Pop(); !o.w.spent(1+len(o.heap.Items)/16) && s.next() {
			o.heap.Push(s)
		}
	}
	if len(o.heap.Items) == 0 || o.w.spent(1) {
		return o.done()
	}
	o.span = *o.heap.Items[0].current()
	return o.start != noPlace
}

// Repeated returns the stretches of n intervals of s that follow each other.
func (w *SpanWork) Repeated(s Spans, n int) Spans {
	if s == nil {
		return nil
	}
	return &repeatedIntervals{Spans: s, w: w, ring: make([]span, n)}
}

type repeatedIntervals struct {
	Spans
	at    span
	w     *SpanWork
	ring  []span // the last intervals; first is the index of the oldest one
	first int
	full  bool
}

func (r *repeatedIntervals) current() *span { return &r.at }

func (r *repeatedIntervals) begin() {
	r.Spans.begin()
	r.at.reset()
	r.first, r.full = 0, false
}

func (r *repeatedIntervals) next() bool {
	if r.at.start == noPlace {
		return false
	}
	n := len(r.ring)
	for fresh := true; fresh || !r.full; fresh = false {
		if r.w.spent(1+n/8) || !r.Spans.next() {
			return r.at.done()
		}
		r.ring[r.first] = *r.Spans.current()
		r.first = (r.first + 1) % n
		r.full = r.full || r.first == 0
	}
	r.at = span{start: r.ring[r.first].start, end: r.ring[(r.first+n-1)%n].end}
	r.at.width = r.at.end - r.at.start + 1
	for _, p := range r.ring {
		r.at.width -= p.start - p.end + 1
	}
	return true
}
