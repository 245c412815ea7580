// This file locks the directory and measures free disk space.

package follow

import (
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"

	"contentedge/edgeserve/wire/release"
)

// lock is a kernel lock on a directory; it ends with the process.
type lock struct{ file *os.File }

// lock locks the directory or fails at once. Builds take this lock too.
func (d directory) lock() (*lock, error) {
	f, err := os.OpenFile(d.path(release.LockName), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return &lock{f}, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("another process writes to %s: %s is locked", d, f.Name())
	}
	return nil, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
}

// release drops the lock; l may be nil.
func (l *lock) release() {
	if l != nil {
		_ = l.file.Close()
	}
}

func freeBytes(path string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: path, Err: err}
	}
	blocks, size := uint64(s.Bavail), uint64(s.Bsize)
	if size > 0 && blocks > math.MaxInt64/size {
		return math.MaxInt64, nil
	}
	return int64(blocks * size), nil
}
