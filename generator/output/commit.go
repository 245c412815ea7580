// This file commits a release. The order of the steps is the guarantee: sync the data,
// rename, move the pointer, remove older releases.

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/release"
)

// Commit makes the release durable and current. The error says whether it became current.
func (t *Tx) Commit(build string) error {
	if !release.IsBuild(build) {
		return fmt.Errorf("%q is not a build id", build)
	}
	if !t.close() {
		return ErrClosed
	}
	defer t.unlock()
	err := t.publish(build)
	if err != nil {
		t.discard(t.temp)
	}
	return err
}

func (t *Tx) publish(build string) error {
	releases := filepath.Join(t.out, release.ReleasesDir)
	if err := t.syncTree(t.temp); err != nil {
		return err
	}
	if err := t.install(filepath.Join(releases, build)); err != nil {
		return err
	}
	if err := t.syncDir(releases); err != nil {
		return err
	}
	if err := t.restoreLinks(); err != nil {
		return err
	}
	previous, err := t.pointTo(build)
	if err != nil {
		return err
	}
	if err := t.syncDir(t.out); err != nil {
		return fmt.Errorf("release %s is current, but a power failure may undo that: %w", build, err)
	}
	t.removeOld(build, previous)
	return nil
}

// link makes the missing links through current, and returns their names.
func (t *Tx) link() (made []string, err error) {
	for _, l := range links {
		err := os.Symlink(l[1], filepath.Join(t.out, l[0]))
		if err == nil {
			made = append(made, l[0])
		} else if !errors.Is(err, fs.ErrExist) {
			return made, err
		}
	}
	return made, nil
}

// RestoreLinks makes the missing links of the output directory, and warns of each.
func (t *Tx) RestoreLinks() error {
	if err := t.restoreLinks(); err != nil {
		return err
	}
	return t.syncDir(t.out)
}

// restoreLinks makes the missing links. Before the first release all are missing.
func (t *Tx) restoreLinks() error {
	current, err := t.Previous()
	if err != nil {
		return err
	}
	made, err := t.link()
	for _, name := range made {
		if current != "" {
			t.warn(filepath.Join(t.out, name), "this link was missing, and has been made again", "")
		}
	}
	return err
}

// pointTo moves the pointer to a build, after the link to the previous release. It returns the build that the pointer
// named, or "".
func (t *Tx) pointTo(build string) (previous string, err error) {
	old, err := os.Readlink(filepath.Join(t.out, release.CurrentLink))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err == nil && filepath.Base(old) != build {
		if err := t.pointAt(release.PreviousLink, old); err != nil {
			return "", err
		}
	}
	return filepath.Base(old), t.pointAt(release.CurrentLink, filepath.Join(release.ReleasesDir, build))
}

// pointAt replaces a link of the output directory.
func (t *Tx) pointAt(link, target string) error {
	var next string
	err := fresh(filepath.Join(t.out, release.TempPrefix+link), func(path string) error {
		next = path
		return os.Symlink(target, path)
	})
	if err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(t.out, link))
}

// removeOld keeps the current release and the previous one, which edges may still read and a rollback needs. The last
// one removed becomes the spare. A rebuild removes nothing.
func (t *Tx) removeOld(build, previous string) {
	if build == previous {
		return
	}
	releases := filepath.Join(t.out, release.ReleasesDir)
	entries, err := os.ReadDir(releases)
	if err != nil {
		t.warn(releases, fmt.Sprintf("old releases were not removed: %v", err), "")
		return
	}
	last := ""
	for _, e := range entries {
		if !release.IsBuild(e.Name()) || e.Name() == build || e.Name() == previous {
			continue
		}
		old := filepath.Join(releases, e.Name())
		// It gets a temporary name first, so that a partly removed release has no build id.
		temp := filepath.Join(releases, release.TempPrefix+e.Name())
		if os.Rename(old, temp) != nil {
			t.removeInPlace(old)
			continue
		}
		if last != "" {
			t.discard(last)
		}
		last = temp
	}
	if last != "" {
		t.retire(last, filepath.Join(releases, build))
	}
}

// removeInPlace removes a release that cannot be renamed, for example in a lower layer of an overlay. It removes the
// manifest first, so that readers do not take remaining files for a release.
func (t *Tx) removeInPlace(old string) {
	if !mounted(old) {
		if err := os.Remove(filepath.Join(old, release.ManifestName)); ignore(err, fs.ErrNotExist) != nil {
			t.stays(old, err)
			return
		}
	}
	t.discard(old)
}
