// This file makes a release durable. It has the steps for systems that sync files one by one and
// cannot exchange directories.

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// noSyncs are the errors of file systems that cannot make an entry of this kind durable.
var noSyncs = []error{syscall.EINVAL, syscall.EOPNOTSUPP}

// syncTree makes everything below root durable, unless NoSync is set.
func (t *Tx) syncTree(root string) error {
	if t.o.NoSync {
		return nil
	}
	return t.synced(syncTree(root))
}

// syncDir makes the entries of a directory durable, or a file, unless NoSync is set.
func (t *Tx) syncDir(path string) error {
	if t.o.NoSync {
		return nil
	}
	return t.synced(syncPath(path))
}

// synced warns of a file system that does not sync.
func (t *Tx) synced(err error) error {
	if err != nil && ignore(err, noSyncs...) == nil {
		t.warn(t.out, fmt.Sprintf("this file system does not make files durable: %v", err), "a power failure can damage the release: build again after one")
		return nil
	}
	return err
}

// Sync makes a file or a directory durable, where its file system can.
func Sync(path string) error { return ignore(syncPath(path), noSyncs...) }

// syncPath makes a file or directory durable. A descriptor opened for reading suffices.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncEach syncs every file and directory below root, and the directory root is in.
func syncEach(root string) error {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return syncPath(path)
	})
	if err != nil {
		return err
	}
	return syncPath(filepath.Dir(root))
}

// exchangeTwice swaps two directories where no system call does. For a moment b is absent;
// if the process dies, both still exist.
func exchangeTwice(a, b string) error {
	aside := a + "-aside"
	if err := os.Rename(b, aside); err != nil {
		return err
	}
	if err := os.Rename(a, b); err != nil {
		return errors.Join(err, os.Rename(aside, b))
	}
	return os.Rename(aside, a)
}
