// This file parses aggregations that give numbers of a field.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
	"strconv"
)

const (
	// maxPercents limits the numbers that are looked up in all values.
	maxPercents = 1000
	// maxDigits limits the digits of an HDR histogram, as in Elasticsearch.
	maxDigits = 5
)

var (
	defaultPercents = []float64{1, 5, 25, 50, 75, 95, 99}
)

func parseMetricAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch o.Name {
		case "precision_threshold": // no effect: every count is exact
			p.integer(o, 0)
		case "compression": // no effect: every value is held
			p.positive(o)
		default:
			return false
		}
		return true
	})
	p.require(v, "field")
}

func parseExtendedStatsAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	options := &query.ExtendedStats{Sigma: 2}
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		if o.Name != "sigma" {
			return false
		}
		if options.Sigma = number(o); !(options.Sigma >= 0) {
			p.wrongValue(o, "a number from 0")
		}
		return true
	})
	p.require(v, "field")
	a.Options = options
}

func parsePercentilesAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	options := &query.Percentiles{Ranks: a.Kind == query.AggPercentileRanks, At: defaultPercents}
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch o.Name {
		case "percents", "values":
			options.At = parseNumberList(p, o)
		case "keyed":
			options.List = !p.bool(o)
		case "tdigest":
			parseCompression(p, o)
		case "hdr":
			options.HDR, options.Digits = true, parseDigits(p, o)
		default:
			return false
		}
		return true
	})
	p.require(v, "field")
	if options.Ranks {
		p.require(v, "values")
	}
	if v.Member("tdigest") != nil && v.Member("hdr") != nil {
		p.fail(v, problem.BadAggregation, "%s has tdigest and hdr: give one of them", p.path(v))
	}
	if options.HDR && options.Ranks && len(options.At) > 0 && options.At[0] < 0 {
		p.fail(v, problem.BadAggregation, "an HDR histogram has no negative values such as %v: use tdigest", options.At[0])
	}
	a.Options = options
}

// numberList is numbers, sorted.
func parseNumberList(p *parser, v *strictjson.Value) []float64 {
	list := parseNumbers(p, v)
	slices.Sort(list)
	return list
}

// numbers parses numbers, at least one; percents are from 0 to 100.
func parseNumbers(p *parser, v *strictjson.Value) (list []float64) {
	if v.Kind == strictjson.Array && len(v.Items) == 0 {
		p.wrongValue(v, "a number or an array of them, at least one")
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

// compression parses the options of a t-digest. They have no effect: every value is held.
func parseCompression(p *parser, v *strictjson.Value) {
	parseOnlyMember(p, v, "compression", func(m *strictjson.Value) {
		if !(number(m) >= 0) {
			p.wrongValue(m, "a number from 0")
		}
	})
}

// digits parses the options of an HDR histogram.
func parseDigits(p *parser, v *strictjson.Value) int {
	n := 3
	parseOnlyMember(p, v, "number_of_significant_value_digits", func(m *strictjson.Value) {
		if n = p.integer(m, 0); n > maxDigits {
			p.wrongValue(m, "an integer from 0 to "+strconv.Itoa(maxDigits))
		}
	})
	return n
}

// onlyMember parses an object that has one member at most.
func parseOnlyMember(p *parser, v *strictjson.Value, name string, parse func(m *strictjson.Value)) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object")
		return
	}
	for i := range v.Items {
		if m := &v.Items[i]; m.Name == name {
			parse(m)
		} else {
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: %s", strictjson.Clip(m.Name), v.Name, name)
		}
	}
}

func (p *parser) positive(v *strictjson.Value) {
	if !(number(v) > 0) {
		p.wrongValue(v, "a number above 0")
	}
}

func parseWeightedAvgAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	options := &query.WeightedAvg{}
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch o.Name {
		case "value":
			options.Value = parseOperand(p, o)
		case "weight":
			options.Weight = parseOperand(p, o)
		default:
			return false
		}
		return true
	})
	p.require(v, "value")
	p.require(v, "weight")
	a.Options = options
}

func parseOperand(p *parser, v *strictjson.Value) (o query.Operand) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"field":"Data.rank"}`)
		return o
	}
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "field":
			o.Field = p.fieldName(m)
		case "missing":
			o.Missing = new(p.scalar(m))
		case "script":
			parseNoScript(p, m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: field, missing", strictjson.Clip(m.Name), v.Name)
		}
	}
	p.require(v, "field")
	return o
}

func parseNoScript(p *parser, v *strictjson.Value) {
	p.fail(v, problem.UnknownOption, "%s: there are no scripts: write the value that it computes into the items, and name that field", p.path(v))
}
