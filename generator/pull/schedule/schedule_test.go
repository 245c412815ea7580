package schedule

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errOrigin = errors.New("the origin is not well")

// plan is a schedule under test: when runs begin, how long they take, and how they end.
type plan struct {
	*Schedule
	began  time.Time
	mu     sync.Mutex
	starts []time.Duration
	takes  time.Duration
	fails  func(n int) error
	due    func(n int) time.Duration // since the beginning, after n runs; 0: none
}

// start runs a schedule until the test's time is over, and returns the beginnings of its runs.
func start(t *testing.T, every, length time.Duration, p *plan, act func()) []time.Duration {
	ctx, cancel := context.WithTimeoutCause(t.Context(), length, errOrigin)
	defer cancel()
	p.began = time.Now()
	p.Schedule = New(Config{Every: every, Run: func(ctx context.Context) error {
		p.mu.Lock()
		p.starts = append(p.starts, time.Since(p.began))
		n := len(p.starts)
		p.mu.Unlock()
		select {
		case <-time.After(p.takes):
		case <-ctx.Done():
		}
		if p.fails != nil {
			return p.fails(n)
		}
		return nil
	}, Due: p.dueTime()})
	if act != nil {
		go act()
	}
	if err := p.Run(ctx); err != errOrigin {
		t.Errorf("it ends with %v", err)
	}
	return p.starts
}

// dueTime returns the Due of the plan. nil means that the plan has none.
func (p *plan) dueTime() func() time.Time {
	if p.due == nil {
		return nil
	}
	return func() time.Time {
		if due := p.due(len(p.starts)); due != 0 {
			return p.began.Add(due)
		}
		return time.Time{}
	}
}

// dueAt is the due of a plan: after the first run the first of some times, and so on. The last one stays.
func dueAt(times ...float64) func(n int) time.Duration {
	return func(n int) time.Duration { return seconds(times...)[min(n, len(times))-1] }
}

func fail(int) error { return errOrigin }

func seconds(of ...float64) (d []time.Duration) {
	for _, s := range of {
		d = append(d, time.Duration(s*float64(time.Second)))
	}
	return d
}

// TestSchedule shows when runs begin: at the interval, later after failures, and soon when asked for.
func TestSchedule(t *testing.T) {
	for _, tt := range []struct {
		name          string
		every, length time.Duration
		plan          *plan
		triggers      []time.Duration // since the beginning
		want          []time.Duration
	}{
		{name: "at the interval, from the end of a run", every: 30 * time.Second, length: 100 * time.Second, plan: &plan{takes: 5 * time.Second}, want: seconds(0, 35, 70)},
		{name: "after failures later, up to a minute", every: 10 * time.Second, length: 350 * time.Second, plan: &plan{fails: func(n int) error { return errOrigin }},
			want: seconds(0, 20, 60, 120, 180, 240, 300)},
		{name: "a good run ends the backoff", every: 10 * time.Second, length: 145 * time.Second, plan: &plan{fails: func(n int) error {
			if n <= 3 {
				return errOrigin
			}
			return nil
		}}, want: seconds(0, 20, 60, 120, 130, 140)},
		{name: "an interval above a minute stays", every: 5 * time.Minute, length: 11 * time.Minute, plan: &plan{fails: func(n int) error { return errOrigin }}, want: seconds(0, 300, 600)},
		{name: "a short interval is not below the least pause", every: time.Millisecond, length: 2500 * time.Millisecond, want: seconds(0, 1, 2)},
		{name: "when asked for", every: time.Hour, length: time.Minute, triggers: seconds(10, 40), want: seconds(0, 10, 40)},
		{name: "twice within the least pause", every: time.Hour, length: time.Minute, triggers: seconds(10, 10.25, 10.5), want: seconds(0, 10, 11)},
		{name: "during a run: one follows", every: time.Hour, length: time.Minute, plan: &plan{takes: 8 * time.Second}, triggers: seconds(10, 11, 12, 13), want: seconds(0, 10, 18)},
		{name: "during a backoff", every: 10 * time.Second, length: 40 * time.Second, plan: &plan{fails: func(n int) error { return errOrigin }}, triggers: seconds(5), want: seconds(0, 5)},
		{name: "20 in a second: one run and one more", every: time.Hour, length: time.Minute, plan: &plan{takes: 500 * time.Millisecond},
			triggers: func() (at []time.Duration) {
				for n := range 20 {
					at = append(at, 10*time.Second+time.Duration(n)*50*time.Millisecond)
				}
				return at
			}(), want: seconds(0, 10, 11)},
		{name: "nothing is due", every: 30 * time.Second, length: 70 * time.Second, plan: &plan{due: dueAt(0)}, want: seconds(0, 30, 60)},
		{name: "due before the interval", every: time.Hour, length: 2 * time.Hour, plan: &plan{due: dueAt(700, 900, 0)}, want: seconds(0, 700, 900, 4500)},
		{name: "due after the interval", every: 30 * time.Second, length: 70 * time.Second, plan: &plan{due: dueAt(45)}, want: seconds(0, 30, 45)},
		{name: "due at the interval", every: 30 * time.Second, length: 70 * time.Second, plan: &plan{due: dueAt(30, 60, 90)}, want: seconds(0, 30, 60)},
		{name: "due in the past, which the run that ended had seen", every: 30 * time.Second, length: 70 * time.Second, plan: &plan{due: dueAt(-5)}, want: seconds(0, 30, 60)},
		{name: "due while a run was under way", every: time.Hour, length: time.Minute, plan: &plan{takes: 8 * time.Second, due: dueAt(5, 0)}, want: seconds(0, 8)},
		{name: "due within the least pause", every: time.Hour, length: time.Minute, plan: &plan{due: dueAt(0.25, 1.5, 0)}, want: seconds(0, 1, 2)},
		{name: "due once, although the run at that time fails", every: 40 * time.Second, length: 220 * time.Second, plan: &plan{fails: fail, due: dueAt(10)}, want: seconds(0, 10, 70, 130, 190)},
		{name: "due during a backoff", every: 10 * time.Second, length: 100 * time.Second, plan: &plan{fails: fail, due: dueAt(35)}, want: seconds(0, 20, 35, 95)},
		{name: "asked for before it is due", every: time.Hour, length: time.Minute, plan: &plan{due: dueAt(30)}, triggers: seconds(10), want: seconds(0, 10, 30)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := tt.plan
				if p == nil {
					p = &plan{}
				}
				got := start(t, tt.every, tt.length, p, func() {
					for _, at := range tt.triggers {
						time.Sleep(time.Until(p.began.Add(at)))
						p.Trigger()
					}
				})
				if !slices.Equal(got, tt.want) {
					t.Errorf("runs began at %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// A caller hears what will happen.
func TestTrigger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plan{takes: 3 * time.Second}
		calls := []struct {
			at   float64
			want Promise
		}{
			{0.25, Promise{Follows: true, In: 750 * time.Millisecond}}, // the first run lasts until 3
			{0.5, Promise{Follows: true, Joins: true, In: 500 * time.Millisecond}},
			{2, Promise{Follows: true, Joins: true}}, // the run that follows lasts until 6
			{10, Promise{}},
			{14, Promise{}},
			{14.5, Promise{Follows: true, In: 500 * time.Millisecond}},
			{40, Promise{}},
		}
		start(t, time.Hour, time.Minute, p, func() {
			for _, c := range calls {
				time.Sleep(time.Until(p.began.Add(seconds(c.at)[0])))
				if got := p.Trigger(); got != c.want {
					t.Errorf("at %g s: got %+v, want %+v", c.at, got, c.want)
				}
			}
		})
	})
}
