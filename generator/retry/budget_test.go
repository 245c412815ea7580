// These tests bound the time of retries, and read how long servers ask to wait.

package retry

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration // what the server asks for
		takes  time.Duration // an attempt
		left   time.Duration
		calls  int
		refuse bool
		spent  [2]time.Duration
	}{
		{"pauses within the budget are made", 0, 0, time.Minute, 3, false, [2]time.Duration{300 * time.Millisecond, 900 * time.Millisecond}},
		{"a server may ask for longer ones", 5 * time.Second, 0, time.Minute, 3, false, [2]time.Duration{10 * time.Second, 10 * time.Second}},
		{"a pause beyond the budget is not begun", 24 * time.Hour, 0, time.Minute, 1, true, [2]time.Duration{}},
		{"nor is a second one that is too long with the first", 40 * time.Second, 0, time.Minute, 2, true, [2]time.Duration{40 * time.Second, 40 * time.Second}},
		{"failed attempts take their time from it", 0, 50 * time.Second, time.Minute, 2, true, [2]time.Duration{100 * time.Second, 101 * time.Second}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				budget, n, start := &Budget{Left: tt.left}, 0, time.Now()
				_, err := With(t.Context(), Policy{Attempts: 3, Temporary: isBusy, After: func(error) time.Duration { return tt.after }, Budget: budget}, func() (int, error) {
					n++
					time.Sleep(tt.takes)
					return 0, errBusy
				})
				_, refused := errors.AsType[*BudgetError](err)
				if n != tt.calls || refused != tt.refuse || !errors.Is(err, errBusy) {
					t.Errorf("%d calls, %v", n, err)
				}
				if took := time.Since(start); budget.Spent < tt.spent[0] || budget.Spent > tt.spent[1] && tt.takes == 0 || took > budget.Spent+tt.takes {
					t.Errorf("%s spent, %s left, after %s", budget.Spent, budget.Left, took)
				}
			})
		})
	}
}

func TestAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		value, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"0", "", 0},
		{"120", "", 2 * time.Minute},
		{" 7 ", "", 7 * time.Second},
		{"86400", "", 24 * time.Hour},
		{"99999999999999999999", "", maxAfter},
		{"9223372036854775807", "", maxAfter},
		{"-1", "", 0},
		{"+5", "", 0},
		{"1.5", "", 0},
		{"abc", "", 0},
		{"Sun, 01 Mar 2026 12:00:30 GMT", "", 30 * time.Second},
		{"Sun, 01 Mar 2026 11:00:30 GMT", "", 0},
		{"Sun, 01 Mar 2026 12:00:30 GMT", "Sun, 01 Mar 2026 12:00:20 GMT", 10 * time.Second},
		{"Sunday, 01-Mar-26 12:00:30 GMT", "", 30 * time.Second},
		{"Sun, 01 Mar 2999 12:00:30 GMT", "", maxAfter},
	} {
		h := http.Header{"Retry-After": {tt.value}}
		if tt.date != "" {
			h.Set("Date", tt.date)
		}
		if got := After(h, now); got != tt.want {
			t.Errorf("%q sent at %q: %s, not %s", tt.value, tt.date, got, tt.want)
		}
	}
}
