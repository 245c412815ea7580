// This file makes every file below a directory durable one by one, for systems that
// cannot sync a file system at once.

package output

import (
	"errors"
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
		return syncOne(path)
	})
	if err != nil {
		return err
	}
	return syncDir(filepath.Dir(root))
}

// syncOne syncs a file or directory. The page cache belongs to the file, so a
// descriptor opened for reading serves.
func syncOne(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
