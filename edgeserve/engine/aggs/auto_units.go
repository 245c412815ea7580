// This file chooses the unit of the intervals of auto_date_histogram. Elasticsearch goes to the next unit while it
// reads documents, and rounds dates by the unit of that moment. So near the limits of a unit the order of the
// documents decides.

package aggs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

const (
	// replaySteps is the work of rounding a date and remembering its interval.
	replaySteps = 16
	// firstRebucket is the number of obsolete buckets that Elasticsearch tolerates before it counts again.
	firstRebucket = 1000
)

// divides reports whether Elasticsearch expects several buckets of an aggregation.
func divides(agg *query.Agg) bool {
	switch agg.Kind {
	case query.AggFilter, query.AggMissing, query.AggGlobal:
		return false
	case query.AggFilters:
		return len(agg.Filters.List) > 1 || len(agg.Filters.List) == 1 && agg.Filters.Other != ""
	case query.AggRange, query.AggDateRange:
		return len(agg.Options.(*query.Ranges).Ranges) > 1
	}
	return true
}

// unit returns the unit after all documents of a set.
func (h *autoDates) unit(set *scorer.Bitset) int {
	last := len(h.units) - 1
	unit := 0
	for ; unit < last; unit++ {
		// Whatever unit rounded the dates before, their span is between these two.
		least, most := h.cuts[unit].floor(h.final)-h.first, h.final-h.cuts[unit].floor(h.first)
		if least > h.span(unit) {
			continue
		}
		switch n := h.occupied(unit); {
		case n > h.limit(unit):
		case n+h.surplus(unit) > h.limit(unit) || most > h.span(unit):
			unit = h.replay(set)
			for unit < last && h.occupied(unit) > h.limit(unit) {
				unit++
			}
			return unit
		default:
			return unit
		}
	}
	return unit
}

// limit is the greatest number of intervals of a unit that can be joined into the requested number of buckets.
func (h *autoDates) limit(unit int) int { return h.agg.Buckets.Size * h.units[unit].most() }

// span is the length of limit intervals in milliseconds.
func (h *autoDates) span(unit int) int64 {
	return int64(h.limit(unit)) * h.units[unit].about.Milliseconds()
}

// surplus is the number of intervals that Elasticsearch may count too many below several buckets, where it estimates
// how many intervals of a shorter unit become one.
func (h *autoDates) surplus(unit int) int {
	if !h.of.in.many || unit == 0 {
		return 0
	}
	return h.estimate(h.limit(unit-1)+1, unit-1, unit)
}

// estimate converts n intervals of a shorter unit to intervals of a unit.
func (h *autoDates) estimate(n, shorter, unit int) int {
	return int(math.Ceil(float64(n) * (float64(h.units[shorter].about.Milliseconds()) / float64(h.units[unit].about.Milliseconds()))))
}

// occupied counts the intervals of a unit that have dates, up to one above its limit. If the intervals from the first
// to the last date are few enough, it counts them all.
func (h *autoDates) occupied(unit int) int {
	n, end := 0, int64(0)
	for key := h.cuts[unit].floor(h.first); key <= h.final && n <= h.limit(unit); n++ {
		key = h.cuts[unit].next(key)
	}
	if h.a.work.Charge(8*n) != nil || n+h.surplus(unit) <= h.limit(unit) {
		return n
	}
	if !h.sorted {
		if h.a.work.Charge(len(h.found)*bits.Len(uint(len(h.found)))) != nil {
			return n
		}
		slices.SortFunc(h.found, func(a, b dated) int { return cmp.Compare(a.ms, b.ms) })
		h.sorted = true
	}
	n = 0
	for i := range h.found {
		if ms := h.found[i].ms; i == 0 || ms >= end {
			key := h.cuts[unit].floor(ms)
			end = h.cuts[unit].next(key)
			if n++; n > h.limit(unit) {
				break
			}
		}
	}
	h.a.work.Charge(len(h.found) + 8*n)
	return n
}

// replay returns the unit that Elasticsearch has after the documents of a set, in their order. Below
// several buckets it rounds the first and the last date again with each unit, but counts its intervals
// again only now and then.
func (h *autoDates) replay(set *scorer.Bitset) int {
	last, many := len(h.units)-1, h.of.in.many
	unit, n := 0, 0
	first, final := int64(math.MaxInt64), int64(math.MinInt64)
	keys := map[int64]struct{}{}
	again := func() { // keys by the unit
		before := keys
		keys = map[int64]struct{}{}
		for key := range before {
			keys[h.cuts[unit].floor(key)] = struct{}{}
		}
		n = len(keys)
		h.a.work.Charge(replaySteps * len(before))
	}
	exceeds := func() bool { return n > h.limit(unit) || final-first > h.span(unit) }
	wasted, rebucket := 0, firstRebucket
	add := func(key int64) {
		if _, ok := keys[key]; ok {
			return
		}
		keys[key] = struct{}{}
		n++
		if first, final = min(first, key), max(final, key); !exceeds() {
			return
		}
		shorter, before := unit, n
		for unit == shorter || unit < last && exceeds() {
			if unit++; many {
				n = h.estimate(before, shorter, unit)
			} else {
				again()
			}
		}
		if !many {
			return
		}
		first, final = h.cuts[unit].floor(first), h.cuts[unit].floor(final)
		if wasted += before - n; wasted > rebucket {
			again()
			wasted, rebucket = 0, 2*rebucket
		}
	}
	r := h.of.reader()
	for d := set.From(0); d != noMore && unit < last && h.a.work.Charge(replaySteps) == nil; d = set.From(d + 1) {
		r.values(d, func(id int) {
			if unit < last {
				h.a.work.Charge(replaySteps)
				add(h.cuts[unit].floor(h.date(id)))
			}
		})
	}
	return unit
}
