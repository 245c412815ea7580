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

	"contentedge/generator/source/documents"
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

// Reader reads the text of a file. It returns the same errors as File.Read. After an error, discard what was read.
type Reader struct {
	raw  *rawFile
	text *decoder // nil: the file is not compressed
}

// rawFile reads the bytes of a file.
type rawFile struct {
	f      File
	opened fs.File
	before fs.FileInfo // of the file when it was opened
	at     time.Time   // when it was opened
	size   int64
	n      int64 // bytes read
	err    error // that Read returned, if it is not io.EOF
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

// largeHint says what to do with a file that is too large.
func (f File) largeHint() string {
	switch {
	case f.Format == settingsFormat:
		return "a pattern such as posts/** takes the files of a folder"
	case f.records != nil && f.records.Markdown:
		return "divide the text into several files"
	}
	return "write its items into an .ndjson file, one a line: that may be of any size"
}

// largest is how many bytes the text of a file without Lines may have.
func largest(f *documents.Format) int64 { return cmp.Or(f.MaxSize, MaxFileSize) }

func (f File) reader(file fs.File) (*Reader, error) {
	at := time.Now()
	before, err := file.Stat()
	if err != nil {
		return nil, f.failed(err)
	}
	if !before.Mode().IsRegular() {
		return nil, f.problem(changed, "")
	}
	if most := largest(f.Format); !f.Format.Lines && before.Size() > most {
		return nil, f.problem(fmt.Sprintf("this file has %d bytes; a %s file may have %d", before.Size(), f.Format.Extensions[0], most), f.largeHint())
	}
	r := &Reader{raw: &rawFile{f: f, opened: file, before: before, at: at, size: before.Size()}}
	if f.Format.Compression != nil {
		r.text, err = f.decompress(r.raw)
	}
	return r, err
}

// InParts reports whether the text is too large to be read as a whole where it can be read in parts.
func (r *Reader) InParts() bool {
	most := int64(documents.PartSize)
	if r.text != nil {
		most = smallCompressed
	}
	return r.raw.f.Format.Lines && r.raw.size > most
}

// Close closes the file.
func (r *Reader) Close() error {
	if r.text != nil {
		r.text.close()
	}
	return r.raw.opened.Close()
}

// Read reads the text. It fails at the end of the file if the file has changed.
func (r *Reader) Read(b []byte) (int, error) {
	if r.text != nil {
		return r.text.Read(b)
	}
	return r.raw.Read(b)
}

// All reads the whole text, from its beginning.
func (r *Reader) All() ([]byte, error) {
	if r.text != nil {
		return r.text.All()
	}
	// One byte more than the size, to reach the end, or to see that the file grows.
	data := make([]byte, r.raw.size+1)
	n, err := io.ReadFull(r.raw, data)
	if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return data[:n:n], nil
}

func (r *rawFile) Read(b []byte) (n int, err error) {
	n, err = r.read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		r.err = err
	}
	return n, err
}

func (r *rawFile) read(b []byte) (int, error) {
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

// atEnd returns io.EOF if the bytes that were read belong to one moment.
func (r *rawFile) atEnd() error {
	after, err := r.opened.Stat()
	if err != nil {
		return r.f.failed(err)
	}
	if !same(r.before, after) {
		return r.f.problem(changed, "")
	}
	return io.EOF
}

// rewind lets the file be read from its beginning again.
func (r *rawFile) rewind() error {
	file, ok := r.opened.(io.Seeker)
	if !ok {
		return r.f.failed(errors.ErrUnsupported)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return r.f.failed(err)
	}
	r.n = 0
	return nil
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
