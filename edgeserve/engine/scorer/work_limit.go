// This file limits the work and the memory of a request.

package scorer

import (
	"context"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

// Work is measured in steps of about ten nanoseconds.
const (
	// LookEvery is the number of steps between two checks of the deadline.
	LookEvery = 1 << 14
	// MaxWork limits the steps of a request, to about a third of a second. It is the same on every
	// machine and load, so the same requests are rejected everywhere.
	MaxWork = 30_000_000
)

// OwnMemory is what a search may hold in memory, in bytes, in addition to what it takes by Hold: the number of searches
// bounds it. Half is for memory that a search does not report by Hold.
const OwnMemory = 32 << 20

// Limit is the deadline of a request. Every context implements it.
type Limit interface {
	// Err fails after the deadline. Called several times a millisecond, it may block to yield. A *query.Error
	// becomes the error of the request, any other is ErrTimeout.
	Err() error
}

// WorkLimit limits the steps and time of one request: parsing, evaluation and response. It is not
// safe for concurrent use. nil has no limit.
type WorkLimit struct {
	limit    Limit
	work     int   // steps
	nextLook int   // step of the next check of the deadline
	failed   error // the error that ended the request

	take        func(bytes int64) bool // takes memory beyond OwnMemory; nil means that memory is always granted
	held, taken int64                  // bytes reported by Hold, and bytes taken for them
}

// NewWorkLimit returns the limits of a request that has used nothing.
func NewWorkLimit(limit Limit) *WorkLimit { return &WorkLimit{limit: limit} }

// TakeMemory sets the allocator of memory for bytes above OwnMemory. It returns false when memory is short. Memory that
// earlier searches of the request hold stays held; before is the limit of the last search, or nil.
func (w *WorkLimit) TakeMemory(take func(bytes int64) bool, before *WorkLimit) {
	if w.take = take; before != nil {
		w.held, w.taken = before.held, before.taken
	}
}

// takenAtOnce is the unit in which memory is taken.
const takenAtOnce = 1 << 20

// Hold reports that the request is about to allocate memory, which it holds until it ends.
func (w *WorkLimit) Hold(bytes int) error {
	if w == nil || bytes <= 0 {
		return nil
	}
	w.held += int64(bytes)
	if more := w.held - OwnMemory/2 - w.taken; more > 0 && w.take != nil {
		more = (more + takenAtOnce - 1) / takenAtOnce * takenAtOnce
		if !w.take(more) {
			return w.Fail(ErrNoMemory)
		}
		w.taken += more
	}
	return w.failed
}

// Affords reports whether that many steps are left.
func (w *WorkLimit) Affords(steps int) bool { return w == nil || w.work+steps <= MaxWork }

// Charge counts steps. Once work or time is used up, it always returns the same *query.Error.
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

// Fail ends the request with err, unless nil. It returns the first error that ended the request.
func (w *WorkLimit) Fail(err error) error {
	if w.failed == nil {
		w.failed = err
	}
	return w.failed
}

func (w *WorkLimit) look() {
	if w.failed != nil {
		return
	}
	w.nextLook = w.work + LookEvery
	if w.work > MaxWork {
		w.failed = ErrTooCostly
		return
	}
	switch err := w.limit.Err().(type) {
	case nil:
	case *query.Error:
		w.failed = err
	default:
		w.failed = ErrTimeout
	}
}

// Context returns the context of the request, for work that other machines do: the limit if it is a context, or the
// result of its method Context.
func (w *WorkLimit) Context() context.Context {
	if w != nil {
		switch l := w.limit.(type) {
		case context.Context:
			return l
		case interface{ Context() context.Context }:
			return l.Context()
		}
	}
	return context.Background()
}

// Work returns the steps so far.
func (w *WorkLimit) Work() int { return w.work }

// Failed returns the error that ended the request, or nil.
func (w *WorkLimit) Failed() error { return w.failed }

var (
	// ErrTimeout reports that the request's time is over. The body causes neither it nor the next two.
	ErrTimeout = &query.Error{Code: problem.Timeout, Message: "the search took longer than its time limit; narrow it", Position: -1}
	// ErrNoMemory reports that no memory is left for what the request holds. It may be later.
	ErrNoMemory = &query.Error{Code: problem.Overloaded, Message: "no memory is left for the search; try again", Position: -1}
	// ErrNoSlot reports that the request was not allowed to continue in time. It may be allowed later.
	ErrNoSlot = &query.Error{Code: problem.Overloaded, Message: "too many searches are running; try again", Position: -1}
	// ErrTooCostly reports a request that needs more than MaxWork steps.
	ErrTooCostly = &query.Error{Code: problem.TooCostly, Position: -1,
		Message: "the search needs more work than one request may take: use fewer patterns, regular expressions and fuzzy words, fewer clauses, values or fields, or a smaller size"}
)
