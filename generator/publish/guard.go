// This file compares a release with the one that is current in a store, by what their
// manifests count: a build machine that begins with an empty directory has nothing else
// to compare with.

package publish

import (
	"context"
	"errors"
	"fmt"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
	"contentedge/generator/removal"
)

// guard refuses a release that removes too much of the one that p points to. It gives
// the manifest of that one, nil if it is the same release or cannot be read: then nobody
// knows what it had, and the release goes out as a first one does, which mends the store.
func guard(ctx context.Context, s *store.Store, p *release.Pointer, next *release.Manifest, limit removal.Limit, warn func(string)) (*release.Manifest, error) {
	if p == nil || p.Build == next.Build {
		return nil, nil
	}
	m, _, _, err := manifest(ctx, s, p.Build)
	var other *release.FormatError
	switch {
	case err == nil:
		return m, limit.Check(removal.CompareManifests(m, next))
	case errors.As(err, &other): // an older program's counts do
		return nil, limit.Check(removal.CompareManifests(&release.Manifest{Environments: other.Environments}, next))
	case !useless(err):
		return nil, err
	}
	if warn != nil && !limit.Allow {
		warn(fmt.Sprintf("the current release cannot be read, so removals were not checked: %v", err))
	}
	return nil, nil
}

// useless tells of an error whether it is the manifest's, not the way to it.
func useless(err error) bool {
	return errors.Is(err, ErrNoRelease) || errors.Is(err, release.ErrManifest) || errors.Is(err, store.ErrTooLarge)
}
