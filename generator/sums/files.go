// This file reads a list file by file: those that hold a file coded follow it.

package sums

import (
	"bytes"

	"contentedge/edgeserve/encoding"
)

// coded are the codings by the suffixes of their files, in byte order.
var coded = [...]encoding.Coding{encoding.Brotli, encoding.Gzip, encoding.Zstd}

// Files is a file with those that hold it coded, and their sums.
type Files struct {
	Coded encoding.Set
	Sums  [encoding.Count]Sum
}

// Each calls visit for every file, by name.
func (f *Files) Each(name string, visit func(name string, sum Sum) error) error {
	if err := visit(name, f.Sums[encoding.Identity]); err != nil {
		return err
	}
	for _, c := range coded {
		if f.Coded.Has(c) {
			if err := visit(name+c.Suffix(), f.Sums[c]); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names gives the names of all of them.
func (f *Files) Names(name string) []string {
	names := []string{name}
	for _, c := range coded {
		if f.Coded.Has(c) {
			names = append(names, name+c.Suffix())
		}
	}
	return names
}

// FileReader reads a list file by file. Name and Files are those of the current one.
type FileReader struct {
	Name string
	Files

	r    *Reader
	more bool // r is at a line that was not taken yet
}

// NewFileReader reads what r has not read yet.
func NewFileReader(r *Reader) *FileReader { return &FileReader{r: r, more: r.Next()} }

// Next moves to the next file. It gives false at the end, and after an error.
func (f *FileReader) Next() bool {
	if !f.more {
		return false
	}
	f.Name, f.Files = string(f.r.Name()), Files{}
	f.Sums[encoding.Identity] = f.r.Sum()
	f.more = f.r.Next()
	for _, c := range coded {
		if suffix, ok := bytes.CutPrefix(f.r.Name(), []byte(f.Name)); f.more && ok && string(suffix) == c.Suffix() {
			f.Coded, f.Sums[c] = f.Coded.With(c), f.r.Sum()
			f.more = f.r.Next()
		}
	}
	return f.more || f.r.Err() == nil
}

// Err is what ended the reading before the end of the list.
func (f *FileReader) Err() error { return f.r.Err() }
