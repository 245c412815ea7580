// This file makes random bodies with aggregations for the twin to answer.

package searchtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// aggMaker makes random bodies.
type aggMaker struct{ rnd *rand.Rand }

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
	out := aggObject{}
	for i := range 1 + g.rnd.IntN(2) {
		out[fmt.Sprintf("a%d", i)] = g.agg(deep)
	}
	return out
}

func (g *aggMaker) agg(deep int) aggObject {
	if g.rnd.IntN(3) == 0 {
		kind := aggPick(g.rnd, []string{"value_count", "cardinality", "min", "max", "avg", "sum", "stats"})
		fields := aggNumbers
		if kind == "value_count" || kind == "cardinality" {
			fields = append(fields[:len(fields):len(fields)], aggKeywords...)
		}
		f := aggPick(g.rnd, fields)
		return aggObject{kind: g.missing(aggObject{"field": f.name}, f.kind)}
	}
	a := aggObject{}
	if deep > 1 && g.rnd.IntN(2) == 0 {
		a["aggs"] = g.aggs(deep - 1)
	}
	switch g.rnd.IntN(4) {
	case 0:
		a["filter"] = g.filter()
	case 1:
		a["filters"] = aggObject{"filters": aggObject{"p": g.filter(), "q": g.filter()}}
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
	return a
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
		for kind := range sub.(aggObject) {
			switch kind {
			case "stats":
				choices = append(choices, name+".max", name+".avg")
			case "value_count", "cardinality", "min", "max", "avg", "sum", "filter":
				choices = append(choices, name)
			}
		}
	}
	slices.Sort(choices)
	if g.rnd.IntN(2) == 0 {
		o["order"] = aggObject{aggPick(g.rnd, choices): aggPick(g.rnd, []string{"asc", "desc"})}
	}
}
