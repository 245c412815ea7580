package retry

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

var errBusy, errGone = errors.New("busy"), errors.New("gone")

func isBusy(err error) bool { return errors.Is(err, errBusy) }

// TestRetry shows which errors are tried again, how often, and after which pauses.
func TestRetry(t *testing.T) {
	for _, tt := range []struct {
		name   string
		errs   []error // of the attempts
		want   error
		calls  int
		pauses [2]time.Duration // all of them, at least and at most
	}{
		{"a success is not repeated", []error{nil}, nil, 1, [2]time.Duration{}},
		{"an error that stays is returned at once", []error{errGone}, errGone, 1, [2]time.Duration{}},
		{"a temporary error is tried again after a pause", []error{errBusy, errBusy, nil}, nil, 3, [2]time.Duration{300 * time.Millisecond, 900 * time.Millisecond}},
		{"after the last attempt its error is returned", []error{errBusy, errBusy, errBusy, errBusy}, errBusy, 3, [2]time.Duration{300 * time.Millisecond, 900 * time.Millisecond}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, n := time.Now(), 0
				got, err := Do(t.Context(), 3, isBusy, func() (int, error) { n++; return n, tt.errs[n-1] })
				if took := time.Since(start); got != tt.calls || err != tt.want || took < tt.pauses[0] || took > tt.pauses[1] {
					t.Errorf("%d, %v after %s", got, err, took)
				}
			})
		})
	}
}

func TestDoEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Millisecond, func() { cancel(errGone) })
		if _, err := Do(ctx, 3, isBusy, func() (int, error) { return 0, errBusy }); err != errGone {
			t.Errorf("got %v", err)
		}
	})
}
