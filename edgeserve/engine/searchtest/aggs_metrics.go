// This file is the twin of the aggregations that give several numbers: from all values in order,
// one after the other.

package searchtest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// aggExact are fields of numbers whose squares and products are exact.
var aggExact = []aggField{{"Data.n", "long"}, {"Data.m", "long"}, {"Data.x", "float"}, {"Data.x.double", "double"}, {"Data.nope", "none"}}

// metric makes an aggregation of numbers, and says how buckets are ordered by it.
func (g *aggMaker) metric() aggObject {
	f := aggPick(g.rnd, aggNumbers)
	exact := aggPick(g.rnd, aggExact)
	switch g.rnd.IntN(5) {
	case 0:
		return aggObject{"extended_stats": g.missing(aggObject{"field": exact.name, "sigma": g.rnd.IntN(4)}, exact.kind)}
	case 1:
		return aggObject{"percentiles": g.keyed(g.missing(aggObject{"field": f.name, "percents": g.numbers(0, 100)}, f.kind))}
	case 2:
		return aggObject{"percentile_ranks": g.keyed(g.missing(aggObject{"field": f.name, "values": g.numbers(-20, 40)}, f.kind))}
	case 3:
		return aggObject{"median_absolute_deviation": g.missing(aggObject{"field": exact.name}, exact.kind)}
	}
	weight := aggPick(g.rnd, []aggField{{"Data.n", "long"}, {"Data.x", "float"}, {"Data.nope", "none"}})
	return aggObject{"weighted_avg": aggObject{
		"value":  g.missing(aggObject{"field": exact.name}, exact.kind),
		"weight": g.missing(aggObject{"field": weight.name}, weight.kind),
	}}
}

func (g *aggMaker) keyed(o aggObject) aggObject {
	if g.rnd.IntN(4) == 0 {
		o["keyed"] = false
	}
	return o
}

// numbers are some from lo to hi, without repetitions.
func (g *aggMaker) numbers(lo, hi int) (list []any) {
	for range 1 + g.rnd.IntN(4) {
		if n := float64(lo) + float64(g.rnd.IntN(4*(hi-lo)))/4; !slices.Contains(list, any(n)) {
			list = append(list, n)
		}
	}
	return list
}

// orders are the paths of numbers by which an aggregation of a kind orders buckets.
func aggOrders(name, kind string, o aggObject, rnd *rand.Rand) []string {
	switch kind {
	case "stats":
		return []string{name + ".max", name + ".avg"}
	case "extended_stats":
		return []string{name + ".sum_of_squares", name + ".count"}
	case "percentiles":
		return []string{fmt.Sprintf("%s[%v]", name, aggPick(rnd, o["percents"].([]any)))}
	case "value_count", "cardinality", "min", "max", "avg", "sum", "filter", "median_absolute_deviation":
		return []string{name}
	}
	return nil
}

// aggMetric is an aggregation of several numbers; nil for another one.
func aggMetric(kind string, o aggObject, docs []map[string][]any) aggObject {
	if kind == "weighted_avg" {
		return aggWeighted(o["value"].(aggObject), o["weight"].(aggObject), docs)
	}
	var all []float64
	for _, d := range docs {
		for _, v := range aggValues(o, d) {
			f, _ := v.(float64)
			all = append(all, f)
		}
	}
	slices.Sort(all)
	switch kind {
	case "extended_stats":
		return aggExtended(o, docs, all)
	case "percentiles":
		return aggPercents(o, "percents", func(p float64) any { return aggQuantile(all, p/100) })
	case "percentile_ranks":
		return aggPercents(o, "values", func(v float64) any { return aggRank(all, v) })
	case "median_absolute_deviation":
		median := aggQuantile(all, 0.5)
		var off []float64
		for _, v := range all {
			off = append(off, math.Abs(v-float64(median)))
		}
		slices.Sort(off)
		return aggObject{"value": aggQuantile(off, 0.5)}
	}
	return nil
}

// aggMaybe is a number, or null for none.
type aggMaybe float64

// MarshalJSON implements json.Marshaler.
func (m aggMaybe) MarshalJSON() ([]byte, error) {
	if m != m {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(m), 'g', -1, 64), nil
}

// aggPart is a number of a result that a path names, perhaps in brackets: a percentile.
func aggPart(sub aggObject, part string) any {
	values, ok := sub["values"]
	if !ok {
		return sub[part]
	}
	at, err := strconv.ParseFloat(part, 64)
	if err != nil {
		panic(part)
	}
	if list, ok := values.([]aggObject); ok {
		return list[slices.IndexFunc(list, func(o aggObject) bool { return o["key"] == at })]["value"]
	}
	return values.(aggObject)[aggDouble(at)]
}

func aggWeighted(value, weight aggObject, docs []map[string][]any) aggObject {
	sum, weights := 0.0, 0.0
	for _, d := range docs {
		for _, w := range aggValues(weight, d) {
			for _, v := range aggValues(value, d) {
				sum += float64(v.(float64) * w.(float64))
				weights += w.(float64)
			}
		}
	}
	if weights == 0 {
		return aggObject{"value": aggMaybe(math.NaN())}
	}
	return aggObject{"value": aggMaybe(sum / weights)}
}

func aggExtended(o aggObject, docs []map[string][]any, all []float64) aggObject {
	out := aggNumber("stats", o, docs)
	n, sum, squares := float64(len(all)), 0.0, 0.0
	for _, v := range all {
		sum, squares = sum+v, squares+float64(v*v)
	}
	none := math.NaN()
	bounds := aggObject{}
	put := func(to aggObject, name string, v float64) {
		switch {
		case n == 0:
			to[name] = aggNone(none)
		case v != v:
			to[name] = "NaN"
		default:
			to[name] = v
		}
	}
	if put(out, "sum_of_squares", squares); n == 0 {
		out["sum_of_squares"] = aggNone(0)
	}
	for name, less := range map[string]float64{"": 0, "_population": 0, "_sampling": 1} {
		variance := (squares - sum*sum/n) / (n - less)
		if variance < 0 {
			variance = 0
		}
		put(out, "variance"+name, variance)
		put(out, "std_deviation"+name, math.Sqrt(variance))
		put(bounds, "upper"+name, sum/n+float64(float64(o["sigma"].(int))*math.Sqrt(variance)))
		put(bounds, "lower"+name, sum/n-float64(float64(o["sigma"].(int))*math.Sqrt(variance)))
	}
	out["std_deviation_bounds"] = bounds
	return out
}

// aggPercents are the values of percentiles or ranks, as an object or an array.
func aggPercents(o aggObject, member string, of func(float64) any) aggObject {
	var text func(v float64) any
	switch aggKind(o["field"].(string)) {
	case "date":
		text = func(v float64) any { return aggISO(int64(v)) }
	case "bool":
		text = func(v float64) any { return fmt.Sprint(v != 0) }
	}
	numbers := slices.Clone(o[member].([]any))
	slices.SortFunc(numbers, aggCompare)
	list, keyed := []aggObject{}, aggObject{}
	for _, at := range numbers {
		v := of(at.(float64))
		one := aggObject{"key": at, "value": v}
		key := aggDouble(at.(float64))
		keyed[key] = v
		if n := v.(aggMaybe); text != nil && n == n {
			one["value_as_string"] = text(float64(n))
			keyed[key+"_as_string"] = text(float64(n))
		}
		list = append(list, one)
	}
	if o["keyed"] == false {
		return aggObject{"values": list}
	}
	return aggObject{"values": keyed}
}

// aggDouble is a number as a name: with a fraction.
func aggDouble(f float64) string {
	if f == math.Trunc(f) {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprint(f)
}

// aggQuantile walks over values, each with half of its weight on both sides.
func aggQuantile(all []float64, q float64) aggMaybe {
	if len(all) == 0 {
		return aggMaybe(math.NaN())
	}
	index := float64(q * float64(len(all)))
	for i := range all {
		at := float64(i) + 0.5
		if index <= at {
			return aggMaybe(all[i])
		}
		if i+1 < len(all) && index < at+1 {
			return aggMaybe(float64(all[i]*(at+1-index)) + float64(all[i+1]*(index-at)))
		}
	}
	return aggMaybe(all[len(all)-1])
}

// aggRank walks over values, each of which stands for the way to the middle of its neighbours.
func aggRank(all []float64, v float64) aggMaybe {
	n := float64(len(all))
	switch {
	case n == 0:
		return aggMaybe(math.NaN())
	case v < all[0] && (n == 1 || all[0] == all[1]):
		return 0
	}
	for i := 0; i+1 < len(all); i++ {
		right := (all[i+1] - all[i]) / 2
		left := right
		if i > 0 {
			left = (all[i] - all[i-1]) / 2
		}
		if v < all[i]+right {
			return aggMaybe(max(0, (float64(i)+(v-all[i]+left)/(left+right))/n) * 100)
		}
	}
	return 100
}

// aggSame compares decoded results; numbers may differ in their last digits.
func aggSame(a, b any) bool {
	switch a := a.(type) {
	case aggObject:
		b, ok := b.(aggObject)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			if w, ok := b[name]; !ok || !aggSame(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, aggSame)
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
	}
	return a == b
}
