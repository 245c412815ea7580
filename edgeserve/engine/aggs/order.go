// This file orders buckets.

package aggs

import (
	"cmp"
	"math"

	"contentedge/edgeserve/engine/query"
)

const (
	orderCount = "_count"
	orderKey   = "_key"
)

// compareBy returns a comparison of buckets by the keys of an order, which reads counts and values of sub-aggregations.
func compareBy(order []query.AggSort, values [][]float64, aCount, bCount, a, b int, byKey func() int) int {
	for i, o := range order {
		c := 0
		switch o.Path {
		case orderCount:
			c = directed(cmp.Compare(aCount, bCount), o.Asc)
		case orderKey:
			c = directed(byKey(), o.Asc)
		default:
			c = compareValues(values[i][a], values[i][b], o.Asc)
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

func directed(c int, asc bool) int {
	if asc {
		return c
	}
	return -c
}

// compareValues compares numbers. NaN is last in both directions.
func compareValues(a, b float64, asc bool) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return -cmp.Compare(a, b) // cmp.Compare has NaN first
	}
	return directed(cmp.Compare(a, b), asc)
}

// orderValues returns a number per bucket for each order key that needs a sub-aggregation.
func (s *subs) orderValues(order []query.AggSort, bs buckets) [][]float64 {
	values := make([][]float64, len(order))
	for i, o := range order {
		if o.Path != orderCount && o.Path != orderKey && s.a.work.Failed() == nil {
			values[i] = s.numbers(o.Path, bs)
		}
	}
	return values
}
