// This file makes pipelines with scripts inside of buckets, and is their twin.

package searchtest

import (
	"math"
	"slices"
)

// scripts adds a number to the buckets of a, and leaves out some buckets.
func (g *aggMaker) scripts(a aggObject) {
	if !slices.ContainsFunc([]string{"terms", "histogram", "date_histogram", "auto_date_histogram", "range", "rare_terms", "adjacency_matrix"}, func(kind string) bool { return a[kind] != nil }) || g.rnd.IntN(3) > 0 {
		return
	}
	subs, _ := a["aggs"].(aggObject)
	paths := []string{"_count"}
	for name, of := range subs {
		for kind := range of.(aggObject) {
			if slices.Contains([]string{"min", "max", "avg", "sum", "value_count", "cardinality"}, kind) {
				paths = append(paths, name)
			}
		}
	}
	slices.Sort(paths)
	gaps := aggPick(g.rnd, []string{"skip", "insert_zeros"})
	if subs == nil {
		subs = aggObject{}
		a["aggs"] = subs
	}
	subs["r"] = aggObject{"bucket_script": aggObject{"buckets_path": aggObject{"c": "_count", "v": aggPick(g.rnd, paths)}, "gap_policy": gaps, "script": "(params.c + 1) / (params.v - 3)"}}
	if g.rnd.IntN(2) == 0 {
		subs["s"] = aggObject{"bucket_selector": aggObject{"buckets_path": aggObject{"c": "_count", "r": "r"}, "gap_policy": gaps,
			"script": aggObject{"source": "params.c > params.most || !(params.r >= 2) && params.c >= 1", "params": aggObject{"most": g.rnd.IntN(10)}}}}
	}
}

// aggScripted runs the scripts inside of an aggregation over the buckets of its result.
func aggScripted(a, result aggObject) aggObject {
	subs, _ := a["aggs"].(aggObject)
	bs, ok := result["buckets"].([]aggObject)
	if !ok || subs["r"] == nil {
		return result
	}
	o := subs["r"].(aggObject)["bucket_script"].(aggObject)
	zeros := o["gap_policy"] == "insert_zeros"
	gap := func(f float64, b aggObject) float64 {
		if f-f == 0 && b["doc_count"] != 0 {
			return f
		}
		if zeros {
			return 0
		}
		return math.NaN()
	}
	kept := []aggObject{}
	for _, b := range bs {
		count := float64(b["doc_count"].(int))
		v := count
		if path := o["buckets_path"].(aggObject)["v"].(string); path != "_count" {
			f, _ := aggOrderValue(b, path).(float64)
			v = gap(f, b)
		}
		r := (count + 1) / (v - 3)
		if v == v {
			if b["r"] = (aggObject{"value": r}); r-r != 0 {
				b["r"] = aggObject{"value": nil}
			}
		}
		if subs["s"] != nil {
			script := subs["s"].(aggObject)["bucket_selector"].(aggObject)["script"].(aggObject)
			if r = gap(r, b); v != v {
				r = v
			}
			if most := script["params"].(aggObject)["most"].(int); !(count > float64(most) || !(r >= 2) && count >= 1) {
				continue
			}
		}
		kept = append(kept, b)
	}
	result["buckets"] = kept
	return result
}
