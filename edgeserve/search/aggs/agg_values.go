// This file groups the values of a column for an aggregation. It maps documents to groups
// and groups to documents.

package aggs

import (
	"fmt"
	"math"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
	"contentedge/edgeserve/snapshot"
)

// valuesSource holds the doc values of an aggregation. A group id is an ordinal of the
// column, or the index of a run of ordinals.
type valuesSource struct {
	v      *snapshot.Values // nil: no item has the field
	col    *snapshot.Column // nil: no item has the field
	kind   fields.Kind
	ids    int      // number of groups
	starts []int    // id -> first ordinal, one more than groups; nil: every ordinal is a group
	group  []uint32 // ordinal -> id; nil if starts is nil
	zeros  bool     // include groups without documents

	none    int    // id for documents without a value; -1: ignore them
	missing scalar // the value of documents without one
	place   int    // ordinals below missing; also its id if no ordinal has the value
	own     bool
}

// scalar is a value that the column need not contain.
type scalar struct {
	text     string
	i        int64
	f        float64
	fraction bool // i does not represent the value
}

// valuesSource resolves the column of an aggregation.
func (a *aggregator) valuesSource(agg *query.Agg, path string) (*valuesSource, error) {
	s := &valuesSource{none: -1}
	t, ok := a.c.Resolve(agg.Field)
	if ok {
		s.v, s.col, s.kind = t.Values, t.Values.Column(), t.Kind
		s.ids = s.col.Distinct
		if err := suits(agg, &t, path); err != nil {
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

// suits returns an error if the aggregation type does not support the field's type.
func suits(agg *query.Agg, t *fields.Target, path string) error {
	kind := t.Kind
	switch agg.Kind {
	case query.AggTerms, query.AggValueCount, query.AggCardinality:
		if kind == fields.Text {
			return badAgg(path, agg, "field", "field %.80q is analyzed text, whose values cannot be counted: use %.80q", agg.Field, agg.Field+fields.KeywordSuffix)
		}
	case query.AggDateHistogram:
		if kind != fields.Date && !kind.IsNumber() {
			return badAgg(path, agg, "field", "a date_histogram needs a field of dates or numbers, and %.80q is none", agg.Field)
		}
	default:
		if kind == fields.Text || kind == fields.Keyword {
			return badAgg(path, agg, "field", "%s needs a field of numbers, dates or booleans, and %.80q is text%s", agg.Kind, agg.Field, otherwise(t.Field))
		}
	}
	return nil
}

// otherwise names a numeric sub-field of a text path for an error message.
func otherwise(f *snapshot.Field) string {
	if f.Sub(snapshot.SubDouble) == nil {
		return ""
	}
	return fmt.Sprintf(": use %.80q", f.Path+"."+snapshot.SubDouble.String())
}

// unmappedKind returns the kind of a field that no item has.
func unmappedKind(k query.AggKind) fields.Kind {
	switch k {
	case query.AggTerms, query.AggValueCount, query.AggCardinality:
		return fields.Keyword
	case query.AggDateHistogram:
		return fields.Date
	}
	return fields.Long
}

// scalar parses a value as the type of the doc values.
func (a *aggregator) scalar(s *valuesSource, v query.Value) (scalar, bool) {
	switch {
	case s.kind == fields.Keyword:
		return scalar{text: v.Text}, true
	case s.kind == fields.Boolean && v.Text == "true":
		return scalar{i: 1, f: 1}, true
	case s.kind == fields.Boolean && v.Text == "false":
		return scalar{}, true
	case s.kind == fields.Date && v.Kind != query.Number:
		ms, ok := analysis.ParseDate(v.Text, false, a.c.Now)
		return scalar{i: ms, f: float64(ms)}, ok && v.Kind == query.String
	}
	f, i, whole, ok := analysis.ParseNumber(v.Text)
	if !whole && s.kind == fields.Date {
		i, whole = toMillis(f), true
	}
	return scalar{i: i, f: f, fraction: !whole}, ok && !math.IsInf(f, 0)
}

// find returns the first ordinal whose value is at least v, and whether the value equals v.
func (s *valuesSource) find(v scalar) (ord int, exact bool) {
	if s.col == nil {
		return 0, false
	}
	if s.kind == fields.Keyword {
		return s.v.Strings().Find([]byte(v.text))
	}
	n := s.v.Numbers()
	if s.kind.IsFraction() || v.fraction {
		ord = n.FindFloat(v.f)
		return ord, s.kind.IsFraction() && ord < n.Len() && n.Float(ord) == v.f
	}
	ord = n.FindInt(v.i)
	return ord, ord < n.Len() && n.Int(ord) == v.i
}

// ordinals returns the ordinals of a group. The group for missing values may have none.
func (s *valuesSource) ordinals(id int) (lo, hi int) {
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

// isOwn reports whether a group has no ordinals: it holds only documents without a value.
func (s *valuesSource) isOwn(id int) bool { return s.own && id == s.none }

// number returns the value of a group with one ordinal.
func (s *valuesSource) number(id int) float64 {
	if s.isOwn(id) {
		return s.missing.f
	}
	return s.v.Numbers().Float(id)
}

// integer is like number, for a column of integers.
func (s *valuesSource) integer(id int) int64 {
	if s.isOwn(id) {
		return s.missing.i
	}
	return s.v.Numbers().Int(id)
}

// fractions reports whether the values are written as fractions.
func (s *valuesSource) fractions() bool {
	return s.missing.fraction || s.kind.IsFraction()
}

// count calls take once for each group of a set of documents.
func (c *counter) count(s *valuesSource, set *iter.Bitset, take func(id, n int)) {
	without := c.without(s, set)
	if s.col != nil && s.col.Single && 2*set.Count < s.col.Pairs {
		c.countDocs(s, set, without, take)
		return
	}
	for id := 0; id < s.ids && c.Charge(1) == nil; id++ {
		n := c.size(s, id, set)
		if id == s.none {
			n += without
		}
		if n > 0 || s.zeros {
			take(id, n)
		}
	}
}

// countDocs is like count. It reads the documents, which is faster for sets that are small
// compared to the column.
func (c *counter) countDocs(s *valuesSource, set *iter.Bitset, without int, take func(id, n int)) {
	c.tally.room(s.ids)
	r := reader{s: s, column: true}
	c.each(set, func(docs []docID) { r.tally(docs, c.tally) })
	if without > 0 {
		c.tally.add(s.none, without)
	}
	c.tally.drain(s.zeroIDs(), take)
	c.Charge(s.zeroIDs())
}

func (s *valuesSource) zeroIDs() int {
	if s.zeros {
		return s.ids
	}
	return 0
}

// without returns the number of documents of a set without a value, if they count.
func (c *counter) without(s *valuesSource, set *iter.Bitset) (n int) {
	switch {
	case s.none < 0:
		return 0
	case s.col == nil:
		return set.Count
	case set.Count == c.Items:
		return c.Items - s.col.DocCount
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

// size returns the number of documents of a set in a group.
func (c *counter) size(s *valuesSource, id int, set *iter.Bitset) (n int) {
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
	if set.Count == c.Items {
		return to - from
	}
	for p := from; p < to; p++ {
		if set.Has(s.col.Doc(p)) {
			n++
		}
	}
	c.Add(to - from)
	return n
}

// repeats reports whether a run of ordinals may contain a document twice. If so, it
// prepares seen.
func (c *counter) repeats(s *valuesSource, lo, hi int) bool {
	if s.col.Single || hi-lo < 2 {
		return false
	}
	if c.seen == nil {
		c.seen = iter.NewBitset(c.Items)
	}
	return true
}

// forget removes the documents of some pairs from seen.
func (c *counter) forget(s *valuesSource, from, to int) {
	for p := from; p < to; p++ {
		c.seen.Words[s.col.Doc(p)>>6] = 0
	}
	c.seen.Count = 0
	c.Add(2 * (to - from))
}

// walk calls f with blocks of the documents that are in both a set and a group, in any
// order.
func (c *counter) walk(s *valuesSource, id int, set *iter.Bitset, f func(docs []docID)) {
	lo, hi := s.ordinals(id)
	w := walker{c: c, f: f}
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

// walker collects documents into blocks.
type walker struct {
	c *counter
	f func(docs []docID)
	n int
}

func (w *walker) add(d docID) {
	w.c.tally.block[w.n] = d
	if w.n++; w.n == blockLen {
		w.flush()
	}
}

func (w *walker) flush() {
	if w.c.Failed() == nil {
		w.f(w.c.tally.block[:w.n])
		w.c.Charge(8 + w.n)
	}
	w.n = 0
}

func (w *walker) set(set *iter.Bitset, has func(d docID) bool) {
	for d := set.From(0); d != noMore && w.c.Failed() == nil; d = set.From(d + 1) {
		if has(d) {
			w.add(d)
		}
	}
	w.c.Add(set.Count + len(set.Words)/8)
}

func (w *walker) pairs(s *valuesSource, lo, hi int, set *iter.Bitset) {
	from, to := s.col.Start(lo), s.col.Start(hi)
	repeats := w.c.repeats(s, lo, hi)
	for p := from; p < to && w.c.Failed() == nil; p++ {
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
	w.c.Add(to - from)
}
