// This file makes a written release the current one. The order of its steps is the
// whole guarantee: data durable, then the name, then the pointer, and only then are
// older releases removed.

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/release"
)

// Commit makes the release durable and current under its build id. Until the pointer
// has moved an error leaves the old release current; after that it says so.
func (t *Tx) Commit(build string) error {
	if !release.IsBuild(build) {
		return fmt.Errorf("%q is no build id", build)
	}
	if !t.close() {
		return ErrClosed
	}
	err := t.publish(build)
	if err != nil {
		err = errors.Join(err, removeTree(t.temp))
	}
	return errors.Join(err, t.lock.release())
}

// publish takes the steps of Commit.
func (t *Tx) publish(build string) error {
	releases := filepath.Join(t.out, release.ReleasesDir)
	final := filepath.Join(releases, build)
	if err := t.prune(); err != nil {
		return err
	}
	if !t.NoSync {
		if err := syncTree(t.temp); err != nil {
			return err
		}
	}
	if err := place(t.temp, final); err != nil {
		return err
	}
	if err := t.syncDir(releases); err != nil {
		return err
	}
	previous, err := t.point(build)
	if err != nil {
		return err
	}
	if err := t.collect(build, previous); err != nil {
		return fmt.Errorf("release %s is current, but what it replaces could not be removed: %w", build, err)
	}
	return nil
}

// place gives the finished directory its name. A release that has the name already is
// exchanged and removed: it may have been damaged since, and is never written into.
func place(temp, final string) error {
	err := os.Rename(temp, final)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := exchange(temp, final); err != nil {
		return err
	}
	return removeTree(temp)
}

// point moves the pointer to a build and gives the build it pointed to, "" if none.
func (t *Tx) point(build string) (previous string, err error) {
	for _, l := range links {
		if err := os.Symlink(l[1], filepath.Join(t.out, l[0])); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	current := filepath.Join(t.out, release.CurrentLink)
	old, err := os.Readlink(current)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	next := filepath.Join(t.out, release.TempPrefix+release.CurrentLink)
	if err := os.Symlink(filepath.Join(release.ReleasesDir, build), next); err != nil {
		return "", err
	}
	if err := os.Rename(next, current); err != nil {
		return "", err
	}
	return filepath.Base(old), t.syncDir(t.out)
}

// collect removes all releases but the current one and the one before it, which edges
// may still be reading and which a rollback needs; the last of them becomes the spare. A
// rebuild of the current release does not tell which one came before, so it removes
// nothing.
func (t *Tx) collect(build, previous string) error {
	if build == previous {
		return nil
	}
	releases := filepath.Join(t.out, release.ReleasesDir)
	entries, err := os.ReadDir(releases)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return !release.IsBuild(e.Name()) || e.Name() == build || e.Name() == previous
	})
	for i, e := range entries {
		temp, err := aside(filepath.Join(releases, e.Name()))
		if err != nil {
			return err
		}
		if i == len(entries)-1 {
			return t.retire(temp)
		}
		if err := removeTree(temp); err != nil {
			return err
		}
	}
	return nil
}

// aside gives a release a temporary name, so that no half of one is ever found under a
// build id.
func aside(path string) (temp string, err error) {
	temp = filepath.Join(filepath.Dir(path), release.TempPrefix+filepath.Base(path))
	return temp, os.Rename(path, temp)
}

// syncDir is the function of that name unless nothing is to be synced.
func (t *Tx) syncDir(path string) error {
	if t.NoSync {
		return nil
	}
	return syncDir(path)
}

// syncDir makes the entries of a directory durable.
func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
