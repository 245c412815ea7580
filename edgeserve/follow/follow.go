// Package follow keeps a directory at the release that a store of releases names. It
// asks for the store's pointer again and again, fetches the manifest and the snapshots
// of what it names, proves them, and only then makes them the directory's current
// release. Pages and items are not fetched: a snapshot answers with the same bytes.
//
//	DIR/.follow.json          which store, and how far
//	DIR/.accept.json          a pointer that an operator accepted; seldom there
//	DIR/.lock                 held by the process that follows
//	DIR/current               -> releases/BUILD, replaced by rename(2)
//	DIR/manifest.json         -> current/manifest.json
//	DIR/releases/BUILD        manifest.json, snapshots/
//	DIR/releases/.tmp-follow  on its way
//
// What a store says is believed as far as it can be proven: the pointer names the
// manifest's SHA-256, the manifest those of the snapshots, and the sizes in them bound
// what is read. A pointer that is older than one seen before is refused, and so is one
// whose sequence number is implausibly high, and all that the server could not serve.
// Whatever goes wrong, the release that is there stays. Accept is how an operator says
// that the store is right nevertheless.
package follow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"contentedge/edgeserve/metrics"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

// Defaults, with their reasons.
const (
	// DefaultInterval costs a store 360 small requests an hour and node.
	DefaultInterval = 10 * time.Second
	// DefaultTimeout lets a gigabyte arrive at 1.2 MB a second.
	DefaultTimeout = 15 * time.Minute
	// DefaultStaleAfter is long enough for a store's restart.
	DefaultStaleAfter = 10 * time.Minute

	// longestPause is between two attempts while all of them fail.
	longestPause = 5 * time.Minute
	// pointerTime is for the pointer, which is a few hundred bytes.
	pointerTime = 30 * time.Second
	// refusedPause is before a release that arrived whole and was refused is fetched
	// again: it is the same bytes, and only the machine can have changed.
	refusedPause = 10 * time.Minute
)

// Config is what a Follower needs to know. All but Installed and Logger must be set;
// Defaults gives the times.
type Config struct {
	Store *store.Store
	Dir   string // owned: empty, missing, or followed before

	Interval   time.Duration // between two questions; each varies by a fifth
	Timeout    time.Duration // for fetching one release
	StaleAfter time.Duration // without an answer, until Status says so
	MaxAge     time.Duration // of the store's pointer, until Status says so; 0: any age will do

	Check     func(dir string) error // proves that a release can be served
	Installed func(build string)     // a release became current; may be nil
	Logger    *slog.Logger           // slog.Default if nil
}

// Defaults is a configuration with the usual times.
func Defaults() Config {
	return Config{Interval: DefaultInterval, Timeout: DefaultTimeout, StaleAfter: DefaultStaleAfter}
}

// Validate reports every value that cannot be followed with.
func (c Config) Validate() error {
	var errs []error
	for _, t := range []struct {
		name  string
		value time.Duration
	}{{"interval", c.Interval}, {"timeout", c.Timeout}, {"age of a stale release", c.StaleAfter}} {
		if t.value <= 0 {
			errs = append(errs, fmt.Errorf("following: the %s must be positive, not %s", t.name, t.value))
		}
	}
	if c.MaxAge < 0 {
		errs = append(errs, fmt.Errorf("following: the age of a pointer must not be negative, not %s", c.MaxAge))
	}
	return errors.Join(errs...)
}

// Follower follows a store. Make it with New.
type Follower struct {
	cfg   Config
	log   *slog.Logger
	dir   directory
	state state
	wake  chan struct{}

	etag    string           // of the pointer that state is from
	damaged bool             // the current release cannot be served
	refused *release.Pointer // arrived whole, but Check refused it
	verdict error            // of Check, about refused
	retry   time.Time        // when refused is tried again

	looks, fetches *metrics.Counters // by result

	mu     sync.Mutex
	status Status      // guarded by mu; its Stale is what was logged last
	alarm  *time.Timer // guarded by mu: goes off when the release becomes stale
	read   time.Time   // guarded by mu: when the pointer that is followed was read
}

// New takes over the directory, or refuses one that is not for it. The store is not
// asked yet.
func New(cfg Config) (*Follower, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	f := &Follower{cfg: cfg, log: cfg.Logger, dir: directory(cfg.Dir), wake: make(chan struct{}, 1),
		looks: metrics.NewCounters("result", succeeded, failed), fetches: metrics.NewCounters("result", succeeded, failed)}
	if f.log == nil {
		f.log = slog.Default()
	}
	var err error
	if f.state, err = f.dir.claim(cfg.Store.String()); err != nil {
		return nil, err
	}
	f.status = Status{Store: cfg.Store.String(), Build: f.state.Build, Sequence: f.state.Sequence, FailingSince: time.Now()}
	return f, nil
}

// Wake makes the follower ask at once.
func (f *Follower) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Run follows until ctx ends. Another process that follows into the same directory is
// waited for: an old server drains while the new one serves.
func (f *Follower) Run(ctx context.Context) {
	pause := f.cfg.Interval
	var held *lock
	defer func() { held.release() }()
	f.assess()
	defer f.silence()
	for {
		var err error
		if held == nil {
			held, err = f.begin()
		}
		if err == nil {
			err = f.Look(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		f.note(err)
		if pause = min(2*pause, max(longestPause, f.cfg.Interval)); err == nil {
			pause = f.cfg.Interval
		}
		if !f.rest(ctx, jittered(pause)) {
			return
		}
	}
}

// rest waits until a pause is over, Wake is called or an operator accepts a pointer. It
// tells whether to go on.
func (f *Follower) rest(ctx context.Context, pause time.Duration) bool {
	over := time.NewTimer(pause)
	defer over.Stop()
	look := time.NewTicker(acceptInterval)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-f.wake:
			return true
		case <-over.C:
			return true
		case <-look.C:
			if f.dir.has(acceptName) {
				return true
			}
		}
	}
}

// begin takes the lock and sees what an earlier process left.
func (f *Follower) begin() (*lock, error) {
	l, err := f.dir.lock()
	if err != nil {
		return nil, err
	}
	if f.state, err = f.dir.claim(f.cfg.Store.String()); err != nil {
		l.release()
		return nil, err
	}
	f.damaged = f.state.Build != "" && f.dir.check(f.state.Build, f.cfg.Check) != nil
	return l, nil
}

// jittered varies a pause by a fifth, so that nodes do not ask all at once.
func jittered(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.8 + 0.4*rand.Float64()))
}

// note records how an attempt ended, and logs what is new about it.
func (f *Follower) note(err error) {
	f.looks.Inc(result(err))
	f.record(err)
	f.assess()
}

func (f *Follower) record(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &f.status
	s.Build, s.Sequence = f.state.Build, f.state.Sequence
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
		f.log.Warn("cannot follow; what is here stays", "error", err, "build", s.Build, "sequence", s.Sequence)
	}
	s.LastError = err.Error()
}
