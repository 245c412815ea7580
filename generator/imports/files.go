// This file puts the files that items name into the environment, in a folder of the import's own.

package imports

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"contentedge/generator/imports/export"
)

// File is a file that items name.
type File struct {
	Env    string
	Name   string // below the folder of the import, with slashes
	Size   int64
	SHA256 [32]byte
	Open   func() (io.ReadCloser, error)
}

// File hands over a file that items name. It is copied once all items are complete.
func (j *Job) File(f File) { j.files = append(j.files, f) }

// folder is the folder of the import in an environment, named after the file of its items. Nothing else may be in it.
func (o *Options) folder() string { return strings.TrimSuffix(o.File, path.Ext(o.File)) }

// FileURL returns the URL of a file that was handed over, relative to the file of items.
func (j *Job) FileURL(name string) string {
	return "./" + (&url.URL{Path: path.Join(j.Options.folder(), name)}).EscapedPath()
}

// fileSync makes the folders of an import hold its files, and no others.
type fileSync struct {
	ctx    context.Context
	o      *Options
	files  []File
	staged []stagedFile
	made   []string // folders of environments that did not exist before
}

// stagedFile is a complete file that waits to be renamed.
type stagedFile struct{ dir, temp, name string }

// stage writes the files that are new or differ under temporary names.
func (s *fileSync) stage() error {
	for i := range s.files {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := s.stageOne(&s.files[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *fileSync) dir(env string) string { return filepath.Join(s.o.Content, env, s.o.folder()) }

func (s *fileSync) stageOne(f *File) error {
	dir := s.dir(f.Env)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		s.made = append(s.made, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(f.Name)
	if s.same(root, name, f) {
		return nil
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(name), "."+filepath.Base(name)+".tmp")
	s.staged = append(s.staged, stagedFile{dir, temp, name})
	return s.write(root, temp, f)
}

// commit gives the staged files their names. The items that are current still find the files that did not change.
func (s *fileSync) commit() error {
	for _, f := range s.staged {
		if err := os.Rename(filepath.Join(f.dir, f.temp), filepath.Join(f.dir, f.name)); err != nil {
			return err
		}
	}
	s.staged, s.made = nil, nil
	return nil
}

// undo removes what was staged and not committed.
func (s *fileSync) undo() (err error) {
	for _, f := range s.staged {
		err = errors.Join(err, removed(os.Remove(filepath.Join(f.dir, f.temp))))
	}
	for _, dir := range s.made {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// same reports whether a file exists already.
func (s *fileSync) same(root *os.Root, name string, f *File) bool {
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != f.Size {
		return false
	}
	opened, err := root.Open(name)
	if err != nil {
		return false
	}
	defer opened.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, opened)
	return err == nil && bytes.Equal(sum.Sum(nil), f.SHA256[:])
}

func (s *fileSync) write(root *os.Root, name string, f *File) error {
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, f.Size+1))
	err = errors.Join(err, to.Close())
	if err == nil && !bytes.Equal(sum.Sum(nil), f.SHA256[:]) {
		return &export.Fault{File: filepath.Join(s.o.Path, filepath.FromSlash(f.Name)), Message: "this file changed while it was read", Hint: "import the site again"}
	}
	return err
}

// removed is the error of removing a file that may not be there.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// clean removes the files of earlier imports from the folders of the environments that were written.
func (s *fileSync) clean(written []WrittenFile) error {
	for _, w := range written {
		kept := map[string]bool{}
		for i := range s.files {
			if f := &s.files[i]; f.Env == w.Env {
				for name := f.Name; name != "."; name = path.Dir(name) {
					kept[name] = true
				}
			}
		}
		if err := s.cleanFolder(s.dir(w.Env), kept); err != nil {
			return fmt.Errorf("removing files of an earlier import: %w", err)
		}
	}
	return nil
}

func (s *fileSync) cleanFolder(dir string, kept map[string]bool) error {
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return removed(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." || kept[name] {
			return err
		}
		if err := root.RemoveAll(filepath.FromSlash(name)); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err == nil && len(kept) == 0 {
		err = removed(os.Remove(dir))
	}
	return err
}
