//go:build !linux

// This file sets modification times by path.

package output

import (
	"os"
	"time"
)

func setMtime(f *os.File, mtime time.Time) error {
	return os.Chtimes(f.Name(), time.Time{}, mtime)
}
