// This file offers the number formats of aggregations to other packages.

package aggs

// NumberFormat returns functions that write fractions and integers by a pattern. ok is false for an unknown pattern.
func NumberFormat(pattern string) (double func(dst []byte, f float64) []byte, long func(dst []byte, n int64) []byte, ok bool) {
	p, ok := parseNumberPattern(pattern)
	return p.double, p.long, ok
}
