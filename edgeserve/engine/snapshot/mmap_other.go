//go:build !unix

// This file reads snapshot files into memory on systems that map no files, such as WebAssembly's.

package snapshot

import (
	"io"
	"os"
)

const openFlags = os.O_RDONLY

func mapFile(f *os.File) (data []byte, unmap func() error, err error) {
	data, err = io.ReadAll(f)
	return data, func() error { return nil }, err
}
