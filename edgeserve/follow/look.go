// This file is one attempt: the pointer, what it may say, and the steps to what it
// names.

package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

// Errors of a store that says what it must not.
var (
	// ErrOlder is a pointer from before one that was seen already.
	ErrOlder = errors.New("the store shows an older pointer than before")
	// ErrForked is a second pointer with the number of one that was seen already.
	ErrForked = errors.New("the store shows another pointer under the same sequence number")
	// ErrTooHigh is a pointer with a number that no store reaches by publishing.
	ErrTooHigh = errors.New("the store shows a pointer whose sequence number rose too far")
	// errUnasked is a store that says "not modified" to who has nothing yet.
	errUnasked = errors.New("the store says that its pointer is not modified, but was not asked that")
)

// How far a sequence number may rise at once. A node that believed any number would
// take no honest pointer after a forged one with the highest number.
const (
	// maxStep is a change every 30 seconds for a year: a node may be away for so long.
	maxStep = 1 << 20
	// maxFirst is for a node that has seen no pointer yet: a change every second for
	// 136 years.
	maxFirst = 1 << 32
)

// Look asks the store once and does what its pointer says. It is for one caller at a
// time, and not while Run runs.
func (f *Follower) Look(ctx context.Context) error {
	if err := f.takeAccepted(); err != nil {
		return err
	}
	known := f.known()
	p, etag, err := readPointer(ctx, f.cfg.Store, known, min(pointerTime, f.cfg.Timeout))
	if errors.Is(err, store.ErrNotModified) {
		if known == "" {
			return errUnasked
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
	f.status.Published, f.read = p.Published, time.Now()
	f.mu.Unlock()
	return nil
}

// known is the ETag of the pointer that is followed; "" if any pointer is news.
func (f *Follower) known() string {
	if f.damaged {
		return ""
	}
	return f.etag
}

// readPointer reads a store's pointer, if its ETag is another than the known one.
func readPointer(ctx context.Context, s *store.Store, known string, limit time.Duration) (*release.Pointer, string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	obj, err := s.Get(ctx, release.PointerName, store.GetOptions{Max: release.MaxPointer, IfNoneMatch: known})
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = obj.Close() }()
	b, err := io.ReadAll(obj)
	if err != nil {
		return nil, "", err
	}
	p, err := release.ParsePointer(b)
	return p, obj.ETag, err
}

// accept tells whether a pointer names something to fetch.
func (f *Follower) accept(p *release.Pointer) (bool, error) {
	switch s := f.state.base(); {
	case p.Sequence < s.Sequence:
		return false, f.refuse(fmt.Errorf("%w: sequence %d after %d", ErrOlder, p.Sequence, s.Sequence))
	case p.Sequence > s.highest():
		return false, f.refuse(fmt.Errorf("%w: sequence %d after %d", ErrTooHigh, p.Sequence, s.Sequence))
	case p.Sequence > s.Sequence:
		return true, nil
	case p.Build != s.Build || p.ManifestSHA256 != s.ManifestSHA256:
		return false, f.refuse(fmt.Errorf("%w: %d is build %s there and %s here", ErrForked, p.Sequence, p.Build, s.Build))
	}
	return f.damaged || f.state.Accepted != nil, nil
}

// highest is the highest sequence number that is believed after this state.
func (s state) highest() int64 {
	if s.Sequence == 0 {
		return maxFirst
	}
	return s.Sequence + maxStep
}

// install makes the release that a pointer names the current one. A pointer that was
// renewed only has a higher number.
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
	if !f.here(p) {
		if err := f.arrive(ctx, p); err != nil {
			return err
		}
	}
	previous, err := f.dir.point(p.Build)
	if err != nil {
		return err
	}
	f.state.Sequence, f.state.Build, f.state.ManifestSHA256, f.state.Accepted = p.Sequence, p.Build, p.ManifestSHA256, nil
	if err := f.dir.save(f.state); err != nil {
		return err
	}
	f.damaged, f.refused = false, nil
	f.log.Info("followed", "build", p.Build, "sequence", p.Sequence, "published", p.Published)
	if f.cfg.Installed != nil {
		f.cfg.Installed(p.Build)
	}
	return f.dir.prune(p.Build, previous)
}

// here tells whether the release is in the directory, as it should be.
func (f *Follower) here(p *release.Pointer) bool {
	b, err := f.dir.manifest(p.Build)
	return err == nil && sumOf(b) == p.ManifestSHA256 && f.dir.check(p.Build, f.cfg.Check) == nil
}

// arrive fetches a release and gives it its place, if it can be served.
func (f *Follower) arrive(ctx context.Context, p *release.Pointer) (err error) {
	if f.refused != nil && *f.refused == *p && time.Now().Before(f.retry) {
		return f.verdict
	}
	defer func() { f.fetches.Inc(result(err)) }()
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	temp, err := f.fetch(ctx, p)
	defer f.dir.clean()
	if err != nil {
		return err
	}
	if err := f.cfg.Check(temp); err != nil {
		f.refused, f.verdict, f.retry = p, fmt.Errorf("it arrived whole, but: %w", err), time.Now().Add(refusedPause)
		return f.verdict
	}
	return f.dir.place(p.Build)
}
