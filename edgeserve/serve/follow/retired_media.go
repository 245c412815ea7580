// This file removes the media that the store has retired: neither the current release nor the previous one names them.
// Their publisher may have withdrawn them.

package follow

import (
	"bufio"
	"context"
	"errors"
	"io"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// maxMediaLines bounds the part of a list of checksums that names media, in bytes: some eight million files.
const maxMediaLines = 1 << 30

// retireMedia removes media once after each release that became current, and at the beginning. A failure does not fail
// the release: the next poll tries again.
func (f *Follower) retireMedia(ctx context.Context) {
	if f.retired {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Timeout)
	defer cancel()
	err := f.media.retire(ctx, f.retained())
	if err != nil && f.retireError != err.Error() {
		f.log.Warn("it is unknown which media files the store still has; all stay", "error", err)
		f.retireError = err.Error()
	}
	f.retired = err == nil
}

// retained are the releases whose media stay.
func (f *Follower) retained() (all []trusted) {
	if f.used != nil {
		return f.vouched()
	}
	for _, build := range f.dir.linked() {
		all = append(all, trusted{build: build})
	}
	return all
}

// retire removes the files of the directory that no release names.
func (c *mediaCache) retire(ctx context.Context, releases []trusted) error {
	gone := c.names()
	for i, r := range releases {
		if len(gone) == 0 {
			return nil
		}
		err := c.keep(ctx, r, gone)
		if i > 0 && errors.Is(err, store.ErrNotFound) { // the release before was collected
			err = nil
		}
		if err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range gone {
		if at := c.files[name]; at != nil {
			c.remove(at)
		}
	}
	return nil
}

// names returns the names of the files.
func (c *mediaCache) names() map[string]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := make(map[string]bool, len(c.files))
	for name := range c.files {
		names[name] = true
	}
	return names
}

// keep deletes the media of a release from a set.
func (c *mediaCache) keep(ctx context.Context, r trusted, gone map[string]bool) error {
	kind := c.f.dir.kind(r.build)
	sums, err := c.f.openList(ctx, r, kind, c.f.dir.path(release.ReleasesDir, r.build), maxMediaLines)
	if err != nil {
		return err
	}
	defer func() { _ = sums.Close() }()
	for list := bufio.NewReader(sums); len(gone) > 0; {
		name, err := nextMedia(list)
		if errors.Is(err, io.EOF) && (c.f.used != nil || kind == release.KindNodes) { // a verified list ends with its media
			return nil
		}
		if err != nil || name == "" {
			return err
		}
		delete(gone, name)
	}
	return nil
}
