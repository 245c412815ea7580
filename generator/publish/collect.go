// This file removes releases from a store, under the lease that keeps others from making
// them current meanwhile. A manifest goes first, so that no half release counts as one,
// then the pointer is looked at again, and the manifest comes back if the pointer names it.

package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

// abandoned is how old the newest object of a release without a manifest is before the
// release counts as one that nobody sends any more.
const abandoned = 24 * time.Hour

// Collection says what was removed, or in a dry run what would be.
type Collection struct {
	Kept    []string `json:"kept"`
	Removed []string `json:"removed"`

	touched []string // of which some may be removed
}

// Collect removes all releases but the keep newest ones. The current release and the
// one before it stay in any case, and so does what is still being sent or about to become
// current. Its error wraps ErrNotWhole if a release became current all the same. warn may
// be nil.
func Collect(ctx context.Context, s *store.Store, keep, jobs int, dryRun bool, warn func(string)) (*Collection, error) {
	releases, err := List(ctx, s)
	if err != nil {
		return nil, err
	}
	c := &Collection{Kept: []string{}, Removed: []string{}}
	var old []string
	for _, r := range releases {
		stays := r.Current || r.Previous
		if !r.Sent.IsZero() {
			stays = stays || keep > 0
			keep--
		} else if !stays {
			if stays, err = underWay(ctx, s, r.Build); err != nil {
				return c, err
			}
		}
		if stays {
			c.Kept = append(c.Kept, r.Build)
		} else {
			old = append(old, r.Build)
		}
	}
	if dryRun || len(old) == 0 {
		c.Removed = append(c.Removed, old...)
		return c, nil
	}
	return c, c.collect(ctx, s, old, jobs, warn)
}

// collect removes old releases, those apart that somebody wants meanwhile.
func (c *Collection) collect(ctx context.Context, s *store.Store, old []string, jobs int, warn func(string)) (err error) {
	l, err := takeLease(ctx, s, old, warn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.prove(ctx, s), l.end(ctx)) }()
	keep, err := wanted(ctx, s)
	if err != nil {
		return err
	}
	for _, build := range old {
		stays := keep[build]
		if !stays {
			if stays, err = remove(ctx, l, build, jobs); err != nil {
				c.touched = append(c.touched, build)
				return fmt.Errorf("release %s: %w", build, err)
			}
		}
		l.without(build)
		if stays {
			c.Kept = append(c.Kept, build)
		} else {
			c.Removed = append(c.Removed, build)
		}
	}
	return nil
}

// prove tells whether something was removed of what is current now.
func (c *Collection) prove(ctx context.Context, s *store.Store) error {
	gone := append(slices.Clone(c.Removed), c.touched...)
	if len(gone) == 0 {
		return nil
	}
	p, _, err := current(ctx, s)
	if err != nil || p == nil || !slices.Contains(gone, p.Build) {
		return err
	}
	lacks, err := lacking(ctx, s, p.Build)
	if err != nil || len(lacks) == 0 {
		return err
	}
	return notWhole(s, p.Build, lacks)
}

// underWay tells whether objects of a release were written of late.
func underWay(ctx context.Context, s *store.Store, build string) (bool, error) {
	for info, err := range s.List(ctx, root(build)) {
		if err != nil || time.Since(info.Modified) < abandoned {
			return true, err
		}
	}
	return false, nil
}

// remove removes a release that the lease names, unless it became current meanwhile.
func remove(ctx context.Context, l *lease, build string, jobs int) (stays bool, err error) {
	s, key := l.s, root(build)+release.ManifestName
	b, _, err := get(ctx, s, key, release.MaxManifest)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return true, err
	}
	if err := l.hold(ctx, func(ctx context.Context) error {
		return again(ctx, func() error { return s.Delete(ctx, key) })
	}); err != nil {
		return true, err
	}
	p, _, err := current(ctx, s)
	if err == nil && !names(p, build) {
		return false, empty(ctx, l, build, jobs)
	}
	if len(b) == 0 {
		return true, err
	}
	return true, errors.Join(err, restore(ctx, s, key, b))
}

// restore puts a manifest back.
func restore(ctx context.Context, s *store.Store, key string, b []byte) error {
	o := headers(release.ManifestName)
	o.SHA256 = sum256(b)
	return again(ctx, func() error {
		_, err := s.Put(ctx, key, bytes.NewReader(b), int64(len(b)), o)
		return err
	})
}

// batch is how many objects are removed for one renewal of the lease.
const batch = 1000

// empty removes all objects of a release.
func empty(ctx context.Context, l *lease, build string, jobs int) error {
	for {
		left, deleted := 0, new(atomic.Int64)
		err := l.hold(ctx, func(ctx context.Context) error {
			keys, err := first(ctx, l.s, build)
			if left = len(keys); err != nil {
				return err
			}
			return each(ctx, jobs, len(keys), func(i int) error {
				err := again(ctx, func() error { return l.s.Delete(ctx, keys[i]) })
				if err == nil {
					deleted.Add(1)
				}
				return err
			})
		})
		switch {
		case err == nil && left < batch:
			return nil
		case err == nil, errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && deleted.Load() > 0:
		default:
			return err
		}
	}
}

// first lists the first objects of a release.
func first(ctx context.Context, s *store.Store, build string) (keys []string, err error) {
	for info, err := range s.List(ctx, root(build)) {
		if err != nil {
			return nil, err
		}
		if keys = append(keys, info.Key); len(keys) == batch {
			break
		}
	}
	return keys, nil
}
