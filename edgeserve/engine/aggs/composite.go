// This file computes composite aggregations: a bucket for each combination of values, in order.

package aggs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"
	"strconv"
	"time"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// composite numbers combinations in the order of the buckets: the digits of a number are the ranks of the values.
type composite struct {
	a       *aggregator
	agg     *query.Agg
	in      scope
	sources []source
	least   uint64 // the first combination that may be in the result
	subs    *subs
	found   []combination // combinations that may be in the result
	merged  int           // the number of found that are sorted, without duplicates
	last    uint64        // the greatest combination that may be in the result
	lent    int           // bytes of found that have been charged
	ids     []int         // scratch
	share   *share
}

// combination is a combination of values that n documents have.
type combination struct {
	key uint64
	n   uint32
}

func (x combination) compare(key uint64) int { return cmp.Compare(x.key, key) }

// noCombination is greater than every combination.
const noCombination = math.MaxUint64

// source is a digit. The rank of a value is its id plus 1, or counted from the end.
type source struct {
	asked *query.CompositeSource
	s     *valuesSource
	h     *histogram // nil for terms
	r     *reader
	base  uint64 // number of ranks: one for each id, and one for documents without a value
	write func(dst []byte, id int) []byte
	parse func(v *query.Value) (id int, exact, ok bool)
}

const (
	// combinationSteps is the work of counting one combination of a document.
	combinationSteps = 8
	// combinationBytes is the memory of a combination.
	combinationBytes = 16
)

func (a *aggregator) newComposite(agg *query.Agg, path string, in scope) (evaluator, error) {
	if in.nested {
		return nil, badAgg(path, agg, "", "composite must be at the top or in a filter, not in the buckets of others")
	}
	o := agg.Options.(*query.Composite)
	c := &composite{a: a, agg: agg, in: in, share: a.memory.share(), subs: a.inside(agg, path, in), last: noCombination, ids: make([]int, len(o.Sources))}
	all := uint64(1)
	for i := range o.Sources {
		s, err := a.source(&o.Sources[i], path+".composite.sources["+strconv.Itoa(i)+"]."+o.Sources[i].Name)
		if err != nil {
			return nil, err
		}
		hi, lo := bits.Mul64(all, s.base)
		if hi > 0 {
			return nil, badAgg(path, agg, "sources", "these sources have more combinations of values than can be numbered: use fewer")
		}
		all = lo
		c.sources = append(c.sources, s)
	}
	return c, c.after(o.After, path)
}

func (a *aggregator) source(cs *query.CompositeSource, path string) (source, error) {
	out := source{asked: cs}
	agg := &cs.Agg
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return out, err
	}
	out.s = s
	var x axis
	switch agg.Kind {
	case query.AggTerms:
		out.base = uint64(s.ids) + 1
		return out, out.terms(a, path)
	case query.AggHistogram:
		x, err = a.numberAxis(agg, s, path)
		out.parse = func(v *query.Value) (int, bool, bool) {
			f, ok := analysis.ParseDouble(v.Text, 64)
			id, exact := out.h.findNumber(f, agg.Options.(*query.Histogram).Interval)
			return id, exact, ok
		}
	default:
		x, err = a.dateAxis(agg, s, path)
		var zone *time.Location
		if err == nil {
			zone, err = zoneOf(agg, path)
		}
		out.parse = func(v *query.Value) (int, bool, bool) {
			ms, ok := a.parseDateKey(v, agg.Values.Format, zone)
			id, exact := out.h.find(ms)
			return id, exact, ok
		}
	}
	if err != nil {
		return out, err
	}
	if agg.Values.Format == "" {
		x.name = nil
	}
	out.h = &histogram{a: a, agg: agg, s: s, path: path, axis: x}
	if err := out.h.divide(); err != nil {
		return out, err
	}
	out.base = uint64(s.ids) + 1
	out.write = func(dst []byte, id int) []byte {
		if x.name != nil {
			return x.name(dst, out.h.keys[id])
		}
		return x.number(dst, out.h.keys[id])
	}
	return out, nil
}

// find returns the first interval that begins at or after key.
func (h *histogram) find(key int64) (id int, exact bool) {
	lo, hi := 0, len(h.keys)
	for lo < hi {
		if m := (lo + hi) / 2; h.keys[m] < key {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo, lo < len(h.keys) && h.keys[lo] == key
}

// findNumber is find for a histogram of numbers.
func (h *histogram) findNumber(f, interval float64) (id int, exact bool) {
	id = sort.Search(len(h.keys), func(i int) bool { return intervalNumber(h.keys[i])*interval >= f })
	return id, id < len(h.keys) && intervalNumber(h.keys[id])*interval == f
}

// terms prepares a source of values as they are.
func (out *source) terms(a *aggregator, path string) error {
	s, agg := out.s, &out.asked.Agg
	out.parse = func(v *query.Value) (int, bool, bool) {
		if s.kind == fields.Date {
			ms, ok := a.parseDateKey(v, agg.Values.Format, time.UTC)
			id, exact := s.find(scalar{i: ms, f: float64(ms)})
			return id, exact, ok
		}
		w, ok := a.scalar(s, *v)
		switch {
		case s.kind == fields.Keyword:
			ok = v.Kind == query.String
		case !ok && s.kind.IsNumber(): // as Java reads numbers: infinite, or with spaces around them
			var f float64
			f, ok = analysis.ParseDouble(v.Text, s.kind.Bits())
			w = scalar{i: query.LongOf(math.Floor(f)), f: f}
		case w.fraction && s.kind == fields.Long && v.Kind == query.Number:
			w = scalar{i: query.LongOf(w.f)}
		case w.fraction && s.kind == fields.Long:
			w = scalar{i: query.LongOf(math.Floor(w.f))}
		}
		if !ok {
			return 0, false, false
		}
		id, exact := s.find(w)
		return id, exact, true
	}
	switch {
	case s.kind == fields.Keyword:
		out.write = func(dst []byte, id int) []byte { return a.appendText(dst, s, id) }
	case s.kind == fields.Boolean:
		out.write = func(dst []byte, id int) []byte { return strconv.AppendBool(dst, s.integer(id) != 0) }
	case agg.Values.Format == "":
		out.write = func(dst []byte, id int) []byte { return appendNumberKey(dst, s, id) }
	default:
		write, err := s.keyFormat(agg, path)
		out.write = write
		return err
	}
	return nil
}

// rank is the digit of a value; id is -1 for none.
func (s *source) rank(id int) uint64 {
	if s.asked.Asc {
		return uint64(id + 1)
	}
	return s.base - 1 - uint64(id+1)
}

func (s *source) id(rank uint64) int {
	if !s.asked.Asc {
		rank = s.base - 1 - rank
	}
	return int(rank) - 1
}

// after finds the first combination after a key.
func (c *composite) after(values []query.Value, path string) error {
	passed := false // a value is between two keys, so the remaining digits are zeros
	for i := range values {
		s, v := &c.sources[i], &values[i]
		id, exact := -1, true
		if v.Kind != query.Null {
			var ok bool
			if id, exact, ok = s.parse(v); !ok {
				return badAgg(path, c.agg, "after."+s.asked.Name, "%.80q does not fit the type of field %.80q", v.Text, s.asked.Values.Field)
			}
		}
		c.least *= s.base // a digit beyond the base carries
		switch {
		case passed:
		case exact:
			c.least += s.rank(id)
		case s.asked.Asc:
			c.least += uint64(id) + 1
		default:
			c.least += s.base - 1 - uint64(id)
		}
		passed = passed || !exact
	}
	if values != nil && !passed {
		c.least++
	}
	return nil
}

// each calls f once for each combination of a document.
func (c *composite) each(d docID, i int, prefix uint64, f func(key uint64)) {
	if i == len(c.sources) {
		if prefix >= c.least {
			f(prefix)
		}
		return
	}
	s := &c.sources[i]
	n := 0
	s.r.all(d, func(id int) {
		n++
		c.each(d, i+1, prefix*s.base+s.rank(id), f)
	})
	if n == 0 && s.asked.MissingBucket {
		c.each(d, i+1, prefix*s.base+s.rank(-1), f)
	}
}

func (c *composite) evaluate(dst []byte, set *scorer.Bitset) []byte {
	a := c.a
	for i := range c.sources {
		c.sources[i].r = a.reader(c.sources[i].s, c.in.root)
	}
	if c.found == nil {
		c.found = make([]combination, 0, min(2*c.agg.Buckets.Size, firstCombinations)+firstCombinations)
	}
	a.counter.each(set, func(docs []docID) {
		c.combinations(docs, func(_ docID, key uint64) {
			if key > c.last {
				return
			}
			if i, ok := slices.BinarySearchFunc(c.found[:c.merged], key, combination.compare); ok {
				c.found[i].n++
				return
			}
			if c.found = append(c.found, combination{key, 1}); len(c.found) >= 2*c.agg.Buckets.Size+firstCombinations {
				c.merge()
			}
		})
		if grown := combinationBytes*cap(c.found) - c.lent; grown > 0 && a.allot(grown) {
			c.lent += grown
		}
	})
	c.merge()
	found := c.found
	if a.work.Failed() != nil || a.spend(len(found)) != nil {
		return nil
	}
	if dst = append(dst, '{'); len(found) > 0 {
		dst = append(c.appendKey(append(dst, `"after_key":`...), found[len(found)-1].key), ',')
	}
	bs := c.divide(set, found)
	bs.key = func(i, j int) int { return cmp.Compare(found[i].key, found[j].key) }
	bs.name = func(dst []byte, i int) []byte { return appendJSONString(dst, string(c.appendKey(nil, found[i].key))) }
	dst = a.appendBuckets(append(dst, `"buckets":[`...), c.subs, bs, func(dst []byte, i int) []byte {
		dst = c.appendKey(append(dst, `{"key":`...), found[i].key)
		return strconv.AppendUint(append(dst, `,"doc_count":`...), uint64(found[i].n), 10)
	})
	c.found, c.merged, c.last = found[:0], 0, noCombination
	return append(dst, "]}"...)
}

// firstCombinations is how many combinations are collected, in addition to twice the size, before they are merged.
const firstCombinations = 64

// merge sorts found, adds up equal combinations and keeps the first ones.
func (c *composite) merge() {
	if c.a.work.Charge(len(c.found)*bits.Len(uint(len(c.found)))/2) != nil {
		return
	}
	slices.SortFunc(c.found, func(x, y combination) int { return cmp.Compare(x.key, y.key) })
	kept := c.found[:0]
	for _, x := range c.found {
		if n := len(kept); n > 0 && kept[n-1].key == x.key {
			kept[n-1].n += x.n
		} else if n < c.agg.Buckets.Size {
			kept = append(kept, x)
		} else {
			break
		}
	}
	if c.found, c.merged = kept, len(kept); len(kept) > 0 && len(kept) == c.agg.Buckets.Size {
		c.last = kept[len(kept)-1].key
	}
}

// combinations calls f for each combination of the documents of a block.
func (c *composite) combinations(docs []docID, f func(d docID, key uint64)) {
	a, steps := c.a, 0
	if slices.ContainsFunc(c.sources, func(s source) bool { return s.r.first != nil }) {
		for _, d := range docs {
			c.each(d, 0, 0, func(key uint64) { f(d, key); steps += combinationSteps })
			if steps > scorer.LookEvery {
				if a.work.Charge(steps) != nil {
					return
				}
				steps = 0
			}
		}
		a.work.Charge(steps + len(docs)*len(c.sources))
		return
	}
	keys := a.memory.keys[:len(docs)]
	clear(keys)
	for i := range c.sources {
		s := &c.sources[i]
		for k, id := range s.r.groups(docs, a.memory.tally.ords[:]) {
			switch {
			case id == noGroup && !s.asked.MissingBucket || keys[k] == noCombination:
				keys[k] = noCombination
			default:
				keys[k] = keys[k]*s.base + s.rank(int(int32(id))) // noGroup is -1
			}
		}
	}
	for k, key := range keys {
		if key >= c.least && key != noCombination {
			f(docs[k], key)
		}
	}
	a.work.Charge(combinationSteps * len(docs))
}

func (c *composite) appendKey(dst []byte, key uint64) []byte {
	ids := c.ids
	for i := len(ids) - 1; i >= 0; i-- {
		s := &c.sources[i]
		ids[i] = s.id(key % s.base)
		key /= s.base
	}
	dst = append(dst, '{')
	for i := range c.sources {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendJSONString(dst, c.sources[i].asked.Name), ':')
		if ids[i] < 0 {
			dst = append(dst, "null"...)
		} else {
			dst = c.sources[i].write(dst, ids[i])
		}
	}
	return append(dst, '}')
}

// divide finds the documents of the buckets, if they have sub-aggregations.
func (c *composite) divide(set *scorer.Bitset, found []combination) buckets {
	if c.subs.empty() {
		return buckets{n: len(found), set: set}
	}
	return c.share.divide(c.a, set, len(found), len(c.sources), func(docs []docID) {
		c.combinations(docs, func(d docID, key uint64) {
			if i, ok := slices.BinarySearchFunc(found, key, combination.compare); ok {
				c.share.put(i, d)
			}
		})
	})
}
