// This file lists the releases of a store and makes another one current.

package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// Release is a release in a store.
type Release struct {
	Build     string    `json:"build"`
	Sent      time.Time `json:"sent"` // when its manifest was written; zero if it has none
	Files     int       `json:"files"`
	Bytes     int64     `json:"bytes"`
	Current   bool      `json:"current"`
	Previous  bool      `json:"previous"` // it was current before the current one
	Published string    `json:"published,omitempty"`
}

// ErrNoRelease: the store does not have the build, or only a part of it.
var ErrNoRelease = errors.New("no such release in the store")

// List returns the releases of a store, the newest first. Those without a manifest, which are
// being sent or were interrupted, come before them.
func List(ctx context.Context, s *store.Store) ([]Release, error) {
	p, _, err := current(ctx, s)
	if err != nil {
		return nil, err
	}
	names, err := again(ctx, func() ([]string, error) { return s.Dirs(ctx, release.ReleasesDir+"/") })
	if err != nil {
		return nil, err
	}
	var out []Release
	for _, build := range names {
		if !release.IsBuild(build) {
			continue
		}
		r, err := describe(ctx, s, build)
		if err != nil {
			return nil, err
		}
		if p != nil {
			r.Current, r.Previous = p.Build == build, p.Previous == build && p.Build != build
		}
		if r.Current {
			r.Published = p.Published
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Release) int {
		if a.Sent.IsZero() != b.Sent.IsZero() {
			return map[bool]int{true: -1, false: 1}[a.Sent.IsZero()]
		}
		// Stores tell whole seconds: of one second, those that were made current are the later ones.
		return cmp.Or(b.Sent.Compare(a.Sent), b.rank()-a.rank())
	})
	return out, nil
}

// rank is highest for the current release, then for the one before it.
func (r *Release) rank() int {
	switch {
	case r.Current:
		return 2
	case r.Previous:
		return 1
	}
	return 0
}

func describe(ctx context.Context, s *store.Store, build string) (Release, error) {
	r := Release{Build: build}
	m, _, at, err := manifest(ctx, s, build)
	if errors.Is(err, ErrNoRelease) {
		return r, nil
	}
	if err == nil {
		r.Sent, r.Files, r.Bytes = at, m.Files, m.Bytes
	}
	return r, err
}

func manifest(ctx context.Context, s *store.Store, build string) (*release.Manifest, []byte, time.Time, error) {
	b, info, err := get(ctx, s, root(build)+release.ManifestName, release.MaxManifest)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, time.Time{}, fmt.Errorf("%w: %s", ErrNoRelease, build)
	}
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	m, err := release.Parse(b)
	if err == nil && m.Build != build {
		err = fmt.Errorf("%w: it is that of build %s", release.ErrManifest, m.Build)
	}
	if err != nil {
		return nil, nil, time.Time{}, fmt.Errorf("%s/%s: %w", s, root(build)+release.ManifestName, err)
	}
	return m, b, info.Modified, nil
}

// Moved is the pointer that a command wrote, or that a dry run would write.
type Moved struct {
	*release.Pointer
	Changed bool `json:"changed"` // false: the store had this pointer already
}

// Promote makes a release of the store current, unless that removes too much (*removal.Error).
func Promote(ctx context.Context, c PublishConfig, build string) (*Moved, error) {
	p, etag, err := current(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	return promote(ctx, c, build, p, etag, func(next *release.Manifest) error {
		if _, err := checkRemoval(ctx, c.Store, p, next, c.Removal, c.Warn); err != nil {
			return err
		}
		lacks, err := missingFiles(ctx, c.Store, build)
		if err == nil && len(lacks) > 0 {
			err = fmt.Errorf("release %s lacks %d files in the store, %s the first: publish it again", build, len(lacks), lacks[0])
		}
		return err
	})
}

// Rollback makes the previous release current. A second Rollback undoes the first. Removals are not
// limited. If files that nodes do not need are missing, the error wraps ErrNotWhole.
func Rollback(ctx context.Context, c PublishConfig) (*Moved, error) {
	p, etag, err := current(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	if p == nil || p.Previous == "" {
		return nil, fmt.Errorf("%w: none was current before", ErrNoRelease)
	}
	return promote(ctx, c, p.Previous, p, etag, nil)
}

// Renew writes the pointer with the current time, for nodes that limit its age. A sequence of 0 stands
// for the next number. Another number is for nodes that saw a forged pointer, or for a new store.
func Renew(ctx context.Context, c PublishConfig, sequence int64) (*Moved, error) {
	p, etag, err := current(ctx, c.Store)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("%w: none is current", ErrNoRelease)
	}
	next := p.Renewed(time.Now())
	if sequence > 0 {
		next.Sequence = sequence
	}
	if c.DryRun {
		return &Moved{next, true}, checkSequence(c.Store, next)
	}
	return &Moved{next, true}, move(ctx, c.Store, next, etag)
}

// promote makes a release current that nodes can use and that check accepts. Without check
// it stays current even if other files are missing. A dry run checks the same and writes nothing.
func promote(ctx context.Context, c PublishConfig, build string, p *release.Pointer, etag string, check func(*release.Manifest) error) (*Moved, error) {
	s := c.Store
	if p != nil && p.Build == build {
		return &Moved{p, false}, nil
	}
	if !release.IsBuild(build) {
		return nil, fmt.Errorf("%w: %q is no build id", ErrNoRelease, build)
	}
	if !c.DryRun {
		end, err := announce(ctx, c, build, p == nil)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	m, b, err := complete(ctx, s, build)
	if err == nil && check != nil {
		err = check(m)
	}
	if err != nil {
		return nil, err
	}
	next := p.Next(build, b, time.Now())
	moved := &Moved{next, true}
	if c.DryRun {
		return moved, checkSequence(s, next)
	}
	if err := move(ctx, s, next, etag); err != nil {
		return moved, err
	}
	return moved, confirm(ctx, s, p, next, check == nil)
}

// confirm verifies that the new current release was not removed meanwhile, and otherwise
// moves the pointer back. With stays it keeps a release that nodes can use.
func confirm(ctx context.Context, s *store.Store, p, next *release.Pointer, stays bool) error {
	lacks, err := missingFiles(ctx, s, next.Build)
	if err != nil {
		return unverified(s, next.Build, err)
	}
	if len(lacks) == 0 {
		return nil
	}
	if stays {
		if _, _, err := complete(ctx, s, next.Build); err == nil {
			return notWhole(s, next.Build, len(lacks), lacks[0])
		}
	}
	if p == nil {
		return notWhole(s, next.Build, len(lacks), lacks[0])
	}
	if err := moveBack(ctx, s, p, next); err != nil {
		return errors.Join(notWhole(s, next.Build, len(lacks), lacks[0]), err)
	}
	return fmt.Errorf("%w: %s was removed meanwhile, and %s stays current", ErrNoRelease, next.Build, p.Build)
}

// moveBack moves the pointer from next to p, unless somebody else moved it already.
func moveBack(ctx context.Context, s *store.Store, p, next *release.Pointer) error {
	now, etag, err := current(ctx, s)
	if err != nil || now == nil || *now != *next {
		return err
	}
	_, b, _, err := manifest(ctx, s, p.Build)
	if err != nil {
		return err
	}
	return move(ctx, s, now.Next(p.Build, b, time.Now()), etag)
}

// complete checks the sizes of a release's snapshots in the store, and gives its manifest.
func complete(ctx context.Context, s *store.Store, build string) (*release.Manifest, []byte, error) {
	m, b, _, err := manifest(ctx, s, build)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range m.Environments {
		info, err := again(ctx, func() (store.Info, error) { return s.Stat(ctx, root(build)+e.Snapshot.File) })
		if err != nil {
			return nil, nil, err
		}
		if info.Bytes != e.Snapshot.Bytes {
			return nil, nil, fmt.Errorf("%s of release %s has %d bytes, not %d: publish it again", e.Snapshot.File, build, info.Bytes, e.Snapshot.Bytes)
		}
	}
	return m, b, nil
}
