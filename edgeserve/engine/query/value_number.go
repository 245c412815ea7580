// This file converts scalars to numbers, as Elasticsearch does where an option takes numbers and strings.

package query

import (
	"math"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/analysis"
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
	return lastBits(v.Text)
}

// lastBits returns the last 64 bits of an integer of any length.
func lastBits(text string) (n int64, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	for i := range len(digits) {
		digit := digits[i] - '0'
		if digit > 9 {
			return 0, false
		}
		n = 10*n + int64(digit) // overflow drops the upper bits
	}
	if negative {
		n = -n
	}
	return n, digits != ""
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
