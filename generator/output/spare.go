// This file keeps the files of the last release that was removed and makes the next
// release out of them: nearly all its files are already there, under the right names, and
// a name that is neither removed nor linked anew costs nothing but a look.
//
//	out/releases/.spare        the pages and items of a release that was removed
//
// It is no release: nothing leads to it, and it is the next build's to change; if that
// build fails, it is gone. An edge that was asleep for two builds may still hold the
// directory open. It takes a file of it for the release's only while the manifest that it
// opened is there, so the manifest goes before anything else does.

package output

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"contentedge/edgeserve/release"

	"golang.org/x/sys/unix"
)

const (
	// spareName is the directory of the spare, in that of releases.
	spareName = ".spare"
	// countBatch is how many names of a directory are held to count them.
	countBatch = 1024
)

// Spare is the directory of the spare, which may not be there. Its manifest and its list
// of sums say what it has; they are gone with Recycle.
func (t *Tx) Spare() string { return filepath.Join(t.out, release.ReleasesDir, spareName) }

// Recycle begins the release with the spare's files instead of none: Linker.Keep is for
// those that stay, Remove for the others. It does so only if the spare has as many files
// as the caller knows of and nothing else, and tells whether it did. Nothing may have
// been written yet.
func (t *Tx) Recycle(files int) (bool, error) {
	if fi, err := os.Lstat(t.Spare()); err != nil || !fi.IsDir() {
		return false, unlessAny(err, fs.ErrNotExist)
	}
	const more = 2 // manifest and list of sums
	if n, ok, err := count(t.Spare()); err != nil || !ok || n != files+more {
		return false, err
	}
	if err := os.Remove(t.temp); err != nil {
		return false, err
	}
	if err := os.Rename(t.Spare(), t.temp); err != nil {
		return false, err
	}
	t.emptied = map[string]bool{}
	// After a power cut the spare must not be found under its name with other files.
	if err := t.syncDir(filepath.Dir(t.temp)); err != nil {
		return false, err
	}
	if err := os.Remove(filepath.Join(t.temp, release.ManifestName)); err != nil {
		return false, err
	}
	return true, os.Remove(filepath.Join(t.temp, release.SumsName))
}

// count counts the files below a directory, if there is nothing but files and directories
// that are not empty.
func count(dir string) (files int, ok bool, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return 0, false, err
	}
	defer d.Close() // only read from
	for all := 0; ; {
		entries, err := d.ReadDir(countBatch)
		for _, e := range entries {
			n, ok, err := 1, e.Type().IsRegular(), error(nil)
			if e.IsDir() {
				n, ok, err = count(filepath.Join(dir, e.Name()))
			}
			if err != nil || !ok {
				return 0, false, err
			}
			files += n
		}
		all += len(entries)
		if err != nil {
			return files, all > 0, unlessAny(err, io.EOF)
		}
	}
}

// Remove takes files of the spare out of the release. It is no error if one is not there.
func (t *Tx) Remove(names ...string) error {
	t.life.RLock()
	defer t.life.RUnlock()
	if t.closed {
		return ErrClosed
	}
	paths := make([]string, len(names))
	t.emptiedMu.Lock()
	for i, name := range names {
		t.emptied[path.Dir(name)] = true
		paths[i] = filepath.Join(t.temp, name)
	}
	t.emptiedMu.Unlock()
	return removeFiles(paths)
}

// prune removes directories that have become empty.
func (t *Tx) prune() error {
	dirs := make([]string, 0, len(t.emptied))
	for dir := range t.emptied {
		dirs = append(dirs, dir)
	}
	// From the longest, so that what is below a directory goes first.
	slices.SortFunc(dirs, func(a, b string) int { return len(b) - len(a) })
	for _, dir := range dirs {
		for ; dir != "."; dir = path.Dir(dir) {
			err := retry(func() error { return unix.Rmdir(filepath.Join(t.temp, dir)) })
			if errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) {
				break
			}
			if err != nil {
				return &os.PathError{Op: "rmdir", Path: filepath.Join(t.temp, dir), Err: err}
			}
		}
	}
	return nil
}

// Keep tells whether files of one directory of the spare are still there, with the
// modification time that they have to have.
func (l *Linker) Keep(modified time.Time, names ...string) (bool, error) {
	l.t.life.RLock()
	defer l.t.life.RUnlock()
	if err := l.enter(path.Dir(names[0])); err != nil {
		return false, unlessAny(err, fs.ErrNotExist)
	}
	return dated(l.new, modified, names)
}

// retire makes the spare of a release that has been put aside.
func (t *Tx) retire(temp string) error {
	if err := errors.Join(os.RemoveAll(filepath.Join(temp, release.SnapshotDir)), removeTree(t.Spare())); err != nil {
		return err
	}
	return os.Rename(temp, t.Spare())
}
