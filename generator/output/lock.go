// This file locks the output directory for one build. The kernel drops the lock with the process;
// the file's text only names the holder. The file stays: a build might have opened it already.

package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// lockWidth is the fixed length of the lock's text, so that one write replaces it.
const lockWidth = 20

// LockedError is an output directory that another build is writing to.
type LockedError struct {
	Path string
	PID  string // empty if the holder has not written it yet
}

// Error names the other process.
func (e *LockedError) Error() string {
	who := "another build"
	if e.PID != "" {
		who += " (process " + e.PID + ")"
	}
	return fmt.Sprintf("%s is writing here: %s is locked; wait for it to end", who, e.Path)
}

// noLocks are the errors of file systems without locks, or without locks for this descriptor.
var noLocks = []error{syscall.EBADF, syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS}

// NoLocks reports whether an error of flock says that a file system has no locks.
func NoLocks(err error) bool { return err != nil && ignore(err, noLocks...) == nil }

type lock struct {
	f        *os.File
	readOnly bool  // the file is another user's
	missing  error // why the file is not locked; nil: it is locked
}

// acquire takes the lock at path or fails at once. Without lock support it continues unlocked.
func acquire(path string, mode fs.FileMode) (*lock, error) {
	l := &lock{}
	var err error
	l.f, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
	if errors.Is(err, fs.ErrPermission) { // another user's file: opened for reading it can be locked too
		l.readOnly = true
		l.f, err = os.Open(path)
	}
	if err != nil {
		return nil, err
	}
	if err = flock(l.f, syscall.LOCK_EX); NoLocks(err) {
		l.missing, err = err, nil
	}
	if err == nil {
		_ = l.f.Chmod(mode) // fails for another user's file, which keeps its mode
		err = l.write(fmt.Sprint(os.Getpid()))
	}
	if err != nil {
		l.f.Close()
		return nil, err
	}
	return l, nil
}

// peek fails if another build holds the lock. It writes nothing.
func peek(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	err = flock(f, syscall.LOCK_SH)
	if NoLocks(err) {
		err = nil
	}
	return errors.Join(err, unlock(f))
}

// unlock drops the lock of a file, if there is one, and closes the file. Only closing it would keep the lock for a
// moment while another program starts: that process has a copy of the descriptor until the program runs.
func unlock(f *os.File) error {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // fails without lock support
	return f.Close()
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return &LockedError{Path: f.Name(), PID: holder(f)}
		case !errors.Is(err, syscall.EINTR):
			return &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
	}
}

func holder(f *os.File) string {
	b, err := io.ReadAll(io.LimitReader(f, lockWidth))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// write replaces the text, if the file may be written. The text only helps people.
func (l *lock) write(text string) error {
	if l.readOnly {
		return nil
	}
	_, err := l.f.WriteAt(fmt.Appendf(nil, "%-*s\n", lockWidth-1, text), 0)
	return err
}

// release clears the text and drops the lock.
func (l *lock) release() error { return errors.Join(l.write(""), unlock(l.f)) }
