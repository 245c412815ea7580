// This file holds the two steps of a commit that Linux does in one system call each.

package output

import (
	"cmp"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncTree makes everything below root durable. One syncfs replaces tens of thousands of
// fsyncs, and since Linux 5.8 reports a failed write of any file.
func syncTree(root string) error {
	d, err := os.Open(root)
	if err != nil {
		return err
	}
	err = cmp.Or(retry(func() error { return unix.Syncfs(int(d.Fd())) }), d.Close())
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
		return syncEach(root)
	}
	if err != nil {
		return &os.PathError{Op: "syncfs", Path: root, Err: err}
	}
	return nil
}

// exchange swaps two directories in one step; file systems that cannot get two.
func exchange(a, b string) error {
	err := retry(func() error { return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE) })
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return exchangeTwice(a, b)
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
