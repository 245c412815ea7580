// This file finds and counts the documents of groups.

package aggs

import (
	"math/bits"

	"contentedge/edgeserve/engine/scorer"
)

// count calls take for each group with the number of its documents in a set.
func (c *counter) count(s *valuesSource, set *scorer.Bitset, take func(id, n int)) {
	without := c.without(s, set)
	if s.sparse(set) {
		c.countDocs(s, set, without, take)
		return
	}
	for id := 0; id < s.ids && c.work.Charge(1) == nil; id++ {
		n := c.size(s, id, set)
		if id == s.none {
			n += without
		}
		if n > 0 || s.zeros {
			take(id, n)
		}
	}
}

// sparse reports whether it is faster to read the documents of a set than the groups of the column.
func (s *valuesSource) sparse(set *scorer.Bitset) bool {
	return s.col != nil && s.col.Single && 2*set.Count < s.col.Pairs
}

// countDocs does the work of count by reading the documents of the set.
func (c *counter) countDocs(s *valuesSource, set *scorer.Bitset, without int, take func(id, n int)) {
	c.memory.tally.room(s.ids)
	c.grouped(s)
	r := reader{s: s, column: true}
	c.each(set, func(docs []docID) { r.tally(docs, &c.memory.tally) })
	if without > 0 {
		c.memory.tally.add(s.none, without)
	}
	c.memory.tally.drain(s.zeroIDs(), take)
	c.work.Charge(s.zeroIDs())
}

// without counts the documents of a set that have no value, if the source has a group for them.
func (c *counter) without(s *valuesSource, set *scorer.Bitset) (n int) {
	switch {
	case s.none < 0:
		return 0
	case s.col == nil:
		return set.Count
	case set.Count == c.request.Items:
		return c.request.Items - s.col.DocCount
	}
	c.each(set, func(docs []docID) {
		for _, d := range docs {
			if !s.col.Has(d) {
				n++
			}
		}
	})
	return n
}

// size counts the documents of a set in a group.
func (c *counter) size(s *valuesSource, id int, set *scorer.Bitset) (n int) {
	lo, hi := s.ordinals(id)
	if lo == hi {
		return 0
	}
	from, to := s.col.Start(lo), s.col.Start(hi)
	if c.repeats(s, lo, hi) {
		for p := from; p < to; p++ {
			if d := s.col.Doc(p); set.Has(d) && !c.seen.Has(d) {
				c.seen.Add(d)
				n++
			}
		}
		c.forget(s, from, to)
		return n
	}
	if set.Count == c.request.Items {
		return to - from
	}
	for p := from; p < to; p++ {
		if set.Has(s.col.Doc(p)) {
			n++
		}
	}
	c.work.Add(to - from)
	return n
}

// repeats reports whether a run of ordinals may contain a document twice. If so, it prepares seen.
func (c *counter) repeats(s *valuesSource, lo, hi int) bool {
	if s.col.Single || hi-lo < 2 {
		return false
	}
	if c.seen == nil {
		c.seen = scorer.NewBitset(c.request.Items)
	}
	return true
}

// forget empties seen after a run of pairs.
func (c *counter) forget(s *valuesSource, from, to int) {
	for p := from; p < to; p++ {
		c.seen.Words[s.col.Doc(p)>>6] = 0
	}
	c.seen.Count = 0
	c.work.Add(2 * (to - from))
}

// walk calls f with blocks of the documents in both a set and a group, in any order.
func (c *counter) walk(s *valuesSource, id int, set *scorer.Bitset, f func(docs []docID)) {
	lo, hi := s.ordinals(id)
	w := walker{c: c, f: f, err: c.work.Failed()}
	switch {
	case lo == hi:
	case s.col.Single && set.Count < s.col.Start(hi)-s.col.Start(lo):
		w.set(set, func(d docID) bool { o := s.col.Least(d); return o >= lo && o < hi })
	default:
		w.pairs(s, lo, hi, set)
	}
	if id >= 0 && id == s.none {
		w.set(set, func(d docID) bool { return s.col == nil || !s.col.Has(d) })
	}
	w.flush()
}

// walker collects documents into blocks for counter.walk.
type walker struct {
	c   *counter
	f   func(docs []docID)
	n   int
	err error // a copy of work.Failed, read for every document
}

func (w *walker) add(d docID) {
	w.c.memory.tally.block[w.n] = d
	if w.n++; w.n == blockLen {
		w.flush()
	}
}

func (w *walker) flush() {
	if w.err == nil {
		w.f(w.c.memory.tally.block[:w.n])
		w.err = w.c.work.Charge(8 + w.n)
	}
	w.n = 0
}

func (w *walker) set(set *scorer.Bitset, has func(d docID) bool) {
	for d := set.From(0); d != noMore && w.err == nil; d = set.From(d + 1) {
		if has(d) {
			w.add(d)
		}
	}
	w.c.work.Add(set.Count + len(set.Words)/8)
}

func (w *walker) pairs(s *valuesSource, lo, hi int, set *scorer.Bitset) {
	from, to := s.col.Start(lo), s.col.Start(hi)
	repeats := w.c.repeats(s, lo, hi)
	for p := from; p < to && w.err == nil; p++ {
		d := s.col.Doc(p)
		if !set.Has(d) || repeats && w.c.seen.Has(d) {
			continue
		}
		if repeats {
			w.c.seen.Add(d)
		}
		w.add(d)
	}
	if repeats {
		w.c.forget(s, from, to)
	}
	w.c.work.Add(to - from)
}

// counter counts the documents of groups.
type counter struct {
	request *scorer.Request
	work    *scorer.WorkLimit // of the request
	memory  *memory
	seen    *scorer.Bitset // scratch set, empty between uses
}

// each calls f with blocks of the documents of a set, in ascending order.
func (c *counter) each(set *scorer.Bitset, f func(docs []docID)) {
	if set.List != nil {
		for rest := set.List; len(rest) > 0; {
			docs := rest[:min(len(rest), blockLen)]
			if f(docs); c.work.Charge(len(docs)) != nil {
				return
			}
			rest = rest[len(docs):]
		}
		return
	}
	n := 0
	for i, w := range set.Words {
		for ; w != 0; w &= w - 1 {
			c.memory.tally.block[n] = docID(i<<6 + bits.TrailingZeros64(w))
			if n++; n == blockLen {
				f(c.memory.tally.block[:n])
				if n = 0; c.work.Charge(blockLen) != nil {
					return
				}
			}
		}
	}
	f(c.memory.tally.block[:n])
	c.work.Charge(n + len(set.Words)/8)
}

// tally counts ids. It keeps its memory; its counts are zero between uses.
type tally struct {
	n       []uint32
	touched []uint32
	block   [blockLen]docID
	ords    [blockLen]uint32
}

func (t *tally) room(n int) {
	if len(t.n) < n {
		t.n = make([]uint32, n)
	}
}

func (t *tally) add(id, n int) {
	if t.n[id] == 0 {
		t.touched = append(t.touched, uint32(id))
	}
	t.n[id] += uint32(n)
}

// addEach adds each id that is not noGroup once.
func (t *tally) addEach(ids []uint32) {
	n := t.n
	for _, id := range ids {
		if id == noGroup {
			continue
		}
		if n[id] == 0 {
			t.touched = append(t.touched, id)
		}
		n[id]++
	}
}

// drain empties the tally: it calls take for nonzero counts, and for zero counts below zeros.
func (t *tally) drain(zeros int, take func(id, n int)) {
	for id := range zeros {
		take(id, int(t.n[id]))
	}
	clear(t.n[:zeros])
	for _, id := range t.touched {
		if n := t.n[id]; n > 0 {
			take(int(id), int(n))
			t.n[id] = 0
		}
	}
	t.touched = t.touched[:0]
}

// reader finds the groups of documents.
type reader struct {
	s      *valuesSource
	column bool     // skip documents without a value
	first  []uint32 // document -> its first entry in ids, if documents may have several
	ids    []uint32
}

func (c *aggregator) reader(s *valuesSource, set *scorer.Bitset) *reader {
	r := &reader{s: s}
	if s.col == nil || s.col.Single {
		c.counter.grouped(s)
		return r
	}
	if !c.allot(4 * c.request.Items) {
		return r
	}
	r.first = make([]uint32, c.request.Items+2)
	c.counter.eachPair(s, set, func(d docID, _ int) { r.first[d+2]++ })
	for d := range c.request.Items {
		r.first[d+2] += r.first[d+1]
	}
	if !c.allot(4 * int(r.first[c.request.Items+1])) {
		return r
	}
	r.ids = make([]uint32, r.first[c.request.Items+1])
	c.counter.eachPair(s, set, func(d docID, id int) {
		r.ids[r.first[d+1]] = uint32(id)
		r.first[d+1]++
	})
	return r
}

// eachPair calls f for each group and its documents, each once per value in the group.
func (c *counter) eachPair(s *valuesSource, set *scorer.Bitset, f func(d docID, id int)) {
	for id := 0; id < s.ids && c.work.Failed() == nil; id++ {
		lo, hi := s.ordinals(id)
		from, to := s.col.Start(lo), s.col.Start(hi)
		for p := from; p < to; p++ {
			if d := s.col.Doc(p); set.Has(d) {
				f(d, id)
			}
		}
		c.work.Charge(1 + to - from)
	}
}

func (r *reader) tally(docs []docID, t *tally) {
	if r.first != nil {
		r.each(docs, t.add)
		return
	}
	t.addEach(r.groups(docs, t.ords[:]))
}

func (r *reader) each(docs []docID, take func(id, n int)) {
	for _, d := range docs {
		if r.first == nil {
			if id := r.one(d); id >= 0 {
				take(id, 1)
			}
			continue
		}
		r.several(d, take)
	}
}

// groups returns the group of each document of a block, or noGroup. Documents have at most one value. The result is
// in ids, which has room for a block.
func (r *reader) groups(docs []docID, ids []uint32) []uint32 {
	s, none := r.s, uint32(noGroup)
	if s.none >= 0 && !r.column {
		none = uint32(s.none)
	}
	ids = ids[:len(docs)]
	if s.col == nil {
		for i := range ids {
			ids[i] = none
		}
		return ids
	}
	s.col.LeastOf(docs, ids)
	distinct := uint32(s.col.Distinct)
	if s.starts == nil {
		for i, ord := range ids {
			if ord == distinct {
				ids[i] = none
			}
		}
		return ids
	}
	for i, ord := range ids {
		if ord == distinct {
			ids[i] = none
		} else {
			ids[i] = s.groupOf(ord)
		}
	}
	return ids
}

// one returns the group of a document with at most one value, or -1.
func (r *reader) one(d docID) int {
	s := r.s
	if s.col != nil {
		switch ord := s.col.Least(d); {
		case ord == s.col.Distinct:
		case s.starts == nil:
			return ord
		default:
			return int(int32(s.groupOf(uint32(ord)))) // noGroup is -1
		}
	}
	if r.column {
		return -1
	}
	return s.none
}

func (r *reader) several(d docID, take func(id, n int)) {
	ids := r.ids[r.first[d]:r.first[d+1]]
	if len(ids) == 0 && r.s.none >= 0 && (r.s.col == nil || !r.s.col.Has(d)) { // else all its values are outside of the groups
		take(r.s.none, 1)
	}
	for i, id := range ids {
		if i == 0 || id != ids[i-1] {
			take(int(id), 1)
		}
	}
}

// all calls f for each group of a document.
func (r *reader) all(d docID, f func(id int)) {
	if r.first != nil {
		r.several(d, func(id, _ int) { f(id) })
	} else if id := r.one(d); id >= 0 {
		f(id)
	}
}

// values calls f with the group of each value of a document, unless the value is in none.
func (r *reader) values(d docID, f func(id int)) {
	if r.first == nil {
		r.all(d, f)
		return
	}
	for _, id := range r.ids[r.first[d]:r.first[d+1]] {
		f(int(id))
	}
}
