// This file takes files over from the release before: a hard link is a second name of
// the same bytes, which nobody ever writes to again.

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

// Previous is the directory of the release that is current, "" if there is none.
func (t *Tx) Previous() (string, error) {
	build, err := os.Readlink(filepath.Join(t.out, release.CurrentLink))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return filepath.Join(t.out, build), err
}

// Linker links files of a release into the new one. It keeps the two directories of
// the last file open: a name relative to a directory costs half of what a path does. It
// is for one goroutine.
type Linker struct {
	t        *Tx
	from     string
	dir      string
	old, new *os.File
}

// Linker links from a release's directory.
func (t *Tx) Linker(from string) *Linker { return &Linker{t: t, from: from} }

// Link gives files of one directory a name in the new release, all of them or none. The
// first of them has to have a modification time: a release that was copied about may
// have lost its own, and other names of a file share them. Where it cannot, the files may
// still be written.
func (l *Linker) Link(modified time.Time, names ...string) error {
	l.t.life.RLock()
	defer l.t.life.RUnlock()
	if l.t.closed {
		return ErrClosed
	}
	if err := l.enter(path.Dir(names[0])); err != nil {
		return err
	}
	if err := l.dated(path.Base(names[0]), modified); err != nil {
		return err
	}
	l.t.links.Lock() // the kernel lets one in at a time, and the others spin
	defer l.t.links.Unlock()
	for i, name := range names {
		base := path.Base(name)
		err := retry(func() error { return unix.Linkat(int(l.old.Fd()), base, int(l.new.Fd()), base, 0) })
		if err != nil {
			l.unlink(names[:i])
			return &os.LinkError{Op: "link", Old: filepath.Join(l.from, name), New: filepath.Join(l.t.temp, name), Err: err}
		}
	}
	return nil
}

// dated checks the time of a file of the old release.
func (l *Linker) dated(base string, modified time.Time) error {
	var st unix.Stat_t
	err := retry(func() error { return unix.Fstatat(int(l.old.Fd()), base, &st, unix.AT_SYMLINK_NOFOLLOW) })
	if err == nil && st.Mtim.Nano() != modified.UnixNano() {
		err = errDate
	}
	if err != nil {
		return &os.PathError{Op: "take over", Path: filepath.Join(l.from, l.dir, base), Err: err}
	}
	return nil
}

// errDate is a file whose time was changed.
var errDate = errors.New("its modification time is not the one that it should have")

// unlink takes names back.
func (l *Linker) unlink(names []string) {
	for _, name := range names {
		_ = unix.Unlinkat(int(l.new.Fd()), path.Base(name), 0) // if it stays, writing the file reports it
	}
}

// enter opens the directory of both releases.
func (l *Linker) enter(dir string) error {
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

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
