// This file computes histograms: buckets by intervals of numbers or dates.

package aggs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
)

type histogram struct {
	a     *aggregator
	agg   *query.Agg
	s     *valuesSource
	path  string
	subs  *subs
	parts *parts
	keys  []int64 // of each interval, by id, ascending
	ends  []int64 // of each interval: the key of the next interval
	found []dateBucket
	axis
}

// axis is the line that a histogram divides into intervals. The key of an interval is its start in milliseconds, or
// its number.
type axis struct {
	at       func(ord int) int64 // position of an ordinal, in milliseconds or intervals
	dates    *snapshot.Numbers   // the positions, if they are the dates themselves; nil means that at computes them
	floor    func(at int64) int64
	even     bool  // the interval after another one begins at the key that next returns
	missing  int64 // the key of documents without a value
	next     func(key int64) int64
	name     func(dst []byte, key int64) []byte // writes the text of a key as JSON; nil if keys have no text
	number   func(dst []byte, key int64) []byte
	inside   func(key int64) bool // nil means that every key is
	min, max *int64               // keys of the first and the last bucket, with or without documents
}

// dateBucket is one interval. An interval that fills a gap has no id.
type dateBucket struct {
	key   int64
	id, n int
	at    int // position by key
}

func (a *aggregator) newHistogramOf(agg *query.Agg, s *valuesSource, path string, in scope, x axis) (evaluator, error) {
	h := &histogram{a: a, agg: agg, s: s, path: path, subs: a.inside(agg, path, in), axis: x}
	e := &columnEvaluator{collector: h, a: a, in: in}
	h.parts = &parts{of: e}
	return e, h.divide()
}

func (h *histogram) divide() error {
	s := h.s
	values := 0
	if s.col != nil {
		values = s.col.Distinct
	}
	if !h.a.allot(4 * values >> runBits) { // for the groups of documents
		return h.a.work.Failed()
	}
	end, key, after, step := 0, int64(0), int64(0), 1 // after: the key that follows
	for ord := 0; ord < values; {
		at := h.at(ord)
		if following := h.next(after); h.even && ord > 0 && at >= after && at < following {
			key, after = after, following
		} else {
			key = h.floor(at)
			after = h.next(key)
		}
		if ord == 0 {
			n := min(values, int(max(h.at(values-1)-key, 0)/max(after-key, 1))+1, firstIntervals) // differences may overflow
			m := h.a.memory
			h.keys, h.ends, s.starts = m.times.list(n + 1)[:0], m.times.list(n + 1)[:0], m.ints.list(n + 2)[:0]
		}
		next, looked := h.nextInterval(ord, values, step, after)
		step = next - ord
		if err := h.a.work.Charge(intervalSteps + looked); err != nil {
			return err
		}
		if h.inside == nil || h.inside(key) {
			if len(h.keys) == 0 || h.keys[len(h.keys)-1] != key {
				h.keys, h.ends, s.starts = append(h.keys, key), append(h.ends, after), append(s.starts, ord)
			}
			end = next
		}
		ord = next
	}
	s.starts = append(s.starts, end)
	if s.none >= 0 {
		h.place()
	}
	s.ids = len(h.keys)
	return nil
}

const (
	// intervalSteps is the work of finding an interval.
	intervalSteps = 8
	// firstIntervals limits the number of intervals for which memory is reserved at the start.
	firstIntervals = 256
)

// nextInterval returns the first ordinal at or after a key, and how many ordinals it read. The search begins at ord;
// guess is about the number of ordinals before the result.
func (h *histogram) nextInterval(ord, values, guess int, key int64) (next, looked int) {
	if h.dates != nil && key <= lastDate {
		return h.dates.SeekInt(ord, guess, key)
	}
	lo, hi := ord, values // lo is before the key, hi is not
	for step := guess; lo+step < values; step *= 2 {
		looked++
		if h.at(lo+step) >= key {
			hi = lo + step
			break
		}
		lo += step
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; h.at(mid) >= key {
			hi = mid
		} else {
			lo = mid
		}
		looked++
	}
	return hi, looked + 1
}

// place assigns documents without a value to an interval, if need be to a new one.
func (h *histogram) place() {
	s := h.s
	if s.own = false; h.inside != nil && !h.inside(h.missing) {
		s.none = -1
		return
	}
	id, found := slices.BinarySearch(h.keys, h.missing)
	if s.none = id; found {
		return
	}
	h.keys, h.ends = slices.Insert(h.keys, id, h.missing), slices.Insert(h.ends, id, h.next(h.missing))
	s.starts = slices.Insert(s.starts, id, s.starts[id])
}

func (h *histogram) values() *valuesSource { return h.s }
func (h *histogram) direct() bool          { return false }

func (h *histogram) take(id, n int) {
	if n >= h.agg.Buckets.MinDocCount {
		if h.found == nil {
			h.found = h.a.memory.intervals()
		}
		h.found = append(h.found, dateBucket{key: h.keys[id], id: id, n: n})
	}
}

func (h *histogram) finish(dst []byte, set *scorer.Bitset) []byte {
	h.a.work.Charge(len(h.found) * bits.Len(uint(len(h.found))))
	slices.SortFunc(h.found, func(a, b dateBucket) int { return cmp.Compare(a.key, b.key) })
	all := h.sort(h.fill(), set)
	h.a.memory.giveIntervals(h.found)
	h.found = nil
	if h.a.work.Failed() != nil {
		return nil
	}
	open, shut := `{"buckets":[`, "]}"
	if h.agg.Buckets.Keyed {
		open, shut = `{"buckets":{`, "}}"
	}
	dst = h.a.appendBuckets(append(dst, open...), h.subs, h.buckets(all, set), func(dst []byte, i int) []byte {
		if h.agg.Buckets.Keyed {
			dst = append(h.keyName(dst, all[i].key), ':')
		}
		if dst = append(dst, '{'); h.name != nil {
			dst = append(h.name(append(dst, `"key_as_string":`...), all[i].key), ',')
		}
		dst = h.number(append(dst, `"key":`...), all[i].key)
		return strconv.AppendInt(append(dst, `,"doc_count":`...), int64(all[i].n), 10)
	})
	h.a.memory.giveIntervals(all)
	return append(dst, shut...)
}

// keyName writes the name of a bucket in an object.
func (h *histogram) keyName(dst []byte, key int64) []byte {
	if h.name != nil {
		return h.name(dst, key)
	}
	start := len(dst)
	if dst = h.number(append(dst, '"'), key); dst[start+1] == '"' { // an infinite number is a string
		return append(dst[:start], dst[start+1:]...)
	}
	return append(dst, '"')
}

func (h *histogram) buckets(all []dateBucket, set *scorer.Bitset) buckets {
	ids := h.a.memory.ints.list(len(all))
	for i, b := range all {
		ids[i] = b.id
	}
	bs := h.parts.buckets(h.subs, ids, set)
	bs.key = func(i, j int) int { return cmp.Compare(all[i].key, all[j].key) }
	bs.name = func(dst []byte, i int) []byte { return h.keyName(dst, all[i].key) }
	bs.at = func(i int) float64 { return keyNumber(h.number(nil, all[i].key)) }
	bs.gap = func(i int) bool { return all[i].id < 0 }
	return bs
}

// keyNumber is the number that is written for a key.
func keyNumber(text []byte) float64 {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return math.NaN()
	}
	return f
}

// fill adds empty intervals between the others and up to the bounds, unless min_doc_count excludes them.
func (h *histogram) fill() (all []dateBucket) {
	add := func(b dateBucket) bool {
		b.at = len(all)
		all = append(all, b)
		return h.a.spend(1) == nil
	}
	empty := func(from, to int64) int64 { // adds the intervals from from up to to, without to
		for ; from < to && add(dateBucket{key: from, id: -1}); from = h.next(from) {
		}
		return from
	}
	fills := h.agg.Buckets.MinDocCount == 0
	all = h.a.memory.intervals()
	if len(h.found) == 0 && fills && h.min != nil && h.max != nil {
		if last := empty(*h.min, *h.max); last == *h.max {
			add(dateBucket{key: last, id: -1})
		}
		return all
	}
	for i, b := range h.found {
		switch {
		case !fills:
		case i > 0:
			empty(h.ends[h.found[i-1].id], b.key)
		case h.min != nil:
			empty(*h.min, b.key)
		}
		if h.a.work.Failed() != nil || !add(b) {
			return all
		}
	}
	if n := len(all); n > 0 && fills && h.max != nil && all[n-1].key < *h.max {
		if last := empty(h.next(all[n-1].key), *h.max); last == *h.max {
			add(dateBucket{key: last, id: -1})
		}
	}
	return all
}

func (h *histogram) sort(all []dateBucket, set *scorer.Bitset) []dateBucket {
	if len(h.agg.Buckets.Order) == 0 || h.a.work.Failed() != nil {
		return all
	}
	values := h.subs.orderValues(h.agg.Buckets.Order, h.buckets(all, set))
	if h.a.work.Charge(len(all)*bits.Len(uint(len(all)))*len(h.agg.Buckets.Order)) != nil {
		return all
	}
	slices.SortFunc(all, func(a, b dateBucket) int {
		byKey := func() int { return cmp.Compare(a.key, b.key) }
		if c := compareBy(h.agg.Buckets.Order, values, a.n, b.n, a.at, b.at, byKey); c != 0 {
			return c
		}
		return byKey()
	})
	return all
}
