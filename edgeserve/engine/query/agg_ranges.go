// This file defines range and date_range.

package query

// Ranges are the options of range and date_range.
type Ranges struct {
	Ranges []RangeBounds // in the order of the body
}

// RangeBounds is a range from From, below To. A nil bound leaves its side unbounded.
type RangeBounds struct {
	Key      string // "" when absent
	From, To *Value
}
