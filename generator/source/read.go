// This file reads a content file so that its bytes are those of one moment, or
// the build stops: half of a file that an editor is writing is never published.

package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// MaxFileSize is the largest content file. A file is held in memory whole, and
// offsets within it fit 31 bits; more items go into more files.
const MaxFileSize = 1 << 30

const changed = "this file changed while it was read; run the build again"

// Read returns the bytes of the file. The error is a *Problem when the content
// is to blame (the file changed, vanished, may not be read, is too large), and
// another error when the machine is.
func (f File) Read() ([]byte, error) {
	if f.dir == "" {
		return f.data, nil
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, f.failed(err)
	}
	defer root.Close()
	// Without blocking, because a pipe may have taken the file's place.
	file, err := root.OpenFile(filepath.FromSlash(f.target), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, f.failed(err)
	}
	defer file.Close()
	return f.readAll(file)
}

// readAll reads an opened file and compares what it was before and after.
func (f File) readAll(file fs.File) ([]byte, error) {
	before, err := file.Stat()
	if err != nil {
		return nil, f.failed(err)
	}
	if !before.Mode().IsRegular() {
		return nil, f.problem(changed, "")
	}
	if before.Size() > MaxFileSize {
		return nil, f.problem(fmt.Sprintf("this file has %d bytes; a file may have %d", before.Size(), MaxFileSize), "split it into several .ndjson files")
	}
	// One byte more than the size, to see a file that grows.
	data := make([]byte, before.Size()+1)
	n, err := io.ReadFull(file, data)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, f.failed(err)
	}
	after, err := file.Stat()
	if err != nil {
		return nil, f.failed(err)
	}
	if int64(n) != before.Size() || !same(before, after) {
		return nil, f.problem(changed, "")
	}
	return data[:n:n], nil
}

// same tells whether a file's size and time are what they were.
func same(before, after fs.FileInfo) bool {
	return before.Size() == after.Size() && before.ModTime().Equal(after.ModTime())
}

func (f File) problem(message, hint string) *Problem {
	return &Problem{Path: f.Name, Message: message, Hint: hint}
}

// failed sorts an error into the content's faults and the machine's.
func (f File) failed(err error) error {
	if reason := blame(err); reason != "" {
		return f.problem("this file cannot be read: "+reason, "")
	}
	return fmt.Errorf("%s: %w", Show(f.Name), err)
}
