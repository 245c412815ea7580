//go:build !linux

// This file dates a file by its path.

package output

import (
	"os"
	"time"
)

// date sets the modification time of an open file.
func date(f *os.File, modified time.Time) error {
	return os.Chtimes(f.Name(), time.Time{}, modified)
}
