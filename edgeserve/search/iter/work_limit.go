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

// WorkLimit counts the work of one request up to its limits of steps and time: parsing its body,
// evaluating it and writing its response. It is not safe for concurrent use. A nil WorkLimit has no limit.
type WorkLimit struct {
	limit    Limit
	work     int   // steps so far
	nextLook int   // step of the next check of the deadline
	failed   error // the error that ended the request
}

// NewWorkLimit returns the whole limit of a request.
func NewWorkLimit(limit Limit) *WorkLimit { return &WorkLimit{limit: limit} }

// Begin initializes a zero WorkLimit with the whole limit.
func (w *WorkLimit) Begin(limit Limit) { w.limit = limit }

// Affords reports whether that many steps are left.
func (w *WorkLimit) Affords(steps int) bool { return w == nil || w.work+steps <= MaxWork }

// Charge counts steps. After the work or the time is used up, it always returns the same
// *query.Error.
func (w *WorkLimit) Charge(steps int) error {
	if w == nil {
		return nil
	}
	if w.work += steps; w.work >= w.nextLook {
		w.look()
	}
	return w.failed
}

// Add counts steps. The next Charge checks the limits.
func (w *WorkLimit) Add(steps int) { w.work += steps }

// Fail ends the request with an error, unless another did before. It returns the error that
// ended the request, nil as long as err is nil.
func (w *WorkLimit) Fail(err error) error {
	if w.failed == nil {
		w.failed = err
	}
	return w.failed
}

// look checks the limits of work and time.
func (w *WorkLimit) look() {
	if w.failed != nil {
		return
	}
	w.nextLook = w.work + LookEvery
	switch {
	case w.work > MaxWork:
		w.failed = ErrTooCostly
	case w.limit.Err() != nil:
		w.failed = ErrTimeout
	}
}

// Work returns the steps so far.
func (w *WorkLimit) Work() int { return w.work }

// Failed returns the error that ended the request, or nil.
func (w *WorkLimit) Failed() error { return w.failed }

var (
	// ErrTimeout reports that the request's time is over: the only error that is not caused
	// by the body.
	ErrTimeout = &query.Error{Code: "timeout", Message: "the search took longer than its time limit; narrow it", Position: -1}
	// ErrTooCostly reports a request that needs more than MaxWork steps.
	ErrTooCostly = &query.Error{Code: "too_costly", Position: -1,
		Message: "the search needs more work than one request may take: use fewer patterns, regular expressions and fuzzy words, fewer clauses, values or fields, or a smaller size"}
)
