// This file gives the number formats of aggregations to others.

package aggs

// NumberFormat returns what writes numbers by a pattern, fractions and integers; ok is false for an
// unknown one.
func NumberFormat(pattern string) (double func(dst []byte, f float64) []byte, long func(dst []byte, n int64) []byte, ok bool) {
	p, ok := parseNumberPattern(pattern)
	return p.double, p.long, ok
}
