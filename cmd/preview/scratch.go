// This file finds the directory that preview builds into. It is never one that holds
// somebody else's release: drafts would be published with the next upload.

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// What lies in a directory of preview's: the file that tells it from others, and
// beside it, as the generator wants a directory of its own, the releases.
const (
	markName   = ".preview"
	publicName = "public"
)

// scratch makes the directory for releases, or takes the one that is named. What it
// gives removes the directory if that was made for this run only.
func scratch(named string) (dir string, remove func() error, err error) {
	if named == "" {
		dir, err = os.MkdirTemp("", "preview-")
		return dir, func() error { return os.RemoveAll(dir) }, err
	}
	if err := claim(named); err != nil {
		return "", nil, err
	}
	return filepath.Join(named, publicName), func() error { return nil }, nil
}

// claim makes a directory, or checks that it is empty or preview's, and marks it.
func claim(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	mark := filepath.Join(dir, markName)
	if _, err := os.Lstat(mark); err == nil {
		return nil
	}
	if len(entries) > 0 {
		return &usageError{fmt.Sprintf("--out: %s holds files that preview did not make", dir), "name a new directory: drafts must not mix with what is published"}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o600)
}
