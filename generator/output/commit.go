// This file commits a release. The order of the steps is the guarantee: sync the data,
// rename, move the pointer, remove older releases.

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

// Commit makes the release durable and current. The error says whether it became current.
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
	if err := install(t.temp, final); err != nil {
		return err
	}
	if err := t.syncDir(releases); err != nil {
		return err
	}
	previous, err := t.pointTo(build)
	if err != nil {
		return err
	}
	if err := t.removeOld(build, previous); err != nil {
		return fmt.Errorf("release %s is current, but what it replaces could not be removed: %w", build, err)
	}
	return nil
}

// install renames the finished directory. An existing release of that name may be damaged,
// so it is exchanged and removed, never written into.
func install(temp, final string) error {
	err := os.Rename(temp, final)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := exchange(temp, final); err != nil {
		return err
	}
	return removeTree(temp)
}

// pointTo moves the pointer to a build and gives the build it pointed to, "" if none.
func (t *Tx) pointTo(build string) (previous string, err error) {
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

// removeOld keeps the current release and the one before it, which edges may still read and a
// rollback needs. The last one removed becomes the spare. A rebuild removes nothing.
func (t *Tx) removeOld(build, previous string) error {
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
		// A temporary name first, so that no partial release has a build id.
		temp := filepath.Join(releases, release.TempPrefix+e.Name())
		if err := os.Rename(filepath.Join(releases, e.Name()), temp); err != nil {
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

// syncDir makes the entries of a directory durable, unless NoSync is set.
func (t *Tx) syncDir(path string) error {
	if t.NoSync {
		return nil
	}
	return syncPath(path)
}

// syncPath makes a file or directory durable. A descriptor opened for reading suffices.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
