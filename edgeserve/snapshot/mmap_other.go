//go:build !unix

// This file reads snapshot files into memory on systems without memory mapping.

package snapshot

import (
	"io"
	"os"
)

// mapFile reads the whole file into memory.
func mapFile(f *os.File) (data []byte, unmap func() error, err error) {
	data, err = io.ReadAll(f)
	if err == nil && len(data) == 0 {
		err = &CorruptError{"header", "the file is empty"}
	}
	return data, func() error { return nil }, err
}
