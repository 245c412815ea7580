// Package retry repeats requests that failed temporarily.
package retry

import (
	"context"
	"math/rand/v2"
	"time"
)

const (
	// firstPause doubles with each attempt, up to lastPause.
	firstPause = 200 * time.Millisecond
	lastPause  = 10 * time.Second
)

// Do makes a request until it succeeds, fails for good or was made attempts times, and gives
// its last result. Between two attempts it gives the cause of ctx when that ends. Pauses vary
// by half, so that concurrent requests do not come back together.
func Do[T any](ctx context.Context, attempts int, temporary func(error) bool, request func() (T, error)) (T, error) {
	pause := firstPause
	for n := 1; ; n++ {
		result, err := request()
		if n == attempts || !temporary(err) {
			return result, err
		}
		select {
		case <-ctx.Done():
			return result, context.Cause(ctx)
		case <-time.After(pause/2 + rand.N(pause)):
		}
		pause = min(2*pause, lastPause)
	}
}
