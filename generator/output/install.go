// This file puts a finished release in its place, where the same release may stand, perhaps damaged.

package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"contentedge/edgeserve/wire/release"

	"golang.org/x/sys/unix"
)

// install renames the finished directory. If a release has the name already, the two are exchanged and
// the old one is removed; nothing is written into it. Where directories cannot be exchanged (a lower
// layer, a mount point), their files are exchanged one by one: both have the same bytes, unless the
// old ones are damaged.
func (t *Tx) install(final string) error {
	err := os.Rename(t.temp, final)
	if err == nil {
		return nil
	}
	if _, e := os.Lstat(final); e != nil {
		return err
	}
	strays, err := t.strays(final)
	if err != nil {
		return err
	}
	t.nameStrays(filepath.Base(final), strays)
	if exchange(t.temp, final) != nil {
		return t.merge(final)
	}
	t.carry(t.temp, final, strays)
	t.discard(t.temp)
	return nil
}

// strays lists the files in the release's place that are not the release's. It fails if one stands
// where the release has a file, because strays stay.
func (t *Tx) strays(final string) (strays []string, err error) {
	err = filepath.WalkDir(final, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return ignore(err, fs.ErrPermission)
		}
		if d.IsDir() {
			return nil
		}
		name := strings.TrimPrefix(path, final+string(filepath.Separator))
		_, err = os.Lstat(filepath.Join(t.temp, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			strays = append(strays, name)
		case err != nil: // the release has a file where the stray's path has a directory
			return fmt.Errorf("%s is in the way of a file of the release: move it elsewhere", path)
		}
		return nil
	})
	return strays, err
}

// carry moves strays from one directory to another.
func (t *Tx) carry(from, to string, strays []string) {
	for _, name := range strays {
		err := os.MkdirAll(filepath.Dir(filepath.Join(to, name)), t.o.DirMode)
		if err == nil {
			err = os.Rename(filepath.Join(from, name), filepath.Join(to, name))
		}
		if err != nil {
			t.warn(filepath.Join(to, name), fmt.Sprintf("this file is not the release's and was lost: %v", err), "")
		}
	}
}

// merge puts the files of the release into a directory that lacks them or has damaged ones. The manifest
// comes last.
func (t *Tx) merge(final string) error {
	err := filepath.WalkDir(t.temp, func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(path, t.temp)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return t.mergeDir(final + name)
		case name == string(filepath.Separator)+release.ManifestName:
			return nil
		}
		return t.mergeFile(final, name)
	})
	if err == nil {
		err = t.mergeFile(final, string(filepath.Separator)+release.ManifestName)
	}
	if err != nil {
		return err
	}
	t.discard(t.temp)
	return t.syncTree(final)
}

func (t *Tx) mergeDir(path string) error {
	if err := os.Mkdir(path, t.o.DirMode); !errors.Is(err, fs.ErrExist) {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil || t.has.fitsDir(&st) {
		return err
	}
	return t.chmodDir(path)
}

// mergeFile puts a file of the release in its place, unless an equal file exists.
func (t *Tx) mergeFile(final, name string) error {
	from, to := t.temp+name, final+name
	if ok, err := equalFiles(from, to, strings.HasPrefix(filepath.ToSlash(name), "/"+release.FilesLink+"/")); ok || err != nil {
		return err
	}
	err := os.Rename(from, to)
	if !errors.Is(err, syscall.EXDEV) {
		return err
	}
	temp := filepath.Join(filepath.Dir(to), release.TempPrefix+filepath.Base(to))
	if err := t.copyFile(from, temp); err != nil {
		_ = os.Remove(temp) // err is the one to report
		return err
	}
	return os.Rename(temp, to)
}

// equalFiles compares two files, and their times if times count.
func equalFiles(from, to string, times bool) (bool, error) {
	a, err := os.Lstat(from)
	if err != nil {
		return false, err
	}
	b, err := os.Lstat(to)
	if err != nil {
		return false, ignore(err, fs.ErrNotExist)
	}
	if os.SameFile(a, b) {
		return true, nil
	}
	if a.Mode() != b.Mode() || a.Size() != b.Size() || times && !a.ModTime().Equal(b.ModTime()) {
		return false, nil
	}
	return sameBytes(from, to)
}

func sameBytes(from, to string) (bool, error) {
	a, err := os.Open(from)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := os.Open(to)
	if err != nil {
		return false, err
	}
	defer b.Close()
	var x, y [64 << 10]byte
	for {
		n, err := io.ReadFull(a, x[:])
		m, err2 := io.ReadFull(b, y[:])
		if n != m || !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return true, nil
		}
		if err := errors.Join(err, err2); err != nil {
			return false, err
		}
	}
}

// copyFile copies a file of the release with its mode and time, durably.
func (t *Tx) copyFile(from, to string) error {
	a, err := os.Open(from)
	if err != nil {
		return err
	}
	defer a.Close()
	fi, err := a.Stat()
	if err != nil {
		return err
	}
	b, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, t.o.FileMode)
	if err != nil {
		return err
	}
	_, err = io.Copy(b, a)
	if err == nil && t.chmodFiles {
		err = b.Chmod(t.o.FileMode)
	}
	if err == nil {
		err = setMtime(b, fi.ModTime())
	}
	if err = errors.Join(err, b.Close()); err != nil {
		return err
	}
	return t.syncDir(to)
}
