// This file matches spans near each other, in order or in any order.

package scorer

import (
	"cmp"
	"slices"

	"contentedge/edgeserve/engine/snapshot"
)

// together walks the documents that have all of several parts.
type together struct {
	w      *SpanWork
	parts  []Spans
	byCost []Spans
	pair   [2]*termSpans // the two rarest parts, if each is one term
	cur    docID
	on     bool
}

func (w *SpanWork) together(parts []Spans) together {
	t := together{w: w, parts: parts}
	for _, s := range parts {
		if _, gap := s.(*gapSpans); !gap {
			t.byCost = append(t.byCost, s)
		}
	}
	slices.SortStableFunc(t.byCost, func(a, b Spans) int { return cmp.Compare(a.cost(), b.cost()) })
	if len(t.byCost) > 1 {
		a, ok := t.byCost[0].(*termSpans)
		b, both := t.byCost[1].(*termSpans)
		if ok && both && len(a.ps) == 1 && len(b.ps) == 1 {
			t.pair = [2]*termSpans{a, b}
		}
	}
	return t
}

func (t *together) cost() int { return t.byCost[0].cost() }

func (t *together) seek(d docID) docID {
	if t.on && t.cur >= d {
		return t.cur
	}
	t.on = true
	for i := 0; i < len(t.byCost) && d != noMore; {
		if t.pair[0] != nil && i < 2 {
			a, b := t.pair[0], t.pair[1]
			d = snapshot.Intersect(a.ps[0], b.ps[0], d)
			a.on, a.cur, b.on, b.cur = true, d, true, d
			i = 2
			continue
		}
		e := t.byCost[i].seek(d)
		switch {
		case e == d:
			i++
		case t.w.spent(2):
			d = noMore
		default:
			d, i = e, 0
		}
	}
	t.cur = d
	return d
}

func (t *together) beginAll() {
	for _, s := range t.parts {
		s.begin()
	}
}

// gapSpans is a gap of any words between other parts.
type gapSpans struct {
	span
	w     *SpanWork
	words int
}

// Gap returns a gap of a number of words, for Near in order.
func (w *SpanWork) Gap(words int) Spans { return &gapSpans{w: w, words: words} }

func (g *gapSpans) cost() int          { return noPlace }
func (g *gapSpans) seek(d docID) docID { return d }
func (g *gapSpans) begin()             { g.reset() }

func (g *gapSpans) next() bool {
	if g.w.spent(1) {
		return g.done()
	}
	g.moveTo(g.start + 1)
	return true
}

func (g *gapSpans) moveTo(at int) { g.span = span{start: at, end: at + g.words, width: g.words} }

// orderedSpans has all parts in order, with at most slop words between them.
type orderedSpans struct {
	span
	together
	slop int
}

// Near returns the places of all parts within a slop; nil if a part is nil.
func (w *SpanWork) Near(parts []Spans, slop int, inOrder bool) Spans {
	if slices.Contains(parts, nil) {
		return nil
	}
	if inOrder {
		if words := w.inOrder(parts, false, slop); words != nil {
			return words
		}
		return &orderedSpans{together: w.together(parts), slop: slop}
	}
	t := w.together(parts)
	return &unorderedSpans{together: t, slop: slop, heap: Heap[Spans]{Less: spanBefore}}
}

func (o *orderedSpans) begin() {
	o.reset()
	o.beginAll()
}

func (o *orderedSpans) next() bool {
	for o.parts[0].next() && !o.w.spent(len(o.parts)) {
		in, ok := o.stretch()
		if !ok {
			break
		}
		if in {
			return true
		}
	}
	return o.done()
}

// stretch moves each part past the previous part. in reports whether all parts are within the slop; ok is false if a
// part runs out of spans.
func (o *orderedSpans) stretch() (in, ok bool) {
	last := o.parts[0].current()
	p := span{start: last.start}
	for _, s := range o.parts[1:] {
		if g, gap := s.(*gapSpans); gap {
			g.moveTo(last.end)
		}
		for s.current().start < last.end {
			if !s.next() {
				return false, false
			}
			o.w.n++
		}
		p.width += s.current().start - last.end
		last = s.current()
	}
	p.end = last.end
	o.span = p
	return p.width <= o.slop, true
}

// unorderedSpans has all parts in any order, with at most slop words besides them.
type unorderedSpans struct {
	span
	together
	slop   int
	heap   Heap[Spans]
	fresh  bool
	length int // of all parts
	last   int // the greatest end so far
}

func (u *unorderedSpans) begin() {
	u.reset()
	u.beginAll()
	u.fresh = true
}

func (u *unorderedSpans) next() bool {
	if u.fresh {
		u.fresh = false
		if !u.first() {
			return u.end0()
		}
		if u.matches() {
			return true
		}
	}
	for len(u.heap.Items) > 0 && !u.w.spent(mergeSteps) {
		top := u.heap.Items[0]
		p := top.current()
		u.length -= p.end - p.start
		if !top.next() {
			break
		}
		p = top.current()
		u.length += p.end - p.start
		u.last = max(u.last, p.end)
		u.heap.Fix()
		if u.matches() {
			return true
		}
	}
	return u.end0()
}

func (u *unorderedSpans) end0() bool {
	u.heap.Items = u.heap.Items[:0]
	return u.done()
}

func (u *unorderedSpans) first() bool {
	u.heap.Items, u.length, u.last = u.heap.Items[:0], 0, -1
	for _, s := range u.parts {
		if !s.next() {
			return false
		}
		u.heap.Push(s)
		u.length += s.current().end - s.current().start
		u.last = max(u.last, s.current().end)
	}
	return true
}

func (u *unorderedSpans) matches() bool {
	start := u.heap.Items[0].current().start
	u.span = span{start: start, end: u.last, width: u.last - start}
	return u.last-start-u.length <= u.slop
}
