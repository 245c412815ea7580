// This file gives the formats of aggregations to others.

package aggs

import (
	"time"

	"contentedge/edgeserve/query"
)

// DateFormat returns what writes dates of UTC in a format; ok is false for an unknown one.
func DateFormat(format string) (write func(dst []byte, ms int64) []byte, ok bool) {
	return dateFormat(format, time.UTC)
}

// NumberFormat returns what writes numbers by a pattern; ok is false for an unknown one.
func NumberFormat(pattern string) (write func(dst []byte, f float64) []byte, ok bool) {
	write, err := numberFormat(&query.Agg{Format: pattern}, "")
	return write, err == nil
}
