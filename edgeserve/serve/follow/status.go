// This file reports progress and failures, and logs when the release becomes stale and recovers.

package follow

import (
	"slices"
	"strings"
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
	FailingSince time.Time `json:"failingSince,omitzero"` // first failure since LastSuccess, or the start before any success; otherwise zero
	Stale        bool      `json:"stale"`                 // no success for StaleAfter, or a pointer older than MaxAge
	Refusal      string    `json:"refusal"`               // why the last attempt refused what the store has, one of Refusals; "" if it did not
	Problems     []string  `json:"problems,omitempty"`    // each thing that is wrong with a release that was fetched and cannot be served
	Expired      bool      `json:"expired"`               // the trust file no longer accepts the installed pointer

	// Signature is how the installed pointer is signed; nil without a trust file.
	Signature *Signature `json:"signature,omitempty"`
}

// Signature describes the signatures of the installed pointer.
type Signature struct {
	Origin       string   `json:"origin"`
	SignedBy     []string `json:"signedBy"` // the trusted keys that have signed it, by the order of the trust file
	Threshold    int      `json:"threshold"`
	TrustVersion int64    `json:"trustVersion"`
	Expires      string   `json:"expires,omitempty"`    // when the trust file stops accepting the pointer; "" means never
	Unverified   string   `json:"unverified,omitempty"` // why the trust file does not accept it; then a node that starts does not serve it
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
	s.Expired = f.held != nil && f.held.over(f.clock())
	s.Signature = f.signature()
	return s
}

// signature describes the installed pointer; nil without a trust file. The caller holds mu.
func (f *Follower) signature() *Signature {
	policy := f.policy.Load()
	if policy == nil {
		return nil
	}
	s := &Signature{Origin: policy.Origin, SignedBy: []string{}, Threshold: policy.Threshold, TrustVersion: policy.Version}
	if f.unverified != nil {
		s.Unverified = f.unverified.Error()
	}
	if f.held != nil {
		s.SignedBy = slices.Clone(f.held.signedBy)
		if !f.held.ends.IsZero() {
			s.Expires = stamp(f.held.ends)
		}
	}
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

// published is the time in the pointer, as a time of the monotonic clock: a clock that is set changes no age. A time
// in the future is replaced by the time of reading, because otherwise the pointer would never age. The caller holds mu.
func (f *Follower) published() (time.Time, bool) {
	t, err := time.Parse(time.RFC3339, f.status.Published)
	return f.readAt.Add(-max(f.readAt.Sub(t), 0)), err == nil
}

// pointerAge is the time since the publication of the installed pointer, if known.
func (f *Follower) pointerAge() (time.Duration, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	published, known := f.published()
	return time.Since(published), known
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

// updateExpiry logs that the installed pointer has expired, or no longer, and sets the timer for it.
func (f *Follower) updateExpiry() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.expiry != nil {
		f.expiry.Stop()
	}
	expired := false
	if f.held != nil && !f.held.ends.IsZero() {
		now := f.clock()
		if expired = f.held.over(now); !expired {
			f.expiry = time.AfterFunc(f.held.ends.Sub(now), crash.Guarded(f.updateExpiry))
		}
	}
	if expired == f.status.Expired {
		return
	}
	if f.status.Expired = expired; !expired {
		f.log.Info("the release is no longer expired", "build", f.status.Build)
		return
	}
	f.log.Error("the release has expired; it stays until the store shows a pointer that has not", "build", f.held.Build, "sequence", f.held.Sequence,
		"expired", stamp(f.held.ends), "signed_by", strings.Join(f.held.signedBy, " "))
}

func (f *Follower) stopAlarm() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range []*time.Timer{f.alarm, f.expiry} {
		if t != nil {
			t.Stop()
		}
	}
}

// State returns Status, for the server's readiness probe.
func (f *Follower) State() any { return f.Status() }

// Problem returns why the last poll failed, for a node that has no release yet.
func (f *Follower) Problem() string { return f.Status().LastError }

// WriteMetrics writes the status and the attempt counters.
func (f *Follower) WriteMetrics(t *prometheus.Text) {
	s := f.Status()
	instant := func(name, help string, at time.Time) {
		t.Family(name, "gauge", help)
		t.Float(seconds(at))
	}
	instant("contentedge_follow_last_success_timestamp_seconds", "Unix time of the last successful poll of the store; 0 before the first.", s.LastSuccess)
	instant("contentedge_follow_failing_since_timestamp_seconds", "Unix time since which polls of the store fail; 0 if the last one succeeded.", s.FailingSince)
	t.Family("contentedge_follow_pointer_sequence", "gauge", "Sequence number of the installed pointer.")
	t.Uint(uint64(max(s.Sequence, 0)))
	if age, known := f.pointerAge(); known {
		t.Family("contentedge_follow_pointer_age_seconds", "gauge", "Seconds since the publication time in the store's pointer.")
		t.Float(age.Seconds())
	}
	t.Family("contentedge_follow_stale", "gauge", "1 while the release is stale.")
	t.Bool(s.Stale)
	t.Family("contentedge_follow_expired", "gauge", "1 while the trust file no longer accepts the installed pointer.")
	t.Bool(s.Expired)
	if sig := s.Signature; sig != nil {
		t.Family("contentedge_follow_trusted_signatures", "gauge", "Trusted keys that have signed the installed pointer.")
		t.Uint(uint64(len(sig.SignedBy)))
		t.Family("contentedge_follow_trust_version", "gauge", "Version of the trust file.")
		t.Uint(uint64(sig.TrustVersion))
		instant("contentedge_follow_expires_timestamp_seconds", "Unix time when the trust file stops accepting the installed pointer. 0 means never.", timeOf(sig.Expires))
	}
	t.Family("contentedge_follow_failing", "gauge", "1 while polls fail, except for a refusal: the store cannot be read, or its release cannot be stored.")
	t.Bool(s.LastError != "" && s.Refusal == "")
	t.Family("contentedge_follow_refusal", "gauge", "1 while what the store has is refused, by reason.")
	for _, reason := range Refusals() {
		t.Bool(reason == s.Refusal, "reason", reason)
	}
	if ahead, known := f.cfg.Store.Skew(); known {
		t.Family("contentedge_follow_clock_skew_seconds", "gauge", "The store's clock minus the one of this machine, by the last response.")
		t.Float(ahead.Seconds())
	}
	f.writeDisks(t)
	f.refusals.Write(t, "contentedge_follow_refusals_total", "Polls that refused what the store has, by reason.")
	f.syncs.Write(t, "contentedge_follow_polls_total", "Polls of the store, each with the installation of a new release.")
	f.fetches.Write(t, "contentedge_follow_fetches_total", "Downloads of a release, including its verification.")
	f.fetchedSnapshots.Write(t, "contentedge_follow_snapshots_total", "Snapshots of releases that were fetched, by form; linked ones were on this machine.")
	f.fetchedBytes.Write(t, "contentedge_follow_snapshot_bytes_total", "Bytes fetched for snapshots, by form.")
	f.formFailures.Write(t, "contentedge_follow_form_failures_total", "Patches and compressed snapshots of the store that failed, so that a snapshot was fetched another way.")
	f.mediaRequests.Write(t, "contentedge_follow_media_total", "Requests for media that no release on this machine has.")
}

// seconds is a Unix time in seconds; 0 for the zero time.
func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
