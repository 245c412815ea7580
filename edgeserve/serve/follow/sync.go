// This file is one attempt to sync: read the pointer, validate it, install its release.

package follow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// Reasons to distrust a store.
var (
	// ErrOlder: the sequence number is below the last one.
	ErrOlder = errors.New("the store's pointer is older than the last one")
	// ErrForked: two different pointers have one sequence number.
	ErrForked = errors.New("the store's pointer changed without a new sequence number")
	// ErrTooHigh: the sequence number is too high to come from publishing.
	ErrTooHigh = errors.New("the sequence number of the store's pointer rose too far")

	errUnexpected304 = errors.New("the store answered 304 Not Modified to an unconditional request")
)

// A sequence number may rise only so far at once. Otherwise a node that trusted one
// forged pointer with the highest number would refuse every honest one after it.
const (
	// maxStep allows a release every 30 seconds during a year offline.
	maxStep = 1 << 20
	// maxFirst limits a node's first pointer: a release every second for 136 years.
	maxFirst = 1 << 32
)

// Sync polls the store once and installs a new release. Calls, and Run, must not overlap.
func (f *Follower) Sync(ctx context.Context) error {
	err := f.sync(ctx)
	if err == nil {
		f.media.sweep()
		f.retireMedia(ctx)
	}
	return err
}

func (f *Follower) sync(ctx context.Context) error {
	if err := f.applyAccepted(); err != nil {
		return err
	}
	known := f.knownETag()
	p, etag, err := readPointer(ctx, f.cfg.Store, known, min(pointerTime, f.cfg.Timeout))
	if errors.Is(err, store.ErrNotModified) {
		if known == "" {
			return errUnexpected304
		}
		return nil
	}
	if err != nil {
		return err
	}
	follows, err := f.accept(p)
	if err != nil {
		return err
	}
	if follows {
		if err := f.install(ctx, p); err != nil {
			return fmt.Errorf("release %s: %w", p.Build, err)
		}
	}
	f.etag = etag
	f.mu.Lock()
	f.status.Published, f.readAt = p.Published, time.Now()
	f.mu.Unlock()
	return nil
}

// knownETag is the ETag of the installed pointer; "" makes the store send its pointer.
func (f *Follower) knownETag() string {
	if f.damaged {
		return ""
	}
	return f.etag
}

// readPointer reads the store's pointer unless its ETag is known.
func readPointer(ctx context.Context, s *store.Store, known string, limit time.Duration) (*release.Pointer, string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	b, info, err := s.ReadAll(ctx, release.PointerName, store.GetOptions{Max: release.MaxPointer, IfNoneMatch: known})
	if err != nil {
		return nil, "", err
	}
	p, err := release.ParsePointer(b)
	return p, info.ETag, err
}

// accept validates a pointer and reports whether its release must be installed.
func (f *Follower) accept(p *release.Pointer) (bool, error) {
	switch s := f.state.base(); {
	case p.Sequence < s.Sequence:
		return false, f.withAdvice(fmt.Errorf("%w: sequence %d after %d", ErrOlder, p.Sequence, s.Sequence))
	case p.Sequence > s.maxSequence():
		return false, f.withAdvice(fmt.Errorf("%w: sequence %d after %d", ErrTooHigh, p.Sequence, s.Sequence))
	case p.Sequence > s.Sequence:
		return true, nil
	case p.Build != s.Build || p.ManifestSHA256 != s.ManifestSHA256:
		return false, f.withAdvice(fmt.Errorf("%w: sequence %d is build %s in the store and build %s on this node", ErrForked, p.Sequence, p.Build, s.Build))
	}
	return f.damaged || f.state.Accepted != nil, nil
}

func (s state) maxSequence() int64 {
	if s.Sequence == 0 {
		return maxFirst
	}
	return s.Sequence + maxStep
}

// install makes the pointer's release current. A renewed pointer only changes the sequence number.
func (f *Follower) install(ctx context.Context, p *release.Pointer) error {
	if !f.damaged && p.Build == f.state.Build && p.ManifestSHA256 == f.state.ManifestSHA256 {
		renewed := f.state
		renewed.Sequence, renewed.Accepted = p.Sequence, nil
		if err := f.dir.save(renewed); err != nil {
			return err
		}
		f.state = renewed
		return nil
	}
	if !f.installed(p) {
		if err := f.fetchAndVerify(ctx, p); err != nil {
			return err
		}
	}
	previous, err := f.dir.setCurrent(p.Build, p.Previous)
	if err != nil {
		return err
	}
	f.media.forgetRefusals()
	f.retired = false
	f.state.Sequence, f.state.Build, f.state.ManifestSHA256, f.state.Accepted = p.Sequence, p.Build, p.ManifestSHA256, nil
	if err := f.dir.save(f.state); err != nil {
		return err
	}
	f.damaged, f.refused = false, nil
	f.log.Info("release installed", "build", p.Build, "sequence", p.Sequence, "published", p.Published)
	if f.cfg.Installed != nil {
		f.cfg.Installed(p.Build)
	}
	return f.dir.prune(p.Build, previous)
}

func (f *Follower) installed(p *release.Pointer) bool {
	b, err := f.dir.manifest(p.Build)
	return err == nil && release.HexSHA256(b) == p.ManifestSHA256 && f.cfg.Check(f.dir.path(release.ReleasesDir, p.Build)) == nil
}

// fetchAndVerify downloads a release, checks that it can be served, and promotes it.
func (f *Follower) fetchAndVerify(ctx context.Context, p *release.Pointer) (err error) {
	if f.refused != nil && *f.refused == *p && time.Now().Before(f.retryAt) {
		return f.refusal
	}
	defer func() { f.fetches.Inc(result(err)) }()
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	temp, err := f.fetch(ctx, p)
	defer f.dir.removeTemp()
	if err != nil {
		return err
	}
	if err := f.cfg.Check(temp); err != nil {
		f.refused, f.refusal, f.retryAt = p, fmt.Errorf("downloaded but not usable: %w", err), time.Now().Add(refusedPause)
		return f.refusal
	}
	if f.cfg.AllMedia {
		if err := f.allMedia(ctx, p.Build, temp); err != nil {
			return fmt.Errorf("media: %w", err)
		}
	}
	return f.dir.promote(p.Build)
}
