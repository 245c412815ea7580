// This file defines histograms of numbers and dates.

package query

// Histogram are the options of histogram, and those that date_histogram shares.
type Histogram struct {
	Interval, Offset float64
	Extended, Hard   *Bounds
}

// Bounds limit the keys of a histogram. A nil bound leaves its side unbounded.
type Bounds struct{ Min, Max *Value }
