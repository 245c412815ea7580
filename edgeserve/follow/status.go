// This file is what the operator is told: how far a follower is, for how long it has
// been failing, and, once each time, that its release became stale or is so no longer.

package follow

import (
	"time"

	"contentedge/edgeserve/metrics"
)

// Status says how far a follower is.
type Status struct {
	Store        string    `json:"store"`
	Build        string    `json:"build"`                 // "": none yet
	Sequence     int64     `json:"sequence"`              // of the pointer that named it
	Published    string    `json:"published"`             // when it became current in the store; "" if not known
	LastSuccess  time.Time `json:"lastSuccess,omitzero"`  // the store answered, and what it names is here
	LastError    string    `json:"lastError"`             // of the last attempt; "" if it succeeded
	FailingSince time.Time `json:"failingSince,omitzero"` // of the first failure in a row, or of the start until there is a success; else zero
	Stale        bool      `json:"stale"`                 // no success for StaleAfter, or a pointer older than MaxAge
}

// The results of looks and fetches.
const (
	succeeded = "ok"
	failed    = "failed"
)

func result(err error) string {
	if err != nil {
		return failed
	}
	return succeeded
}

// Status says how far the follower is.
func (f *Follower) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status
	at, known := f.staleAt()
	s.Stale = known && !time.Now().Before(at)
	return s
}

// staleAt is when the release counts as stale if nothing happens until then; false if
// it never does. The caller holds mu.
func (f *Follower) staleAt() (at time.Time, known bool) {
	if s := &f.status; !s.FailingSince.IsZero() {
		at, known = s.FailingSince.Add(f.cfg.StaleAfter), true
	}
	if published, ok := f.published(); ok && f.cfg.MaxAge > 0 {
		if old := published.Add(f.cfg.MaxAge); !known || old.Before(at) {
			at, known = old, true
		}
	}
	return at, known
}

// published is the time in the pointer, if it has one, but not later than it was read: a
// pointer from the future would never grow old. The caller holds mu.
func (f *Follower) published() (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, f.status.Published)
	if err == nil && t.After(f.read) {
		t = f.read
	}
	return t, err == nil
}

// assess logs whether the release became stale, or is so no longer, and is called again
// when it will become stale.
func (f *Follower) assess() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.alarm != nil {
		f.alarm.Stop()
	}
	at, known := f.staleAt()
	stale := known && !time.Now().Before(at)
	if known && !stale {
		f.alarm = time.AfterFunc(time.Until(at), f.assess)
	}
	s := &f.status
	if stale == s.Stale {
		return
	}
	s.Stale = stale
	if !stale {
		f.log.Info("the release is no longer stale", "store", s.Store, "build", s.Build, "sequence", s.Sequence)
		return
	}
	f.log.Error("the release is stale", "store", s.Store, "build", s.Build, "sequence", s.Sequence,
		"published", s.Published, "last_success", s.LastSuccess, "error", s.LastError)
}

// silence ends the calls of assess.
func (f *Follower) silence() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.alarm != nil {
		f.alarm.Stop()
	}
}

// State is Status, for the server's probe.
func (f *Follower) State() any { return f.Status() }

// WriteMetrics adds what Status says, and how many looks and fetches there were.
func (f *Follower) WriteMetrics(t *metrics.Text) {
	s := f.Status()
	stamp := func(name, help string, at time.Time) {
		t.Family(name, "gauge", help)
		t.Float(seconds(at))
	}
	stamp("contentedge_follow_last_success_timestamp_seconds", "Time of the last look at the store that succeeded, in seconds since 1970; 0 before the first.", s.LastSuccess)
	stamp("contentedge_follow_failing_since_timestamp_seconds", "Time since which looks at the store fail, in seconds since 1970; 0 if the last one succeeded.", s.FailingSince)
	t.Family("contentedge_follow_pointer_sequence", "gauge", "Sequence number of the store's pointer that is followed.")
	t.Uint(uint64(max(s.Sequence, 0)))
	if published, err := time.Parse(time.RFC3339, s.Published); err == nil {
		t.Family("contentedge_follow_pointer_age_seconds", "gauge", "Time since the store's pointer was written, by its own account.")
		t.Float(time.Since(published).Seconds())
	}
	t.Family("contentedge_follow_stale", "gauge", "1 while the release counts as stale.")
	t.Uint(map[bool]uint64{true: 1}[s.Stale])
	f.looks.Write(t, "contentedge_follow_looks_total", "Looks at the store, with all that followed from them.")
	f.fetches.Write(t, "contentedge_follow_fetches_total", "Releases fetched and found whole (ok), and attempts to that failed.")
}

// seconds is a time as Prometheus has it; the zero time is 0.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
