// This file removes releases from a store. The order of its steps keeps a release that
// somebody makes current at the same time: its manifest goes first, then the pointer is
// looked at again, and the manifest comes back if the pointer names it.

package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
}

// Collect removes all releases but the keep newest ones. The current release and the
// one before it stay in any case, and so does what is still being sent.
func Collect(ctx context.Context, s *store.Store, keep, jobs int, dryRun bool) (*Collection, error) {
	releases, err := List(ctx, s)
	if err != nil {
		return nil, err
	}
	c := &Collection{Kept: []string{}, Removed: []string{}}
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
		if !stays && !dryRun {
			if stays, err = remove(ctx, s, r.Build, jobs); err != nil {
				return c, fmt.Errorf("release %s: %w", r.Build, err)
			}
		}
		if stays {
			c.Kept = append(c.Kept, r.Build)
		} else {
			c.Removed = append(c.Removed, r.Build)
		}
	}
	return c, nil
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

// remove removes a release, unless it became current meanwhile.
func remove(ctx context.Context, s *store.Store, build string, jobs int) (stays bool, err error) {
	key := root(build) + release.ManifestName
	b, _, err := get(ctx, s, key, release.MaxManifest)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return true, err
	}
	if err := again(ctx, func() error { return s.Delete(ctx, key) }); err != nil {
		return true, err
	}
	p, _, err := current(ctx, s)
	if err == nil && (p == nil || p.Build != build && p.Previous != build) {
		return false, empty(ctx, s, build, jobs)
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

// batch is how many keys are held while objects are removed.
const batch = 10000

// empty removes all objects of a release.
func empty(ctx context.Context, s *store.Store, build string, jobs int) error {
	for {
		var keys []string
		for info, err := range s.List(ctx, root(build)) {
			if err != nil {
				return err
			}
			if keys = append(keys, info.Key); len(keys) == batch {
				break
			}
		}
		err := each(ctx, jobs, len(keys), func(i int) error {
			return again(ctx, func() error { return s.Delete(ctx, keys[i]) })
		})
		if err != nil || len(keys) < batch {
			return err
		}
	}
}
