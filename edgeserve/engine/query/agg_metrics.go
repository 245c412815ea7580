// This file parses aggregations that give numbers of a field.

package query

import (
	"slices"
	"strconv"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// The aggregation types of more than one number, or of two fields.
const (
	AggExtendedStats   AggKind = "extended_stats"
	AggPercentiles     AggKind = "percentiles"
	AggPercentileRanks AggKind = "percentile_ranks"
	AggDeviation       AggKind = "median_absolute_deviation"
	AggWeightedAvg     AggKind = "weighted_avg"
)

// ExtendedStats are options: Sigma deviations lie between the average and its bounds.
type ExtendedStats struct{ Sigma float64 }

// Percentiles are the options of percentiles and percentile_ranks.
type Percentiles struct {
	Ranks  bool
	At     []float64 // percents, or the values to rank; ascending
	List   bool      // the result is an array
	HDR    bool      // values are rounded as in an HDR histogram of Digits
	Digits int
}

// WeightedAvg are options. Without a field of a kind, parsing fails.
type WeightedAvg struct{ Value, Weight Operand }

// Visit implements Part.
func (w *WeightedAvg) Visit(v *Visitor) {
	v.Field(w.Value.Field)
	v.Field(w.Weight.Field)
}

// Operand is one of two fields.
type Operand struct {
	Field   string
	Missing *Value
}

const (
	// maxPercents limits the numbers that are looked up in all values.
	maxPercents = 1000
	// maxDigits limits the digits of an HDR histogram, as in Elasticsearch.
	maxDigits = 5
)

var (
	defaultPercents = []float64{1, 5, 25, 50, 75, 95, 99}
	extendedParts   = strings.Fields("min max avg sum count sum_of_squares variance variance_population variance_sampling std_deviation std_deviation_population std_deviation_sampling std_upper std_lower std_upper_population std_lower_population std_upper_sampling std_lower_sampling")
)

func (p *bodyParser) metricAgg(a *Agg, t *aggType, v *value) {
	p.aggOptions(a, t, v, func(o *value) bool {
		switch o.name {
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

func (p *bodyParser) extendedStatsAgg(a *Agg, t *aggType, v *value) {
	options := &ExtendedStats{Sigma: 2}
	p.aggOptions(a, t, v, func(o *value) bool {
		if o.name != "sigma" {
			return false
		}
		if options.Sigma = o.number(); !(options.Sigma >= 0) {
			p.wrongValue(o, "a number from 0")
		}
		return true
	})
	p.require(v, "field")
	a.Options = options
}

func (p *bodyParser) percentilesAgg(a *Agg, t *aggType, v *value) {
	options := &Percentiles{Ranks: a.Kind == AggPercentileRanks, At: defaultPercents}
	p.aggOptions(a, t, v, func(o *value) bool {
		switch o.name {
		case "percents", "values":
			options.At = p.numberList(o)
		case "keyed":
			options.List = !p.bool(o)
		case "tdigest":
			p.compression(o)
		case "hdr":
			options.HDR, options.Digits = true, p.digits(o)
		default:
			return false
		}
		return true
	})
	p.require(v, "field")
	if options.Ranks {
		p.require(v, "values")
	}
	if v.member("tdigest") != nil && v.member("hdr") != nil {
		p.fail(v, problem.BadAggregation, "%s has tdigest and hdr: give one of them", p.path(v))
	}
	if options.HDR && options.Ranks && len(options.At) > 0 && options.At[0] < 0 {
		p.fail(v, problem.BadAggregation, "an HDR histogram has no negative values such as %v: use tdigest", options.At[0])
	}
	a.Options = options
}

// numberList is numbers, sorted.
func (p *bodyParser) numberList(v *value) []float64 {
	list := p.numbers(v)
	slices.Sort(list)
	return list
}

// numbers parses numbers, at least one; percents are from 0 to 100.
func (p *bodyParser) numbers(v *value) (list []float64) {
	if v.kind == kindArray && len(v.items) == 0 {
		p.wrongValue(v, "a number or an array of them, at least one")
	}
	if p.tooMany(v, "numbers", len(v.items), maxPercents) {
		return nil
	}
	p.each(v, func(e *value) {
		f := e.number()
		switch {
		case f != f:
			p.wrongValue(e, "a number")
		case v.name == "percents" && (f < 0 || f > 100):
			p.wrongValue(e, "a number from 0 to 100")
		}
		list = append(list, f)
	})
	return list
}

// compression parses the options of a t-digest. They have no effect: every value is held.
func (p *bodyParser) compression(v *value) {
	p.onlyMember(v, "compression", func(m *value) {
		if !(m.number() >= 0) {
			p.wrongValue(m, "a number from 0")
		}
	})
}

// digits parses the options of an HDR histogram.
func (p *bodyParser) digits(v *value) int {
	n := 3
	p.onlyMember(v, "number_of_significant_value_digits", func(m *value) {
		if n = p.integer(m, 0); n > maxDigits {
			p.wrongValue(m, "an integer from 0 to "+strconv.Itoa(maxDigits))
		}
	})
	return n
}

// onlyMember parses an object that has one member at most.
func (p *bodyParser) onlyMember(v *value, name string, parse func(m *value)) {
	if v.kind != kindObject {
		p.wrongValue(v, "an object")
		return
	}
	for i := range v.items {
		if m := &v.items[i]; m.name == name {
			parse(m)
		} else {
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: %s", clip(m.name), v.name, name)
		}
	}
}

func (p *bodyParser) positive(v *value) {
	if !(v.number() > 0) {
		p.wrongValue(v, "a number above 0")
	}
}

func (p *bodyParser) weightedAvgAgg(a *Agg, t *aggType, v *value) {
	options := &WeightedAvg{}
	p.aggOptions(a, t, v, func(o *value) bool {
		switch o.name {
		case "value":
			options.Value = p.operand(o)
		case "weight":
			options.Weight = p.operand(o)
		default:
			return false
		}
		return true
	})
	p.require(v, "value")
	p.require(v, "weight")
	a.Options = options
}

func (p *bodyParser) operand(v *value) (o Operand) {
	if v.kind != kindObject {
		p.wrongValue(v, `an object like {"field":"Data.rank"}`)
		return o
	}
	for i := range v.items {
		switch m := &v.items[i]; m.name {
		case "field":
			o.Field = p.fieldName(m)
		case "missing":
			o.Missing = new(p.scalar(m))
		case "script":
			p.noScript(m)
		default:
			p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: field, missing", clip(m.name), v.name)
		}
	}
	p.require(v, "field")
	return o
}

func (p *bodyParser) noScript(v *value) {
	p.fail(v, problem.UnknownOption, "%s: there are no scripts: write the value that it computes into the items, and name that field", p.path(v))
}

// number normalizes one of At as the name of a number.
func (o *Percentiles) number(part string) (string, bool) {
	f, err := strconv.ParseFloat(part, 64)
	return strconv.FormatFloat(f, 'f', -1, 64), err == nil && slices.Contains(o.At, f)
}
