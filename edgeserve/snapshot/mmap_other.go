//go:build !unix

// This file reads snapshot files where mapping is not to be had.

package snapshot

import (
	"io"
	"os"
)

// mapFile reads a whole file into memory.
func mapFile(f *os.File) (data []byte, unmap func() error, err error) {
	data, err = io.ReadAll(f)
	if err == nil && len(data) == 0 {
		err = &CorruptError{"header", "the file is empty"}
	}
	return data, func() error { return nil }, err
}
