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

type lock struct{ f *os.File }

// acquire takes the lock at path or fails at once.
func acquire(path string) (*lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	l := &lock{f}
	if err = flock(f, syscall.LOCK_EX); err == nil {
		err = errors.Join(f.Chmod(fileMode), l.write(fmt.Sprint(os.Getpid())))
	}
	if err != nil {
		f.Close()
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
	return errors.Join(flock(f, syscall.LOCK_SH), f.Close())
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

func (l *lock) write(text string) error {
	_, err := l.f.WriteAt(fmt.Appendf(nil, "%-*s\n", lockWidth-1, text), 0)
	return err
}

// release clears the text and drops the lock.
func (l *lock) release() error {
	return errors.Join(l.write(""), l.f.Close())
}
