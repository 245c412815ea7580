// Package tree describes the files of an artefact and writes them as a tar archive. The bytes depend
// only on names, modes, contents and one time: not on umask, user, time zone or directory.
package tree

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// File is a file or a directory of an artefact.
type File struct {
	Path   string      // below the root of the artefact, with slashes, without one at its ends
	Mode   fs.FileMode // with fs.ModeDir for a directory
	Data   []byte
	Owner  int  // user and group id; 0 is root
	Config bool // package managers keep what operators changed in it
}

// New is a file that belongs to root.
func New(path string, mode fs.FileMode, data []byte) File {
	return File{Path: path, Mode: mode, Data: data}
}

// Below puts files into a directory.
func Below(dir string, files []File) []File {
	moved := slices.Clone(files)
	for i := range moved {
		moved[i].Path = path.Join(dir, moved[i].Path)
	}
	return moved
}

// withParents sorts files by path and adds the directories above them, which is what extractors
// expect that create nothing by themselves.
func withParents(files []File) ([]File, error) {
	known := map[string]bool{}
	all := slices.Clone(files)
	for _, f := range files {
		if !fs.ValidPath(f.Path) || f.Path == "." {
			return nil, fmt.Errorf("%q is not a path of a file in an archive", f.Path)
		}
		if known[f.Path] {
			return nil, fmt.Errorf("%s is in the archive twice", f.Path)
		}
		known[f.Path] = true
	}
	for _, f := range files {
		for dir := path.Dir(f.Path); dir != "." && !known[dir]; dir = path.Dir(dir) {
			known[dir] = true
			all = append(all, File{Path: dir, Mode: fs.ModeDir | 0o755})
		}
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// Tar writes files with one modification time.
func Tar(w io.Writer, files []File, at time.Time) error {
	all, err := withParents(files)
	if err != nil {
		return err
	}
	t := tar.NewWriter(w)
	for _, f := range all {
		h := &tar.Header{
			Name: f.Path, Mode: int64(f.Mode.Perm()), Size: int64(len(f.Data)), ModTime: at.UTC().Truncate(time.Second),
			Uid: f.Owner, Gid: f.Owner, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if f.Mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if f.Mode.IsDir() {
			h.Name, h.Typeflag = f.Path+"/", tar.TypeDir
		}
		if err := t.WriteHeader(h); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		if _, err := t.Write(f.Data); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return t.Close()
}

// TarGz is Tar, compressed.
func TarGz(w io.Writer, files []File, at time.Time) error {
	z := Gzip(w)
	if err := Tar(z, files, at); err != nil {
		return err
	}
	return z.Close()
}

// Gzip compresses without a name and a time in the header. The best level takes twice as long, for less
// than a percent of a program's size.
func Gzip(w io.Writer) *gzip.Writer { return gzip.NewWriter(w) }
