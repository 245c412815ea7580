// This file reads what an aggregation counts: the groups of a column's values, which
// of them a document is in, and which documents a group has.

package search

import (
	"fmt"
	"math"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// source is the values an aggregation is about. Groups are named by id: the ordinals
// of the column, or runs of them.
type source struct {
	v      *snapshot.Values // nil: no item has the field
	col    *snapshot.Column // likewise
	kind   targetKind
	ids    int      // groups
	starts []int    // id -> first ordinal, and one more; nil: every ordinal is a group
	group  []uint32 // ordinal -> id; nil likewise
	zeros  bool     // groups without documents count too

	none    int    // id of the documents without a value; -1: they do not count
	missing scalar // what they count as
	place   int    // ordinals below missing; the id of missing is its own if it is no value
	own     bool
}

// scalar is a value that need not be in the column.
type scalar struct {
	text     string
	i        int64
	f        float64
	fraction bool // i does not hold it
}

// source finds the column of an aggregation.
func (a *aggregator) source(agg *query.Agg, path string) (*source, error) {
	s := &source{none: -1}
	t, ok := a.b.resolve(agg.Field)
	if ok {
		s.v, s.col, s.kind = t.v, t.v.Column(), t.kind
		s.ids = s.col.Distinct
		if err := suits(agg, t, path); err != nil {
			return nil, err
		}
	} else {
		s.kind = unmappedKind(agg.Kind)
	}
	if agg.Missing == nil {
		return s, nil
	}
	if s.missing, ok = a.scalar(s, *agg.Missing); !ok {
		return nil, badAgg(path, agg, "missing", "%.80q does not fit the type of field %.80q", agg.Missing.Text, agg.Field)
	}
	ord, exact := s.find(s.missing)
	s.none, s.place, s.own = ord, ord, !exact
	if s.own {
		s.none = s.ids
		s.ids++
	}
	return s, nil
}

// suits checks that a kind of aggregation can count a kind of field.
func suits(agg *query.Agg, t target, path string) error {
	kind := t.kind
	switch agg.Kind {
	case query.AggTerms, query.AggValueCount, query.AggCardinality:
		if kind == onText {
			return badAgg(path, agg, "field", "field %.80q is analyzed text, whose values cannot be counted: use %.80q", agg.Field, agg.Field+keywordSuffix)
		}
	case query.AggDateHistogram:
		if kind != onDate && !kind.isNumber() {
			return badAgg(path, agg, "field", "a date_histogram needs a field of dates or numbers, and %.80q is none", agg.Field)
		}
	default:
		if kind == onText || kind == onKeyword {
			return badAgg(path, agg, "field", "%s needs a field of numbers, dates or booleans, and %.80q is text%s", agg.Kind, agg.Field, otherwise(t.f))
		}
	}
	return nil
}

// otherwise names the sub-field of numbers that a path of text has.
func otherwise(f *snapshot.Field) string {
	if f.Sub(snapshot.SubDouble) == nil {
		return ""
	}
	return fmt.Sprintf(": use %.80q", f.Path+"."+snapshot.SubDouble.String())
}

// unmappedKind is what a field counts as that no item has.
func unmappedKind(k query.AggKind) targetKind {
	switch k {
	case query.AggTerms, query.AggValueCount, query.AggCardinality:
		return onKeyword
	case query.AggDateHistogram:
		return onDate
	}
	return onLong
}

// scalar reads a value as the source's type.
func (a *aggregator) scalar(s *source, v query.Value) (scalar, bool) {
	switch {
	case s.kind == onKeyword:
		return scalar{text: v.Text}, true
	case s.kind == onBool && v.Text == "true":
		return scalar{i: 1, f: 1}, true
	case s.kind == onBool && v.Text == "false":
		return scalar{}, true
	case s.kind == onDate && v.Kind != query.Number:
		ms, err := analysis.ParseDate(v.Text, false, a.b.clock)
		return scalar{i: ms, f: float64(ms)}, err == nil && v.Kind == query.String
	}
	f, i, whole, ok := analysis.ParseNumber(v.Text)
	if !whole && s.kind == onDate {
		i, whole = toMillis(f), true
	}
	return scalar{i: i, f: f, fraction: !whole}, ok && !math.IsInf(f, 0)
}

// find returns the first ordinal whose value is at least v, and whether it is v.
func (s *source) find(v scalar) (ord int, exact bool) {
	if s.col == nil {
		return 0, false
	}
	if s.kind == onKeyword {
		return s.v.Strings().Find([]byte(v.text))
	}
	n := s.v.Numbers()
	if s.kind.isFraction() || v.fraction {
		ord = n.FindFloat(v.f)
		return ord, s.kind.isFraction() && ord < n.Len() && n.Float(ord) == v.f
	}
	ord = n.FindInt(v.i)
	return ord, ord < n.Len() && n.Int(ord) == v.i
}

// ordinals is the run of ordinals of a group; of none it is empty.
func (s *source) ordinals(id int) (lo, hi int) {
	switch {
	case s.col == nil || id < 0:
		return 0, 0
	case s.starts != nil:
		return s.starts[id], s.starts[id+1]
	case id == s.col.Distinct:
		return id, id
	}
	return id, id + 1
}

// isOwn tells that a group has no ordinals: it is there for documents without a value.
func (s *source) isOwn(id int) bool { return s.own && id == s.none }

// number is the value of a group that is one ordinal.
func (s *source) number(id int) float64 {
	if s.isOwn(id) {
		return s.missing.f
	}
	return s.v.Numbers().Float(id)
}

// integer is number for a column of integers.
func (s *source) integer(id int) int64 {
	if s.isOwn(id) {
		return s.missing.i
	}
	return s.v.Numbers().Int(id)
}

// fractions tells that the values of a source are written as fractions.
func (s *source) fractions() bool {
	return s.missing.fraction || s.kind.isFraction()
}

// count tells take the groups of a set of documents, each once.
func (a *aggregator) count(s *source, set *bitset, take func(id, n int)) error {
	without, err := a.without(s, set)
	if err != nil {
		return err
	}
	if s.col != nil && s.col.Single && 2*set.count < s.col.Pairs {
		return a.countDocs(s, set, without, take)
	}
	for id := range s.ids {
		n := a.size(s, id, set)
		if id == s.none {
			n += without
		}
		if n > 0 || s.zeros {
			take(id, n)
		}
		if err := a.b.tick(1); err != nil {
			return err
		}
	}
	return nil
}

// countDocs is count by way of the documents, for sets that are small beside the column.
func (a *aggregator) countDocs(s *source, set *bitset, without int, take func(id, n int)) error {
	a.tally.room(s.ids)
	r := reader{s: s, column: true}
	if err := a.each(set, func(docs []docID) { r.tally(docs, a.tally) }); err != nil {
		return err
	}
	if without > 0 {
		a.tally.add(s.none, without)
	}
	a.tally.drain(s.zeroIDs(), take)
	return a.b.tick(s.zeroIDs())
}

func (s *source) zeroIDs() int {
	if s.zeros {
		return s.ids
	}
	return 0
}

// without is the number of documents of a set that have no value, if they count.
func (a *aggregator) without(s *source, set *bitset) (n int, err error) {
	switch {
	case s.none < 0:
		return 0, nil
	case s.col == nil:
		return set.count, nil
	case set.count == a.b.items:
		return a.b.items - s.col.DocCount, nil
	}
	err = a.each(set, func(docs []docID) {
		for _, d := range docs {
			if !s.col.Has(d) {
				n++
			}
		}
	})
	return n, err
}

// size is the number of documents of a set that have a value of a group.
func (a *aggregator) size(s *source, id int, set *bitset) (n int) {
	lo, hi := s.ordinals(id)
	if lo == hi {
		return 0
	}
	from, to := s.col.Start(lo), s.col.Start(hi)
	if a.repeats(s, lo, hi) {
		for p := from; p < to; p++ {
			if d := s.col.Doc(p); set.has(d) && !a.seen.has(d) {
				a.seen.add(d)
				n++
			}
		}
		a.forget(s, from, to)
		return n
	}
	if set.count == a.b.items {
		return to - from
	}
	for p := from; p < to; p++ {
		if set.has(s.col.Doc(p)) {
			n++
		}
	}
	a.b.work += to - from
	return n
}

// repeats tells that a document may be met twice in a run of ordinals, and then makes
// seen ready to tell.
func (a *aggregator) repeats(s *source, lo, hi int) bool {
	if s.col.Single || hi-lo < 2 {
		return false
	}
	if a.seen == nil {
		a.seen = newBitset(a.b.items)
	}
	return true
}

// forget empties seen of the documents of some pairs.
func (a *aggregator) forget(s *source, from, to int) {
	for p := from; p < to; p++ {
		a.seen.words[s.col.Doc(p)>>6] = 0
	}
	a.seen.count = 0
	a.b.work += 2 * (to - from)
}

// walk hands on the documents of a set that are in a group, in blocks and in any order.
func (a *aggregator) walk(s *source, id int, set *bitset, f func(docs []docID)) error {
	lo, hi := s.ordinals(id)
	w := walker{a: a, f: f}
	switch {
	case lo == hi:
	case s.col.Single && set.count < s.col.Start(hi)-s.col.Start(lo):
		w.set(set, func(d docID) bool { o := s.col.Least(d); return o >= lo && o < hi })
	default:
		w.pairs(s, lo, hi, set)
	}
	if id >= 0 && id == s.none {
		w.set(set, func(d docID) bool { return s.col == nil || !s.col.Has(d) })
	}
	return w.flush()
}

// walker fills blocks.
type walker struct {
	a   *aggregator
	f   func(docs []docID)
	n   int
	err error
}

func (w *walker) add(d docID) {
	w.a.tally.block[w.n] = d
	if w.n++; w.n == blockLen {
		w.flush()
	}
}

func (w *walker) flush() error {
	if w.err == nil {
		w.f(w.a.tally.block[:w.n])
		w.err = w.a.b.tick(8 + w.n)
	}
	w.n = 0
	return w.err
}

func (w *walker) set(set *bitset, has func(d docID) bool) {
	for d := set.from(0); d != noMore && w.err == nil; d = set.from(d + 1) {
		if has(d) {
			w.add(d)
		}
	}
	w.a.b.work += set.count + len(set.words)/8
}

func (w *walker) pairs(s *source, lo, hi int, set *bitset) {
	from, to := s.col.Start(lo), s.col.Start(hi)
	repeats := w.a.repeats(s, lo, hi)
	for p := from; p < to && w.err == nil; p++ {
		d := s.col.Doc(p)
		if !set.has(d) || repeats && w.a.seen.has(d) {
			continue
		}
		if repeats {
			w.a.seen.add(d)
		}
		w.add(d)
	}
	if repeats {
		w.a.forget(s, from, to)
	}
	w.a.b.work += to - from
}
