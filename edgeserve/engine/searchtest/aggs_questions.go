// This file makes random bodies with aggregations for the twin to answer.

package searchtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// aggMaker makes random bodies.
type aggMaker struct {
	rnd     *rand.Rand
	deepest int // the first of aggs' depths
}

// query is a query and what it means.
func (g *aggMaker) query() (string, func(map[string][]any) bool) {
	n := g.rnd.IntN(1000) - 500
	c := fmt.Sprintf("c%d", g.rnd.IntN(8))
	switch g.rnd.IntN(9) {
	case 7:
		return fmt.Sprintf(`{"range":{"Data.size.double":{"lt":%d}}}`, n), func(d map[string][]any) bool {
			return slices.ContainsFunc(d["Data.size.double"], func(v any) bool { return v.(float64) < float64(n) })
		}
	case 8:
		return `{"prefix":{"Data.n":"1"}}`, func(d map[string][]any) bool {
			return slices.ContainsFunc(d["Data.n.keyword"], func(v any) bool { return strings.HasPrefix(v.(string), "1") })
		}
	case 4, 5:
		words := []string{fmt.Sprint("t", g.rnd.IntN(35)), fmt.Sprint("t", g.rnd.IntN(30))}[:1+g.rnd.IntN(2)]
		return fmt.Sprintf(`{"match":{"Data.tags":%q}}`, strings.Join(words, " ")), func(d map[string][]any) bool {
			return slices.ContainsFunc(d["Data.tags.keyword"], func(v any) bool { return slices.Contains(words, v.(string)) })
		}
	case 0:
		return `{"match_none":{}}`, func(map[string][]any) bool { return false }
	case 1:
		return fmt.Sprintf(`{"range":{"Data.n":{"gte":%d}}}`, n), func(d map[string][]any) bool {
			return slices.ContainsFunc(d["Data.n"], func(v any) bool { return v.(float64) >= float64(n) })
		}
	case 2:
		return fmt.Sprintf(`{"term":{"Data.cat.keyword":%q}}`, c), func(d map[string][]any) bool { return slices.Contains(d["Data.cat.keyword"], any(c)) }
	case 3:
		return `{"exists":{"field":"Data.tags"}}`, func(d map[string][]any) bool { return len(d["Data.tags.keyword"]) > 0 }
	}
	return `{"match_all":{}}`, func(map[string][]any) bool { return true }
}

// aggFilters are the filters of the twin's bodies by their text.
var aggFilters = map[string]func(map[string][]any) bool{}

func (g *aggMaker) filter() json.RawMessage {
	q, keep := g.query()
	aggFilters[q] = keep
	return json.RawMessage(q)
}

func aggPick[T any](rnd *rand.Rand, of []T) T { return of[rnd.IntN(len(of))] }

// aggs makes an object of aggregations; deep is how many levels may follow.
func (g *aggMaker) aggs(deep int) aggObject {
	g.deepest = max(g.deepest, deep)
	out := aggObject{}
	for i := range 1 + g.rnd.IntN(2) {
		out[fmt.Sprintf("a%d", i)] = g.agg(deep)
	}
	g.pipeline(out)
	return out
}

func (g *aggMaker) agg(deep int) aggObject {
	if g.rnd.IntN(5) == 0 {
		return g.metric()
	}
	if g.rnd.IntN(3) == 0 {
		kind := aggPick(g.rnd, []string{"value_count", "cardinality", "min", "max", "avg", "sum", "stats"})
		fields := aggNumbers
		if kind == "value_count" || kind == "cardinality" {
			fields = append(fields[:len(fields):len(fields)], aggKeywords...)
		}
		f := aggPick(g.rnd, fields)
		return aggObject{kind: g.missing(aggObject{"field": f.name}, f.kind)}
	}
	if g.rnd.IntN(8) == 0 {
		return g.topHits()
	}
	a := aggObject{}
	if deep > 1 && g.rnd.IntN(2) == 0 {
		a["aggs"] = g.aggs(deep - 1)
	}
	if g.rnd.IntN(6) == 0 {
		a["significant_terms"] = g.significant()
		return a
	}
	switch g.rnd.IntN(11) {
	case 9:
		a["adjacency_matrix"] = aggObject{"filters": aggObject{"p": g.filter(), "q": g.filter(), "r": g.filter()}}
	case 8:
		f := aggPick(g.rnd, aggDates)
		a["auto_date_histogram"] = g.missing(aggObject{"field": f.name, "buckets": 1 + g.rnd.IntN(40), "minimum_interval": aggPick(g.rnd, aggUnits).name}, f.kind)
	case 0:
		a["filter"] = g.filter()
	case 1:
		o := aggObject{"filters": aggObject{"p": g.filter(), "q": g.filter()}}
		if g.rnd.IntN(2) == 0 {
			o["other_bucket_key"] = "rest"
		}
		a["filters"] = o
	case 3:
		f := aggPick(g.rnd, slices.Concat(aggNumbers, aggKeywords))
		a["missing"] = aggObject{"field": f.name}
	case 4:
		o := g.numeric()
		list := []any{}
		for range 1 + g.rnd.IntN(4) {
			r, from := aggObject{}, g.rnd.IntN(12)-3
			if g.rnd.IntN(4) > 0 {
				r["from"] = from
			}
			if g.rnd.IntN(4) > 0 {
				r["to"] = from + g.rnd.IntN(600)
			}
			list = append(list, r)
		}
		o["ranges"] = list
		a["range"] = o
	case 5:
		o := g.numeric()
		o["interval"], o["offset"], o["min_doc_count"] = 5*(1+g.rnd.IntN(40)), g.rnd.IntN(5), g.rnd.IntN(3)
		if n := g.rnd.IntN(100); n < 30 {
			o["extended_bounds"] = aggObject{"min": -n, "max": 3 * n}
		} else if n < 60 {
			o["hard_bounds"] = aggObject{"min": -n, "max": 3 * n}
		}
		if o["field"] == "Data.size.double" || o["field"] == "Data.size.long" || o["field"] == "Data.day.long" {
			o["field"] = "Data.n"
		}
		g.order(a, o)
		a["histogram"] = o
	case 6:
		f := aggPick(g.rnd, append([]aggField{{"Data.n", "long"}, {"Data.when", "date"}, {"Data.ok", "bool"}}, aggKeywords...))
		a["rare_terms"] = g.missing(aggObject{"field": f.name, "max_doc_count": 1 + g.rnd.IntN(4)}, f.kind)
	case 7:
		if g.deepest != deep {
			return g.agg(deep)
		}
		a["composite"] = g.composite()
	case 2:
		f := aggPick(g.rnd, aggDates)
		o := g.missing(aggObject{"field": f.name, "calendar_interval": aggPick(g.rnd, []string{"week", "month", "quarter", "year"}), "min_doc_count": g.rnd.IntN(3)}, f.kind)
		g.order(a, o)
		a["date_histogram"] = o
	default:
		f := aggPick(g.rnd, append(aggNumbers[:len(aggNumbers):len(aggNumbers)], aggKeywords...))
		o := g.missing(aggObject{"field": f.name, "size": 1 + g.rnd.IntN(12), "min_doc_count": g.rnd.IntN(4)}, f.kind)
		g.lists(o, f.kind)
		g.order(a, o)
		a["terms"] = o
	}
	g.scripts(a)
	return a
}

// numeric is options for a field of numbers.
func (g *aggMaker) numeric() aggObject {
	f := aggPick(g.rnd, []aggField{{"Data.n", "long"}, {"Data.m", "long"}, {"Data.x", "float"}, {"Data.n.double", "double"}, {"Data.size.double", "double"}, {"Data.size.long", "long"}})
	return g.missing(aggObject{"field": f.name}, f.kind)
}

func (g *aggMaker) composite() aggObject {
	o := aggObject{"size": 1 + g.rnd.IntN(20)}
	list, after := []any{}, aggObject{}
	for i := range 1 + g.rnd.IntN(3) {
		f := aggPick(g.rnd, []aggField{{"Data.cat.keyword", "string"}, {"Data.tags.keyword", "string"}, {"Data.m", "long"}, {"Data.ok", "bool"}, {"Data.when", "date"}, {"Data.x", "float"}})
		name := fmt.Sprint("s", i)
		s := aggObject{"field": f.name, "order": aggPick(g.rnd, []string{"asc", "desc"}), "missing_bucket": g.rnd.IntN(2) == 0}
		if after[name] = g.value(f.kind); s["missing_bucket"] == true && g.rnd.IntN(3) == 0 {
			after[name] = nil
		}
		list = append(list, aggObject{name: aggObject{g.interval(f.kind, s): s}})
	}
	if o["sources"] = list; g.rnd.IntN(2) == 0 {
		o["after"] = after
	}
	return o
}

// interval may group the values of a source of dates or numbers by an interval.
func (g *aggMaker) interval(kind string, source aggObject) string {
	switch {
	case g.rnd.IntN(2) == 0:
	case kind == "date":
		source["calendar_interval"] = aggPick(g.rnd, []string{"day", "week", "month", "year"})
		return "date_histogram"
	case kind == "long" || kind == "float":
		source["interval"] = 1 + g.rnd.IntN(5)
		return "histogram"
	}
	return "terms"
}

// pipeline adds a pipeline that reads an aggregation at its level.
func (g *aggMaker) pipeline(aggs aggObject) {
	for _, name := range slices.Sorted(maps.Keys(aggs)) {
		a := aggs[name].(aggObject)
		if a["terms"] == nil && a["date_histogram"] == nil && a["auto_date_histogram"] == nil && a["adjacency_matrix"] == nil || g.rnd.IntN(3) > 0 {
			continue
		}
		paths := []string{"_count"}
		subs, _ := a["aggs"].(aggObject)
		for sub, of := range subs {
			for kind := range of.(aggObject) {
				if slices.Contains([]string{"min", "max", "sum", "value_count", "cardinality"}, kind) {
					paths = append(paths, sub)
				}
			}
		}
		slices.Sort(paths)
		kind := aggPick(g.rnd, []string{"sum_bucket", "min_bucket", "max_bucket"})
		aggs["p"] = aggObject{kind: aggObject{"buckets_path": name + ">" + aggPick(g.rnd, paths), "gap_policy": aggPick(g.rnd, []string{"skip", "insert_zeros"})}}
		return
	}
}

// value is a value of a kind.
func (g *aggMaker) value(kind string) any {
	switch kind {
	case "string", "none":
		return fmt.Sprintf("%c%d", "ctz"[g.rnd.IntN(3)], g.rnd.IntN(10))
	case "date":
		return fmt.Sprintf("201%d-%02d-11", 7+g.rnd.IntN(3), 1+g.rnd.IntN(12))
	case "bool":
		return g.rnd.IntN(2) == 0
	}
	return g.rnd.IntN(10)
}

func (g *aggMaker) missing(o aggObject, kind string) aggObject {
	if g.rnd.IntN(3) == 0 && kind != "none" {
		o["missing"] = g.value(kind)
	}
	return o
}

func (g *aggMaker) lists(o aggObject, kind string) {
	for _, member := range []string{"include", "exclude"} {
		if g.rnd.IntN(4) > 0 {
			continue
		}
		list := []any{}
		for range g.rnd.IntN(6) {
			list = append(list, fmt.Sprint(g.value(kind)))
		}
		o[member] = list
	}
}

// order gives o an order, perhaps by an aggregation inside a.
func (g *aggMaker) order(a, o aggObject) {
	choices := []string{"_count", "_key"}
	subs, _ := a["aggs"].(aggObject)
	for name, sub := range subs {
		for kind, o := range sub.(aggObject) {
			options, _ := o.(aggObject)
			choices = append(choices, aggOrders(name, kind, options, g.rnd)...)
		}
	}
	slices.Sort(choices)
	if g.rnd.IntN(2) == 0 {
		o["order"] = aggObject{aggPick(g.rnd, choices): aggPick(g.rnd, []string{"asc", "desc"})}
	}
}
