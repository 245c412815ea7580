// This file syncs files one by one and swaps directories, for systems that cannot do better.

package output

import (
	"io/fs"
	"os"
	"path/filepath"
)

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
		return err
	}
	return os.Rename(aside, a)
}
