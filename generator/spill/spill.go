// Package spill stores data that a build will read again in one temporary file, shared by many writers.
// The file has no name and ends with the process. The system's page cache holds the parts in use.
package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
)

// File is a temporary file, safe for concurrent use. Space is reserved once and freed by Close.
type File struct {
	f    *os.File
	dir  string
	next atomic.Int64 // the first offset that is not reserved
}

// Create makes a temporary file on the file system of dir, which need not exist yet. Where
// the system cannot make an unnamed file, the file has a name with the prefix for a moment.
func Create(dir, prefix string) (*File, error) {
	for !isDir(dir) && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	f, err := nameless(dir)
	if err != nil {
		f, err = unnamed(dir, prefix)
	}
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w", err)
	}
	return &File{f: f, dir: dir}, nil
}

// Temp makes a temporary file in the system's directory for them, which TMPDIR names.
func Temp(prefix string) (*File, error) {
	dir := os.TempDir()
	if _, err := os.Stat(dir); err != nil {
		return nil, ExplainTempDir(err)
	}
	f, err := Create(dir, prefix)
	return f, ExplainTempDir(err)
}

func unnamed(dir, prefix string) (*os.File, error) {
	f, err := os.CreateTemp(dir, prefix+"*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// ExplainTempDir adds to an error of os.CreateTemp or os.MkdirTemp which variable names the directory.
func ExplainTempDir(err error) error {
	if err == nil {
		return nil
	}
	if os.Getenv("TMPDIR") == "" {
		return fmt.Errorf("the temporary directory %s cannot be used, set TMPDIR to another one: %w", os.TempDir(), err)
	}
	return fmt.Errorf("TMPDIR names %s, which cannot be used as the temporary directory: %w", os.TempDir(), err)
}

func isDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// Close frees the file. Later reads and writes fail.
func (f *File) Close() error { return f.f.Close() }

// Reserve reserves n bytes and returns their offset.
func (f *File) Reserve(n int) int64 { return f.next.Add(int64(n)) - int64(n) }

// WriteAt writes to reserved bytes.
func (f *File) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.f.WriteAt(b, off)
	return n, f.explain("writing", err)
}

// ReadAt reads written bytes.
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(b, off)
	return n, f.explain("reading", err)
}

// explain adds to an error which file failed. The name of the file is gone.
func (f *File) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s a temporary file of %d bytes in %s: %w", doing, f.next.Load(), f.dir, err)
}
