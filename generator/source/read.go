// This file reads a content file, and fails if the file changes meanwhile.

package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// MaxFileSize bounds files that are held in memory. Files of lines are read in parts.
const MaxFileSize = 1 << 30

const changed = "this file changed while it was read; run the build again"

// Read returns the file's bytes. A *Problem blames the content: the file changed, vanished, is too
// large or not readable.
func (f File) Read() ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return r.All()
}

// Reader reads a file. Its errors are those of File.Read. After an error, discard what was read.
type Reader struct {
	f      File
	opened fs.File
	before fs.FileInfo // of the file when it was opened
	at     time.Time   // when it was opened
	size   int64
	n      int64 // bytes read
}

// Open opens the file.
func (f File) Open() (*Reader, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, f.failed(err)
	}
	defer root.Close()
	// Non-blocking, as a pipe may have taken the file's place.
	file, err := root.OpenFile(filepath.FromSlash(f.target), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, f.failed(err)
	}
	r, err := f.reader(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

func (f File) reader(file fs.File) (*Reader, error) {
	at := time.Now()
	before, err := file.Stat()
	if err != nil {
		return nil, f.failed(err)
	}
	if !before.Mode().IsRegular() {
		return nil, f.problem(changed, "")
	}
	if most := cmp.Or(f.Format.MaxSize, MaxFileSize); !f.Format.Lines && before.Size() > most {
		return nil, f.problem(fmt.Sprintf("this file has %d bytes; a %s file may have %d", before.Size(), f.Format.Extensions[0], most),
			"write its items into an .ndjson file, one a line: that may be of any size")
	}
	return &Reader{f: f, opened: file, before: before, at: at, size: before.Size()}, nil
}

// Size is the number of bytes, unless the file changes.
func (r *Reader) Size() int64 { return r.size }

// Close closes the file.
func (r *Reader) Close() error { return r.opened.Close() }

// Read fails at the end of the file if the file has changed.
func (r *Reader) Read(b []byte) (int, error) {
	n, err := r.opened.Read(b)
	r.n += int64(n)
	switch {
	case r.n > r.size || errors.Is(err, io.EOF) && r.n < r.size:
		return 0, r.f.problem(changed, "")
	case errors.Is(err, io.EOF):
		return n, r.atEnd()
	case err != nil:
		return 0, r.f.failed(err)
	}
	return n, err
}

// atEnd returns io.EOF if the bytes that were read are those of one moment.
func (r *Reader) atEnd() error {
	after, err := r.opened.Stat()
	if err != nil {
		return r.f.failed(err)
	}
	if !same(r.before, after) {
		return r.f.problem(changed, "")
	}
	return io.EOF
}

// All reads the whole file, from its beginning.
func (r *Reader) All() ([]byte, error) {
	// One byte more than the size, to reach the end, or to see that the file grows.
	data := make([]byte, r.size+1)
	n, err := io.ReadFull(r, data)
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:n:n], nil
}

func same(before, after fs.FileInfo) bool {
	return before.Size() == after.Size() && before.ModTime().Equal(after.ModTime())
}

func (f File) problem(message, hint string) *Problem {
	return &Problem{Path: f.Name, Message: message, Hint: hint}
}

// failed returns a *Problem if the content is to blame for an error, otherwise the error with the name.
func (f File) failed(err error) error {
	if reason := blame(err); reason != "" {
		return f.problem("this file cannot be read: "+reason, "")
	}
	return fmt.Errorf("%s: %w", Show(f.Name), err)
}
