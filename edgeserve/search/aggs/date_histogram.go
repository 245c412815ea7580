// This file computes date histograms: buckets by calendar interval, in UTC.

package aggs

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"time"

	"contentedge/edgeserve/analysis"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/fields"
	"contentedge/edgeserve/search/iter"
)

type histogram struct {
	a      *aggregator
	agg    *query.Agg
	s      *valuesSource
	path   string
	keys   []int64 // start of each interval, by id, ascending
	format func(dst []byte, ms int64) []byte
	found  []dateBucket
}

// dateBucket is one interval. An interval that fills a gap has no id.
type dateBucket struct {
	key   int64
	id, n int
	at    int // position by key
}

func (a *aggregator) histogram(agg *query.Agg, s *valuesSource, path string) (*histogram, error) {
	h := &histogram{a: a, agg: agg, s: s, path: path}
	if s.kind == fields.Date {
		h.format = appendISODate
	}
	if agg.Format != "" {
		var ok bool
		if h.format, ok = dateFormat(agg.Format); !ok {
			return nil, badAgg(path, agg, "format", "%.80q is no date format that is known here: use %s", agg.Format, dateFormats)
		}
	}
	return h, h.divide()
}

func (h *histogram) divide() error {
	s := h.s
	values := 0
	if s.col != nil {
		values = s.col.Distinct
	}
	s.group = make([]uint32, values)
	var next int64
	for ord := range values {
		ms := s.date(ord)
		if ord == 0 || ms >= next {
			key := floorDate(h.agg.Interval, ms)
			if len(h.keys) == 0 || h.keys[len(h.keys)-1] != key {
				h.keys, s.starts = append(h.keys, key), append(s.starts, ord)
			}
			next = nextDate(h.agg.Interval, key)
		}
		s.group[ord] = uint32(len(h.keys) - 1)
		if err := h.a.Charge(1); err != nil {
			return err
		}
	}
	s.starts = append(s.starts, values)
	if s.none >= 0 {
		h.place()
	}
	s.ids = len(h.keys)
	return nil
}

// date returns the value of an ordinal in milliseconds.
func (s *valuesSource) date(ord int) int64 {
	if n := s.v.Numbers(); !n.IsFloat() {
		return min(max(n.Int(ord), -lastDate), lastDate)
	}
	return toMillis(s.v.Numbers().Float(ord))
}

// place assigns documents without a value to an interval, which may be a new one.
func (h *histogram) place() {
	s := h.s
	ms := s.missing.i
	if s.missing.fraction {
		ms = toMillis(s.missing.f)
	}
	key := floorDate(h.agg.Interval, min(max(ms, -lastDate), lastDate))
	id, found := slices.BinarySearch(h.keys, key)
	s.none, s.own = id, false
	if found {
		return
	}
	h.keys = slices.Insert(h.keys, id, key)
	s.starts = slices.Insert(s.starts, id, s.starts[id])
	for ord := s.starts[id]; ord < len(s.group); ord++ {
		s.group[ord]++
	}
}

func (h *histogram) values() *valuesSource { return h.s }
func (h *histogram) direct() bool          { return false }

func (h *histogram) take(id, n int) {
	if n >= h.agg.MinDocCount {
		h.found = append(h.found, dateBucket{key: h.keys[id], id: id, n: n})
	}
}

func (h *histogram) finish(dst []byte, set *iter.Bitset) []byte {
	h.a.Charge(len(h.found) * bits.Len(uint(len(h.found))))
	slices.SortFunc(h.found, func(a, b dateBucket) int { return cmp.Compare(a.key, b.key) })
	all := h.sort(h.fill(), set)
	h.found = h.found[:0]
	if h.a.Failed() != nil {
		return nil
	}
	dst = append(dst, `{"buckets":[`...)
	return h.a.appendBuckets(dst, h.agg, h.path, h.buckets(all, set), func(dst []byte, i int) []byte {
		if h.format != nil {
			dst = append(h.format(append(dst, `"key_as_string":`...), all[i].key), ',')
		}
		dst = strconv.AppendInt(append(dst, `"key":`...), all[i].key, 10)
		return strconv.AppendInt(append(dst, `,"doc_count":`...), int64(all[i].n), 10)
	})
}

func (h *histogram) buckets(all []dateBucket, set *iter.Bitset) buckets {
	bs := buckets{of: h.s, ids: make([]int, len(all)), set: set}
	for i, b := range all {
		bs.ids[i] = b.id
	}
	return bs
}

// fill adds the empty intervals between the others, unless min_doc_count excludes them.
func (h *histogram) fill() (all []dateBucket) {
	for _, b := range h.found {
		if h.agg.MinDocCount == 0 && len(all) > 0 {
			for k := nextDate(h.agg.Interval, all[len(all)-1].key); k < b.key && h.a.spend(1) == nil; k = nextDate(h.agg.Interval, k) {
				all = append(all, dateBucket{key: k, id: -1, at: len(all)})
			}
		}
		if h.a.spend(1) != nil {
			break
		}
		b.at = len(all)
		all = append(all, b)
	}
	return all
}

func (h *histogram) sort(all []dateBucket, set *iter.Bitset) []dateBucket {
	if len(h.agg.Order) == 0 || h.a.Failed() != nil {
		return all
	}
	values := h.a.orderValues(h.agg, h.path, h.buckets(all, set))
	if h.a.Charge(len(all)*bits.Len(uint(len(all)))*len(h.agg.Order)) != nil {
		return all
	}
	slices.SortFunc(all, func(a, b dateBucket) int {
		byKey := func() int { return cmp.Compare(a.key, b.key) }
		if c := compareBy(h.agg.Order, values, a.n, b.n, a.at, b.at, byKey); c != 0 {
			return c
		}
		return byKey()
	})
	return all
}

// fixedIntervals holds the intervals of constant length, in milliseconds.
var fixedIntervals = map[string]int64{
	"minute": time.Minute.Milliseconds(),
	"hour":   time.Hour.Milliseconds(),
	"day":    24 * time.Hour.Milliseconds(),
	"week":   7 * 24 * time.Hour.Milliseconds(),
}

// firstMonday is the first Monday after the epoch, in milliseconds.
var firstMonday = 4 * 24 * time.Hour.Milliseconds()

// floorDate returns the start of the interval that contains a time.
func floorDate(interval string, ms int64) int64 {
	if n, ok := fixedIntervals[interval]; ok {
		var first int64
		if interval == "week" {
			first = firstMonday
		}
		rest := (ms - first) % n
		if rest < 0 {
			rest += n
		}
		return ms - rest
	}
	t := time.UnixMilli(ms).UTC()
	month := t.Month()
	switch interval {
	case "quarter":
		month -= (month - 1) % 3
	case "year":
		month = time.January
	}
	return time.Date(t.Year(), month, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

var monthsOf = map[string]time.Month{"month": 1, "quarter": 3, "year": 12}

func nextDate(interval string, ms int64) int64 {
	if n, ok := fixedIntervals[interval]; ok {
		return ms + n
	}
	t := time.UnixMilli(ms).UTC()
	return time.Date(t.Year(), t.Month()+monthsOf[interval], 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}

func appendISODate(dst []byte, ms int64) []byte {
	return appendJSONString(dst, analysis.FormatDate(ms))
}
