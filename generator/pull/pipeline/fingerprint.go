// This file notices changes of a content directory, also of files that no pull writes.

package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/generator/pull"
)

// fingerprint describes the names, sizes and times of the files below a directory, apart from the states
// of pulls, which every pull writes. It follows links to files.
func fingerprint(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == pull.StateName {
			return gone(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return gone(err)
		}
		fmt.Fprintf(sum, "%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// gone drops the error of a file that was removed meanwhile, or of a link to no file.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
