// This file computes composite aggregations: a bucket for each combination of values, in order.

package aggs

import (
	"cmp"
	"math"
	"math/bits"
	"strconv"
	"time"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

// composite numbers combinations so that their order is that of the buckets: a combination is a
// number whose digits are the ranks of its values.
type composite struct {
	a       *aggregator
	agg     *query.Agg
	in      place
	sources []source
	least   uint64 // the first combination that may be in the result
	subs    *subs
	counts  map[uint64]uint32
	share   *share
}

// source is one digit. The rank of a value is its id and one more, or that from the end.
type source struct {
	*query.CompositeSource
	s     *valuesSource
	h     *histogram // nil for terms
	r     *reader
	base  uint64 // ranks: a value for each id, and one for none
	write func(dst []byte, id int) []byte
	parse func(v *query.Value) (id int, exact, ok bool)
}

const (
	// combinationSteps is the work of counting one combination of a document.
	combinationSteps = 8
	// combinationBytes is about the memory of one that was not met before.
	combinationBytes = 32
)

func (a *aggregator) newComposite(agg *query.Agg, path string, in place) (evaluator, error) {
	if in.nested {
		return nil, badAgg(path, agg, "", "composite stands at the top or in a filter, not in the buckets of others")
	}
	o := agg.Options.(*query.Composite)
	c := &composite{a: a, agg: agg, in: in, share: a.memory.share(), subs: a.inside(agg, path, in), counts: map[uint64]uint32{}}
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
	out := source{CompositeSource: cs}
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
			f, err := strconv.ParseFloat(v.Text, 64)
			o := agg.Options.(*query.Histogram)
			id, exact := out.h.find(int64(math.Round(f / o.Interval)))
			return id, exact, err == nil
		}
	default:
		x, err = a.dateAxis(agg, s, path)
		var zone *time.Location
		if err == nil {
			zone, err = zoneOf(agg, path)
		}
		out.parse = func(v *query.Value) (int, bool, bool) {
			ms, ok := a.parseDate(v, agg.Format, zone)
			id, exact := out.h.find(ms)
			return id, exact, ok
		}
	}
	if err != nil {
		return out, err
	}
	if agg.Format == "" {
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

// find returns the first interval that begins at key or after it.
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

// terms prepares a source of values as they are.
func (out *source) terms(a *aggregator, path string) error {
	s, agg := out.s, &out.Agg
	out.parse = func(v *query.Value) (int, bool, bool) {
		if s.kind == fields.Date {
			ms, ok := a.parseDate(v, agg.Format, time.UTC)
			id, exact := s.find(scalar{i: ms, f: float64(ms)})
			return id, exact, ok
		}
		w, ok := a.scalar(s, *v)
		if !ok {
			return 0, false, false
		}
		id, exact := s.find(w)
		return id, exact, true
	}
	switch {
	case s.kind == fields.Keyword:
		out.write = s.appendText
	case s.kind == fields.Boolean:
		out.write = func(dst []byte, id int) []byte { return strconv.AppendBool(dst, s.integer(id) != 0) }
	case agg.Format == "":
		out.write = func(dst []byte, id int) []byte { return appendNumberKey(dst, s, id) }
	default:
		write, err := numberName(agg, s, path, func(id int64) float64 { return s.number(int(id)) })
		out.write = func(dst []byte, id int) []byte { return write(dst, int64(id)) }
		return err
	}
	return nil
}

// rank is the digit of a value; id is -1 for none.
func (s *source) rank(id int) uint64 {
	if s.Asc {
		return uint64(id + 1)
	}
	return s.base - 1 - uint64(id+1)
}

func (s *source) id(rank uint64) int {
	if !s.Asc {
		rank = s.base - 1 - rank
	}
	return int(rank) - 1
}

// after finds the first combination after a key.
func (c *composite) after(values []query.Value, path string) error {
	for i := range values {
		s, v := &c.sources[i], &values[i]
		id, exact := -1, true
		if v.Kind != query.Null {
			var ok bool
			if id, exact, ok = s.parse(v); !ok {
				return badAgg(path, c.agg, "after."+s.Name, "%.80q does not fit the type of field %.80q", v.Text, s.Field)
			}
		}
		var digit uint64
		switch {
		case exact:
			digit = s.rank(id)
		case s.Asc:
			digit = uint64(id) + 1
		default:
			digit = s.base - 1 - uint64(id)
		}
		c.least = c.least*s.base + digit
		if !exact { // the digits that follow are zeros; one beyond the base carries
			for _, s := range c.sources[i+1:] {
				c.least *= s.base
			}
			return nil
		}
	}
	if values != nil {
		c.least++
	}
	return nil
}

// each calls f for each combination of a document.
func (c *composite) each(d docID, i int, prefix uint64, f func(key uint64)) {
	if i == len(c.sources) {
		if prefix >= c.least {
			f(prefix)
		}
		return
	}
	s := &c.sources[i]
	n := 0
	s.r.values(d, func(id int) {
		n++
		c.each(d, i+1, prefix*s.base+s.rank(id), f)
	})
	if n == 0 && s.MissingBucket {
		c.each(d, i+1, prefix*s.base+s.rank(-1), f)
	}
}

func (c *composite) over(dst []byte, set *iter.Bitset) []byte {
	a := c.a
	for i := range c.sources {
		c.sources[i].r = a.reader(c.sources[i].s, c.in.root)
	}
	a.each(set, func(docs []docID) {
		met, steps := len(c.counts), 0
		for _, d := range docs {
			c.each(d, 0, 0, func(key uint64) { c.counts[key]++; steps += combinationSteps })
			if steps > iter.LookEvery && a.Charge(steps) != nil {
				return
			} else if steps > iter.LookEvery {
				steps = 0
			}
		}
		a.Charge(steps + len(docs)*len(c.sources))
		a.allot(combinationBytes * (len(c.counts) - met))
	})
	if a.Failed() != nil {
		return nil
	}
	top := iter.NewTopK(a.WorkLimit, c.agg.Size, 1, func(x, y uint64) int { return cmp.Compare(x, y) })
	for key := range c.counts {
		top.Add(key)
	}
	keys := top.Sorted()
	if a.spend(len(keys)) != nil {
		return nil
	}
	if dst = append(dst, '{'); len(keys) > 0 {
		dst = append(c.appendKey(append(dst, `"after_key":`...), keys[len(keys)-1]), ',')
	}
	bs := c.divide(set, keys)
	bs.key = func(i, j int) int { return cmp.Compare(keys[i], keys[j]) }
	bs.name = func(dst []byte, i int) []byte { return appendJSONString(dst, string(c.appendKey(nil, keys[i]))) }
	dst = a.appendBuckets(append(dst, `"buckets":[`...), c.subs, bs, func(dst []byte, i int) []byte {
		dst = c.appendKey(append(dst, `{"key":`...), keys[i])
		return strconv.AppendUint(append(dst, `,"doc_count":`...), uint64(c.counts[keys[i]]), 10)
	})
	clear(c.counts)
	return append(dst, "]}"...)
}

func (c *composite) appendKey(dst []byte, key uint64) []byte {
	ids := make([]int, len(c.sources))
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
		dst = append(appendJSONString(dst, c.sources[i].Name), ':')
		if ids[i] < 0 {
			dst = append(dst, "null"...)
		} else {
			dst = c.sources[i].write(dst, ids[i])
		}
	}
	return append(dst, '}')
}

// divide finds the documents of the buckets, if anything is computed for them.
func (c *composite) divide(set *iter.Bitset, keys []uint64) buckets {
	if len(c.subs.list) == 0 && c.subs.watch == nil {
		return buckets{n: len(keys), set: set}
	}
	at := make(map[uint64]int, len(keys))
	for i, k := range keys {
		at[k] = i
	}
	return c.share.divide(c.a, set, len(keys), combinationSteps*len(c.sources), func(docs []docID) {
		for _, d := range docs {
			c.each(d, 0, 0, func(key uint64) {
				if i, ok := at[key]; ok {
					c.share.put(i, d)
				}
			})
		}
	})
}
