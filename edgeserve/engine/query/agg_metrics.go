// This file defines the metrics with options of their own.

package query

import (
	"slices"
	"strconv"
	"strings"
)

// The aggregation types of more than one number, or of two fields.
const (
	AggExtendedStats           AggKind = "extended_stats"
	AggPercentiles             AggKind = "percentiles"
	AggPercentileRanks         AggKind = "percentile_ranks"
	AggMedianAbsoluteDeviation AggKind = "median_absolute_deviation"
	AggWeightedAvg             AggKind = "weighted_avg"
)

// ExtendedStats are the options of extended_stats. Its bounds are Sigma deviations from the average.
type ExtendedStats struct{ Sigma float64 }

// Percentiles are the options of percentiles and percentile_ranks.
type Percentiles struct {
	Ranks  bool
	At     []float64 // percents, or the values to rank; ascending
	List   bool      // the result is an array
	HDR    bool      // values are rounded as in an HDR histogram of Digits
	Digits int
}

// WeightedAvg are the options of weighted_avg. Parsing ensures that both fields are named.
type WeightedAvg struct{ Value, Weight Operand }

// Visit implements Part.
func (w *WeightedAvg) Visit(v *Visitor) {
	v.Field(w.Value.Field)
	v.Field(w.Weight.Field)
}

// Operand is a field, and the number of an item that has none there; nil leaves the item out.
type Operand struct {
	Field   string
	Missing *Value
}

var (
	extendedMetrics = strings.Fields("min max avg sum count sum_of_squares variance variance_population variance_sampling std_deviation std_deviation_population std_deviation_sampling std_upper std_lower std_upper_population std_lower_population std_upper_sampling std_lower_sampling")
)

// number returns the normal form of a number in a path. It reports whether At has the number.
func (o *Percentiles) number(part string) (string, bool) {
	f, err := strconv.ParseFloat(part, 64)
	return strconv.FormatFloat(f, 'f', -1, 64), err == nil && slices.Contains(o.At, f)
}
