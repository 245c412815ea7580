// This file counts the work of a request, so that no body takes more than its share.

package search

import "contentedge/edgeserve/query"

// Work is counted in steps of some ten nanoseconds.
const (
	// tickEvery is how many steps may pass between two looks at the deadline.
	tickEvery = 1 << 14
	// maxWork is how many steps one request may take: about a third of a second. It is
	// the same on every machine and under every load. So a busy machine, too, refuses a
	// costly request before its time is over.
	maxWork = 30_000_000
)

// Budget is the work of one request: reading its body, evaluating it and writing its
// response. It belongs to one goroutine. On a nil Budget nothing is counted.
type Budget struct {
	limit    Limit
	work     int   // steps so far
	nextLook int   // at the deadline
	failed   error // what ended the request's work
}

// NewBudget is the whole budget of a request that has not begun.
func NewBudget(limit Limit) *Budget { return &Budget{limit: limit} }

// Spend counts steps of some ten nanoseconds. Once the request has had its share, or its
// time is over, the error is a *query.Error and stays.
func (b *Budget) Spend(steps int) error {
	if b == nil {
		return nil
	}
	return b.tick(steps)
}

// Affords reports whether so many steps are left.
func (b *Budget) Affords(steps int) bool { return b == nil || b.work+steps <= maxWork }

// tick counts work and fails once the request has had its share.
func (b *Budget) tick(n int) error {
	if b.work += n; b.work < b.nextLook || b.failed != nil {
		return b.failed
	}
	b.nextLook = b.work + tickEvery
	switch {
	case b.work > maxWork:
		b.failed = errCostly
	case b.limit.Err() != nil:
		b.failed = ErrTimeout
	}
	return b.failed
}

var (
	// ErrTimeout is the one error that is not the body's fault: the request's time is over.
	ErrTimeout = &query.Error{Code: "timeout", Message: "the search took longer than its time limit; narrow it", Position: -1}
	errCostly  = &query.Error{Code: "too_costly", Position: -1,
		Message: "the search needs more work than one request may take: use fewer patterns, regular expressions and fuzzy words, fewer clauses, values or fields, or a smaller size"}
)
