// This file keeps two programs from writing into one directory: each would remove files that the other's pointer names.

package searchfiles

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"contentedge/generator/output"
)

// lock locks a directory until the file that it returns is closed. The kernel drops the lock with the process. Without
// lock support it continues unlocked.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil, output.NoLocks(err):
		return f, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = fmt.Errorf("another program is writing into %s; wait for it to end, or use another directory", dir)
	default:
		err = &os.PathError{Op: "flock", Path: dir, Err: err}
	}
	return nil, errors.Join(err, f.Close())
}

// Close lets other programs write into the directory.
func (w *Writer) Close() error {
	_ = syscall.Flock(int(w.locked.Fd()), syscall.LOCK_UN) // fails without lock support
	return w.locked.Close()
}
