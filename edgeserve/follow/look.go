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
)

// Look asks the store once and does what its pointer says. It is for one caller at a
// time, and not while Run runs.
func (f *Follower) Look(ctx context.Context) error {
	p, etag, err := f.pointer(ctx)
	if errors.Is(err, store.ErrNotModified) {
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
	f.status.Published = p.Published
	f.mu.Unlock()
	return nil
}

// pointer reads the store's pointer, if it is another than the last one followed.
func (f *Follower) pointer(ctx context.Context) (*release.Pointer, string, error) {
	ctx, cancel := context.WithTimeout(ctx, pointerTime)
	defer cancel()
	o := store.GetOptions{Max: release.MaxPointer}
	if !f.damaged {
		o.IfNoneMatch = f.etag
	}
	obj, err := f.cfg.Store.Get(ctx, release.PointerName, o)
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
	switch s := f.state; {
	case p.Sequence < s.Sequence:
		return false, fmt.Errorf("%w: sequence %d after %d; if the store was made anew, remove %s", ErrOlder, p.Sequence, s.Sequence, f.dir.path(release.FollowName))
	case p.Sequence > s.Sequence:
		return true, nil
	case p.Build != s.Build || p.ManifestSHA256 != s.ManifestSHA256:
		return false, fmt.Errorf("%w: %d is build %s there and %s here", ErrForked, p.Sequence, p.Build, s.Build)
	}
	return f.damaged, nil
}

// install makes the release that a pointer names the current one. A pointer that was
// renewed only has a higher number.
func (f *Follower) install(ctx context.Context, p *release.Pointer) error {
	if !f.damaged && p.Build == f.state.Build && p.ManifestSHA256 == f.state.ManifestSHA256 {
		renewed := f.state
		renewed.Sequence = p.Sequence
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
	f.state.Sequence, f.state.Build, f.state.ManifestSHA256 = p.Sequence, p.Build, p.ManifestSHA256
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
