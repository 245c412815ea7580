// This file scores spans: places in a text from a start to an end, as Lucene's span queries find
// them. Package compile builds the tree; spans_near.go and spans_filter.go combine spans.

package scorer

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/snapshot"
)

// Spans walks the documents that may have a span, and the spans of a document in order.
type Spans interface {
	seek(d docID) docID // to the first candidate at or above d; never back
	begin()             // goes before the first span of the current document
	next() bool         // to the next span; false at the end
	current() *span     // the current one
	cost() int          // approximate number of candidates
}

// quickSpans can report a match without computing positions.
type quickSpans interface {
	Spans
	sure() bool // the current document has spans, each of one word
	count() int // their number, if sure reports true
}

// span is a run of words. Before the first span all numbers are -1; after the last one start and end are noPlace.
type span struct{ start, end, width int }

const noPlace = math.MaxInt32

func (p *span) current() *span { return p }
func (p *span) reset()         { *p = span{start: -1, end: -1} }
func (p *span) done() bool     { *p = span{start: noPlace, end: noPlace}; return false }

// SpanWork charges the steps of the spans of a query.
type SpanWork struct {
	r      *Request // nil for one text
	charge func(steps int) error
	n      int // steps that are not yet charged
}

// SpanWork returns the account that the spans of a query share.
func (r *Request) SpanWork() *SpanWork { return &SpanWork{r: r, charge: r.Work.Charge} }

// spent adds steps and reports whether the limit is reached.
func (w *SpanWork) spent(steps int) bool {
	if w.n += steps; w.n < LookEvery/8 {
		return false
	}
	n := w.n
	w.n = 0
	return w.charge(n) != nil
}

// SpanScorer scores the documents with a span as a phrase with the sum of the terms' idf.
// Only explanations need the text.
func (w *SpanWork) SpanScorer(f *snapshot.Field, s Spans, dfs []int, boost float64, text func() string) Scorer {
	if s == nil {
		return nil
	}
	sum := 0.0
	for _, df := range dfs {
		sum += float64(idf(f.Docs, df))
	}
	weight := float32(boost) * (analysis.K1 + 1) * float32(sum)
	p := &spanScorer{w: w, s: s, weight: max(weight, 0), inv: &similarityOf(f).inv, norms: f.Norms()}
	p.quick, _ = s.(quickSpans)
	if w.r.Explain {
		return w.r.explainSpans(p, f, dfs, boost, text())
	}
	return p
}

type spanScorer struct {
	w      *SpanWork
	s      Spans
	weight float32
	inv    *[256]float32
	norms  *snapshot.DocMap
	cur    docID
	on     bool
	freq   float32 // 0 until the spans of the current document are counted

	quick quickSpans // s, if it is
	sure  bool       // the current document has spans, all unread
}

func (p *spanScorer) doc() docID  { return p.cur }
func (p *spanScorer) next() docID { return nextBySeek(p, p.on, p.cur) }
func (p *spanScorer) cost() int   { return p.s.cost() }

func (p *spanScorer) seek(d docID) docID {
	if p.on && p.cur >= d {
		return p.cur
	}
	p.on, p.freq = true, 0
	for {
		if d = p.s.seek(d); d == noMore || p.w.spent(8) {
			p.cur = noMore
			return noMore
		}
		if p.sure = p.quick != nil && p.quick.sure(); p.sure {
			p.cur = d
			return d
		}
		p.s.begin()
		if p.s.next() {
			p.cur = d
			return d
		}
		d++
	}
}

func (p *spanScorer) score() float32 {
	if p.freq == 0 && p.sure {
		p.freq = float32(p.quick.count())
	} else if p.freq == 0 {
		for more := true; more && !p.w.spent(2); more = p.s.next() {
			p.freq = float32(float64(p.freq) + 1/(1+float64(p.s.current().width)))
		}
	}
	return bm25(p.weight, p.freq, p.inv[byte(p.norms.At(p.cur))])
}

func (p *spanScorer) fill(w *window, base, end docID, scoring bool) docID {
	return fillByNext(p, w, base, end, scoring)
}

func (p *spanScorer) bound(_, _ docID) float32 { return p.weight * boundSlack }

// termSpans are the positions of any of several terms.
type termSpans struct {
	span
	w    *SpanWork
	ps   []*snapshot.Postings
	heap Heap[*snapshot.Postings] // of several terms, by document
	on   bool
	cur  docID
	df   int
	size int // from a place's start to its end
	pos  []uint32
	i    int
}

// Terms returns the places of any of several terms, or nil without terms.
func (w *SpanWork) Terms(f *snapshot.Field, infos []snapshot.TermInfo) Spans {
	if len(infos) == 0 {
		return nil
	}
	return w.terms(f, infos)
}

func (w *SpanWork) terms(f *snapshot.Field, infos []snapshot.TermInfo) *termSpans {
	t := &termSpans{w: w, size: 1, heap: Heap[*snapshot.Postings]{Less: func(a, b *snapshot.Postings) bool { return a.Doc() < b.Doc() }}}
	for _, info := range infos {
		p := w.r.postings()
		p.Reset(f.Terms(), info)
		t.ps = append(t.ps, p)
		t.df += info.DF
	}
	return t
}

func (t *termSpans) cost() int { return t.df }

// mergeSteps is the cost of moving one of several terms in a heap.
const mergeSteps = 8

func (t *termSpans) seek(d docID) docID {
	switch {
	case t.on && t.cur >= d:
		return t.cur
	case len(t.ps) == 1:
		t.on, t.cur = true, t.ps[0].Seek(d)
		return t.cur
	case !t.on:
		t.on = true
		for _, p := range t.ps {
			p.Seek(d)
			t.heap.Push(p)
		}
		t.w.n += (seekSteps + mergeSteps) * len(t.ps)
	}
	for t.heap.Items[0].Doc() < d {
		t.heap.Items[0].Seek(d)
		t.heap.Fix()
		t.w.n += mergeSteps
	}
	t.cur = t.heap.Items[0].Doc()
	return t.cur
}

func (t *termSpans) begin() {
	t.reset()
	t.positions()
}

// positions reads the positions in the current document.
func (t *termSpans) positions() {
	t.pos, t.i = t.pos[:0], 0
	if len(t.ps) == 1 {
		t.hold(t.ps[0].TF())
		t.pos = t.ps[0].Positions(t.pos)
		t.w.n += 2 + len(t.pos)/4
		return
	}
	t.hold(t.count())
	t.collect(0)
	slices.Sort(t.pos) // no two terms have the same place
	t.w.n += 2 + mergeSteps*len(t.pos)
}

// hold makes room for positions.
func (t *termSpans) hold(n int) {
	if n > cap(t.pos) && t.w.r != nil {
		t.w.r.Work.Hold(positionBytes / 2 * (n - cap(t.pos)))
	}
	t.pos = slices.Grow(t.pos, max(n, fewPositions))
}

// collect adds the positions of the terms of the current document, from a node of the heap on.
func (t *termSpans) collect(node int) {
	if node >= len(t.heap.Items) || t.heap.Items[node].Doc() != t.cur {
		return
	}
	t.pos = t.heap.Items[node].Positions(t.pos)
	t.collect(2*node + 1)
	t.collect(2*node + 2)
}

func (t *termSpans) sure() bool { return true }

func (t *termSpans) count() int {
	if len(t.ps) == 1 {
		return t.ps[0].TF()
	}
	return t.countFrom(0)
}

// countFrom adds up the frequencies of the terms of the current document, from a node of the heap on.
func (t *termSpans) countFrom(node int) int {
	if node >= len(t.heap.Items) || t.heap.Items[node].Doc() != t.cur {
		return 0
	}
	t.w.n++
	return t.heap.Items[node].TF() + t.countFrom(2*node+1) + t.countFrom(2*node+2)
}

func (t *termSpans) next() bool {
	if t.i >= len(t.pos) {
		return t.done()
	}
	at := int(t.pos[t.i])
	t.i++
	t.span = span{start: at, end: at + t.size}
	return true
}

// orSpans are the spans of several parts, in order of their places.
type orSpans struct {
	span
	anyOf
	fresh bool // the parts of the current document have not begun
	heap  Heap[Spans]
}

// anyOf walks the documents that have at least one of several parts.
type anyOf struct {
	w     *SpanWork
	parts []Spans
	docs  []docID
	cur   docID
	on    bool
}

// Or returns the spans of any part.
func (w *SpanWork) Or(parts []Spans) Spans {
	parts = someSpans(parts)
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return &orSpans{anyOf: w.anyOf(parts), heap: Heap[Spans]{Less: spanBefore}}
}

func (w *SpanWork) anyOf(parts []Spans) anyOf {
	return anyOf{w: w, parts: parts, docs: make([]docID, len(parts))}
}

func someSpans(parts []Spans) (some []Spans) {
	for _, s := range parts {
		if s != nil {
			some = append(some, s)
		}
	}
	return some
}

func spanBefore(a, b Spans) bool {
	x, y := a.current(), b.current()
	return x.start < y.start || x.start == y.start && x.end < y.end
}

func (o *anyOf) cost() (n int) {
	for _, s := range o.parts {
		n += s.cost()
	}
	return n
}

func (o *anyOf) seek(d docID) docID {
	if o.on && o.cur >= d {
		return o.cur
	}
	o.w.n += len(o.parts) / cursorsPerStep
	o.cur = noMore
	for i, s := range o.parts {
		if !o.on || o.docs[i] < d {
			o.docs[i] = s.seek(d)
		}
		o.cur = min(o.cur, o.docs[i])
	}
	o.on = true
	return o.cur
}

func (o *orSpans) begin() {
	o.reset()
	o.fresh = true
}

func (o *orSpans) sure() bool {
	for i, s := range o.parts {
		if c, ok := s.(quickSpans); o.docs[i] == o.cur && !(ok && c.sure()) {
			return false
		}
	}
	return true
}

func (o *orSpans) count() (n int) {
	for i, s := range o.parts {
		if o.docs[i] == o.cur {
			n += s.(quickSpans).count()
		}
	}
	return n
}

func (o *orSpans) next() bool {
	h := &o.heap
	switch {
	case o.fresh:
		o.fresh = false
		h.Items = h.Items[:0]
		for i, s := range o.parts {
			if o.docs[i] == o.cur {
				if s.begin(); s.next() {
					h.Push(s)
				}
			}
		}
	case len(h.Items) == 0:
	case h.Items[0].next():
		h.Fix()
	default:
		h.Pop()
	}
	if len(h.Items) == 0 || o.w.spent(1+len(h.Items)/16) {
		return o.done()
	}
	o.span = *h.Items[0].current()
	return true
}
