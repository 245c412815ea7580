// This file is the twin of top_hits, in orders that do not depend on scores, and of
// significant_terms.

package searchtest

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
)

func (g *aggMaker) topHits() aggObject {
	sort := []any{aggObject{aggPick(g.rnd, []string{"Data.n", "CreatedAt", "Data.m"}): aggPick(g.rnd, []string{"asc", "desc"})}, aggObject{"_id": "asc"}}
	return aggObject{"top_hits": aggObject{"from": g.rnd.IntN(3), "size": 1 + g.rnd.IntN(5), "_source": false, "sort": sort}}
}

// topHits sorts items by their least value, or the greatest one of a descending order.
func (w *aggTwin) topHits(o aggObject, docs []map[string][]any) aggObject {
	var field, order string
	for name, dir := range o["sort"].([]any)[0].(aggObject) {
		field, order = name, dir.(string)
	}
	key := func(d map[string][]any) float64 {
		var values []float64
		for _, v := range d[field] {
			values = append(values, v.(float64))
		}
		switch {
		case len(values) == 0 && order == "asc":
			return math.MaxInt64
		case len(values) == 0:
			return math.MinInt64
		case order == "asc":
			return slices.Min(values)
		}
		return slices.Max(values)
	}
	sorted := slices.Clone(docs)
	slices.SortStableFunc(sorted, func(a, b map[string][]any) int {
		c := cmp.Compare(key(a), key(b))
		if order == "desc" {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a["_id"][0].(string), b["_id"][0].(string)))
	})
	hits := []any{}
	from := min(o["from"].(int), len(sorted))
	for _, d := range sorted[from:min(from+o["size"].(int), len(sorted))] {
		hits = append(hits, aggObject{"_index": w.env, "_type": "_doc", "_id": d["_id"][0], "_score": nil, "sort": []any{key(d), d["_id"][0]}})
	}
	return aggObject{"hits": aggObject{"total": aggObject{"value": len(docs), "relation": "eq"}, "max_score": nil, "hits": hits}}
}

func (g *aggMaker) significant() aggObject {
	f := aggPick(g.rnd, []aggField{{"Data.cat.keyword", "string"}, {"Data.tags.keyword", "string"}, {"Data.m", "long"}, {"Data.n", "long"}, {"Data.nope.keyword", "none"}})
	o := aggObject{"field": f.name, "size": 1 + g.rnd.IntN(5), "min_doc_count": 1 + g.rnd.IntN(3)}
	if g.rnd.IntN(2) == 0 {
		o["percentage"] = aggObject{}
	}
	if g.rnd.IntN(3) == 0 {
		o["background_filter"] = g.filter()
	}
	g.lists(o, f.kind)
	return o
}

// significant compares how often each value occurs in the bucket and in the background.
func (w *aggTwin) significant(o aggObject, docs []map[string][]any, bucket func([]map[string][]any) aggObject) aggObject {
	if o["field"] == "Data.nope.keyword" {
		return aggObject{"buckets": []any{}}
	}
	behind := w.docs
	if q, ok := o["background_filter"]; ok && !w.gap {
		behind = aggKeep(behind, aggFilters[string(q.(json.RawMessage))])
	}
	same := func(v any) any { return v }
	all := aggGroup(o, behind, same)
	var bs []aggObject
	for k, in := range aggGroup(o, docs, same) {
		here, there := float64(len(in))/float64(len(docs)), float64(max(len(all[k]), 1))/float64(len(behind))
		score := (here - there) * (here / there)
		if _, ok := o["percentage"]; ok {
			score = float64(len(in)) / float64(len(all[k]))
		}
		if len(in) < o["min_doc_count"].(int) || !aggListed(o, k) || len(behind) == 0 || !(score > 0) || math.IsInf(score, 0) || here <= there && o["percentage"] == nil {
			continue
		}
		b := bucket(in)
		b["key"], b["score"], b["bg_count"] = k, score, len(all[k])
		bs = append(bs, b)
	}
	slices.SortFunc(bs, func(a, b aggObject) int {
		return cmp.Or(-cmp.Compare(a["score"].(float64), b["score"].(float64)), aggCompare(a["key"], b["key"]))
	})
	return aggObject{"doc_count": len(docs), "bg_count": len(behind), "buckets": append([]aggObject{}, bs[:min(len(bs), o["size"].(int))]...)}
}

// aggListed reports whether include and exclude keep a value.
func aggListed(o aggObject, k any) bool {
	kind := aggKind(o["field"].(string))
	listed := func(member string) (listed, given bool) {
		list, given := o[member].([]any)
		return slices.ContainsFunc(list, func(v any) bool { return aggParse(v, kind) == k }), given
	}
	in, given := listed("include")
	out, _ := listed("exclude")
	return !out && (in || !given)
}
