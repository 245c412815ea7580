// This file finds the directory that preview builds into. It is never one that holds
// somebody else's release: drafts would be published with the next upload.
//
// A directory that is made for one run lies in the system's temporary directory:
//
//	contentedge-preview-N/          locked (flock) for as long as its preview runs
//	contentedge-preview-N/.preview  tells it from others
//	contentedge-preview-N/public/   the releases
//
// A preview that is killed leaves it there, and the kernel drops the lock. So a start
// removes those whose lock it gets. Nobody can be wrong about who runs, as with process
// ids, which are given out again.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
)

// What lies in a directory of preview's: the file that tells it from others, and
// beside it, as the generator wants a directory of its own, the releases.
const (
	markName   = ".preview"
	publicName = "public"
)

// scratchPrefix begins the names of directories that are made for one run.
const scratchPrefix = "contentedge-preview-"

// scratchName is what such a directory is called.
var scratchName = regexp.MustCompile("^" + scratchPrefix + "[0-9]+$")

// scratchAttempts is how many directories are made before a start gives up: another start
// may take a new one for one that was left, until it is locked.
const scratchAttempts = 100

// scratch is a directory that preview builds into.
type scratch struct {
	out  string   // for releases
	dir  string   // that goes at the end; "" if it stays
	lock *os.File // of dir; nil if it stays
}

// openScratch makes a directory for this run, or takes the one that is named. What killed
// previews left is removed; warn is told of what cannot be.
func openScratch(named string, warn func(string)) (*scratch, error) {
	removeLeft(os.TempDir(), warn)
	if named != "" {
		return &scratch{out: filepath.Join(named, publicName)}, claim(named)
	}
	for range scratchAttempts {
		if s, err := makeScratch(); s != nil || err != nil {
			return s, err
		}
	}
	return nil, fmt.Errorf("no directory in %s stays: something removes them", os.TempDir())
}

// makeScratch makes a directory for this run; nil if another start has taken it for one
// that was left.
func makeScratch() (*scratch, error) {
	dir, err := os.MkdirTemp("", scratchPrefix)
	if err != nil {
		return nil, err
	}
	lock, err := lockDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	s := &scratch{out: filepath.Join(dir, publicName), dir: dir, lock: lock}
	if err == nil {
		err = fill(dir)
	}
	if err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// fill marks a new directory of preview's.
func fill(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, markName), nil, 0o600); err != nil {
		return err
	}
	return os.Mkdir(filepath.Join(dir, publicName), 0o755)
}

// passing tells whether the directory goes at the end.
func (s *scratch) passing() bool { return s.dir != "" }

// remove removes the directory if it was made for this run only.
func (s *scratch) remove() error {
	if !s.passing() {
		return nil
	}
	err := os.RemoveAll(s.dir)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close()) // not before: another start would remove it too
	}
	return err
}

// removeLeft removes the directories of this user's previews that were killed.
func removeLeft(temp string, warn func(string)) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return // making a directory there says it better
	}
	for _, e := range entries {
		if !scratchName.MatchString(e.Name()) {
			continue
		}
		dir := filepath.Join(temp, e.Name())
		if err := removeIfLeft(dir); err != nil {
			warn(fmt.Sprintf("%s, which a preview left that was killed, cannot be removed: %v", dir, err))
		}
	}
}

// removeIfLeft removes a directory unless its preview runs, or it is another user's, or
// none of preview's.
func removeIfLeft(dir string) error {
	lock, err := lockDir(dir)
	if err != nil {
		return nil // it is in use, gone, or not for this user to open
	}
	defer lock.Close()
	if mine, err := owned(lock); err != nil || !mine {
		return err
	}
	if ours, err := madeHere(lock); err != nil || !ours {
		return err
	}
	return os.RemoveAll(dir)
}

// owned tells whether a file is this user's.
func owned(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid(), nil
}

// madeHere tells whether a directory holds what makeScratch makes, as far as it came
// before it was killed.
func madeHere(dir *os.File) (bool, error) {
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return false, err
	}
	marked := len(names) == 0
	for _, name := range names {
		if name != markName && name != publicName {
			return false, nil
		}
		marked = marked || name == markName
	}
	return marked, nil
}

// lockDir opens a directory and locks it, without waiting: for whoever has it locked the
// error is EWOULDBLOCK. It fails with fs.ErrNotExist if the directory was removed meanwhile.
func lockDir(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(flock(f), same(dir, f)); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// flock takes the kernel's lock on f, which goes with the process however that ends.
func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// same fails if a path leads elsewhere than to f.
func same(path string, f *os.File) error {
	now, err := os.Lstat(path)
	if err != nil {
		return err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(now, opened) {
		return fs.ErrNotExist
	}
	return err
}

// claim makes a directory, or checks that it is empty or preview's, and marks it.
func claim(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mark := filepath.Join(dir, markName)
	if _, err := os.Lstat(mark); err == nil {
		return nil
	}
	if len(entries) > 0 {
		return &usageError{fmt.Sprintf("--out: %s holds files that preview did not make", dir), "name a new directory: drafts must not mix with what is published"}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}
