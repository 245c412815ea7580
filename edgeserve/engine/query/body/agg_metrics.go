// This file parses aggregations that give numbers of a field.

package body

import (
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

const (
	// maxPercents limits how many percentiles or ranks are looked up among all values.
	maxPercents = 1000
	// maxDigits limits the digits of an HDR histogram, as in Elasticsearch.
	maxDigits = 5
)

var defaultPercents = []float64{1, 5, 25, 50, 75, 95, 99}

// metricOptions returns the options that all metrics of one field have, and more options.
func metricOptions(more ...option[query.Agg]) []option[query.Agg] {
	return append([]option[query.Agg]{aggField.must(), aggMissing, aggFormat, aggValueType}, more...)
}

// precision_threshold has no effect: every count is exact.
var cardinalityOptions = []option[query.Agg]{aggField.must(), aggMissing, noEffect[query.Agg]("precision_threshold", (*parser).natural), aggValueType}

var sigmaOption = of("sigma", optional, func(p *parser, o *query.ExtendedStats, v *strictjson.Value) { o.Sigma = p.sigma(v) })

func beginExtendedStats(a *query.Agg) { a.Options = &query.ExtendedStats{Sigma: 2} }

// percentilesOptions returns the options of percentiles or percentile_ranks. numbers is the type's name of the option
// with the percents or values.
func percentilesOptions(numbers string, need need) []option[query.Agg] {
	return []option[query.Agg]{
		of(numbers, need, func(p *parser, o *query.Percentiles, v *strictjson.Value) {
			o.At = p.numbers(v)
			slices.Sort(o.At)
		}),
		of("keyed", optional, func(p *parser, o *query.Percentiles, v *strictjson.Value) { o.List = !p.bool(v) }),
		noEffect[query.Agg]("tdigest", func(p *parser, v *strictjson.Value) { tdigestOptions.parseObject(p, new(struct{}), v) }),
		of("hdr", optional, func(p *parser, o *query.Percentiles, v *strictjson.Value) {
			o.HDR, o.Digits = true, 3
			hdrOptions.parseObject(p, o, v)
		}),
	}
}

func beginPercentiles(a *query.Agg) {
	a.Options = &query.Percentiles{Ranks: a.Kind == query.AggPercentileRanks, At: defaultPercents}
}

func finishPercentiles(p *parser, a *query.Agg, v *strictjson.Value) {
	if v.Member("tdigest") != nil && v.Member("hdr") != nil {
		p.fail(v, problem.BadAggregation, "%s has tdigest and hdr: give only one", p.path(v))
	}
	if o := a.Options.(*query.Percentiles); o.HDR && o.Ranks && len(o.At) > 0 && o.At[0] < 0 {
		p.fail(v, problem.BadAggregation, "an HDR histogram has no negative values such as %v: use tdigest", o.At[0])
	}
}

// The options of a t-digest have no effect: every value is held.
var tdigestOptions = newTable("tdigest", []option[struct{}]{
	noEffect[struct{}]("compression", func(p *parser, v *strictjson.Value) {
		if !(number(v) >= 0) {
			p.wrongValue(v, "a number from 0")
		}
	}),
})

var hdrOptions = newTable("hdr", []option[query.Percentiles]{
	{"number_of_significant_value_digits", optional, func(p *parser, o *query.Percentiles, v *strictjson.Value) {
		if o.Digits = p.integer(v, 0); o.Digits > maxDigits {
			p.wrongValue(v, "an integer from 0 to "+strconv.Itoa(maxDigits))
		}
	}},
})

// numbers parses an array of at least one number. The option percents takes numbers from 0 to 100.
func (p *parser) numbers(v *strictjson.Value) (list []float64) {
	if v.Kind == strictjson.Array && len(v.Items) == 0 {
		p.wrongValue(v, "a number or a non-empty array of numbers")
	}
	if p.tooMany(v, "numbers", len(v.Items), maxPercents) {
		return nil
	}
	p.each(v, func(e *strictjson.Value) {
		f := number(e)
		switch {
		case f != f:
			p.wrongValue(e, "a number")
		case v.Name == "percents" && (f < 0 || f > 100):
			p.wrongValue(e, "a number from 0 to 100")
		}
		list = append(list, f)
	})
	return list
}

// sigma parses how many deviations are between the average and its bounds.
func (p *parser) sigma(v *strictjson.Value) float64 {
	f := number(v)
	if !(f >= 0) {
		p.wrongValue(v, "a number from 0")
	}
	return f
}

func (p *parser) positive(v *strictjson.Value) {
	if !(number(v) > 0) {
		p.wrongValue(v, "a number above 0")
	}
}

func (p *parser) natural(v *strictjson.Value) { p.integer(v, 0) }

var weightedAvgOptions = []option[query.Agg]{
	of("value", required, func(p *parser, o *query.WeightedAvg, v *strictjson.Value) { parseOperand(p, &o.Value, v) }),
	of("weight", required, func(p *parser, o *query.WeightedAvg, v *strictjson.Value) { parseOperand(p, &o.Weight, v) }),
	aggFormat,
	aggValueType,
}

func beginWeightedAvg(a *query.Agg) { a.Options = &query.WeightedAvg{} }

var operandOptions = map[string]*table{"value": newOperandOptions("value"), "weight": newOperandOptions("weight")}

func newOperandOptions(name string) *table {
	return newTable(name, []option[query.Operand]{
		{"field", required, func(p *parser, o *query.Operand, v *strictjson.Value) { o.Field = p.fieldName(v) }},
		{"missing", optional, func(p *parser, o *query.Operand, v *strictjson.Value) { o.Missing = new(p.scalar(v)) }},
		{"script", unlisted, func(p *parser, _ *query.Operand, v *strictjson.Value) { p.noScript(v) }},
	})
}

func parseOperand(p *parser, o *query.Operand, v *strictjson.Value) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"field":"Data.rank"}`)
		return
	}
	operandOptions[v.Name].parse(p, o, v)
}
