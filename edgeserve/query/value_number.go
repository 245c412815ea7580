// This file converts scalars to numbers as Elasticsearch does where an option takes any of them.

package query

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"contentedge/edgeserve/analysis"
)

// Long returns v as an integer. A number loses its fraction; a string must be an integer.
func (v *Value) Long() (n int64, ok bool) {
	if v.Kind != Number {
		n, err := strconv.ParseInt(v.Text, 10, 64)
		return n, err == nil && v.Kind == String
	}
	if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
		return n, true
	}
	if strings.ContainsAny(v.Text, ".eE") {
		f, _ := strconv.ParseFloat(v.Text, 64)
		return LongOf(f), true
	}
	if b, ok := new(big.Int).SetString(v.Text, 10); ok {
		return int64(new(big.Int).And(b, new(big.Int).SetUint64(math.MaxUint64)).Uint64()), true // its last 64 bits
	}
	return 0, false
}

// LongOf drops the fraction of a number. Numbers beyond 64 bits give the nearest integer.
func LongOf(f float64) int64 {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int64(f)
}

// Double returns v, a number or a string, as a fraction.
func (v *Value) Double() (f float64, ok bool) {
	if v.Kind == Boolean {
		return 0, false
	}
	return analysis.ParseDouble(v.Text, 64)
}
