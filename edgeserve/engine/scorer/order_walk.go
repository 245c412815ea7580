// This file walks documents in the order of a sort, from the place where a page begins. A page then costs what it
// holds, not what matches.

package scorer

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// orderWalk walks documents in the order of the first key of an Order.
type orderWalk struct {
	key   *SortKey
	ids   *SortKey // the second key if it is the id: the documents of a value are stored in its order; otherwise nil
	alone bool     // without a second key: among equal documents the number decides
	after []uint32 // keys of the document that the page follows; nil means that the walk begins with the first document
	items int
	lo    int // the walk is limited to the ordinals [lo, hi)
	hi    int
	some  bool // documents without a value are in the walk
	none  int  // the number of values that come before them

	work   *WorkLimit
	looked int // documents that the walk has looked at
	most   int // the walk ends after this number of documents
	page   walkPage
}

// walk returns a walk for an order. ok is false if documents are not stored in that order.
func (o *Order) walk(items int) (w orderWalk, ok bool) {
	if len(o.Keys) == 0 || o.Group != nil || o.scores() {
		return w, false
	}
	w = orderWalk{key: &o.Keys[0], alone: len(o.Keys) == 1, after: o.After, items: items}
	c := w.key.Column
	if c == nil {
		return w, w.key.Document
	}
	if len(o.Keys) > 1 && o.IDs != nil && o.Keys[1].Column == o.IDs.Column() {
		w.ids = &o.Keys[1]
	}
	w.hi, w.some = c.Distinct, c.DocCount < items
	if w.some {
		absent := w.key.Absent
		w.none = sort.Search(w.hi, func(i int) bool { return w.keyAt(i) >= absent })
		if w.none < w.hi && w.keyAt(w.none) == absent {
			return w, false // documents without a value are among the documents with one
		}
	}
	return w, true
}

// limit limits the walk to the matches of s, if they are the documents of a range of the values that decide the order.
func (w *orderWalk) limit(s Scorer) bool {
	o, ok := s.(*ordinalScorer)
	if !ok || o.c != w.key.Column {
		return false
	}
	w.lo, w.hi, w.some = o.lo, o.hi, false // the scorer is of a column of which each document has one value
	return true
}

// ordinal returns the ordinal that is number i in the order.
func (w *orderWalk) ordinal(i int) int {
	if w.key.Asc {
		return w.lo + i
	}
	return w.hi - 1 - i
}

func (w *orderWalk) keyAt(i int) uint32 { return w.key.place(w.ordinal(i)) }

// start returns the first key with which the page may begin.
func (w *orderWalk) start() uint32 {
	if w.after == nil {
		return 0
	}
	return w.after[0]
}

// skips reports whether no document with a first key can follow the one that the page follows.
func (w *orderWalk) skips(key uint32) bool {
	return w.after != nil && (key < w.after[0] || w.alone && key == w.after[0])
}

func (w *orderWalk) run() {
	if w.key.Document {
		w.documents()
		return
	}
	n, start := w.hi-w.lo, w.start()
	for i := sort.Search(n, func(i int) bool { return w.keyAt(i) >= start }); i <= n; i++ {
		if w.some && i == w.none && !w.withoutValue() {
			return
		}
		if i < n && !w.withValue(w.ordinal(i)) {
			return
		}
	}
}

// documents walks an order by number.
func (w *orderWalk) documents() {
	first := int(min(w.start(), uint32(w.items)))
	if !w.key.Asc {
		first = max(0, w.items-1-int(PlaceKey(w.start(), false)))
	}
	for i := first; i < w.items; i++ {
		d := docID(i)
		if !w.key.Asc {
			d = docID(w.items - 1 - i)
		}
		if !w.look() || !w.page.take(d, w.key.value(d, 0), true) {
			return
		}
	}
}

// withValue walks the documents whose value that decides has an ordinal.
func (w *orderWalk) withValue(ord int) bool {
	c, key := w.key.Column, w.key.place(ord)
	if w.skips(key) {
		return true
	}
	from, n := c.Start(ord), c.Count(ord)
	sorted := n == 1 || w.ids != nil
	if !sorted && !w.affords(n) {
		return false
	}
	for i := w.first(key, from, n, c.Doc); i < n; i++ {
		d := c.Doc(w.pair(from, n, i))
		if !w.look() {
			return false
		}
		if (c.Single || w.key.ordinal(d) == ord) && !w.page.take(d, key, sorted) {
			return false
		}
	}
	return true
}

// withoutValue walks the documents without a value.
func (w *orderWalk) withoutValue() bool {
	key := w.key.Absent
	if w.skips(key) {
		return true
	}
	at, sorted := func(i int) docID { return docID(i) }, w.alone
	if w.ids != nil {
		at, sorted = w.ids.Column.Doc, true
	}
	if !sorted && !w.affords(w.items) {
		return false
	}
	for i := w.first(key, 0, w.items, at); i < w.items; i++ {
		d := at(w.pair(0, w.items, i))
		if !w.look() || !w.key.Column.Has(d) && !w.page.take(d, key, sorted) {
			return false
		}
	}
	return true
}

// pair returns the pair that is number i of n pairs, which begin at from.
func (w *orderWalk) pair(from, n, i int) int {
	if w.ids == nil || w.ids.Asc {
		return from + i
	}
	return from + n - 1 - i
}

// first returns the number of the first of n pairs with a first key that may follow the document that the page
// follows. doc returns the document of a pair.
func (w *orderWalk) first(key uint32, from, n int, doc func(pair int) docID) int {
	if w.ids == nil || w.after == nil || key != w.after[0] {
		return 0
	}
	w.work.Charge(sortSteps * bits.Len(uint(n)))
	return sort.Search(n, func(i int) bool { return w.ids.value(doc(w.pair(from, n, i)), 0) >= w.after[1] })
}

// affords reports whether the walk may look at n documents more. If not, the walk ends.
func (w *orderWalk) affords(n int) bool {
	if w.most-w.looked < n {
		w.looked = w.most + 1
	}
	return w.looked <= w.most
}

// looksAtOnce is the number of documents after which a walk checks the limits.
const looksAtOnce = 1 << 10

// look counts a document that the walk looks at. It returns false if the walk has to end.
func (w *orderWalk) look() bool {
	w.work.Add(sortSteps)
	w.looked++
	return w.looked <= w.most && (w.looked%looksAtOnce != 0 || w.work.Charge(0) == nil)
}

// walked selects the page by a walk in its order. It returns false if looking at all matches is likely to cost less.
// Then rest matches the same documents as s.
func (c *collector) walked(s Scorer, o *Order) (docs []docID, rest Scorer, ok bool) {
	w, stored := o.walk(c.r.Items)
	if !stored || c.table != nil || c.r.TrackScores {
		return nil, s, false
	}
	for k, is := s.(*constant); is; k, is = s.(*constant) {
		s = k.Scorer // scores are not needed
	}
	if !c.pays(s, min(s.cost(), c.r.Items)) {
		return nil, s, false
	}
	if c.totalIsFree(s) {
		c.total = s.cost()
	} else if s = c.set(s); !c.pays(s, c.total) {
		c.total = 0
		return nil, s, false
	}
	w.work, w.most = c.r.Work, c.most(s, c.total)
	w.page = walkPage{r: c.r, k: c.k, s: s, o: o, size: min(windowLen, c.expected(c.total)+8), top: NewTopK(c.r.Work, c.k, len(o.Keys), o.compare)}
	if w.limit(s) {
		w.page.s = &allScorer{n: docID(c.r.Items)}
	}
	if docs, ok = w.follow(c.from); !ok {
		c.total = 0
		if t, is := s.(*termScorer); is {
			t.p.Restart()
		}
	}
	return docs, s, ok
}

// set collects the matches of s.
func (c *collector) set(s Scorer) Scorer {
	set := c.matched
	if set == nil {
		set = c.r.bitset()
	}
	c.walk(s, nil, func(w *window, base docID) bool {
		copy(set.Words[base>>6:], w.bits[:])
		return true
	})
	set.Count = c.total
	return &bitScorer{set: set}
}

// walkShare is the part of the cost of looking at all matches that a walk may have. The walk is in vain if matches are
// rare where the page begins.
const walkShare = 4

// pays reports whether a walk that finds the page among n matches is likely to cost less than looking at all n matches.
func (c *collector) pays(s Scorer, n int) bool { return c.expected(n) <= c.most(s, n)/2 }

// expected returns the number of documents of a walk that has to find the page among n matches.
func (c *collector) expected(n int) int {
	return int(min(uint64(c.k)*uint64(c.r.Items)/uint64(max(n, 1)), uint64(c.r.Items)))
}

// most returns the number of documents of a walk whose cost is the allowed part of the cost of n matches.
func (c *collector) most(s Scorer, n int) int {
	return n * sortSteps / (walkShare * (sortSteps + testSteps(s)))
}

// testSteps is the cost of testing whether a document matches.
func testSteps(s Scorer) int {
	switch s.(type) {
	case *allScorer:
		return 0
	case *termScorer, *listScorer:
		return seekSteps
	}
	return sortSteps // a probe, also of the set of matches
}

// follow walks until the page is complete, which begins with hit number from. It returns false if the walk has become
// too long.
func (w *orderWalk) follow(from int) (docs []docID, ok bool) {
	p := &w.page
	w.run()
	if p.flush(); w.looked > w.most && !p.done {
		return nil, false
	}
	kept := p.top.Sorted()
	kept = kept[min(from, len(kept)):]
	docs = slices.Grow(docs, len(kept))
	for _, h := range kept {
		docs = append(docs, h.doc)
	}
	return docs, true
}

// walkPage collects a page from the documents of a walk. It tests them in batches, because a list of postings can be
// read in the order of its documents only.
type walkPage struct {
	r      *Request
	k      int // hits that are needed, from the first of the order
	s      Scorer
	o      *Order
	top    TopK[hit]
	n      int // documents in the batch of the pool
	size   int // number of documents at which the batch is tested
	sorted bool
	added  int    // hits so far
	before int    // hits before those with the current first key
	key    uint32 // the current first key
	done   bool
}

// take receives the next document and its first key, and returns false to end the walk. sorted reports whether the
// documents with this first key come in the order of the page.
func (p *walkPage) take(d docID, key uint32, sorted bool) bool {
	if p.n == p.size || p.n > 0 && sorted != p.sorted {
		p.flush()
		p.size = min(windowLen, 2*p.size)
	}
	b := &p.r.pool.batch
	b.docs[p.n], b.keys[p.n], p.sorted = d, key, sorted
	p.n++
	return !p.done
}

// flush adds the matches of the batch to the page.
func (p *walkPage) flush() {
	b := &p.r.pool.batch
	matches := p.test(b.docs[:p.n])
	for i := 0; i < p.n && !p.done; i++ {
		if matches[i>>6]>>(i&63)&1 == 0 {
			continue
		}
		h := hit{key: b.keys[i], doc: b.docs[i]}
		if h.key != p.key {
			p.key, p.before = h.key, p.added
		}
		switch {
		case p.before >= p.k, p.sorted && p.added >= p.k:
			p.done = true
		case p.o.After == nil || h.key > p.o.After[0] || p.o.follows(h):
			p.top.Add(h)
			p.added++
		}
	}
	p.n = 0
}

// test returns which of some documents, in any order, match.
func (p *walkPage) test(docs []docID) (matches windowBits) {
	p.r.Work.Charge(testSteps(p.s) * len(docs))
	switch s := p.s.(type) {
	case *allScorer:
		for i := range matches {
			matches[i] = math.MaxUint64
		}
	case prober:
		for i, d := range docs {
			if s.probe(d) {
				matches[i>>6] |= 1 << (i & 63)
			}
		}
	case *listScorer:
		for i, d := range docs {
			if _, ok := slices.BinarySearch(s.docs, d); ok {
				matches[i>>6] |= 1 << (i & 63)
			}
		}
	case *termScorer:
		places := p.r.pool.ranks[:0]
		for i, d := range docs {
			places = append(places, uint64(d)<<32|uint64(i))
		}
		slices.Sort(places)
		s.p.Restart()
		for _, place := range places {
			if d := docID(place >> 32); s.p.Seek(d) == d {
				i := uint32(place)
				matches[i>>6&(windowLen/64-1)] |= 1 << (i & 63)
			}
		}
		p.r.pool.ranks = places
	}
	return matches
}
