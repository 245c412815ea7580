// This file begins a release with the files of the last removed one, since most stay the same.
//
//	out/releases/.spare        a removed release, with the snapshots that the current release has too
//
// The spare is not a release. The next build may change it, and removes it if it fails. An edge server may still have
// it open, and trusts its files while its manifest exists, so the manifest is removed first.
//
// No build writes into a release after its manifest, so a directory that changed later has lost or gained files. One
// look at each directory replaces one at each file.

package output

import (
	"errors"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/release"

	"golang.org/x/sys/unix"
)

// spareName is the directory of the spare, in the directory of releases.
const spareName = ".spare"

// Spare returns the directory of the spare, which may be missing. Recycle removes the manifest and the
// list of checksums in it.
func (t *Tx) Spare() string { return filepath.Join(t.out, release.ReleasesDir, spareName) }

// ownDirs hold files that the list of checksums has last, one for each environment.
var ownDirs = []string{release.SnapshotDir, release.PartsDir}

// Recycle begins the release with the spare's files, before any write. dirs are the directories of its list of
// checksums, in its order. Then Remove removes a file. It returns false if no spare has its manifest, its list of
// checksums and these directories, unchanged since. A spare only saves time: one that cannot be used is ignored.
func (t *Tx) Recycle(dirs iter.Seq[string]) (bool, error) {
	if !t.soundSpare(dirs) {
		return false, nil
	}
	for _, name := range []string{release.ManifestName, release.ChecksumsName} {
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

// soundSpare reports whether the spare is as its build left it, as far as directories show it.
func (t *Tx) soundSpare(dirs iter.Seq[string]) bool {
	entries, err := os.ReadDir(t.Spare()) // fails if something else has the name
	own := append([]string{release.ManifestName, release.ChecksumsName, release.FilesLink}, ownDirs...)
	if err != nil || slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !slices.Contains(own, e.Name()) }) {
		return false
	}
	root, err := os.OpenFile(t.Spare(), unix.O_NOFOLLOW|unix.O_DIRECTORY, 0)
	if err != nil {
		return false
	}
	defer root.Close() // only read from
	var manifest unix.Stat_t
	if err := unix.Fstatat(int(root.Fd()), release.ManifestName, &manifest, unix.AT_SYMLINK_NOFOLLOW); err != nil || !t.has.fitsFile(&manifest) {
		return false
	}
	last := "."
	for dir := range dirs {
		for d := dir; d != "." && d != last && !strings.HasPrefix(last, d+"/"); d = path.Dir(d) {
			if !t.soundDir(root, d, manifest.Mtim) {
				return false
			}
		}
		last = dir
	}
	return last != "." || !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == release.FilesLink })
}

// soundDir reports whether a directory has the attributes that new ones get, and no later change.
func (t *Tx) soundDir(root *os.File, dir string, latest unix.Timespec) bool {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(int(root.Fd()), dir, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR && t.has.fitsDir(&st) && st.Mtim.Nano() <= latest.Nano()
}

// Entries lists a directory of the release; nothing if it is missing.
func (t *Tx) Entries(dir string) (names []string, err error) {
	entries, err := os.ReadDir(t.Path(dir))
	for _, e := range entries {
		names = append(names, path.Join(dir, e.Name()))
	}
	return names, ignore(err, noFile...)
}

// SpareError is a file of the spare that stays where the release has another one.
type SpareError struct{ err error }

// Error names the file.
func (e *SpareError) Error() string { return "the spare cannot be used: " + e.err.Error() }

// Unwrap returns the reason.
func (e *SpareError) Unwrap() error { return e.err }

// Restart begins the release again, after a SpareError. No write may be running.
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

// Remove removes files of the spare from the release. It ignores missing files, and returns a *SpareError for a file
// that stays.
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

// Prune removes the directories that Remove emptied, before the manifest is written. If one stays, no reader sees it,
// as it is empty.
func (t *Tx) Prune() {
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

// retire turns a removed release into the spare. Where that is impossible it deletes the release. It does not keep the
// files that a publication left, nor the snapshots that the release in the directory current lacks: they belong only to
// the removed release.
func (t *Tx) retire(temp, current string) {
	left := []string{filepath.Join(temp, release.PointerName), filepath.Join(temp, release.AttestationName)}
	for _, dir := range ownDirs {
		entries, _ := os.ReadDir(filepath.Join(temp, dir)) // a file that stays is harmless: the next build removes it
		for _, e := range entries {
			if _, err := os.Lstat(filepath.Join(current, dir, e.Name())); err != nil {
				left = append(left, filepath.Join(temp, dir, e.Name()))
			}
		}
	}
	// The spare before gets a temporary name first. A partly removed one would look whole if the clock went back.
	before := filepath.Join(t.out, release.ReleasesDir, release.TempPrefix+spareName)
	err := ignore(os.Rename(t.Spare(), before), fs.ErrNotExist)
	if errors.Is(err, unix.EXDEV) { // a directory of an overlay's lower layer cannot be renamed
		err = removeTree(t.Spare())
	}
	if err != nil {
		t.stays(t.Spare(), err)
	}
	if err != nil || removeFiles(left) != nil || os.Rename(temp, t.Spare()) != nil {
		t.discard(temp)
	}
	t.discard(before)
}
