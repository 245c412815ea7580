// This file manages the directory that preview builds into. No other release may be in it: the next
// upload would publish the drafts. A directory for one run is in the system's temporary directory:
//
//	contentedge-preview-N/          locked (flock) while its preview runs
//	contentedge-preview-N/.preview  marks it
//	contentedge-preview-N/public/   the releases
//
// In a directory of --out, which stays, the mark is locked instead. The kernel drops the lock of a
// killed preview, and the next start removes the directories that it can lock. Unlike a process ID,
// a lock is never reused.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"

	"contentedge/cmd/cli"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/output"
	"contentedge/generator/spill"
)

// Names in a work directory: the mark, and the generator's own directory for releases.
const (
	markName   = ".preview"
	publicName = "public"
)

const workDirPrefix = "contentedge-preview-"

var workDirName = regexp.MustCompile("^" + workDirPrefix + "[0-9]+$")

// workDirAttempts is more than one, as another start can remove a new directory before it is locked.
const workDirAttempts = 100

type workDir struct {
	out  string   // for releases
	dir  string   // removed at the end; "" if it stays
	lock *os.File // of dir, or of the mark in a directory that stays
}

// openWorkDir opens the named directory, or creates one for this run. It removes directories of killed
// previews, and warns about directories that it cannot remove.
func openWorkDir(named string, warn func(string)) (*workDir, error) {
	removeOrphans(os.TempDir(), warn)
	if named != "" {
		return openNamed(named, warn)
	}
	for range workDirAttempts {
		if s, err := makeWorkDir(warn); s != nil || err != nil {
			return s, err
		}
	}
	return nil, fmt.Errorf("another process removes every new directory in %s", os.TempDir())
}

// openNamed opens a directory that stays. Two previews in it would serve each other's releases,
// with drafts or without.
func openNamed(dir string, warn func(string)) (*workDir, error) {
	if err := markDir(dir); err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, markName))
	if err != nil {
		return nil, err
	}
	if err := flock(f); output.NoLocks(err) {
		warnNoLock(dir, err, warn)
	} else if err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("--out: another preview builds into %s\n  hint: stop it, or use another directory", dir)
		}
		return nil, err
	}
	return &workDir{out: filepath.Join(dir, publicName), lock: f}, nil
}

// makeWorkDir creates a directory for this run; nil if another start removed it.
func makeWorkDir(warn func(string)) (*workDir, error) {
	dir, err := os.MkdirTemp("", workDirPrefix)
	if err != nil {
		return nil, spill.ExplainTempDir(err)
	}
	lock, err := lockDir(dir)
	if output.NoLocks(err) {
		warnNoLock(dir, err, warn)
		err = nil
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, nil
	}
	s := &workDir{out: filepath.Join(dir, publicName), dir: dir, lock: lock}
	if err == nil {
		err = fill(dir)
	}
	if err != nil {
		return nil, errors.Join(err, s.remove())
	}
	return s, nil
}

// warnNoLock warns that a directory is not locked. Without a lock, no other start removes it.
func warnNoLock(dir string, err error, warn func(string)) {
	warn(fmt.Sprintf("%s is on a file system without locks (%v): see that no two previews build there, and remove what a killed one leaves", dir, err))
}

func fill(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, markName), nil, 0o600); err != nil {
		return err
	}
	return os.Mkdir(filepath.Join(dir, publicName), 0o755)
}

func (s *workDir) temporary() bool { return s.dir != "" }

// remove removes a temporary directory. It unlocks the directory in any case.
func (s *workDir) remove() (err error) {
	if s.temporary() {
		err = os.RemoveAll(s.dir)
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close()) // last: another start removes what is not locked
	}
	return err
}

func removeOrphans(temp string, warn func(string)) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return // creating a directory reports a clearer error
	}
	for _, e := range entries {
		if !workDirName.MatchString(e.Name()) {
			continue
		}
		dir := filepath.Join(temp, e.Name())
		if err := removeIfOrphan(dir); err != nil {
			warn(fmt.Sprintf("cannot remove %s, which a killed preview left: %v", dir, err))
		}
	}
}

// removeIfOrphan removes a directory of a killed preview. It keeps one whose preview runs, one of another
// user, and one that preview did not make.
func removeIfOrphan(dir string) error {
	lock, err := lockDir(dir)
	if err != nil {
		return nil // in use, gone, or not readable for this user
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

func owned(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid(), nil
}

// madeHere reports whether a directory has nothing but what makeWorkDir creates. It may have less.
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

// lockDir opens and locks a directory. Errors: EWOULDBLOCK if locked, fs.ErrNotExist if removed.
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

// flock takes the kernel's lock on f, which ends with the process.
func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// same fails unless path leads to f.
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

// markDir creates a directory, or checks that it is empty or marked, and marks it.
func markDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mark := filepath.Join(dir, markName)
	if _, err := os.Lstat(mark); err == nil {
		return nil
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.IsDir() && release.VolumeFolder(e.Name()) })
	if len(entries) > 0 {
		return &cli.UsageError{Message: fmt.Sprintf("--out: %s holds files that preview did not make", dir), Hint: "use a new directory: drafts must not mix with published releases"}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}
