// This file writes numbers for people.

package statuspage

import (
	"math"
	"strconv"
)

// count writes a number with its thousands apart, and a number that is not an integer with three significant digits.
func count(v float64) string {
	if v != math.Trunc(v) {
		return significant(v)
	}
	digits := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	var b []byte
	if v < 0 {
		b = append(b, '-')
	}
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b = append(b, ',')
		}
		b = append(b, digits[i])
	}
	return string(b)
}

// significant writes three digits that count, and all digits before the point.
func significant(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case a >= 1 || a == 0:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// size writes bytes.
func size(v float64) string {
	for _, unit := range [...]string{"bytes", "KiB", "MiB", "GiB"} {
		if v < 1024 {
			if unit == "bytes" {
				return count(v) + " bytes"
			}
			return significant(v) + " " + unit
		}
		v /= 1024
	}
	return significant(v) + " TiB"
}

// duration writes seconds in at most two units.
func duration(seconds float64) string {
	s := seconds
	switch {
	case s < 0:
		return "-" + duration(-s)
	case s == 0:
		return "0 s"
	case s < 1e-3:
		return significant(s*1e6) + " µs"
	case s < 1:
		return significant(s*1e3) + " ms"
	case s < 60:
		return significant(s) + " s"
	case s < 3600:
		return parts(s, 60, "min", 1, "s")
	case s < 86400:
		return parts(s, 3600, "h", 60, "min")
	}
	return parts(s, 86400, "d", 3600, "h")
}

func parts(s float64, large int64, largeName string, small int64, smallName string) string {
	n := int64(s)
	return strconv.FormatInt(n/large, 10) + " " + largeName + " " + strconv.FormatInt(n%large/small, 10) + " " + smallName
}

// percent writes a share of one.
func percent(v float64) string { return significant(v*100) + " %" }
