// This file begins a release with the files of the last retired one, since most stay the same.
//
//	out/releases/.spare        the pages and items of a retired release
//
// The spare is no release. The next build may change it, and loses it by failing. An edge server
// may still have it open and trusts it while its manifest exists, so the manifest is removed first.

package output

import (
	"errors"
	"io"
	"io/fs"
	"maps"
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

// Spare is its directory, if any. Recycle removes its manifest and list of checksums.
func (t *Tx) Spare() string { return filepath.Join(t.out, release.ReleasesDir, spareName) }

// Recycle begins the release with the spare's files, before any write: Linker.Keep confirms a
// file, Remove removes one. It is false if the spare has another number of files.
func (t *Tx) Recycle(files int) (bool, error) {
	if fi, err := os.Lstat(t.Spare()); err != nil || !fi.IsDir() {
		return false, ignore(err, fs.ErrNotExist)
	}
	const more = 2 // manifest and list of checksums
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
	return true, os.Remove(filepath.Join(t.temp, release.ChecksumsName))
}

// count counts the files below dir; false if there is another kind, or an empty directory.
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
			return files, all > 0, ignore(err, io.EOF)
		}
	}
}

// Remove removes files of the spare from the release. A missing file is no error.
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

func (t *Tx) prune() error {
	// From the longest, so that what is below a directory goes first.
	for _, dir := range slices.SortedFunc(maps.Keys(t.emptied), func(a, b string) int { return len(b) - len(a) }) {
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

// Keep reports whether files of one directory of the spare exist with a modification time.
func (l *Linker) Keep(mtime time.Time, names ...string) (bool, error) {
	l.t.life.RLock()
	defer l.t.life.RUnlock()
	if err := l.enter(path.Dir(names[0])); err != nil {
		return false, ignore(err, fs.ErrNotExist)
	}
	return hasMtime(l.new, mtime, names)
}

func (t *Tx) retire(temp string) error {
	if err := errors.Join(os.RemoveAll(filepath.Join(temp, release.SnapshotDir)), removeTree(t.Spare())); err != nil {
		return err
	}
	return os.Rename(temp, t.Spare())
}
