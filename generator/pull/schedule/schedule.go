// Package schedule decides when runs begin: at an interval, and on request. Runs never overlap. However many requests
// arrive during a run, one run follows.
package schedule

import (
	"context"
	"sync"
	"time"
)

const (
	// minPause is the least time between the beginnings of two runs, so that a sender of many webhooks
	// causes no load that others notice.
	minPause = time.Second
	// maxBackoff is the longest pause after failures, unless the interval is longer.
	maxBackoff = time.Minute
)

// Config says what to run, and how often.
type Config struct {
	Every time.Duration // from the end of a run to the beginning of the next
	// Run is one run. After an error the pause doubles with each further one, up to maxBackoff.
	Run func(ctx context.Context) error
	// Due returns when a run is needed before the interval has passed, or zero. A time in the past counts once. Due may
	// be nil.
	Due func() time.Time
}

// Promise says what follows a Trigger.
type Promise struct {
	Follows bool          // a run is under way, and one more follows it
	Joins   bool          // another Trigger has caused that run already
	In      time.Duration // until the run may begin; if it follows, as soon as the run under way has ended
}

// Schedule runs again and again. Its methods may be called concurrently.
type Schedule struct {
	c Config

	mu       sync.Mutex
	running  bool
	wanted   bool      // a Trigger waits for a run
	began    time.Time // of the last run
	next     time.Time // of the next run, without a Trigger
	failures int       // in a row
	wake     chan struct{}
}

// New returns a Schedule, which Run starts.
func New(c Config) *Schedule { return &Schedule{c: c, wake: make(chan struct{}, 1)} }

// Run begins the first run at once, and returns when ctx has ended and the run under way has returned.
func (s *Schedule) Run(ctx context.Context) error {
	for {
		if !s.wait(ctx) {
			return context.Cause(ctx)
		}
		s.begin()
		err := s.c.Run(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.end(err)
	}
}

// wait returns true when a run may begin, and false if ctx has ended.
func (s *Schedule) wait(ctx context.Context) bool {
	for {
		s.mu.Lock()
		due := s.due()
		s.mu.Unlock()
		left := time.Until(due)
		if left <= 0 {
			return ctx.Err() == nil
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-s.wake:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return false
		}
	}
}

func (s *Schedule) due() time.Time {
	if s.began.IsZero() {
		return s.began
	}
	if soon := s.began.Add(minPause); s.wanted && soon.Before(s.next) {
		return soon
	}
	return s.next
}

func (s *Schedule) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running, s.wanted, s.began = true, false, time.Now()
}

func (s *Schedule) end(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = false
	if s.failures++; err == nil {
		s.failures = 0
	}
	s.next = time.Now().Add(s.pause())
	s.hasten()
	if soon := s.began.Add(minPause); s.next.Before(soon) {
		s.next = soon
	}
}

// hasten moves the next run to the time that Due says, if that is earlier and has not been tried.
func (s *Schedule) hasten() {
	if s.c.Due == nil {
		return
	}
	if due := s.c.Due(); !due.IsZero() && due.After(s.began) && due.Before(s.next) {
		s.next = due
	}
}

// pause is the time until the next run.
func (s *Schedule) pause() time.Duration {
	pause := s.c.Every
	for range s.failures {
		if pause >= maxBackoff/2 {
			return max(maxBackoff, s.c.Every)
		}
		pause = max(2*pause, minPause)
	}
	return pause
}

// Trigger asks for a run that begins after the call, and says what will happen.
func (s *Schedule) Trigger() Promise {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Promise{Follows: s.running, Joins: s.wanted}
	if !s.wanted {
		s.wanted = true
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
	if s.running {
		p.In = max(0, time.Until(s.began.Add(minPause)))
	} else {
		p.In = max(0, time.Until(s.due()))
	}
	return p
}

// Failures is the number of failed runs since the last good one.
func (s *Schedule) Failures() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failures
}
