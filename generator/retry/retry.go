// Package retry repeats requests that failed temporarily.
package retry

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// firstPause doubles with each attempt, up to lastPause.
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
)

// statuses are the statuses that promise success for the same request later.
var statuses = []int{408, 425, 429, 500, 502, 503, 504}

// TemporaryStatus reports whether a request that got this HTTP status is worth another attempt.
func TemporaryStatus(status int) bool { return slices.Contains(statuses, status) }

// Policy says which requests are repeated, how often, and after which pauses.
type Policy struct {
	Attempts  int // of a request, with the first one
	Temporary func(error) bool
	After     func(error) time.Duration // the shortest pause that a server asks for; may be nil
	Budget    *Budget                   // bounds the time that failures cost; nil: no bound
}

// Budget bounds how long all failed attempts and pauses of many requests may take together. It
// belongs to one goroutine.
type Budget struct {
	Left  time.Duration
	Spent time.Duration
}

// Take spends time that has passed, even if it is more than what is left.
func (b *Budget) Take(d time.Duration) {
	b.Left -= d
	b.Spent += d
}

// BudgetError is a pause that would exceed a Budget. It is returned at once.
type BudgetError struct {
	Pause, Left time.Duration
	Err         error // of the last attempt
}

// Error names the pause and what is left.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("%v; the next attempt would be in %s, and %s are left for retries", e.Err, e.Pause.Round(time.Millisecond), max(0, e.Left).Round(time.Millisecond))
}

// Unwrap returns the error of the last attempt.
func (e *BudgetError) Unwrap() error { return e.Err }

// Do makes a request until it succeeds, fails for good or was made attempts times, and gives
// its last result. Between two attempts it gives the cause of ctx when that ends.
func Do[T any](ctx context.Context, attempts int, temporary func(error) bool, request func() (T, error)) (T, error) {
	return With(ctx, Policy{Attempts: attempts, Temporary: temporary}, request)
}

// With is Do by a Policy. Pauses vary by half, so that concurrent requests do not come back
// together, unless the server asks for a longer one.
func With[T any](ctx context.Context, p Policy, request func() (T, error)) (T, error) {
	pause := firstPause
	for n := 1; ; n++ {
		start := time.Now()
		result, err := request()
		if err != nil && p.Budget != nil {
			p.Budget.Take(time.Since(start))
		}
		if n == p.Attempts || !p.Temporary(err) {
			return result, err
		}
		wait := pause/2 + rand.N(pause)
		if p.After != nil {
			wait = max(wait, p.After(err))
		}
		if p.Budget != nil {
			if wait > p.Budget.Left {
				return result, &BudgetError{wait, p.Budget.Left, err}
			}
			p.Budget.Take(wait)
		}
		select {
		case <-ctx.Done():
			return result, context.Cause(ctx)
		case <-time.After(wait):
		}
		pause = min(2*pause, lastPause)
	}
}
