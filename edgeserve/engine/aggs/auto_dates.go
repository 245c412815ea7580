// This file computes histograms of dates that choose their interval from the dates of each set, as
// Elasticsearch does.

package aggs

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// dateUnit is a unit of intervals: how many of its intervals may form one bucket, and its approximate length.
type dateUnit struct {
	name, letter string
	multiples    []int
	about        time.Duration
}

func (u *dateUnit) most() int { return u.multiples[len(u.multiples)-1] }

const aDay = 24 * time.Hour

var dateUnits = []dateUnit{
	{"second", "s", []int{1, 5, 10, 30}, time.Second},
	{"minute", "m", []int{1, 5, 10, 30}, time.Minute},
	{"hour", "h", []int{1, 3, 12}, time.Hour},
	{"day", "d", []int{1, 7}, aDay},
	{"month", "M", []int{1, 3}, 30 * aDay},
	{"year", "y", []int{1, 5, 10, 20, 50, 100}, 365 * aDay},
}

// autoDates counts the documents of a set by their dates, then chooses the interval, then counts the
// documents of each interval. It sorts dates only where their number in an interval decides.
type autoDates struct {
	of    *columnEvaluator
	a     *aggregator
	agg   *query.Agg
	s     *valuesSource
	subs  *subs
	units []dateUnit
	cuts  []rounding // of units
	write func(dst []byte, ms int64) []byte
	found []dated
	first int64 // the least date of found
	final int64 // the greatest one
	lent  int   // bytes of found that have been charged
	share *share

	sorted bool // found is in order
}

// dated is a date of documents, in sixteen bytes.
type dated struct {
	ms    int64
	id, n uint32
}

func (a *aggregator) newAutoDates(agg *query.Agg, path string, in scope) (evaluator, error) {
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	h := &autoDates{a: a, agg: agg, s: s, share: a.memory.share(), subs: a.inside(agg, path, in), units: dateUnits}
	h.of = &columnEvaluator{collector: h, a: a, in: in}
	zone, write, err := dateWriter(agg, path)
	if s.kind == fields.Date || agg.Values.Format != "" {
		h.write = write
	}
	for h.units[0].name != agg.Buckets.Interval {
		h.units = h.units[1:]
	}
	for _, u := range h.units {
		h.cuts = append(h.cuts, rounding{interval: u.name, zone: zone})
	}
	return ofSets{h.of}, err
}

func (h *autoDates) values() *valuesSource { return h.s }
func (h *autoDates) direct() bool          { return false }

func (h *autoDates) take(id, n int) {
	ms := h.date(id)
	if h.first, h.final = min(h.first, ms), max(h.final, ms); len(h.found) == 0 {
		h.first, h.final, h.sorted = ms, ms, false
		h.found, h.a.memory.dates = h.a.memory.dates[:0], nil
	}
	h.found = append(h.found, dated{ms: ms, id: uint32(id), n: uint32(n)})
}

// date returns the date of a group in milliseconds.
func (h *autoDates) date(id int) int64 {
	ms := h.s.missing.i
	if !h.s.isOwn(id) {
		ms = h.s.date(id)
	} else if h.s.missing.fraction {
		ms = toMillis(h.s.missing.f)
	}
	return min(max(ms, -lastDate), lastDate)
}

func (h *autoDates) finish(dst []byte, set *scorer.Bitset) []byte {
	a := h.a
	defer func() {
		if cap(h.found) > cap(a.memory.dates) { // nested aggregations may have left some
			a.memory.dates = h.found
		}
		h.found = nil
	}()
	if grown := 16*len(h.found) - h.lent; grown > 0 && a.allot(grown) {
		h.lent += grown
	}
	if a.work.Charge(4*len(h.found)) != nil {
		return nil
	}
	keys, interval := h.intervals(set)
	if a.work.Failed() != nil {
		return nil
	}
	all := make([]dateBucket, len(keys))
	for i, key := range keys {
		all[i] = dateBucket{key: key, at: i}
	}
	bs := h.divide(all, set)
	if a.spend(len(all)) != nil {
		return nil
	}
	bs.key = func(i, j int) int { return cmp.Compare(all[i].key, all[j].key) }
	bs.name = func(dst []byte, i int) []byte { return h.name(dst, all[i].key) }
	bs.at = func(i int) float64 { return float64(all[i].key) }
	bs.gap = func(i int) bool { return all[i].n == 0 }
	dst = a.appendBuckets(append(dst, `{"buckets":[`...), h.subs, bs, func(dst []byte, i int) []byte {
		if dst = append(dst, '{'); h.write != nil {
			dst = append(h.write(append(dst, `"key_as_string":`...), all[i].key), ',')
		}
		dst = strconv.AppendInt(append(dst, `"key":`...), all[i].key, 10)
		return strconv.AppendInt(append(dst, `,"doc_count":`...), int64(all[i].n), 10)
	})
	return append(append(append(dst, `],"interval":"`...), interval...), `"}`...)
}

func (h *autoDates) name(dst []byte, key int64) []byte {
	if h.write != nil {
		return h.write(dst, key)
	}
	return append(strconv.AppendInt(append(dst, '"'), key, 10), '"')
}

// divide counts the documents of the buckets, which are in order. It collects the documents if the buckets have
// sub-aggregations.
func (h *autoDates) divide(all []dateBucket, set *scorer.Bitset) buckets {
	a, s := h.a, h.s
	single := s.col == nil || s.col.Single
	at := func(ms int64) int {
		i, _ := slices.BinarySearchFunc(all, ms, func(b dateBucket, ms int64) int {
			if b.key <= ms {
				return -1
			}
			return 1
		})
		return i - 1
	}
	i, start, end := 0, int64(0), int64(0) // of the last date; most often the next date is in the same interval
	bucket := func(k int) int {
		if ms := h.found[k].ms; ms < start || ms >= end {
			i = at(ms)
			if start, end = all[i].key, lastDate+1; i+1 < len(all) {
				end = all[i+1].key
			}
		}
		return i
	}
	if single {
		for k := range h.found {
			all[bucket(k)].n += int(h.found[k].n)
		}
		if h.subs.empty() {
			return buckets{n: len(all), set: set}
		}
	}
	slots := a.slots(s.ids) // by id: its bucket plus 1
	for k := range h.found {
		slots[h.found[k].id] = uint32(bucket(k)) + 1
	}
	r := h.of.reader()
	bs := h.share.divide(a, set, len(all), 1, func(docs []docID) {
		for _, d := range docs {
			last := uint32(0)
			r.all(d, func(id int) { // in the order of their dates
				if b := slots[id]; b != last {
					last = b
					h.share.put(int(b)-1, d)
				}
			})
		}
	})
	for k := range h.found {
		slots[h.found[k].id] = 0
	}
	if a.work.Failed() != nil {
		return buckets{}
	}
	for i := range all {
		all[i].n = h.share.count(i)
	}
	return bs
}

// intervals chooses the interval for the dates that were found, and returns the start of each.
func (h *autoDates) intervals(set *scorer.Bitset) (keys []int64, name string) {
	if len(h.found) == 0 {
		return nil, "1" + h.units[0].letter
	}
	last := len(h.units) - 1
	first, final := h.first, h.final
	unit := h.unit(set)
	unit = h.fitting(h.cuts[unit].floor(first), h.cuts[unit].floor(final), unit)
	for ; ; unit++ {
		if keys = h.starts(unit, first, final); h.a.work.Failed() != nil || unit == last || len(keys) <= h.limit(unit) {
			break
		}
	}
	n := 1
	for _, m := range h.units[unit].multiples {
		if (len(keys)+m-1)/m <= h.agg.Buckets.Size {
			n = m
			break
		}
	}
	merged := keys[:0]
	for i := 0; i < len(keys); i += n {
		merged = append(merged, keys[i])
	}
	return merged, strconv.Itoa(n) + h.units[unit].letter
}

// fitting returns the first unit, from a given unit on, whose intervals from first to final are within its limit. It
// does not count the intervals of units that are far too short.
func (h *autoDates) fitting(first, final int64, unit int) int {
	last := len(h.units) - 1
	for i := unit + 1; i <= last; i++ {
		if (final-first)/h.units[i].about.Milliseconds() < int64(h.limit(i)) {
			unit = i - 1
			break
		}
	}
	for ; unit < last; unit++ {
		n := 0
		for key := first; key < final && n <= h.limit(unit); n++ {
			key = h.cuts[unit].next(key)
		}
		if h.a.work.Charge(8*n) != nil || n <= h.limit(unit) {
			break
		}
	}
	return unit
}

// starts returns the starts of all intervals, from the interval of first to the interval of final.
func (h *autoDates) starts(unit int, first, final int64) (keys []int64) {
	r := &h.cuts[unit]
	for key := r.floor(first); key <= final; key = r.next(key) {
		if keys = append(keys, key); len(keys) > query.MaxBuckets {
			h.a.spend(len(keys))
			return nil
		}
	}
	h.a.work.Charge(8 * len(keys))
	return keys
}
