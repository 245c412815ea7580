// This file limits the work of a request.

package iter

import "contentedge/edgeserve/query"

// Work is measured in steps of about ten nanoseconds.
const (
	// LookEvery is the number of steps between two checks of the deadline.
	LookEvery = 1 << 14
	// MaxWork is the limit of steps per request: about a third of a second. It does not
	// depend on the machine or the load, so the same requests are rejected everywhere.
	MaxWork = 30_000_000
)

// Limit is the deadline of a request. Every context implements it.
type Limit interface {
	// Err returns an error after the deadline. It is called several times a millisecond. It
	// may block to let other requests run.
	Err() error
}

// Budget is the work of one request: parsing its body, evaluating it and writing its
// response. It is not safe for concurrent use. A nil Budget has no limit.
type Budget struct {
	limit    Limit
	work     int   // steps so far
	nextLook int   // step of the next check of the deadline
	failed   error // the error that ended the request
}

// NewBudget returns the full budget of a request.
func NewBudget(limit Limit) *Budget { return &Budget{limit: limit} }

// Begin initializes a zero Budget with the full budget.
func (b *Budget) Begin(limit Limit) { b.limit = limit }

// Affords reports whether that many steps are left.
func (b *Budget) Affords(steps int) bool { return b == nil || b.work+steps <= MaxWork }

// Charge counts steps. After the work or the time is used up, it always returns the same
// *query.Error.
func (b *Budget) Charge(steps int) error {
	if b == nil {
		return nil
	}
	if b.work += steps; b.work >= b.nextLook {
		b.look()
	}
	return b.failed
}

// Add counts steps. The next Charge checks the limits.
func (b *Budget) Add(steps int) { b.work += steps }

// look checks the limits of work and time.
func (b *Budget) look() {
	if b.failed != nil {
		return
	}
	b.nextLook = b.work + LookEvery
	switch {
	case b.work > MaxWork:
		b.failed = ErrTooCostly
	case b.limit.Err() != nil:
		b.failed = ErrTimeout
	}
}

// Work returns the steps so far.
func (b *Budget) Work() int { return b.work }

// Failed returns the error that ended the request, or nil.
func (b *Budget) Failed() error { return b.failed }

var (
	// ErrTimeout reports that the request's time is over: the only error that is not caused
	// by the body.
	ErrTimeout = &query.Error{Code: "timeout", Message: "the search took longer than its time limit; narrow it", Position: -1}
	// ErrTooCostly reports a request that needs more than MaxWork steps.
	ErrTooCostly = &query.Error{Code: "too_costly", Position: -1,
		Message: "the search needs more work than one request may take: use fewer patterns, regular expressions and fuzzy words, fewer clauses, values or fields, or a smaller size"}
)
