package parallel

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
)

// TestParallel: each task runs once, and a worker runs one task at a time.
func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000} {
		counts := make([]int, n) // of tasks
		busy := make([]atomic.Bool, 4)
		err := Each(context.Background(), len(busy), n, func(worker, i int) error {
			if !busy[worker].CompareAndSwap(false, true) {
				t.Errorf("worker %d runs twice", worker)
			}
			counts[i]++
			busy[worker].Store(false)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		for i, c := range counts {
			if c != 1 {
				t.Errorf("%d of %d was called %d times", i, n, c)
			}
		}
	}
}

func TestEachStops(t *testing.T) {
	failure := errors.New("failure")
	var calls atomic.Int64
	if err := Each(context.Background(), 2, 1000, func(_, i int) error { calls.Add(1); return failure }); err != failure || calls.Load() > 2 {
		t.Errorf("%v after %d calls", err, calls.Load())
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(failure)
	if err := Each(ctx, 2, 1000, func(_, i int) error { t.Error("called"); return nil }); err != failure {
		t.Error(err)
	}
}
