// This file computes range and date_range aggregations.

package aggs

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// ranges has a bucket for each range. Ranges may overlap.
type ranges struct {
	a      *aggregator
	agg    *query.Agg
	s      *valuesSource
	in     scope
	list   []valueRange // by their bounds
	number func(dst []byte, v float64) []byte
	text   func(dst []byte, v float64) []byte // nil means that values are written as numbers only
	subs   *subs
	share  *share
	r      *reader
	met    []docID // of each range: the last document that was counted, plus 1
	counts []int   // of each range: the number of documents
}

// valueRange is the values from one up to another, without that; a run of ordinals.
type valueRange struct {
	key      string
	from, to float64
	lo, hi   int
	own      bool // it contains the documents without a value, which no ordinal represents
}

func (a *aggregator) newRanges(agg *query.Agg, path string, in scope) (evaluator, error) {
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	r := &ranges{a: a, agg: agg, s: s, in: in, share: a.memory.share(), subs: a.inside(agg, path, in), number: appendDouble}
	parse := func(v *query.Value) (float64, bool) {
		f, err := strconv.ParseFloat(v.Text, 64)
		return f, err == nil && !math.IsNaN(f)
	}
	switch {
	case s.kind == fields.Date:
		zone, write, err := dateWriter(agg, path)
		if err != nil {
			return nil, err
		}
		r.text = func(dst []byte, v float64) []byte { return write(dst, query.LongOf(v)) }
		number := parse
		parse = func(v *query.Value) (float64, bool) {
			if agg.Kind == query.AggRange && v.Kind == query.Number {
				return number(v) // milliseconds; date_range reads a number as its text
			}
			ms, ok := a.parseDate(v, agg.Values.Format, zone)
			return float64(ms), ok
		}
	case agg.Values.Format != "":
		if r.text, err = numberFormat(agg, path); err != nil {
			return nil, err
		}
	}
	for i, b := range agg.Options.(*query.Ranges).Ranges {
		v := valueRange{key: b.Key, from: math.Inf(-1), to: math.Inf(1)}
		ok := true
		bad := b.From
		if b.From != nil {
			v.from, ok = parse(b.From)
		}
		if ok && b.To != nil {
			bad = b.To
			v.to, ok = parse(b.To)
		}
		if !ok {
			return nil, badAgg(path, agg, "ranges["+strconv.Itoa(i)+"]", "%.80q does not fit the type of field %.80q", bad.Text, agg.Values.Field)
		}
		r.list = append(r.list, r.run(v))
	}
	slices.SortStableFunc(r.list, func(a, b valueRange) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
	})
	r.met, r.counts = make([]docID, len(r.list)), make([]int, len(r.list))
	return r, a.work.Charge(len(r.list) * scorer.LookupSteps)
}

// run finds the ordinals of a range.
func (r *ranges) run(v valueRange) valueRange {
	at := func(f float64) int {
		if r.s.col == nil {
			return 0
		}
		if r.s.kind.IsFraction() {
			return r.s.v.Numbers().FindFloat(f)
		}
		return findInt(r.s, f)
	}
	v.lo, v.hi = at(v.from), at(v.to)
	missing := r.s.missing.f
	v.own = r.s.own && missing >= v.from && missing < v.to
	if v.key == "" {
		v.key = r.bound(v.from) + "-" + r.bound(v.to)
	}
	return v
}

// findInt returns the first ordinal whose integer is at least f.
func findInt(s *valuesSource, f float64) int {
	switch f = math.Ceil(f); {
	case f >= 1<<63:
		return s.col.Distinct
	case f < -1<<63:
		return 0
	}
	return s.v.Numbers().FindInt(int64(f))
}

// bound returns the text of a bound in a key.
func (r *ranges) bound(v float64) string {
	if math.IsInf(v, 0) {
		return "*"
	}
	if r.text == nil {
		return string(r.number(nil, v))
	}
	text, err := strconv.Unquote(string(r.text(nil, v)))
	if err != nil {
		return string(r.number(nil, v))
	}
	return text
}

func (r *ranges) evaluate(dst []byte, set *scorer.Bitset) []byte {
	bs := r.divide(set)
	if r.a.work.Failed() != nil || r.a.spend(len(r.list)) != nil {
		return nil
	}
	bs.key = func(i, j int) int { return cmp.Compare(r.list[i].key, r.list[j].key) }
	bs.name = func(dst []byte, i int) []byte { return appendJSONString(dst, r.list[i].key) }
	open, shut := `{"buckets":[`, "]}"
	if r.agg.Buckets.Keyed {
		open, shut = `{"buckets":{`, "}}"
	}
	dst = r.a.appendBuckets(append(dst, open...), r.subs, bs, func(dst []byte, i int) []byte {
		v := &r.list[i]
		if r.agg.Buckets.Keyed {
			dst = append(append(appendJSONString(dst, v.key), ':'), '{')
		} else {
			dst = append(appendJSONString(append(dst, `{"key":`...), v.key), ',')
		}
		dst = r.appendBound(dst, "from", v.from)
		dst = r.appendBound(dst, "to", v.to)
		return appendCount(dst, r.counts[i])
	})
	return append(dst, shut...)
}

func (r *ranges) appendBound(dst []byte, name string, v float64) []byte {
	if math.IsInf(v, 0) {
		return dst
	}
	dst = append(append(append(dst, '"'), name...), `":`...)
	dst = append(r.number(dst, v), ',')
	if r.text != nil {
		dst = append(append(append(dst, '"'), name...), `_as_string":`...)
		dst = append(r.text(dst, v), ',')
	}
	return dst
}

// divide counts the documents of the ranges, and puts them into buckets if the ranges have sub-aggregations.
func (r *ranges) divide(set *scorer.Bitset) buckets {
	if r.r == nil {
		r.r = r.a.reader(r.s, r.in.root)
	}
	clear(r.met)
	clear(r.counts)
	assign := func(docs []docID) {
		if r.r.first == nil {
			for i, id := range r.r.groups(docs, r.a.memory.tally.ords[:]) {
				if id != noGroup {
					r.put(int(id), docs[i])
				}
			}
			return
		}
		for _, d := range docs {
			r.r.several(d, func(id, _ int) { r.put(id, d) })
		}
	}
	if r.subs.empty() {
		r.a.counter.each(set, func(docs []docID) {
			assign(docs)
			r.a.work.Charge(len(r.list) * len(docs))
		})
		return buckets{n: len(r.list), set: set}
	}
	return r.share.divide(r.a, set, len(r.list), len(r.list), assign)
}

// put adds a document to the ranges that contain one of its values, to each range once.
func (r *ranges) put(id int, d docID) {
	none := r.s.own && id == r.s.ids-1 // the document has no value
	for i := range r.list {
		v := &r.list[i]
		in := id >= v.lo && id < v.hi
		if none {
			in = v.own
		}
		if !in || r.met[i] == d+1 {
			continue
		}
		r.met[i] = d + 1
		if r.counts[i]++; !r.subs.empty() {
			r.share.put(i, d)
		}
	}
}
