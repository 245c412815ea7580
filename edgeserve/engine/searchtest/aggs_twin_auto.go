// This file is the part of the twin of aggregations for histograms that choose their interval, and for
// texts that are dates.

package searchtest

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// aggUnit is a unit of intervals, its multiples and its length about.
type aggUnit struct {
	name, letter string
	multiples    []int
	about        time.Duration
}

var aggUnits = []aggUnit{
	{"second", "s", []int{1, 5, 10, 30}, time.Second}, {"minute", "m", []int{1, 5, 10, 30}, time.Minute}, {"hour", "h", []int{1, 3, 12}, time.Hour},
	{"day", "d", []int{1, 7}, 24 * time.Hour}, {"month", "M", []int{1, 3}, 720 * time.Hour}, {"year", "y", []int{1, 5, 10, 20, 50, 100}, 8760 * time.Hour},
}

// start is the start of an interval, n further on.
func (u aggUnit) start(ms int64, n int) int64 {
	if u.about > 24*time.Hour {
		return aggInterval(u.name, ms, n)
	}
	return time.UnixMilli(ms).Add(time.Duration(n) * u.about).Truncate(u.about).UnixMilli()
}

// auto continues from the unit of the dates until the intervals with the gaps are few enough.
func (w *aggTwin) auto(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) aggObject {
	units, target := aggUnits, o["buckets"].(int)
	for units[0].name != o["minimum_interval"] {
		units = units[1:]
	}
	first, last := int64(1<<62), int64(-1<<62)
	for v := range aggGroup(o, docs, func(v any) any { return v }) {
		first, last = min(first, int64(v.(float64))), max(last, int64(v.(float64)))
	}
	if first > last {
		return aggObject{"buckets": []aggObject{}, "interval": "1" + units[0].letter}
	}
	var keys []int64
	whole := func(i int) bool { // with gaps
		u := units[i]
		most := target * u.multiples[len(u.multiples)-1]
		keys = nil
		for k := u.start(first, 0); k <= last && (len(keys) <= most || i == len(units)-1); k = u.start(k, 1) {
			keys = append(keys, k)
		}
		return len(keys) <= most
	}
	i := w.autoUnit(o, docs, units)
	for !whole(i) && i < len(units)-1 {
		i++
	}
	n := 1
	for _, m := range units[i].multiples {
		if (len(keys)+m-1)/m <= target {
			n = m
			break
		}
	}
	starts := map[int64]int64{}
	for k, key := range keys {
		starts[key] = keys[k/n*n]
	}
	groups := aggGroup(o, docs, func(v any) any { return starts[units[i].start(int64(v.(float64)), 0)] })
	bs := []aggObject{}
	for _, key := range slices.Compact(slices.Sorted(maps.Values(starts))) {
		b := bucket(groups[key])
		b["key"] = float64(key)
		if kind := aggKind(o["field"].(string)); kind == "date" || kind == "none" {
			b["key_as_string"] = aggISO(key)
		}
		bs = append(bs, b)
	}
	return aggObject{"buckets": bs, "interval": fmt.Sprint(n, units[i].letter)}
}

// aggDivides reports whether Elasticsearch expects several buckets of an aggregation.
func aggDivides(a aggObject) bool {
	for kind, v := range a {
		switch kind {
		case "filter", "missing", "global":
			return false
		case "range":
			return len(v.(aggObject)["ranges"].([]any)) > 1
		}
	}
	return true // filters are two at least
}

// autoUnit goes through the dates as Elasticsearch does: with the first date that is too many or too far away it turns
// to longer units. Inside several buckets it estimates how many buckets are left then.
func (w *aggTwin) autoUnit(o aggObject, docs []map[string][]any, units []aggUnit) int {
	i, n, last := 0, 0, len(units)-1
	keys := map[int64]bool{}
	var first, final int64
	again := func() {
		old := keys
		keys = map[int64]bool{}
		for key := range old {
			keys[units[i].start(key, 0)] = true
		}
		n = len(keys)
	}
	few := func(i int) bool {
		most := o["buckets"].(int) * units[i].multiples[len(units[i].multiples)-1]
		return n <= most && final-first <= int64(most)*units[i].about.Milliseconds()
	}
	wasted, enough := 0, 1000
	for _, d := range docs {
		var ms []int64
		for _, v := range aggValues(o, d) {
			ms = append(ms, int64(v.(float64)))
		}
		slices.Sort(ms)
		for _, ms := range ms {
			key := units[i].start(ms, 0)
			if keys[key] || i == last {
				continue
			}
			if len(keys) == 0 {
				first, final = key, key
			}
			first, final = min(first, key), max(final, key)
			keys[key] = true
			n++
			from, before := i, n
			for more := !few(i); more; more = i < last && !few(i) {
				if i++; w.many {
					n = int(math.Ceil(float64(before) * (float64(units[from].about) / float64(units[i].about))))
				} else {
					again()
				}
			}
			if i == from || !w.many {
				continue
			}
			first, final = units[i].start(first, 0), units[i].start(final, 0)
			if wasted += before - n; wasted > enough {
				again()
				wasted, enough = 0, 2*enough
			}
		}
	}
	for again(); w.many && i < last && n > o["buckets"].(int)*units[i].multiples[len(units[i].multiples)-1]; again() {
		i++
	}
	return i
}

// aggTime reads a date: a day, an instant, a year, or milliseconds, whose fraction does
// not count.
func aggTime(s string) (ms float64, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return float64(t.UnixMilli()), true
		}
	}
	whole, _, _ := strings.Cut(s, ".")
	n, err := strconv.ParseUint(whole, 10, 63)
	_, number := strconv.ParseFloat(s, 64)
	return float64(n), err == nil && number == nil
}
