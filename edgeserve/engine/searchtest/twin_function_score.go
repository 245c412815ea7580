// This file is the twin of function_score, and makes up its bodies.

package searchtest

import (
	"math"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
)

// functionNodes are the queries in a function_score.
func functionNodes(n *query.FunctionScore) (nodes []query.Node) {
	if n.Query != nil {
		nodes = append(nodes, n.Query)
	}
	for _, f := range n.Functions {
		if f.Filter != nil {
			nodes = append(nodes, f.Filter)
		}
	}
	return nodes
}

// functionScore computes with scores that the boosts around it have multiplied, and divides its own by them.
func (t *twin) functionScore(n *query.FunctionScore) (hits, error) {
	around := t.boost
	defer t.within(n.Boost)()
	h := t.all(1)
	if n.Query != nil {
		var err error
		if h, err = t.eval(n.Query); err != nil {
			return nil, err
		}
	}
	h.times(t.boost)
	values, err := t.functionValues(n)
	if err != nil {
		return nil, err
	}
	for i := range h {
		if h[i] < 0 {
			continue
		}
		if len(n.Functions) > 0 {
			h[i] = float64(float32(boosted(n, h[i], math.Min(n.MaxBoost, together(n, values, i))))) // the least scores are equal
		}
		if n.MinScore != nil && h[i] < *n.MinScore {
			h[i] = miss
		}
	}
	if n.Boost == 0 {
		return h.constant(0), nil
	}
	return h.times(1 / around), nil
}

// functionValues are the values of each function for each item; NaN: the function is not one of the item.
func (t *twin) functionValues(n *query.FunctionScore) ([][]float64, error) {
	defer t.alone()()
	values := make([][]float64, len(n.Functions))
	for k, f := range n.Functions {
		in := t.all(0)
		if f.Filter != nil {
			var err error
			if in, err = t.eval(f.Filter); err != nil {
				return nil, err
			}
		}
		value, err := t.function(&f)
		if err != nil {
			return nil, err
		}
		for i := range in {
			v := math.NaN()
			if in[i] >= 0 {
				v = f.Weight * value(i)
			}
			values[k] = append(values[k], v)
		}
	}
	return values, nil
}

// alone evaluates queries without the boosts around them, until the function that it returns is called.
func (t *twin) alone() (end func()) {
	around := t.boost
	t.boost = 1
	return func() { t.boost = around }
}

// within evaluates queries with one more boost around them, until the function that it returns is called. A boost of 0
// does not count: the query that has it is not asked for scores.
func (t *twin) within(boost float64) (end func()) {
	around := t.boost
	if t.boost *= boost; boost == 0 {
		t.boost = 1
	}
	return func() { t.boost = around }
}

func together(n *query.FunctionScore, values [][]float64, item int) float64 {
	var vs []float64
	weights, sum, product := 0.0, 0.0, 1.0
	for k, f := range n.Functions {
		if v := values[k][item]; !math.IsNaN(v) {
			vs, weights, sum, product = append(vs, v), weights+f.Weight, sum+v, product*v
		}
	}
	switch {
	case len(vs) == 0:
		return 1
	case n.ScoreMode == "first" || len(n.Functions) == 1 && matchesAll(n.Functions[0].Filter):
		return vs[0]
	case n.ScoreMode == "max":
		return slices.Max(vs)
	case n.ScoreMode == "min":
		return slices.Min(vs)
	case n.ScoreMode == "multiply":
		return product
	case weights == 0:
		return 1
	case n.ScoreMode == "avg":
		return sum / weights
	}
	return sum
}

// matchesAll reports whether a filter limits nothing: match_all, or a bool without clauses.
func matchesAll(filter query.Node) bool {
	if b, ok := filter.(*query.Bool); ok {
		return len(b.Must)+len(b.Filter)+len(b.Should)+len(b.MustNot) == 0
	}
	_, all := filter.(*query.MatchAll)
	return all || filter == nil
}

func boosted(n *query.FunctionScore, score, factor float64) float64 {
	switch n.BoostMode {
	case "replace":
		return factor
	case "sum":
		return score + factor
	case "avg":
		return (score + factor) / 2
	case "max":
		return max(score, factor)
	case "min":
		return min(score, factor)
	}
	return score * factor
}

// function knows what random bodies have: squares of values, and decays.
func (t *twin) function(f *query.ScoreFunction) (func(item int) float64, error) {
	if f.Kind == "" {
		return func(int) float64 { return 1 }, nil
	}
	to, ok := t.resolve(f.Field)
	decay := f.Kind != "field_value_factor"
	switch {
	case ok && !to.typed(), !ok && (decay || f.Missing == nil), decay && to.kind == onBool:
		return nil, errRefused
	}
	var ms []float64
	numbers := func(i int) []float64 {
		if !ok || to.f.cells[i] == nil {
			return nil
		}
		ms = slices.Clone(to.f.cells[i].numbers)
		slices.Sort(ms)
		return ms
	}
	if !decay {
		return func(i int) float64 {
			v := f.Missing
			if own := numbers(i); len(own) > 0 {
				v = &own[0]
			}
			return math.Pow(*v*f.Factor, 2)
		}, nil
	}
	origin, scale, offset, err := t.decayOptions(to, f)
	if err != nil {
		return nil, err
	}
	return func(i int) float64 {
		vs := numbers(i)
		for k, v := range vs {
			vs[k] = max(0, math.Abs(v-origin)-offset)
		}
		slices.Sort(vs)
		v, sum := 0.0, 0.0
		for _, x := range vs {
			sum += x
		}
		if n := len(vs); n > 0 {
			v = map[string]float64{"min": vs[0], "max": vs[n-1], "sum": sum, "avg": sum / float64(n), "median": (vs[n/2] + vs[(n-1)/2]) / 2}[f.Values]
		}
		switch f.Kind {
		case "linear":
			return max(0, 1-float64(v/scale*(1-f.Decay.Decay)))
		case "exp":
			return math.Pow(f.Decay.Decay, v/scale)
		}
		return math.Pow(f.Decay.Decay, v/scale*v/scale)
	}, nil
}

func (t *twin) decayOptions(to target, f *query.ScoreFunction) (origin, scale, offset float64, err error) {
	number := func(v *query.Value) float64 {
		if v == nil {
			return 0
		}
		x, _, _, ok := analysis.ParseNumber(v.Text)
		if to.kind == onDate {
			ms, wrong := query.ParseDuration(v.Text)
			x, ok = float64(ms), wrong == nil
		}
		if !ok {
			err = errRefused
		}
		return x
	}
	scale, offset = number(f.Decay.Scale), number(f.Decay.Offset)
	switch {
	case to.kind != onDate && f.Decay.Origin == nil:
		err = errRefused
	case to.kind != onDate:
		origin = number(f.Decay.Origin)
	case f.Decay.Origin == nil:
		origin = float64(t.now.UnixMilli())
	default:
		ms, ok := analysis.ParseDate(f.Decay.Origin.Text, false, t.clock)
		if origin = float64(ms); !ok {
			err = errRefused
		}
	}
	if !(scale > 0) || offset < 0 {
		err = errRefused
	}
	return origin, scale, offset, err
}

func (t *twin) distanceFeature(to target, n *query.DistanceFeature) (hits, error) {
	origin, ok := analysis.ParseDate(n.Origin.Text, true, t.clock)
	if !ok || to.kind != onDate {
		return nil, errRefused
	}
	h := t.has(to.f, 1, func(c *cell) bool { return len(c.longs) > 0 })
	for i := range h {
		if h[i] < 0 {
			continue
		}
		best := 0.0
		for _, ms := range to.f.cells[i].longs {
			best = max(best, float64(n.Pivot)/(float64(n.Pivot)+math.Abs(float64(ms)-float64(origin))))
		}
		h[i] = float64(float32(n.Boost * best))
	}
	return h, nil
}

// functionScore makes up a function_score, most of whose functions fit their fields.
func (a *asker) functionScore(depth int) object {
	c := object{}
	if !a.oneIn(4) {
		c["query"] = a.clause(depth)
	}
	if a.oneIn(3) {
		kind, f := a.scoreFunction()
		c[kind] = f
	} else {
		c["functions"] = a.some(3, func() any {
			kind, f := a.scoreFunction()
			e := object{kind: f}
			option(a, e, 3, "weight", 0, 0.5, 2, 3)
			if a.oneIn(2) {
				e["filter"] = a.clause(depth)
			}
			return e
		})
	}
	option(a, c, 2, "score_mode", "multiply", "sum", "avg", "first", "max", "min")
	option(a, c, 2, "boost_mode", "multiply", "replace", "sum", "avg", "max", "min")
	option(a, c, 5, "max_boost", 0.5, 1.5, 3)
	option(a, c, 4, "min_score", 0.123, 0.613, 1.37)
	return c
}

func (a *asker) scoreFunction() (kind string, f any) {
	field := pick(a.Rand, append(slices.Clone(a.typed), "CreatedAt", "CreatedAt"))
	if a.oneIn(15) {
		field = a.field()
	}
	switch a.IntN(4) {
	case 0:
		return "weight", pick(a.Rand, []float64{0, 0.5, 2, 3})
	case 1:
		o := object{"field": field, "missing": pick(a.Rand, []float64{0, 1, 2.5}), "modifier": "square"}
		option(a, o, 2, "factor", 0.001, 0.5, 1.5)
		return "field_value_factor", o
	}
	o := object{"origin": rawNumber(pick(a.Rand, []string{"0", "3", "42", "-7.5"})), "scale": pick(a.Rand, []float64{1, 10, 2.5})}
	option(a, o, 3, "offset", 0, 1, 0.5)
	if a.kinds[field] == onDate {
		o = object{"origin": a.date(), "scale": pick(a.Rand, []string{"10d", "5h", "1000d", "90m"})}
		option(a, o, 3, "offset", "1d", "0", "30s")
	}
	option(a, o, 3, "decay", 0.3, 0.9)
	d := object{field: o}
	option(a, d, 2, "multi_value_mode", "min", "max", "avg", "sum", "median")
	return pick(a.Rand, []string{"linear", "exp", "gauss"}), d
}
