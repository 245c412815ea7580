// This file defines the options of aggregations whose buckets are intervals or filters.

package query

// Histogram are the options of histogram, and the options that date_histogram shares.
type Histogram struct {
	Interval, Offset float64
	Extended, Hard   *Bounds
}

// Bounds limit the keys of a histogram. A nil bound leaves its side unbounded.
type Bounds struct{ Min, Max *Value }

// Ranges are the options of range and date_range.
type Ranges struct {
	Ranges []RangeBounds // in the order of the body
}

// RangeBounds is a range from From, below To. A nil bound leaves its side unbounded.
type RangeBounds struct {
	Key      string // "" when absent
	From, To *Value
}

// Adjacency are the options of adjacency_matrix.
type Adjacency struct{ Separator string }
