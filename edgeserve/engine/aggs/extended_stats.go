// This file computes extended_stats aggregations.

package aggs

import (
	"math"
	"strconv"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
)

// extendedStats also sums squares. It takes the values in the order of documents: if the values differ little, the
// order of addition changes the variance.
type extendedStats struct {
	metric
	sigma   float64
	squares compensated
}

// inOrder is the evaluator of a collector that takes documents in order.
type inOrder struct{ columnEvaluator }

func (o *inOrder) evaluate(dst []byte, set *scorer.Bitset) []byte {
	return o.stream(dst, o.a.whole(set), 0)
}

func (a *aggregator) newExtendedStats(agg *query.Agg, path string, in scope) (evaluator, error) {
	m, err := a.metric(agg, path)
	if err != nil {
		return nil, err
	}
	s := &extendedStats{metric: *m, sigma: agg.Options.(*query.ExtendedStats).Sigma}
	return &inOrder{columnEvaluator{collector: s, a: a, in: in}}, nil
}

func (s *extendedStats) reset() {
	s.metric.reset()
	s.squares = compensated{}
}

func (s *extendedStats) take(id, n int) {
	s.metric.take(id, n)
	v := s.s.number(id)
	for range n {
		s.squares.add(v * v)
	}
}

// variance is the variance of all values; the variance of a sample has one degree of freedom less.
func (s *extendedStats) variance(less int) float64 {
	sum := s.sum.sum
	v := (s.squares.sum - sum*sum/float64(s.count)) / float64(s.count-less)
	if v < 0 {
		return 0
	}
	return v
}

func (s *extendedStats) bound(direction float64, less int) float64 {
	return s.metric.value("avg") + float64(direction*s.sigma*math.Sqrt(s.variance(less)))
}

func (s *extendedStats) value(part string) float64 {
	switch part {
	case "sum_of_squares":
		return s.squares.sum
	case "variance", "variance_population":
		return s.variance(0)
	case "variance_sampling":
		return s.variance(1)
	case "std_deviation", "std_deviation_population":
		return math.Sqrt(s.variance(0))
	case "std_deviation_sampling":
		return math.Sqrt(s.variance(1))
	case "std_upper", "std_upper_population":
		return s.bound(1, 0)
	case "std_lower", "std_lower_population":
		return s.bound(-1, 0)
	case "std_upper_sampling":
		return s.bound(1, 1)
	case "std_lower_sampling":
		return s.bound(-1, 1)
	}
	return s.metric.value(part)
}

// The numbers that stats lacks, and the bounds, in the order of the result.
var (
	extendedNumbers = []string{"sum_of_squares", "variance", "variance_population", "variance_sampling", "std_deviation", "std_deviation_population", "std_deviation_sampling"}
	boundNumbers    = []string{"upper", "lower", "upper_population", "lower_population", "upper_sampling", "lower_sampling"}
)

func (s *extendedStats) finish(dst []byte, _ *scorer.Bitset) []byte {
	defer s.reset()
	dst = s.appendStats(dst)
	dst = dst[:len(dst)-1] // the members follow the members of stats
	number := func(dst []byte, part string) []byte {
		if s.count == 0 {
			return append(dst, "null"...)
		}
		return appendDouble(dst, s.value(part))
	}
	for _, part := range extendedNumbers {
		dst = number(append(strconv.AppendQuote(append(dst, ','), part), ':'), part)
	}
	dst = appendBounds(append(dst, `,"std_deviation_bounds":`...), number)
	if s.text == nil || s.count == 0 {
		return append(dst, '}')
	}
	text := func(dst []byte, part string) []byte { return s.text(dst, s.value(part)) }
	for i, part := range extendedNumbers {
		dst = append(strconv.AppendQuote(append(dst, ','), part+"_as_string"), ':')
		if i < 4 {
			dst = s.appendStatsText(dst, s.value(part))
			continue
		}
		dst = text(dst, part)
	}
	dst = appendBounds(append(dst, `,"std_deviation_bounds_as_string":`...), text)
	return append(dst, '}')
}

// appendBounds writes an object of the bounds.
func appendBounds(dst []byte, write func(dst []byte, part string) []byte) []byte {
	for i, name := range boundNumbers {
		dst = append(dst, "{,"[min(i, 1)])
		dst = write(append(strconv.AppendQuote(dst, name), ':'), "std_"+name)
	}
	return append(dst, '}')
}
