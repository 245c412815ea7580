// This file is the part of the twin of aggregations for histograms that choose their interval, and for
// texts that are dates.

package searchtest

import (
	"fmt"
	"maps"
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

// auto goes from the shortest unit on until the intervals are few enough, with the gaps and without.
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
	few := func(i int) bool { // without gaps
		u := units[i]
		most := target * u.multiples[len(u.multiples)-1]
		found := aggGroup(o, docs, func(v any) any { return u.start(int64(v.(float64)), 0) })
		return len(found) <= most && u.start(last, 0)-u.start(first, 0) <= int64(most)*u.about.Milliseconds()
	}
	whole := func(i int) bool { // with gaps
		u := units[i]
		most := target * u.multiples[len(u.multiples)-1]
		keys = nil
		for k := u.start(first, 0); k <= last && (len(keys) <= most || i == len(units)-1); k = u.start(k, 1) {
			keys = append(keys, k)
		}
		return len(keys) <= most
	}
	i := 0
	for i < len(units)-1 && !few(i) {
		i++
	}
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
