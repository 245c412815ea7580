// This file is the part of the twin of aggregations for ranges, histograms, rare terms,
// composites and pipelines.

package searchtest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (w *aggTwin) histogram(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) []aggObject {
	interval := o["calendar_interval"].(string)
	groups := aggGroup(o, docs, func(v any) any { return aggInterval(interval, int64(v.(float64)), 0) })
	var first, last int64 = math.MaxInt64, math.MinInt64
	for k := range groups {
		first, last = min(first, k.(int64)), max(last, k.(int64))
	}
	bs := []aggObject{}
	for k := first; k <= last && len(groups) > 0; k = aggInterval(interval, k, 1) {
		if docs := groups[k]; len(docs) >= o["min_doc_count"].(int) {
			b := bucket(docs)
			b["key"] = float64(k)
			if kind := aggKind(o["field"].(string)); kind == "date" || kind == "none" {
				b["key_as_string"] = aggISO(k)
			}
			bs = append(bs, b)
		}
	}
	for len(bs) > 0 && bs[0]["doc_count"] == 0 {
		bs = bs[1:]
	}
	aggSort(bs, o, aggObject{"_key": "asc"})
	return bs
}

// aggOrderOf is the order that an aggregation asks for; empty for none.
func aggOrderOf(o aggObject) aggObject {
	order, _ := o["order"].(aggObject)
	return order
}

// aggInterval is the start of an interval, n further on.
func aggInterval(interval string, ms int64, n int) int64 {
	t := time.UnixMilli(ms).UTC()
	y, m, d := t.Date()
	switch interval {
	case "week":
		for t.Weekday() != time.Monday {
			t = t.AddDate(0, 0, -1)
		}
		y, m, d = t.Date()
		d += 7 * n
	case "month":
		m, d = m+time.Month(n), 1
	case "quarter":
		m, d = (m-1)/3*3+1+time.Month(3*n), 1
	case "year":
		y, m, d = y+n, 1, 1
	}
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// ranges counts items in each range: from the first bound, below the second.
func (w *aggTwin) ranges(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) aggObject {
	list := slices.Clone(o["ranges"].([]any))
	bound := func(r any, name string, none float64) float64 {
		if v, ok := r.(aggObject)[name]; ok {
			return float64(v.(int))
		}
		return none
	}
	from := func(r any) float64 { return bound(r, "from", math.Inf(-1)) }
	to := func(r any) float64 { return bound(r, "to", math.Inf(1)) }
	slices.SortStableFunc(list, func(a, b any) int { return cmp.Or(cmp.Compare(from(a), from(b)), cmp.Compare(to(a), to(b))) })
	bs := []aggObject{}
	for _, r := range list {
		b := bucket(aggKeep(docs, func(d map[string][]any) bool {
			return slices.ContainsFunc(aggValues(o, d), func(v any) bool { return v.(float64) >= from(r) && v.(float64) < to(r) })
		}))
		key := "*-*"
		if _, ok := r.(aggObject)["from"]; ok {
			b["from"] = from(r)
			key = fmt.Sprintf("%.1f-*", from(r))
		}
		if _, ok := r.(aggObject)["to"]; ok {
			b["to"] = to(r)
			key = strings.TrimSuffix(key, "*") + fmt.Sprintf("%.1f", to(r))
		}
		b["key"] = key
		bs = append(bs, b)
	}
	return aggObject{"buckets": bs}
}

// numbers is a histogram of numbers, whose intervals and offsets are integers.
func (w *aggTwin) numbers(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) []aggObject {
	interval, offset := float64(o["interval"].(int)), float64(o["offset"].(int))
	floor := func(v float64) float64 { return float64(math.Floor((v-offset)/interval)*interval) + offset }
	groups := aggGroup(o, docs, func(v any) any { return floor(v.(float64)) })
	if hard, ok := o["hard_bounds"].(aggObject); ok {
		for k := range groups {
			if v := k.(float64) - offset; v < float64(hard["min"].(int)) || v > float64(hard["max"].(int)) {
				delete(groups, k)
			}
		}
	}
	first, last := math.Inf(1), math.Inf(-1)
	for k := range groups {
		first, last = min(first, k.(float64)), max(last, k.(float64))
	}
	if e, ok := o["extended_bounds"].(aggObject); ok && o["min_doc_count"] == 0 {
		first, last = min(first, floor(float64(e["min"].(int)))), max(last, floor(float64(e["max"].(int))))
	}
	bs := []aggObject{}
	for k := first; k <= last; k += interval {
		if docs := groups[k]; len(docs) >= o["min_doc_count"].(int) {
			b := bucket(docs)
			b["key"] = k
			bs = append(bs, b)
		}
	}
	aggSort(bs, o, aggObject{"_key": "asc"})
	return bs
}

// aggKey sets the key of a bucket of values.
func aggKey(b aggObject, kind string, k any) {
	b["key"] = k
	switch kind {
	case "date":
		b["key_as_string"] = aggISO(int64(k.(float64)))
	case "bool":
		b["key_as_string"] = fmt.Sprint(k != 0.0)
	}
}

func (w *aggTwin) rare(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) aggObject {
	kind := aggKind(o["field"].(string))
	bs := []aggObject{}
	for k, docs := range aggGroup(o, docs, func(v any) any { return v }) {
		if len(docs) > o["max_doc_count"].(int) {
			continue
		}
		b := bucket(docs)
		aggKey(b, kind, k)
		bs = append(bs, b)
	}
	aggSort(bs, o, aggObject{"_count": "asc"})
	return aggObject{"buckets": bs}
}

// compositeValues are the distinct keys that values have in a source.
func compositeValues(source aggObject, vs []any) (keys []any) {
	for _, v := range vs {
		if interval, ok := source["calendar_interval"].(string); ok {
			v = float64(aggInterval(interval, int64(v.(float64)), 0))
		} else if interval, ok := source["interval"].(int); ok {
			v = math.Floor(v.(float64)/float64(interval)) * float64(interval)
		}
		if !slices.Contains(keys, v) {
			keys = append(keys, v)
		}
	}
	return keys
}

// composite makes each item's combinations of values, null for none, and sorts them.
func (w *aggTwin) composite(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) aggObject {
	type combination struct {
		values []any
		docs   []map[string][]any
	}
	var sources []aggObject
	var names []string
	for _, s := range o["sources"].([]any) {
		for name, t := range s.(aggObject) {
			names = append(names, name)
			for _, of := range t.(aggObject) {
				sources = append(sources, of.(aggObject))
			}
		}
	}
	all := map[string]*combination{}
	for _, d := range docs {
		list := [][]any{nil}
		for _, s := range sources {
			vs := compositeValues(s, d[s["field"].(string)])
			if len(vs) == 0 && s["missing_bucket"] == true {
				vs = []any{nil}
			}
			var longer [][]any
			for _, c := range list {
				for _, v := range vs {
					longer = append(longer, append(slices.Clip(c), v))
				}
			}
			list = longer
		}
		for _, c := range list {
			key := fmt.Sprintf("%#v", c)
			if all[key] == nil {
				all[key] = &combination{values: c}
			}
			all[key].docs = append(all[key].docs, d)
		}
	}
	compare := func(a, b []any) int {
		for i, s := range sources {
			c := 0
			switch {
			case a[i] == nil || b[i] == nil:
				c = map[bool]int{true: 1}[b[i] == nil] - map[bool]int{true: 1}[a[i] == nil]
			default:
				c = aggCompare(a[i], b[i])
			}
			if s["order"] == "desc" {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return 0
	}
	var list []*combination
	after, _ := o["after"].(aggObject)
	for _, c := range all {
		if after != nil {
			key := make([]any, len(names))
			for i, name := range names {
				if key[i] = after[name]; key[i] != nil {
					key[i] = aggParse(after[name], aggKind(sources[i]["field"].(string)))
				}
			}
			if compare(c.values, key) <= 0 {
				continue
			}
		}
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *combination) int { return compare(a.values, b.values) })
	list = list[:min(len(list), o["size"].(int))]
	out := aggObject{}
	bs := []aggObject{}
	for _, c := range list {
		key := aggObject{}
		for i, v := range c.values {
			if key[names[i]] = v; aggKind(sources[i]["field"].(string)) == "bool" && v != nil {
				key[names[i]] = v != 0.0
			}
		}
		b := bucket(c.docs)
		b["key"] = key
		bs = append(bs, b)
		out["after_key"] = key
	}
	out["buckets"] = bs
	return out
}

func aggIsPipeline(a aggObject) bool {
	for kind := range a {
		if strings.HasSuffix(kind, "_bucket") || strings.HasPrefix(kind, "bucket_") {
			return true
		}
	}
	return false
}

// aggPipeline computes a pipeline from the results at its level. Gaps are left out, or zeros.
func aggPipeline(a, results, aggs aggObject) any {
	for kind, v := range a {
		if strings.HasPrefix(kind, "bucket_") { // aggScripted computes it
			return nil
		}
		o := v.(aggObject)
		name, path, _ := strings.Cut(o["buckets_path"].(string), ">")
		var values []float64
		var keys []string
		for _, b := range results[name].(aggObject)["buckets"].([]aggObject) {
			var f float64
			if path == "_count" {
				f = float64(b["doc_count"].(int))
			} else {
				f, _ = aggOrderValue(b, path).(float64)
				if gap := b["doc_count"] == 0 || math.IsNaN(f) || math.IsInf(f, 0); gap && o["gap_policy"] != "insert_zeros" {
					continue
				} else if gap {
					f = 0
				}
			}
			values = append(values, f)
			key := aggKeyText(b)
			if read, ok := aggs[name].(aggObject)["terms"].(aggObject); ok {
				if kind := aggKind(read["field"].(string)); (kind == "float" || kind == "double") && !strings.Contains(key, ".") {
					key += ".0"
				}
			}
			keys = append(keys, key)
		}
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		if kind == "sum_bucket" {
			return aggObject{"value": sum}
		}
		if len(values) == 0 {
			return aggObject{"value": nil, "keys": []string{}}
		}
		best := slices.Max(values)
		if kind == "min_bucket" {
			best = slices.Min(values)
		}
		at := []string{}
		for i, v := range values {
			if v == best {
				at = append(at, keys[i])
			}
		}
		return aggObject{"value": best, "keys": at}
	}
	return nil
}

func aggKeyText(b aggObject) string {
	if s, ok := b["key_as_string"]; ok {
		return s.(string)
	}
	if f, ok := b["key"].(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return b["key"].(string)
}

func (w *aggTwin) terms(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) aggObject {
	kind := aggKind(o["field"].(string))
	same := func(v any) any { return v }
	groups := aggGroup(o, docs, same)
	if o["min_doc_count"] == 0 && !w.gap {
		for k := range aggGroup(o, w.docs, same) {
			groups[k] = append(groups[k], nil...)
		}
		if m, ok := o["missing"]; ok && kind == "string" {
			groups[m] = append(groups[m], nil...)
		}
	}
	listed := func(member string, k any) (listed, given bool) {
		list, given := o[member].([]any)
		return slices.ContainsFunc(list, func(v any) bool { return aggParse(v, kind) == k }), given
	}
	var bs []aggObject
	var few []int // the counts below min_doc_count
	other := 0
	for k, docs := range groups {
		in, given := listed("include", k)
		if out, _ := listed("exclude", k); out || given && !in {
			continue
		}
		if len(docs) < o["min_doc_count"].(int) {
			few = append(few, len(docs))
			continue
		}
		b := bucket(docs)
		aggKey(b, kind, k)
		bs = append(bs, b)
		other += len(docs)
	}
	aggSort(bs, o, aggObject{"_count": "desc"})
	wrong, byCount, told := 0, true, o["size"].(int)*3/2+10
	for path, dir := range aggOrderOf(o) {
		byCount = path == "_count" && dir == "desc"
		if path != "_key" && !byCount && len(bs) >= told {
			wrong = -1
		}
	}
	slices.Sort(few)
	for _, n := range few[:max(len(few)-max(told-len(bs), 0), 0)] { // beyond what a shard tells
		if byCount {
			other += n
		}
	}
	bs = bs[:min(len(bs), o["size"].(int))]
	for _, b := range bs {
		other -= b["doc_count"].(int)
	}
	return aggObject{"doc_count_error_upper_bound": wrong, "sum_other_doc_count": other, "buckets": append([]aggObject{}, bs...)}
}
