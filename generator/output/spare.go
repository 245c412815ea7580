// This file begins a release with the files of the last removed one, since most stay the same.
//
//	out/releases/.spare        the pages and items of a removed release
//
// The spare is no release. The next build may change it, and removes it if it fails. An edge server
// may still have it open, and trusts its files while its manifest exists, so the manifest is removed
// first.

package output

import (
	"errors"
	"hash/maphash"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/wire/release"

	"golang.org/x/sys/unix"
)

const (
	// spareName is the directory of the spare, in that of releases.
	spareName = ".spare"
	// countBatch is how many names of a directory are held to count them.
	countBatch = 1024
)

// Spare returns the directory of the spare, which may be missing. Recycle removes the manifest and the
// list of checksums in it.
func (t *Tx) Spare() string { return filepath.Join(t.out, release.ReleasesDir, spareName) }

// Names is a digest of a set of names. Two different sets have the same digest once in 2^64.
type Names struct {
	n   int
	sum uint64 // of their hashes
}

var nameSeed = maphash.MakeSeed()

// Add adds a name that is not in the set.
func (s *Names) Add(name string) {
	s.n++
	s.sum += maphash.String(nameSeed, name)
}

// Recycle begins the release with the spare's files, before any write. Then Linker.Keep confirms a file,
// Remove removes one. It returns false if no spare has exactly the files, its manifest and its list of
// checksums. A spare only saves time: one that cannot be used is ignored.
func (t *Tx) Recycle(files Names) (bool, error) {
	if fi, err := os.Lstat(t.Spare()); err != nil || !fi.IsDir() {
		return false, nil
	}
	own := []string{release.ManifestName, release.ChecksumsName}
	for _, name := range own {
		files.Add(name)
	}
	var found Names
	if ok, err := t.list(".", &found); err != nil || !ok || found != files {
		return false, nil
	}
	for _, name := range own {
		if err := os.Remove(filepath.Join(t.Spare(), name)); err != nil {
			return false, nil
		}
	}
	if err := os.Remove(t.temp); err != nil {
		return false, err
	}
	if err := os.Rename(t.Spare(), t.temp); err != nil {
		return false, t.makeTemp()
	}
	t.emptied = map[string]bool{}
	// After a power cut the spare must not have its name and other files.
	return true, t.syncDir(filepath.Dir(t.temp))
}

// SpareError is a file of the spare that stays where the release has another one.
type SpareError struct{ err error }

// Error names the file.
func (e *SpareError) Error() string { return "the spare cannot be used: " + e.err.Error() }

// Unwrap returns the reason.
func (e *SpareError) Unwrap() error { return e.err }

// Restart begins the release anew, after a SpareError. No write may be running.
func (t *Tx) Restart() error {
	t.life.Lock()
	defer t.life.Unlock()
	if t.closed {
		return ErrClosed
	}
	t.dirs, t.emptied = map[string]bool{".": true}, nil
	t.discard(t.temp)
	return t.makeTemp()
}

// list adds the files below a directory of the spare. It returns false if there is something else than
// files and directories, an empty directory, or attributes that new entries do not get.
func (t *Tx) list(dir string, files *Names) (ok bool, err error) {
	d, err := os.Open(filepath.Join(t.Spare(), dir))
	if err != nil {
		return false, err
	}
	defer d.Close() // only read from
	var st unix.Stat_t
	if err := unix.Fstat(int(d.Fd()), &st); err != nil || !t.has.fitsDir(&st) {
		return false, err
	}
	for all := 0; ; {
		entries, err := d.ReadDir(countBatch)
		for _, e := range entries {
			name, ok, err := path.Join(dir, e.Name()), e.Type().IsRegular(), error(nil)
			if e.IsDir() {
				ok, err = t.list(name, files)
			} else {
				files.Add(name)
			}
			if err != nil || !ok {
				return false, err
			}
		}
		all += len(entries)
		if err != nil {
			return all > 0, ignore(err, io.EOF)
		}
	}
}

// Remove removes files of the spare from the release. A missing file is no error; a file that stays
// is a *SpareError.
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
	if err := removeFiles(paths); err != nil {
		return &SpareError{err}
	}
	return nil
}

// prune removes the directories that Remove emptied. If one stays, no reader sees it, as it is empty.
func (t *Tx) prune() {
	// The longest names first, so that a directory follows its subdirectories.
	for _, dir := range slices.SortedFunc(maps.Keys(t.emptied), func(a, b string) int { return len(b) - len(a) }) {
		for ; dir != "."; dir = path.Dir(dir) {
			if retry(func() error { return unix.Rmdir(filepath.Join(t.temp, dir)) }) != nil {
				break
			}
		}
	}
}

func notEmpty(err error) bool { return errors.Is(err, unix.ENOTEMPTY) || errors.Is(err, unix.EEXIST) }

// Keep reports whether the files of one directory of the spare are as wanted.
func (l *Linker) Keep(w Wanted, names ...string) (bool, error) {
	l.t.life.RLock()
	defer l.t.life.RUnlock()
	if ok, err := l.enter(path.Dir(names[0])); !ok {
		return false, err
	}
	return l.t.fit(l.new, w, names)
}

// retire turns a removed release into the spare. Where that is impossible it deletes the release. What a publication
// left there is of the removed release alone.
func (t *Tx) retire(temp string) {
	left := removeFiles([]string{filepath.Join(temp, release.PointerName), filepath.Join(temp, release.AttestationName)})
	if left != nil || removeTree(filepath.Join(temp, release.SnapshotDir)) != nil || removeTree(filepath.Join(temp, release.PartsDir)) != nil || !t.discard(t.Spare()) || os.Rename(temp, t.Spare()) != nil {
		t.discard(temp)
	}
}
