// Package follow keeps a directory in sync with the current release of a store. It polls the pointer, downloads a new
// release's manifest and snapshots, verifies them and makes the release current. It does not download pages and items:
// a snapshot holds the same bytes. For a server that searches elsewhere it downloads only the manifest.
//
//	DIR/.follow.json          the store, and the last pointer with its signatures
//	DIR/.accept.json          a pointer accepted by an operator; usually absent
//	DIR/.lock                 held by the process that follows
//	DIR/current               -> releases/BUILD, replaced by rename(2)
//	DIR/manifest.json         -> current/manifest.json
//	DIR/previous              -> releases/BUILD of the previous release, which may be missing
//	DIR/releases/BUILD        manifest.json, snapshots/; with a trust file the names of its media
//	DIR/media                 media that clients asked for last; see media.go and retired_media.go
//	DIR/releases/.tmp-follow  a download in progress, or what is left of one: the next attempt continues with it
//
// The follower trusts only what it can verify. The pointer holds the manifest's SHA-256, the manifest the digests and
// sizes of the snapshots. The follower refuses an older pointer, an implausibly high sequence number, and a release
// that the server cannot serve. With a trust file it refuses a pointer that is not signed as the file says, also at a
// start. After a failure the current release stays. With Accept an operator overrules a refusal, but not a refusal of
// signatures.
package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/edgeserve/wire/trust"
)

// Default times.
const (
	// DefaultInterval means 360 small requests per hour and node.
	DefaultInterval = 10 * time.Second
	// DefaultTimeout is enough for a gigabyte at 1.2 MB/s.
	DefaultTimeout = 15 * time.Minute
	// DefaultStaleAfter tolerates a restart of the store.
	DefaultStaleAfter = 10 * time.Minute

	// longestBackoff bounds the pause between polls while they fail, in intervals: a node notices within a minute
	// that the store answers again. Polls at the usual rate would not overload the store either.
	longestBackoff = 2
	// longestInterval keeps pauses far from the limits of a duration.
	longestInterval = 365 * 24 * time.Hour
	// pointerTime is the timeout for the pointer, a few hundred bytes. An alert about a silent store waits for it.
	pointerTime = 15 * time.Second
	// refusedPause is the wait before a refused release is fetched again. The bytes are
	// the same, so only a change on this machine can help.
	refusedPause = 10 * time.Minute
)

// FollowerConfig configures a Follower. Defaults sets the times; Installed and Logger are optional.
type FollowerConfig struct {
	Store *store.Store
	Dir   string // empty, missing, or filled by a follower

	Interval   time.Duration // between polls; each varies by 20%
	Timeout    time.Duration // for fetching one release
	StaleAfter time.Duration // how long attempts may fail before the release is stale
	MaxAge     time.Duration // of the store's pointer before the release is stale; 0 means no limit
	MediaBytes int64         // of the media kept on this machine
	AllMedia   bool          // fetch all media of a release before it becomes current, not each when a client asks
	// WithoutSnapshots fetches no snapshots: the server finds the items of a release elsewhere.
	WithoutSnapshots bool

	TrustFile     string // who may sign pointers (package trust); "": signatures are ignored
	RefuseExpired bool   // a node that starts does not serve a release whose pointer has expired

	Check     func(dir string) error // verifies that a release can be served
	Installed func(build string)     // called after a release became current; may be nil
	Logger    *slog.Logger           // slog.Default if nil

	now func() time.Time // time.Now, but in tests
}

// Defaults returns a FollowerConfig with the default times.
func Defaults() FollowerConfig {
	return FollowerConfig{Interval: DefaultInterval, Timeout: DefaultTimeout, StaleAfter: DefaultStaleAfter, MediaBytes: DefaultMediaBytes}
}

// Validate reports every invalid value. It reads the trust file.
func (c FollowerConfig) Validate() error {
	var errs []error
	for _, t := range []struct {
		name  string
		value time.Duration
	}{{"interval", c.Interval}, {"timeout", c.Timeout}, {"time until a release is stale", c.StaleAfter}} {
		if t.value <= 0 {
			errs = append(errs, fmt.Errorf("follow: the %s must be positive, but is %s", t.name, t.value))
		}
	}
	if c.Interval > longestInterval {
		errs = append(errs, fmt.Errorf("follow: the interval must be at most %s, but is %s", longestInterval, c.Interval))
	}
	if c.MaxAge < 0 {
		errs = append(errs, fmt.Errorf("follow: the maximum age of a pointer must not be negative, but is %s", c.MaxAge))
	}
	if c.MediaBytes < 0 {
		errs = append(errs, fmt.Errorf("follow: the bytes of media must not be negative, but are %d", c.MediaBytes))
	}
	if c.RefuseExpired && c.TrustFile == "" {
		errs = append(errs, errors.New("follow: without a trust file no pointer expires: name one, or do not refuse expired ones"))
	}
	if _, err := c.policy(); err != nil {
		errs = append(errs, fmt.Errorf("follow: the trust file: %w", err))
	}
	return errors.Join(errs...)
}

// policy reads the trust file; nil without one.
func (c FollowerConfig) policy() (*trust.Policy, error) {
	if c.TrustFile == "" {
		return nil, nil
	}
	return trust.ReadFile(c.TrustFile)
}

// Follower keeps a directory in sync with a store. Make it with New.
type Follower struct {
	cfg   FollowerConfig
	log   *slog.Logger
	dir   directory
	state state
	wake  chan struct{}

	etag    string           // of the pointer that is installed
	damaged bool             // the current release failed its check
	refused *release.Pointer // the last pointer whose release failed Check
	refusal error            // the error of Check for refused
	retryAt time.Time        // when refused is fetched again

	policy atomic.Pointer[trust.Policy] // the trust file as it was read last; nil without one
	used   *trust.Policy                // the one that held was verified by

	syncs, fetches, mediaRequests *prometheus.Counters // by result
	refusals                      *prometheus.Counters // by reason

	fetchedSnapshots, fetchedBytes, formFailures *prometheus.Counters              // by form
	snapshots                                    map[release.Part]release.Snapshot // of the release that was fetched last, if it has parts
	formTime                                     func(left time.Duration) time.Duration

	media       *mediaCache
	reserve     atomic.Int64 // bytes of the disk that media leave free
	retired     bool         // the media that the store retired were removed, since the last release
	retireError string       // the last one that was logged

	mu     sync.Mutex
	status Status      // guarded by mu; Stale is the value that was logged last
	alarm  *time.Timer // guarded by mu: fires when the release becomes stale
	readAt time.Time   // guarded by mu: when the installed pointer was read

	// Guarded by mu: the pointer of the installed release, and why the trust file does not accept it.
	held       *shown // otherwise nil, also without a release
	unverified error
	allowed    []trusted   // releases that the server may serve, the current one first
	newest     time.Time   // the clock does not fall below it
	expiry     *time.Timer // fires when held expires
}

// New claims the directory, if nothing else owns it, without contacting the store.
func New(cfg FollowerConfig) (*Follower, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	f := &Follower{cfg: cfg, log: logs.Limited(cfg.Logger), dir: directory(cfg.Dir), wake: make(chan struct{}, 1), formTime: formTime,
		syncs: prometheus.NewCounters("result", succeeded, failed), fetches: prometheus.NewCounters("result", succeeded, failed),
		mediaRequests: prometheus.NewCounters("result", succeeded, missing, failed), refusals: prometheus.NewCounters("reason", Refusals()...),
		fetchedSnapshots: prometheus.NewCounters("form", formPatch, formCompressed, formWhole, formLinked),
		fetchedBytes:     prometheus.NewCounters("form", formPatch, formCompressed, formWhole), formFailures: prometheus.NewCounters("form", formPatch, formCompressed)}
	if f.cfg.now == nil {
		f.cfg.now = time.Now
	}
	policy, err := cfg.policy()
	if err != nil {
		return nil, err
	}
	f.policy.Store(policy)
	if f.state, err = f.dir.claim(cfg.Store.String()); err != nil {
		return nil, err
	}
	if err := f.hold(true); err != nil {
		return nil, err
	}
	f.media = newMediaCache(f, cfg.MediaBytes)
	f.reserve.Store(f.dir.bytes(f.state.Build) / reserveShare)
	f.status = Status{Store: cfg.Store.String(), Build: f.state.Build, Sequence: f.state.Sequence, FailingSince: time.Now()}
	return f, nil
}

// Wake makes Run poll at once.
func (f *Follower) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run follows the store until ctx ends. It waits while another process holds the
// directory's lock: an old server drains while the new one serves.
func (f *Follower) Run(ctx context.Context) {
	pause := f.cfg.Interval
	var held *lock
	defer func() { held.release() }()
	f.updateStale()
	f.updateExpiry()
	defer f.stopAlarm()
	for {
		var err error
		if held == nil {
			held, err = f.acquire()
		}
		if err == nil {
			err = f.Sync(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		f.finish(err)
		if pause = min(2*pause, longestBackoff*f.cfg.Interval); err == nil {
			pause = f.cfg.Interval
		}
		if !f.wait(ctx, jittered(pause)) {
			return
		}
	}
}

// wait returns after a pause, Wake or an operator's Accept; false when ctx has ended.
func (f *Follower) wait(ctx context.Context, pause time.Duration) bool {
	over := time.NewTimer(pause)
	defer over.Stop()
	ticker := time.NewTicker(acceptInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-f.wake:
			return true
		case <-over.C:
			return true
		case <-ticker.C:
			if f.dir.has(acceptName) {
				return true
			}
		}
	}
}

func (f *Follower) acquire() (*lock, error) {
	l, err := f.dir.lock()
	if err != nil {
		return nil, err
	}
	if f.state, err = f.dir.claim(f.cfg.Store.String()); err != nil {
		l.release()
		return nil, err
	}
	if err := f.own(); err != nil {
		l.release()
		return nil, err
	}
	return l, nil
}

// own verifies what the directory has, once no other process changes it.
func (f *Follower) own() error {
	if err := f.hold(true); err != nil {
		return err
	}
	f.damaged = f.state.Build != "" && !f.installed(f.state.Build, f.state.ManifestSHA256)
	if err := f.relink(); err != nil {
		return err
	}
	next := f.state
	switch {
	case f.used == nil:
		next.TrustVersion = 0 // nothing is verified from now on
	case f.state.TrustVersion > 0:
		return nil
	default:
		if err := f.media.clear(); err != nil { // what came was not verified
			return err
		}
		if f.held != nil {
			next.TrustVersion, next.Newest = f.used.Version, f.held.Published
		}
	}
	if next == f.state {
		return nil
	}
	f.state = next
	return f.dir.save(next)
}

// jittered varies a pause by 20%, so that nodes do not poll in step.
func jittered(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + float64(0.4*rand.Float64())))
}

func (f *Follower) finish(err error) {
	f.syncs.Inc(result(err))
	reason := refusalOf(err)
	if reason != "" {
		f.refusals.Inc(reason)
	}
	f.note(err, reason)
	f.updateStale()
	f.updateExpiry()
}

func (f *Follower) note(err error, refusal string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &f.status
	s.Build, s.Sequence, s.Refusal = f.state.Build, f.state.Sequence, refusal
	s.Problems = nil
	if errors.Is(err, ErrUnusable) {
		s.Problems = releasedir.Problems(err)
	}
	if err == nil {
		if s.LastError != "" {
			f.log.Info("following again", "store", s.Store, "failed_for", time.Since(s.FailingSince).Round(time.Second).String())
		}
		s.LastError, s.LastSuccess, s.FailingSince = "", time.Now(), time.Time{}
		return
	}
	if s.FailingSince.IsZero() {
		s.FailingSince = time.Now()
	}
	if err.Error() != s.LastError {
		f.log.Warn("cannot follow the store; this node continues with what it has", "error", err, "refusal", refusal, "build", s.Build, "sequence", s.Sequence)
	}
	s.LastError = err.Error()
}
