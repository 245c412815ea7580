// This file takes files from the baseline by hard links. Such files are never written again.

package output

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"contentedge/edgeserve/wire/release"

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

// Link links all given files of one directory, or links nothing, and reports whether it did. Each must be a regular
// file with the wanted time and size, and with the attributes that new files get here.
func (l *Linker) Link(w Wanted, names ...string) (bool, error) {
	l.t.life.RLock()
	defer l.t.life.RUnlock()
	if ok, err := l.enter(path.Dir(names[0])); !ok {
		return false, err
	}
	if ok, err := l.t.fit(l.old, w, names); !ok {
		return false, err
	}
	l.t.links.Lock() // the kernel runs one link at a time, and lets the others spin
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

// noLinks are the errors of systems where a file cannot have another name.
var noLinks = []error{fs.ErrNotExist, unix.EXDEV, unix.EPERM, unix.EMLINK, unix.EOPNOTSUPP, unix.ENOSYS}

func ignore(err error, some ...error) error {
	for _, e := range some {
		if errors.Is(err, e) {
			return nil
		}
	}
	return err
}

// noFile are the errors of systems where a file is missing, or something else is in its place.
var noFile = []error{fs.ErrNotExist, fs.ErrPermission, unix.ENOTDIR, unix.ELOOP}

// Wanted describes a file of a release and its precompressed files as they should be.
type Wanted struct {
	Mtime time.Time
	Size  int64 // of the file itself; negative: unknown
}

// fit reports whether files of a directory are as wanted: the file itself, then its precompressed files.
func (t *Tx) fit(dir *os.File, w Wanted, names []string) (bool, error) {
	for i, name := range names {
		if i > 0 {
			w.Size = UnknownSize
		}
		fault, _, err := t.look(dir, path.Base(name), w)
		if fault != Sound || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (l *Linker) unlink(names []string) {
	for _, name := range names {
		_ = unix.Unlinkat(int(l.new.Fd()), path.Base(name), 0) // if it stays, writing the file reports it
	}
}

// enter opens the directory in both releases. It returns false if the old release lacks it. The caller
// holds life.
func (l *Linker) enter(dir string) (bool, error) {
	if l.t.closed {
		return false, ErrClosed
	}
	if l.old != nil && dir == l.dir {
		return true, nil
	}
	l.Close()
	if err := l.t.mkdirs(dir); err != nil {
		return false, err
	}
	before, err := os.Open(filepath.Join(l.from, dir))
	if err != nil {
		return false, ignore(err, noFile...)
	}
	after, err := os.Open(filepath.Join(l.t.temp, dir))
	if err != nil {
		before.Close()
		return false, err
	}
	l.dir, l.old, l.new = dir, before, after
	return true, nil
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
