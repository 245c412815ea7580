// This file is one attempt to sync: read the pointer, validate it, install its release.

package follow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

var errUnexpected304 = errors.New("the store answered 304 Not Modified to an unconditional request")

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
	if err := f.usePolicy(); err != nil {
		return err
	}
	if err := f.applyAccepted(); err != nil {
		return err
	}
	known := f.knownETag()
	raw, etag, err := readPointer(ctx, f.cfg.Store, known, min(pointerTime, f.cfg.Timeout))
	if errors.Is(err, store.ErrNotModified) {
		if known == "" {
			return errUnexpected304
		}
		return f.checkExpiry()
	}
	if err != nil {
		return err
	}
	p, err := readShown(f.used, raw, f.now())
	if err != nil {
		return err
	}
	if err := f.follow(ctx, p); err != nil {
		return err
	}
	f.etag = etag
	f.mu.Lock()
	f.status.Published, f.readAt = p.Published, time.Now()
	f.mu.Unlock()
	return f.checkExpiry()
}

// follow installs the release of a pointer, or keeps the signatures that the pointer has now.
func (f *Follower) follow(ctx context.Context, p *shown) error {
	follows, err := f.accept(p)
	if err != nil {
		return err
	}
	if follows {
		if err := f.install(ctx, p); err != nil {
			return fmt.Errorf("release %s: %w", p.Build, err)
		}
		return nil
	}
	return f.renew(p)
}

// knownETag is the ETag of the installed pointer; "" makes the store send its pointer.
func (f *Follower) knownETag() string {
	if f.damaged {
		return ""
	}
	return f.etag
}

// readPointer reads the store's pointer unless its ETag is known.
func readPointer(ctx context.Context, s *store.Store, known string, limit time.Duration) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	b, info, err := s.ReadAll(ctx, release.PointerName, store.GetOptions{Max: release.MaxPointer, IfNoneMatch: known})
	return b, info.ETag, err
}

// accept validates a pointer and reports whether its release must be installed.
func (f *Follower) accept(p *shown) (bool, error) {
	switch s := f.base(); {
	case p.Sequence < s.Sequence:
		return false, f.withAdvice(fmt.Errorf("%w: sequence %d after %d", ErrOlder, p.Sequence, s.Sequence))
	case p.Sequence > s.maxSequence():
		return false, f.withAdvice(fmt.Errorf("%w: sequence %d after %d", ErrTooHigh, p.Sequence, s.Sequence))
	case p.Sequence > s.Sequence:
		if p.over(f.now()) {
			return false, f.expired(p)
		}
		return true, nil
	case p.Build != s.Build || p.ManifestSHA256 != s.ManifestSHA256:
		return false, f.withAdvice(fmt.Errorf("%w: sequence %d is build %s in the store and build %s on this node", ErrForked, p.Sequence, p.Build, s.Build))
	case s.text != "" && p.text() != s.text:
		return false, f.withAdvice(fmt.Errorf("%w: sequence %d has other members in the store than on this node", ErrForked, p.Sequence))
	}
	switch {
	case f.state.Accepted != "":
		return true, nil
	case f.used != nil && f.held == nil && p.over(f.now()): // what is on this machine is not served, and must not be now
		return false, f.expired(p)
	}
	return f.damaged, nil
}

func (s base) maxSequence() int64 {
	if s.Sequence == 0 {
		return maxFirst
	}
	return s.Sequence + maxStep
}

// install makes the pointer's release current. A renewed pointer changes only the state.
func (f *Follower) install(ctx context.Context, p *shown) error {
	if !f.damaged && p.Build == f.state.Build && p.ManifestSHA256 == f.state.ManifestSHA256 {
		return f.renew(p)
	}
	if !f.installed(p.Build, p.ManifestSHA256) {
		if err := f.fetchAndVerify(ctx, p.Pointer); err != nil {
			return err
		}
	}
	f.allow(p)
	previous, err := f.dir.setCurrent(p.Build, p.Previous)
	if err != nil {
		return err
	}
	f.media.forgetRefusals()
	f.reserve.Store(f.dir.bytes(p.Build) / reserveShare)
	f.retired = false
	if err := f.record(p); err != nil {
		return err
	}
	f.keep(p)
	f.damaged, f.refused = false, nil
	f.log.Info("release installed", f.described(p)...)
	if f.cfg.Installed != nil {
		f.cfg.Installed(p.Build)
	}
	f.dir.removeTemp()
	return f.dir.prune(p.Build, previous)
}

// described are a pointer's attributes for the log.
func (f *Follower) described(p *shown) []any {
	attrs := []any{"build", p.Build, "sequence", p.Sequence, "published", p.Published}
	if p.signedBy != nil {
		attrs = append(attrs, "signed_by", strings.Join(p.signedBy, " "))
	}
	return attrs
}

// renew keeps a pointer to the installed release: it has another sequence number, or other signatures.
func (f *Follower) renew(p *shown) error {
	f.dir.removeTemp() // of a release that the store has left
	if err := f.record(p); err != nil {
		return err
	}
	if f.keep(p) && f.cfg.Installed != nil {
		f.cfg.Installed(p.Build) // a server that refused it may serve it now
	}
	return nil
}

// record saves that a pointer's release is installed.
func (f *Follower) record(p *shown) error {
	next := f.state.with(p, f.used, f.held != nil)
	if next == f.state {
		return nil
	}
	if next.TrustVersion != f.state.TrustVersion {
		if err := f.media.clear(); err != nil {
			return err
		}
	}
	if err := f.dir.setKind(p.Build, p.Kind); err != nil { // of a release that the store has in another kind now
		return err
	}
	if err := f.dir.save(next); err != nil {
		return err
	}
	f.state = next
	return nil
}

// installed reports whether this machine has a release whole.
func (f *Follower) installed(build, manifestSHA256 string) bool {
	b, err := readManifest(f.dir.path(release.ReleasesDir, build))
	return err == nil && release.HexSHA256(b) == manifestSHA256 && f.cfg.Check(f.dir.path(release.ReleasesDir, build)) == nil
}

// fetchAndVerify downloads a release, checks that it can be served, and promotes it.
func (f *Follower) fetchAndVerify(ctx context.Context, p *release.Pointer) (err error) {
	if f.refused != nil && *f.refused == *p && time.Now().Before(f.retryAt) {
		return f.refusal
	}
	defer func() { f.fetches.Inc(result(err)) }()
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	temp, err := f.fetchServable(ctx, p)
	if errors.Is(err, ErrUnusable) {
		f.dir.removeTemp()
		f.refused, f.refusal, f.retryAt = p, err, time.Now().Add(refusedPause)
	}
	if err != nil {
		return err
	}
	if f.cfg.AllMedia {
		if err := f.allMedia(ctx, p, temp); err != nil {
			return fmt.Errorf("media: %w", err)
		}
	}
	if err := f.dir.promote(p.Build); err != nil {
		return err
	}
	return f.dir.setKind(p.Build, p.Kind)
}

// fetchServable downloads a release that can be served. It takes what this machine has without reading it; if that
// cannot be served, files may have decayed on the disk, and are verified and fetched again.
func (f *Follower) fetchServable(ctx context.Context, p *release.Pointer) (string, error) {
	temp, unread, err := f.fetch(ctx, p, f.damaged)
	if err != nil {
		return "", err
	}
	refusal := f.cfg.Check(temp)
	if refusal != nil && unread > 0 {
		if temp, _, err = f.fetch(ctx, p, true); err != nil {
			return "", err
		}
		refusal = f.cfg.Check(temp)
	}
	if refusal != nil {
		return "", fmt.Errorf("%w: %w", ErrUnusable, refusal)
	}
	return temp, nil
}
