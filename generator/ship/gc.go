// This file removes releases from a store while it holds the lease. It removes the manifest
// first, so that no partial release counts as one, then reads the pointer again, and puts
// the manifest back if the pointer names the release.

package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// abandonedAfter is the age from which objects of a release without a manifest are removed.
const abandonedAfter = 24 * time.Hour

// GCReport lists the releases that gc removed, or that a dry run would remove.
type GCReport struct {
	Kept    []string `json:"kept"`
	Removed []string `json:"removed"`
	Objects int      `json:"objects,omitempty"` // removed objects that releases shared
	Forms   int      `json:"forms,omitempty"`   // removed patches and compressed snapshots

	touched []string // builds of which objects may have been removed
}

// GC removes all releases but the keep newest ones. It also keeps the current release, the previous one, a proposed
// one, releases that are being sent, and releases that are about to become current. Its error wraps ErrNotWhole if a
// removed release has become current all the same.
func GC(ctx context.Context, config PublishConfig, keep int) (*GCReport, error) {
	s := config.Store
	releases, err := List(ctx, s)
	if err != nil {
		return nil, err
	}
	c := &GCReport{Kept: []string{}, Removed: []string{}}
	var old []string
	for _, r := range releases {
		stays := r.Current || r.Previous || r.Proposed
		if !r.Sent.IsZero() {
			stays = stays || keep > 0
			keep--
		} else if !stays {
			if stays, err = recentlyWritten(ctx, s, r.Build); err != nil {
				return c, err
			}
		}
		if stays {
			c.Kept = append(c.Kept, r.Build)
		} else {
			old = append(old, r.Build)
		}
	}
	config.Jobs = cmp.Or(config.Jobs, DefaultJobs)
	sw, err := newSweep(ctx, config, c.Kept, old)
	if err != nil {
		return c, err
	}
	if config.DryRun || len(old) == 0 && len(sw.candidates) == 0 {
		c.Removed, c.Objects = append(c.Removed, old...), len(sw.candidates)
	} else if err := c.removeReleases(ctx, config, old, sw); err != nil {
		return c, err
	}
	c.Forms, err = removeForms(ctx, config)
	return c, err
}

func (c *GCReport) removeReleases(ctx context.Context, config PublishConfig, old []string, sw *sweep) (err error) {
	s, jobs := config.Store, config.Jobs
	builds := slices.Clone(old)
	if len(sw.candidates) > 0 {
		builds = append(builds, sharedObjects)
	}
	l, err := gcLease(s).take(ctx, builds, config.Warn)
	if err != nil {
		return err
	}
	defer func() {
		c.Objects = len(sw.removed)
		err = errors.Join(err, removeChanges(ctx, s, jobs), c.checkCurrent(ctx, config), sw.check(ctx), l.end(ctx))
	}()
	used, err := inUse(ctx, s)
	if err != nil {
		return err
	}
	for _, build := range old {
		stays := used.builds[build]
		if !stays {
			if stays, err = removeRelease(ctx, l, build, jobs); err != nil {
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
	return sw.run(ctx, l, used, c.Removed)
}

// checkCurrent reports whether something was removed of what is current now.
func (c *GCReport) checkCurrent(ctx context.Context, config PublishConfig) error {
	s := config.Store
	gone := append(slices.Clone(c.Removed), c.touched...)
	if len(gone) == 0 {
		return nil
	}
	p, _, err := currentPointer(ctx, s)
	if err != nil || p == nil || !slices.Contains(gone, p.Build) {
		return err
	}
	lacks, err := config.missing(ctx, p.Build, p.Kind)
	if err != nil || len(lacks) == 0 {
		return err
	}
	return notWhole(s, p.Build, len(lacks), lacks[0])
}

func recentlyWritten(ctx context.Context, s *store.Store, build string) (bool, error) {
	for info, err := range s.List(ctx, root(build)) {
		if err != nil || time.Since(info.Modified) < abandonedAfter {
			return true, err
		}
	}
	return false, nil
}

// removeRelease removes a release that the lease names, unless it became current meanwhile.
func removeRelease(ctx context.Context, l *lease, build string, jobs int) (stays bool, err error) {
	s, key := l.at.Store, root(build)+release.ManifestName
	b, _, err := get(ctx, s, key, release.MaxManifest)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return true, err
	}
	if err := l.whileHeld(ctx, func(ctx context.Context) error { return remove(ctx, s, key) }); err != nil {
		return true, err
	}
	builds, _, err := named(ctx, s)
	if err == nil && !slices.Contains(builds, build) {
		return false, removeObjects(ctx, l, build, jobs)
	}
	if len(b) == 0 {
		return true, err
	}
	_, e := putBytes(ctx, s, key, b, headers(release.ManifestName))
	return true, errors.Join(err, e)
}

// batch is how many objects are removed after each renewal of the lease.
const batch = 1000

func removeObjects(ctx context.Context, l *lease, build string, jobs int) error {
	for {
		left, deleted := 0, new(atomic.Int64)
		err := l.whileHeld(ctx, func(ctx context.Context) error {
			keys, err := listSome(ctx, l.at.Store, build)
			if left = len(keys); err != nil {
				return err
			}
			return each(ctx, jobs, len(keys), func(i int) error {
				err := remove(ctx, l.at.Store, keys[i])
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

func listSome(ctx context.Context, s *store.Store, build string) (keys []string, err error) {
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
