// This file is the twin of the aggregations: it makes random items,
// and answers bodies by going through decoded items with maps, without any index.

package searchtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// aggObject is a JSON object.
type aggObject = map[string]any

// aggItems makes items whose paths have few values, many, several or none.
func aggItems(rnd *rand.Rand, n int) []string {
	items := make([]string, n)
	for i := range items {
		var data []string
		maybe := func(format string, args ...any) {
			if rnd.IntN(5) > 0 {
				data = append(data, fmt.Sprintf(format, args...))
			}
		}
		maybe(`"cat":"c%d"`, rnd.IntN(8))
		maybe(`"tags":["t%d","t%d","t%d"]`, rnd.IntN(30), rnd.IntN(30), rnd.IntN(30))
		maybe(`"n":%d`, rnd.IntN(1999)-999)
		maybe(`"m":[%d,%d]`, rnd.IntN(6), rnd.IntN(6))
		maybe(`"x":%.2f`, float64(rnd.IntN(64)+1)/4)
		maybe(`"ok":%t`, rnd.IntN(3) > 0)
		maybe(`"when":["20%02d-%02d-11","2019-%02d-%02dT%02d:00:00Z"]`, 17+rnd.IntN(4), 1+rnd.IntN(12), 1+rnd.IntN(12), 1+rnd.IntN(28), rnd.IntN(24))
		maybe(`"size":[%s,%s]`, aggPick(rnd, aggSizes), aggPick(rnd, aggSizes))
		maybe(`"day":[%s,%s]`, aggPick(rnd, aggDays), aggPick(rnd, aggDays))
		items[i] = aggItem(i, "{"+strings.Join(data, ",")+"}")
	}
	// some item has each path, and fills each sub-field
	items[0] = aggItem(0, `{"cat":"c1","tags":["t1"],"n":1,"m":[1],"x":0.25,"ok":true,"when":["2019-01-01"],"size":["12","true"],"day":["2019-05-01","true","7"]}`)
	return items
}

// aggSizes are values of several kinds, and aggDays too, all whose dates lie in few years.
var (
	aggSizes = []string{`"204800"`, `"12"`, "12", "12.0", `"1.50"`, "1.75", "7", `"7e0"`, `"big"`, `""`, "true", `"true"`, `"false"`, `"2019"`}
	aggDays  = []string{`"2019-05-01"`, "1556668800000", `"1556668800000"`, `"1546300800000"`, `"soon"`, `"2018"`, "2019", "false", `"2020-02-29T10:00:00Z"`}
)

// aggField is a field bodies ask about.
type aggField struct{ name, kind string }

var (
	aggKeywords = []aggField{{"Data.cat.keyword", "string"}, {"Data.tags.keyword", "string"}, {"ContentID.keyword", "string"}, {"Data.nope.keyword", "none"},
		{"Data.n.keyword", "string"}, {"Data.x.keyword", "string"}, {"Data.ok.keyword", "string"}, {"Data.when.keyword", "string"}, {"CreatedAt.keyword", "string"},
		{"Data.size.keyword", "string"}, {"Data.day.keyword", "string"}, {"_id", "string"}, {"_index", "string"}}
	aggNumbers = []aggField{{"Data.n", "long"}, {"Data.m", "long"}, {"Data.x", "float"}, {"Data.ok", "bool"}, {"CreatedAt", "date"}, {"Data.when", "date"}, {"Data.nope", "none"}, {"_seq_no", "long"},
		{"Data.n.long", "long"}, {"Data.n.double", "double"}, {"Data.n.date", "date"}, {"Data.n.boolean", "none"}, {"Data.x.long", "long"}, {"Data.x.double", "double"},
		{"Data.ok.boolean", "bool"}, {"CreatedAt.date", "date"}, {"Data.when.date", "date"}, {"Data.when.long", "none"}, {"Data.cat.double", "none"},
		{"Data.size.long", "long"}, {"Data.size.double", "double"}, {"Data.size.boolean", "bool"}, {"Data.size.date", "date"},
		{"Data.day.long", "long"}, {"Data.day.boolean", "bool"}, {"Data.day.date", "date"}}
	aggDates = []aggField{{"CreatedAt", "date"}, {"Data.when", "date"}, {"CreatedAt.date", "date"}, {"Data.when.date", "date"}, {"Data.day.date", "date"},
		{"Data.n.double", "double"}, {"Data.size.long", "long"}, {"Data.nope.date", "none"}}
)

// aggKind finds a field's kind.
func aggKind(name string) string {
	for _, f := range append(aggKeywords, aggNumbers...) {
		if f.name == name {
			return f.kind
		}
	}
	return ""
}

// aggTwin is items as maps from paths to their distinct values: strings, or numbers
// (dates in milliseconds, booleans 0 and 1).
type aggTwin struct {
	docs []map[string][]any
	env  string
	many bool // Elasticsearch expects several buckets around
	gap  bool // a histogram around has filled a gap
}

func newAggTwin(t testing.TB, items []string, env string) *aggTwin {
	w := &aggTwin{env: env}
	for i, s := range items {
		var v any
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		doc := map[string][]any{"_index": {env}, "_seq_no": {float64(i)}}
		aggFlatten(doc, "", v)
		w.docs = append(w.docs, doc)
	}
	return w
}

func aggFlatten(doc map[string][]any, path string, v any) {
	switch v := v.(type) {
	case aggObject:
		for k, e := range v {
			aggFlatten(doc, strings.TrimPrefix(path+"."+k, "."), e)
		}
	case []any:
		for _, e := range v {
			aggFlatten(doc, path, e)
		}
	default:
		text := fmt.Sprint(v)
		aggSubFields(doc, path, text)
		if kind := aggKind(path); kind != "" {
			aggPut(doc, path, aggParse(text, kind))
		}
		if path == "ContentID" {
			aggPut(doc, "_id", text)
		}
	}
}

// aggSubFields puts a value into the sub-fields that it fills.
func aggSubFields(doc map[string][]any, path, text string) {
	aggPut(doc, path+".keyword", text)
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		aggPut(doc, path+".double", f)
		aggPut(doc, path+".long", math.Trunc(f))
	}
	if text == "true" || text == "false" {
		aggPut(doc, path+".boolean", aggParse(text, "bool"))
	}
	if ms, ok := aggTime(text); ok {
		aggPut(doc, path+".date", ms)
	}
}

func aggPut(doc map[string][]any, path string, v any) {
	if !slices.Contains(doc[path], v) {
		doc[path] = append(doc[path], v)
	}
}

func aggDate(s string) float64 {
	ms, ok := aggTime(s)
	if !ok {
		panic(s)
	}
	return ms
}

func (w *aggTwin) matching(keep func(map[string][]any) bool) (docs []map[string][]any) {
	for _, d := range w.docs {
		if keep(d) {
			docs = append(docs, d)
		}
	}
	return docs
}

// answer is what a body's aggregations come to over some items.
func (w *aggTwin) answer(aggs aggObject, docs []map[string][]any) aggObject {
	out := aggObject{}
	for name, a := range aggs {
		if !aggIsPipeline(a.(aggObject)) {
			out[name] = aggScripted(a.(aggObject), w.one(a.(aggObject), docs))
		}
	}
	for name, a := range aggs {
		if aggIsPipeline(a.(aggObject)) {
			if r := aggPipeline(a.(aggObject), out, aggs); r != nil {
				out[name] = r
			}
		}
	}
	return out
}

func (w *aggTwin) one(a aggObject, docs []map[string][]any) aggObject {
	subs, _ := a["aggs"].(aggObject)
	inner := *w
	inner.many = w.many || aggDivides(a)
	bucket := func(docs []map[string][]any) aggObject {
		inner.gap = w.gap || len(docs) == 0 && (a["histogram"] != nil || a["date_histogram"] != nil || a["auto_date_histogram"] != nil)
		b := inner.answer(subs, docs)
		b["doc_count"] = len(docs)
		return b
	}
	for kind, v := range a {
		switch kind {
		case "meta":
		case "filter":
			return bucket(aggKeep(docs, aggFilters[string(v.(json.RawMessage))]))
		case "filters":
			out := aggObject{}
			for name, f := range v.(aggObject)["filters"].(aggObject) {
				out[name] = bucket(aggKeep(docs, aggFilters[string(f.(json.RawMessage))]))
			}
			if other, ok := v.(aggObject)["other_bucket_key"]; ok {
				out[other.(string)] = bucket(aggKeep(docs, func(d map[string][]any) bool {
					for _, f := range v.(aggObject)["filters"].(aggObject) {
						if aggFilters[string(f.(json.RawMessage))](d) {
							return false
						}
					}
					return true
				}))
			}
			return aggObject{"buckets": out}
		case "missing":
			name := v.(aggObject)["field"].(string)
			return bucket(aggKeep(docs, func(d map[string][]any) bool { return len(d[name]) == 0 }))
		case "global":
			return bucket(w.docs)
		case "range":
			return w.ranges(v.(aggObject), docs, bucket)
		case "histogram":
			return aggObject{"buckets": w.numbers(v.(aggObject), docs, bucket)}
		case "rare_terms":
			return w.rare(v.(aggObject), docs, bucket)
		case "composite":
			return w.composite(v.(aggObject), docs, bucket)
		case "top_hits":
			return w.topHits(v.(aggObject), docs)
		case "significant_terms":
			return w.significant(v.(aggObject), docs, bucket)
		case "terms":
			return w.terms(v.(aggObject), docs, bucket)
		case "date_histogram":
			return aggObject{"buckets": w.histogram(v.(aggObject), docs, bucket)}
		case "adjacency_matrix":
			bs, of := []aggObject{}, v.(aggObject)["filters"].(aggObject)
			for _, x := range slices.Sorted(maps.Keys(of)) {
				for _, y := range slices.Sorted(maps.Keys(of)) {
					both := aggKeep(aggKeep(docs, aggFilters[string(of[x].(json.RawMessage))]), aggFilters[string(of[y].(json.RawMessage))])
					if x > y || len(both) == 0 {
						continue
					}
					b := bucket(both)
					if b["key"] = x; x < y {
						b["key"] = x + "&" + y
					}
					bs = append(bs, b)
				}
			}
			return aggObject{"buckets": bs}
		case "auto_date_histogram":
			return w.auto(v.(aggObject), docs, bucket)
		case "aggs":
		default:
			if out := aggMetric(kind, v.(aggObject), docs); out != nil {
				return out
			}
			return aggNumber(kind, v.(aggObject), docs)
		}
	}
	return nil
}

func aggKeep(docs []map[string][]any, keep func(map[string][]any) bool) (out []map[string][]any) {
	for _, d := range docs {
		if keep(d) {
			out = append(out, d)
		}
	}
	return out
}

// aggParse reads a value of a body as one of a field.
func aggParse(v any, kind string) any {
	s := fmt.Sprint(v)
	switch kind {
	case "date":
		return aggDate(s)
	case "bool":
		return map[bool]float64{true: 1}[s == "true"]
	case "long", "float", "double":
		var f float64
		fmt.Sscan(s, &f)
		return f
	}
	return s
}

// aggValues is an item's values of an aggregation's field, with its missing.
func aggValues(o aggObject, d map[string][]any) []any {
	name := o["field"].(string)
	vs := d[name]
	if m, ok := o["missing"]; ok && len(vs) == 0 {
		vs = []any{aggParse(m, aggKind(name))}
	}
	return vs
}

// aggNone is what an order compares where an answer has null.
type aggNone float64

// MarshalJSON writes null.
func (aggNone) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// aggNumber is an aggregation that is a number, or several.
func aggNumber(kind string, o aggObject, docs []map[string][]any) aggObject {
	count, sum, lo, hi := 0, 0.0, math.Inf(1), math.Inf(-1)
	distinct := map[any]bool{}
	for _, d := range docs {
		for _, v := range aggValues(o, d) {
			count++
			distinct[v] = true
			f, _ := v.(float64)
			sum, lo, hi = sum+f, min(lo, f), max(hi, f)
		}
	}
	all := aggObject{"min": lo, "max": hi, "avg": sum / float64(count), "sum": sum}
	text := func(v float64) any { return nil }
	switch aggKind(o["field"].(string)) {
	case "date":
		text = func(v float64) any { return aggISO(int64(v)) }
	case "bool":
		text = func(v float64) any { return fmt.Sprint(v != 0) }
		if kind == "stats" {
			text = func(v float64) any { return v != 0 }
		}
	}
	switch kind {
	case "value_count":
		return aggObject{"value": count}
	case "cardinality":
		return aggObject{"value": len(distinct)}
	case "stats":
		out := aggObject{"count": count, "min": aggNone(lo), "max": aggNone(hi), "avg": aggNone(math.NaN()), "sum": 0}
		for k, v := range all {
			if count > 0 {
				out[k] = v
				if s := text(v.(float64)); s != nil {
					out[k+"_as_string"] = s
				}
			}
		}
		return out
	}
	v := all[kind].(float64)
	if count == 0 && kind != "sum" {
		return aggObject{"value": aggNone(v)}
	}
	out := aggObject{"value": v}
	if s := text(v); s != nil {
		out["value_as_string"] = s
	}
	return out
}

// aggISO is a time as text; years of five digits have a sign.
func aggISO(ms int64) string {
	s := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
	if len(s) > len("2006-01-02T15:04:05.000Z") {
		s = "+" + s
	}
	return s
}

// aggGroup divides items by what key makes of their values.
func aggGroup(o aggObject, docs []map[string][]any, key func(any) any) map[any][]map[string][]any {
	groups := map[any][]map[string][]any{}
	for _, d := range docs {
		var met []any
		for _, v := range aggValues(o, d) {
			if k := key(v); !slices.Contains(met, k) {
				met = append(met, k)
				groups[k] = append(groups[k], d)
			}
		}
	}
	return groups
}

// aggSort orders buckets as o says, and by key among equals.
func aggSort(bs []aggObject, o aggObject, def aggObject) {
	order, ok := o["order"].(aggObject)
	if !ok {
		order = def
	}
	slices.SortFunc(bs, func(a, b aggObject) int {
		for path, dir := range order {
			x, y := aggOrderValue(a, path), aggOrderValue(b, path)
			c := aggCompare(x, y)
			if dir == "desc" {
				c = -c
			}
			if aggNaN(x) || aggNaN(y) {
				c = map[bool]int{true: 1}[aggNaN(x)] - map[bool]int{true: 1}[aggNaN(y)]
			}
			if c != 0 {
				return c
			}
		}
		return aggCompare(a["key"], b["key"])
	})
}

func aggNaN(v any) bool { f, ok := v.(float64); return ok && f != f }

// aggOrderValue is what a bucket is ordered by; what has no value is infinite, or none.
func aggOrderValue(b aggObject, path string) any {
	switch path {
	case "_count":
		return float64(b["doc_count"].(int))
	case "_key":
		return b["key"]
	}
	name, part, _ := strings.Cut(strings.TrimSuffix(strings.Replace(path, "[", ".", 1), "]"), ".")
	sub := b[name].(aggObject)
	if n, ok := sub["doc_count"]; ok {
		return float64(n.(int))
	}
	if part == "" {
		part = "value"
	}
	switch v := aggPart(sub, part).(type) {
	case int:
		return float64(v)
	case aggNone:
		return float64(v)
	case aggMaybe:
		return float64(v)
	default:
		return v
	}
}

func aggCompare(a, b any) int {
	if s, ok := a.(string); ok {
		return strings.Compare(s, b.(string))
	}
	x, y := a.(float64), b.(float64)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
