// This file reports progress and failures, and logs when the release becomes stale and recovers.

package follow

import (
	"time"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/prometheus"
)

// Status is a follower's progress.
type Status struct {
	Store        string    `json:"store"`
	Build        string    `json:"build"`                 // "" before the first release
	Sequence     int64     `json:"sequence"`              // of the installed pointer
	Published    string    `json:"published"`             // when the release became current in the store; "" if unknown
	LastSuccess  time.Time `json:"lastSuccess,omitzero"`  // end of the last successful attempt
	LastError    string    `json:"lastError"`             // of the last attempt; "" if it succeeded
	FailingSince time.Time `json:"failingSince,omitzero"` // first failure since LastSuccess, or the start before any success; else zero
	Stale        bool      `json:"stale"`                 // no success for StaleAfter, or a pointer older than MaxAge
}

const (
	succeeded = "ok"
	missing   = "missing"
	failed    = "failed"
)

func result(err error) string {
	if err != nil {
		return failed
	}
	return succeeded
}

// Status returns the follower's progress.
func (f *Follower) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status
	at, known := f.staleAt()
	s.Stale = known && !time.Now().Before(at)
	return s
}

// staleAt is when the release becomes stale, if known and without a success. The caller holds mu.
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

// published is the time in the pointer. A time in the future is replaced by the time of
// reading, because otherwise the pointer would never age. The caller holds mu.
func (f *Follower) published() (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, f.status.Published)
	if err == nil && t.After(f.readAt) {
		t = f.readAt
	}
	return t, err == nil
}

// updateStale logs a change of staleness and sets the timer for the next one.
func (f *Follower) updateStale() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.alarm != nil {
		f.alarm.Stop()
	}
	at, known := f.staleAt()
	stale := known && !time.Now().Before(at)
	if known && !stale {
		f.alarm = time.AfterFunc(time.Until(at), crash.Guarded(f.updateStale))
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

func (f *Follower) stopAlarm() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.alarm != nil {
		f.alarm.Stop()
	}
}

// State returns Status, for the server's readiness probe.
func (f *Follower) State() any { return f.Status() }

// WriteMetrics writes the status and the attempt counters.
func (f *Follower) WriteMetrics(t *prometheus.Text) {
	s := f.Status()
	stamp := func(name, help string, at time.Time) {
		t.Family(name, "gauge", help)
		t.Float(seconds(at))
	}
	stamp("contentedge_follow_last_success_timestamp_seconds", "Unix time of the last successful poll of the store; 0 before the first.", s.LastSuccess)
	stamp("contentedge_follow_failing_since_timestamp_seconds", "Unix time since which polls of the store fail; 0 if the last one succeeded.", s.FailingSince)
	t.Family("contentedge_follow_pointer_sequence", "gauge", "Sequence number of the installed pointer.")
	t.Uint(uint64(max(s.Sequence, 0)))
	if published, err := time.Parse(time.RFC3339, s.Published); err == nil {
		t.Family("contentedge_follow_pointer_age_seconds", "gauge", "Seconds since the publication time in the store's pointer.")
		t.Float(time.Since(published).Seconds())
	}
	t.Family("contentedge_follow_stale", "gauge", "1 while the release is stale.")
	t.Uint(map[bool]uint64{true: 1}[s.Stale])
	f.syncs.Write(t, "contentedge_follow_polls_total", "Polls of the store, each with the installation of a new release.")
	f.fetches.Write(t, "contentedge_follow_fetches_total", "Downloads of a release, including its verification.")
	f.mediaRequests.Write(t, "contentedge_follow_media_total", "Requests for media that no release on this machine has.")
}

// seconds is a Unix time in seconds; 0 for the zero time.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
