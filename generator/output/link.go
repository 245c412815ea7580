// This file takes files from the baseline by hard links: nobody writes to them again.

package output

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"contentedge/edgeserve/release"

	"golang.org/x/sys/unix"
)

// Previous is the directory of the current release, "" for none.
func (t *Tx) Previous() (string, error) { return Current(t.out) }

// Current is the directory of the current release, "" for none.
func Current(out string) (string, error) {
	build, err := os.Readlink(filepath.Join(out, release.CurrentLink))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return filepath.Join(out, build), err
}

// Linker links files of a release into the new one. It keeps the last two directories open,
// because relative names cost half as much as paths. It belongs to one goroutine.
type Linker struct {
	t        *Tx
	from     string
	dir      string
	old, new *os.File
}

// Linker links from a release's directory.
func (t *Tx) Linker(from string) *Linker { return &Linker{t: t, from: from} }

// Link links files of one directory, all or none, and reports whether it did. The first one must
// have the modification time, which a copied release may have lost.
func (l *Linker) Link(mtime time.Time, names ...string) (bool, error) {
	l.t.life.RLock()
	defer l.t.life.RUnlock()
	if err := l.enter(path.Dir(names[0])); err != nil {
		return false, ignore(err, fs.ErrNotExist)
	}
	if ok, err := hasMtime(l.old, mtime, names[:1]); !ok {
		return false, err
	}
	l.t.links.Lock() // the kernel lets one in at a time, and the others spin
	defer l.t.links.Unlock()
	for i, name := range names {
		base := path.Base(name)
		err := retry(func() error { return unix.Linkat(int(l.old.Fd()), base, int(l.new.Fd()), base, 0) })
		if err != nil {
			l.unlink(names[:i])
			err = &os.LinkError{Op: "link", Old: filepath.Join(l.from, name), New: filepath.Join(l.t.temp, name), Err: err}
			return false, ignore(err, noLinks...)
		}
	}
	return true, nil
}

// noLinks are what systems say where a file cannot have another name.
var noLinks = []error{fs.ErrNotExist, unix.EXDEV, unix.EPERM, unix.EMLINK, unix.EOPNOTSUPP, unix.ENOSYS}

func ignore(err error, some ...error) error {
	for _, e := range some {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}

func hasMtime(dir *os.File, mtime time.Time, names []string) (bool, error) {
	for _, name := range names {
		var st unix.Stat_t
		err := retry(func() error {
			return unix.Fstatat(int(dir.Fd()), path.Base(name), &st, unix.AT_SYMLINK_NOFOLLOW)
		})
		if err != nil {
			return false, ignore(&os.PathError{Op: "stat", Path: filepath.Join(dir.Name(), path.Base(name)), Err: err}, fs.ErrNotExist)
		}
		if st.Mtim.Nano() != mtime.UnixNano() {
			return false, nil
		}
	}
	return true, nil
}

func (l *Linker) unlink(names []string) {
	for _, name := range names {
		_ = unix.Unlinkat(int(l.new.Fd()), path.Base(name), 0) // if it stays, writing the file reports it
	}
}

// enter opens the directory of both releases. The caller holds life.
func (l *Linker) enter(dir string) error {
	if l.t.closed {
		return ErrClosed
	}
	if l.old != nil && dir == l.dir {
		return nil
	}
	l.Close()
	if err := l.t.mkdirs(dir); err != nil {
		return err
	}
	before, err := os.Open(filepath.Join(l.from, dir))
	if err != nil {
		return err
	}
	after, err := os.Open(filepath.Join(l.t.temp, dir))
	if err != nil {
		before.Close()
		return err
	}
	l.dir, l.old, l.new = dir, before, after
	return nil
}

// Close closes the directories.
func (l *Linker) Close() {
	if l.old != nil {
		l.old.Close()
		l.new.Close()
		l.old, l.new = nil, nil
	}
}

func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
