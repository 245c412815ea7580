// This file gives the number formats of aggregations to others.

package aggs

import "contentedge/edgeserve/query"

// NumberFormat returns what writes numbers by a pattern; ok is false for an unknown one.
func NumberFormat(pattern string) (write func(dst []byte, f float64) []byte, ok bool) {
	write, err := numberFormat(&query.Agg{Format: pattern}, "")
	return write, err == nil
}
