// This file selects intervals by the words between their parts, and by their place relative to
// other intervals.

package scorer

// MaxGaps returns the intervals of s with at most that number of words between their parts.
func (w *SpanWork) MaxGaps(s Spans, most int) Spans {
	switch o, ok := s.(*wordsInOrder); {
	case s == nil:
		return nil
	case ok:
		o.most = min(o.most, most)
		return o
	}
	return &gapFilter{Spans: s, w: w, most: most}
}

type gapFilter struct {
	Spans
	w    *SpanWork
	most int
}

func (g *gapFilter) next() bool {
	for !g.w.spent(1) && g.Spans.next() {
		if g.current().width <= g.most {
			return true
		}
	}
	return false
}

// Relation is where intervals stand relative to others.
type Relation uint8

// The relations.
const (
	Containing Relation = iota
	ContainedBy
	Overlapping
	NotContaining
	NotContainedBy
	NotOverlapping
)

// Related returns the intervals of s in a relation to the intervals of other.
func (w *SpanWork) Related(s, other Spans, r Relation) Spans {
	switch {
	case s == nil || other == nil && r < NotContaining:
		return nil
	case other == nil:
		return s
	case r >= NotContaining:
		return &unrelated{without: without{Spans: s, w: w, not: other}, kind: r}
	}
	return &related{together: w.together([]Spans{s, other}), s: s, other: other, kind: r}
}

// related are intervals in a relation that needs another interval.
type related struct {
	together
	s, other Spans
	kind     Relation
	over     span
	ended    bool // no further interval is related
}

func (r *related) current() *span {
	if r.ended {
		return &r.over
	}
	return r.s.current()
}

func (r *related) begin() {
	r.beginAll()
	r.over.done()
	r.ended = !r.other.next()
}

func (r *related) next() bool {
	for !r.ended && r.s.next() && !r.w.spent(1) {
		for r.behind() {
			if r.w.spent(1) || !r.other.next() {
				r.ended = r.kind != Containing
				return false
			}
		}
		a, b := r.s.current(), r.other.current()
		switch r.kind {
		case Containing:
			if a.start <= b.start && a.end >= b.end {
				return true
			}
		case ContainedBy:
			if b.start <= a.start {
				return true
			}
		default:
			if b.start <= a.end {
				return true
			}
		}
	}
	r.ended = r.ended || r.kind != Containing
	return false
}

// behind reports whether the other interval is too early for the current interval and for all later ones.
func (r *related) behind() bool {
	a, b := r.s.current(), r.other.current()
	switch r.kind {
	case Containing:
		return b.start < a.start && b.end < a.end
	case ContainedBy:
		return b.end < a.end
	}
	return b.end < a.start
}

// unrelated are the intervals for which no other interval is in a relation.
type unrelated struct {
	without
	kind Relation
}

func (u *unrelated) next() bool {
	for u.Spans.next() && !u.w.spent(1) {
		if !u.has {
			return true
		}
		for u.behind() {
			if u.w.spent(1) || !u.not.next() {
				u.has = u.kind == NotContainedBy
				return true
			}
		}
		a, b := u.Spans.current(), u.not.current()
		if u.kind == NotContainedBy && a.start < b.start || u.kind != NotContainedBy && b.start > a.end {
			return true
		}
	}
	return false
}

func (u *unrelated) behind() bool {
	a, b := u.Spans.current(), u.not.current()
	switch u.kind {
	case NotContaining:
		return b.start < a.start && b.end < a.end
	case NotContainedBy:
		return b.end < a.end
	}
	return b.end < a.start
}

// Around returns, for each interval of s, all positions before it, or after it.
func (w *SpanWork) Around(s Spans, after bool) Spans {
	if s == nil {
		return nil
	}
	return &aroundIntervals{Spans: s, after: after}
}

type aroundIntervals struct {
	Spans
	at    span
	after bool
}

func (e *aroundIntervals) current() *span { return &e.at }

func (e *aroundIntervals) begin() {
	e.Spans.begin()
	e.at.reset()
}

func (e *aroundIntervals) next() bool {
	e.Spans.next()
	switch p := e.Spans.current(); {
	case p.start == noPlace:
		return e.at.done()
	case e.after:
		e.at = span{start: min(p.end+1, noPlace-1), end: noPlace - 1}
	default:
		e.at = span{end: max(0, p.start-1)}
	}
	return true
}
