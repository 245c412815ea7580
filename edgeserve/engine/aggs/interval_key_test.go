package aggs

import (
	"math"
	"testing"
)

// Keys have the order of the numbers of intervals, and give them back.
func TestIntervalKeys(t *testing.T) {
	last := int64(math.MinInt64)
	for i, n := range []float64{math.Inf(-1), -math.MaxFloat64, -1e31, -1e18, -9007199254740994, -9007199254740992, -2, -1, 0, 1, 2, 9007199254740991, 9007199254740992,
		9007199254740994, 9007199254740996, 1e18, 1e31, math.MaxFloat64, math.Inf(1)} {
		key := intervalKey(n)
		if key <= last && i > 0 || intervalNumber(key) != n {
			t.Errorf("%g: key %d, behind %d, of number %g", n, key, last, intervalNumber(key))
		}
		last = key
	}
}
