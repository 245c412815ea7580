// This file computes percentiles, percentile_ranks and median_absolute_deviation aggregations.

package aggs

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// percentiles holds all values, as runs of equal ones.
type percentiles struct {
	a       *aggregator
	agg     *query.Agg
	path    string
	options *query.Percentiles // nil for median_absolute_deviation
	s       *valuesSource
	text    numberText
	runs    []run
	sample  sample
}

// run is a value that occurs n times.
type run struct {
	value float64
	n     int
}

func (a *aggregator) newPercentiles(agg *query.Agg, path string, in scope) (evaluator, error) {
	s, err := a.valuesSource(agg, path)
	if err != nil {
		return nil, err
	}
	p := &percentiles{a: a, agg: agg, path: path, s: s}
	p.options, _ = agg.Options.(*query.Percentiles)
	if p.text, err = s.numberText(agg, path); err != nil {
		return nil, err
	}
	if !a.allot(32 * s.ids) { // runs and sample
		return nil, a.work.Failed()
	}
	return &columnEvaluator{collector: p, a: a, in: in}, nil
}

func (p *percentiles) values() *valuesSource { return p.s }
func (p *percentiles) direct() bool          { return false }
func (p *percentiles) take(id, n int)        { p.runs = append(p.runs, run{p.s.number(id), n}) }

func (p *percentiles) reset() {
	p.runs = p.runs[:0]
	p.sample.reset()
}

// sorted returns the values so far in order.
func (p *percentiles) sorted() *sample {
	p.a.work.Charge(p.sortSteps())
	slices.SortFunc(p.runs, func(a, b run) int { return cmp.Compare(a.value, b.value) })
	for _, r := range p.runs {
		p.sample.add(r.value, r.n)
	}
	return &p.sample
}

func (p *percentiles) sortSteps() int { return len(p.runs) * (2 + bits.Len(uint(len(p.runs)))/2) }

// measure returns the function that maps a number of the options to its result.
func (p *percentiles) measure() func(at float64) float64 {
	s := p.sorted()
	ranks := p.agg.Kind == query.AggPercentileRanks
	if !p.options.HDR {
		if ranks {
			return func(at float64) float64 { return s.rank(at) * 100 }
		}
		return func(at float64) float64 { return s.quantile(at / 100) }
	}
	h, ok := newHDR(p.options.Digits, s)
	if !ok {
		p.a.work.Fail(badAgg(p.path, p.agg, "hdr", "an HDR histogram has no negative values and none of very different sizes, as field %.80q has: use tdigest", p.agg.Values.Field))
	}
	if ranks {
		return func(at float64) float64 { return h.rank(s, at) * 100 }
	}
	return func(at float64) float64 { return h.percentile(s, at) }
}

func (p *percentiles) value(part string) float64 {
	if p.options == nil {
		return p.deviation()
	}
	at, err := strconv.ParseFloat(part, 64)
	if err != nil {
		return math.NaN()
	}
	return p.measure()(at)
}

// leastResult is the least number of bytes of a result with its name.
const leastResult = len(`"1.0":1.0,`)

func (p *percentiles) finish(dst []byte, _ *scorer.Bitset) []byte {
	defer p.reset()
	if p.options == nil {
		return p.text.single(dst, p.deviation())
	}
	if !p.a.fits(len(dst) + leastResult*len(p.options.At)) {
		return dst
	}
	of := p.measure()
	dst = append(append(dst, `{"values":`...), p.brace("{["))
	for i, at := range p.options.At {
		p.a.work.Charge(2 + bits.Len(uint(len(p.runs))))
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = p.appendOne(dst, at, of(at))
	}
	return append(append(dst, p.brace("}]")), '}')
}

func (p *percentiles) brace(pair string) byte {
	if p.options.List {
		return pair[1]
	}
	return pair[0]
}

// appendOne writes the result for a number of the options, with its text. NaN means no values.
func (p *percentiles) appendOne(dst []byte, at, v float64) []byte {
	if p.options.List {
		dst = append(appendDouble(append(dst, `{"key":`...), at), ',')
	}
	dst = append(p.appendName(dst, at), `":`...)
	if math.IsNaN(v) {
		dst = append(dst, "null"...)
	} else {
		dst = appendDouble(dst, v)
		if p.text != nil {
			dst = append(p.appendName(append(dst, ','), at), `_as_string":`...)
			dst = p.text(dst, v)
		}
	}
	if p.options.List {
		dst = append(dst, '}')
	}
	return dst
}

// appendName writes the name of a result, without the quote after it.
func (p *percentiles) appendName(dst []byte, at float64) []byte {
	if p.options.List {
		return append(dst, `"value`...)
	}
	return appendDouble(append(dst, '"'), at)
}

func (p *percentiles) deviation() float64 {
	s := p.sorted()
	p.a.work.Charge(p.sortSteps())
	return s.deviation()
}
