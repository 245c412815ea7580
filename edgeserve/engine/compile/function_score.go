// This file compiles function_score: filters, and functions of the values of a document.

package compile

import (
	"fmt"
	"math"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/portable"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/problem"
)

func (c *Compiler) functionScore(n *query.FunctionScore, boost float64) (scorer.Scorer, error) {
	s := c.request.All(boost)
	if n.Query != nil {
		var err error
		if s, err = c.node(n.Query, boost); err != nil {
			return nil, err
		}
	}
	out := scorer.FunctionScore{ScoreMode: n.ScoreMode, BoostMode: n.BoostMode, MaxBoost: n.MaxBoost, MinScore: n.MinScore}
	for i := range n.Functions {
		f, err := c.scoreFunction(&n.Functions[i])
		if err != nil {
			return nil, err
		}
		out.Functions = append(out.Functions, f)
	}
	if len(n.Functions) == 1 && n.Functions[0].Filter == nil {
		out.ScoreMode = "first" // as in Elasticsearch: an average of one function is not divided by its weight
	}
	return c.request.FunctionScore(s, out), nil
}

func (c *Compiler) scoreFunction(f *query.ScoreFunction) (out scorer.Function, err error) {
	out.Weight, out.Weighted = f.Weight, f.Weighted
	if f.Filter != nil {
		out.Filtered = true
		if out.Filter, err = c.node(f.Filter, 1); err != nil {
			return out, err
		}
	}
	switch f.Kind {
	case "field_value_factor":
		out.Value, out.Most, err = c.fieldValueFactor(f)
		out.Explain = explainFactor(f)
	case "random_score":
		out.Value, err = c.randomScore(f)
		out.Most = 1
		out.Explain = c.explainRandom(f)
	case "linear", "exp", "gauss":
		if out.Value, out.Most, err = c.decay(f); err == nil && c.request.Explain {
			out.Explain, err = c.explainDecay(f)
		}
	}
	return out, err
}

func badFunction(f *query.ScoreFunction, format string, args ...any) error {
	return &query.Error{Code: problem.BadQuery, Position: -1, Parameter: f.Kind, Message: f.Kind + ": " + fmt.Sprintf(format, args...)}
}

// numbersOf resolves a field whose values functions compute with. unmapped reports whether no item has it.
func (c *Compiler) numbersOf(f *query.ScoreFunction) (t fields.Target, unmapped bool, err error) {
	t, ok := c.resolver.Resolve(f.Field)
	if ok && !t.Kind.Typed() {
		return t, false, badFunction(f, "%.80q holds text, not numbers or dates: name a sub-field such as %.80q", f.Field, t.Field.Path+"."+snapshot.SubDouble.String())
	}
	if fields.Valueless(f.Field) {
		return t, false, badFunction(f, "%.80q has no values", f.Field)
	}
	return t, !ok, nil
}

// valueOf is the Value of a scorer.Function.
type valueOf = func(d snapshot.DocID) float64

func (c *Compiler) fieldValueFactor(f *query.ScoreFunction) (value valueOf, most float64, err error) {
	t, unmapped, err := c.numbersOf(f)
	switch {
	case err != nil:
		return nil, 0, err
	case unmapped && f.Missing == nil:
		return nil, 0, badFunction(f, `no item has a value at %.80q: set "missing"`, f.Field)
	}
	modify := modifiers[f.Modifier]
	result := func(v float64) float64 {
		x := modify(v * f.Factor)
		if x < 0 {
			c.work.Fail(badFunction(f, "%s of the value %v of %.80q is below 0, as no score may be%s", f.Modifier, v, f.Field, instead(f.Modifier)))
			return 0
		}
		return x
	}
	if unmapped {
		return func(snapshot.DocID) float64 { return result(*f.Missing) }, math.Inf(1), nil
	}
	column, numbers := t.Values.Column(), t.Values.Numbers()
	most = mostFactor(f, modify, numbers, column.DocCount == c.request.Items)
	return func(d snapshot.DocID) float64 {
		ord := column.Least(d)
		if ord < column.Distinct {
			return result(numbers.Float(ord))
		}
		if f.Missing == nil {
			c.work.Fail(badFunction(f, `an item has no value at %.80q: set "missing"`, f.Field))
			return 0
		}
		return result(*f.Missing)
	}, most, nil
}

// mostFactor returns the greatest value of a field_value_factor, or +Inf if it is unknown or some value is an error. It
// looks only at the ends: from 0 on every modifier only rises or only falls. complete reports whether every item has a
// value.
func mostFactor(f *query.ScoreFunction, modify func(float64) float64, numbers *snapshot.Numbers, complete bool) (most float64) {
	values := []float64{numbers.Float(0), numbers.Float(numbers.Len() - 1)}
	if f.Missing != nil {
		values = append(values, *f.Missing)
	}
	for _, v := range values {
		x := v * f.Factor
		y := modify(x)
		if !(x >= 0 && y >= 0) || f.Missing == nil && !complete {
			return math.Inf(1)
		}
		most = max(most, y)
	}
	return most
}

var modifiers = map[string]func(float64) float64{
	"none":       func(x float64) float64 { return x },
	"log":        portable.Log10,
	"log1p":      func(x float64) float64 { return portable.Log10(x + 1) },
	"log2p":      func(x float64) float64 { return portable.Log10(x + 2) },
	"ln":         portable.Log,
	"ln1p":       portable.Log1p,
	"ln2p":       func(x float64) float64 { return portable.Log1p(x + 1) },
	"square":     func(x float64) float64 { return x * x },
	"sqrt":       math.Sqrt,
	"reciprocal": func(x float64) float64 { return 1 / x },
}

func instead(modifier string) string {
	switch modifier {
	case "log", "ln":
		return fmt.Sprintf(": use %s1p or %s2p", modifier, modifier)
	}
	return ""
}

// decay computes a function of the distance between a value and an origin. An item without a value has distance 0.
func (c *Compiler) decay(f *query.ScoreFunction) (value valueOf, most float64, err error) {
	t, unmapped, err := c.numbersOf(f)
	switch {
	case err != nil:
		return nil, 0, err
	case unmapped:
		return nil, 0, badFunction(f, "no item has a value at %.80q", f.Field)
	case t.Kind == fields.Boolean:
		return nil, 0, badFunction(f, "%.80q holds booleans, not numbers or dates", f.Field)
	}
	origin, scale, offset, err := c.decayOptions(f, t)
	switch {
	case err != nil:
		return nil, 0, err
	case !(scale > 0):
		return nil, 0, badFunction(f, "scale must be above 0")
	case offset < 0:
		return nil, 0, badFunction(f, "offset must be at least 0")
	}
	curve := decayCurve(f.Kind, scale, f.Decay.Decay)
	numbers := t.Values.Numbers()
	distance := func(ord int) float64 { return max(0, math.Abs(numbers.Float(ord)-origin)-offset) }
	column := t.Values.Column()
	most = mostDecay(curve, max(distance(0), distance(column.Distinct-1)))
	if !column.Single {
		value, err = c.decayOfSeveral(column, f.Values, distance, curve)
		return value, most, err
	}
	return func(d snapshot.DocID) float64 {
		if ord := column.Least(d); ord < column.Distinct {
			return curve(distance(ord))
		}
		return curve(0)
	}, most, nil
}

// mostDecay returns the greatest value of a curve, or +Inf if numbers overflow on the way to the farthest distance.
func mostDecay(curve func(float64) float64, farthest float64) float64 {
	if inf := math.Inf(1); curve(0) <= 1 && curve(inf) >= 0 && farthest < inf {
		return 1
	}
	return math.Inf(1)
}

func (c *Compiler) decayOptions(f *query.ScoreFunction, t fields.Target) (origin, scale, offset float64, err error) {
	if t.Kind == fields.Date {
		return c.dateDecay(f)
	}
	return numberDecay(f)
}

func decayCurve(kind string, scale, decay float64) func(float64) float64 {
	switch kind {
	case "gauss":
		scale = 0.5 * (scale * scale) / portable.Log(decay)
		return func(v float64) float64 { return portable.Exp(0.5 * (v * v) / scale) }
	case "exp":
		scale = portable.Log(decay) / scale
		return func(v float64) float64 { return portable.Exp(scale * v) }
	}
	scale /= 1 - decay
	return func(v float64) float64 { return max(0, (scale-v)/scale) }
}

// pairSteps is the cost of moving a value next to the other values of its document. It also bounds the memory.
const pairSteps = 8

// decayOfSeveral is decay for items with several values: mode combines their distances.
func (c *Compiler) decayOfSeveral(column *snapshot.Column, mode string, distance func(ord int) float64, curve func(float64) float64) (valueOf, error) {
	if err := c.work.Charge(pairSteps*column.Pairs + c.request.Items); err != nil {
		return nil, err
	}
	starts := make([]uint32, c.request.Items+1)
	for p := range column.Pairs {
		starts[column.Doc(p)+1]++
	}
	for d := range c.request.Items {
		starts[d+1] += starts[d]
	}
	all, ends := make([]float64, column.Pairs), slices.Clone(starts)
	for ord, p := 0, 0; ord < column.Distinct; ord++ {
		v := distance(ord)
		for end := column.Start(ord + 1); p < end; p++ {
			d := column.Doc(p)
			all[ends[d]] = v
			ends[d]++
		}
	}
	pick := valueModes[mode]
	return func(d snapshot.DocID) float64 {
		if own := all[starts[d]:starts[d+1]]; len(own) > 0 {
			return curve(pick(own))
		}
		return curve(0)
	}, nil
}

var valueModes = map[string]func([]float64) float64{
	"min": slices.Min[[]float64],
	"max": slices.Max[[]float64],
	"sum": sum,
	"avg": func(vs []float64) float64 { return sum(vs) / float64(len(vs)) },
	"median": func(vs []float64) float64 {
		slices.Sort(vs)
		if n := len(vs); n%2 == 0 {
			return (vs[n/2-1] + vs[n/2]) / 2
		}
		return vs[len(vs)/2]
	},
}

func sum(vs []float64) (s float64) {
	for _, v := range vs {
		s += v
	}
	return s
}

func numberDecay(f *query.ScoreFunction) (origin, scale, offset float64, err error) {
	if f.Decay.Origin == nil {
		return 0, 0, 0, badFunction(f, `%.80q holds numbers: set "origin"`, f.Field)
	}
	number := func(name string, v *query.Value) (x float64) {
		if v == nil {
			return 0
		}
		x, _, _, ok := analysis.ParseNumber(v.Text)
		if !ok && err == nil {
			err = badFunction(f, "%s must be a number, not %.80q", name, v.Text)
		}
		return x
	}
	return number("origin", f.Decay.Origin), number("scale", f.Decay.Scale), number("offset", f.Decay.Offset), err
}

// dateDecay returns milliseconds since 1970, and two durations in milliseconds.
func (c *Compiler) dateDecay(f *query.ScoreFunction) (origin, scale, offset float64, err error) {
	at := c.Clock.Now
	if f.Decay.Origin == nil {
		origin = float64(at().UnixMilli())
	} else if ms, ok := analysis.ParseDate(f.Decay.Origin.Text, false, at); ok {
		origin = float64(ms)
	} else {
		return 0, 0, 0, badFunction(f, "origin must be a date like 2021-04-23 or now, not %.80q", f.Decay.Origin.Text)
	}
	length := func(name string, v *query.Value) float64 {
		if v == nil || err != nil {
			return 0
		}
		ms, wrong := query.ParseDuration(v.Text)
		if wrong != nil {
			err = badFunction(f, "%s: %v", name, wrong)
		}
		return float64(ms)
	}
	return origin, length("scale", f.Decay.Scale), length("offset", f.Decay.Offset), err
}
