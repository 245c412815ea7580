// Package outfile writes the files that a command line names. Only regular files are replaced: a name
// may lead to a link, which is followed, or to a device, and replacing /dev/null breaks a machine.
package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// StandardOutput is the name of standard output.
const StandardOutput = "-"

// maxLinks is how many links a name may pass: the limit of Linux.
const maxLinks = 40

// Write writes body to what name names:
//
//   - "-" is stdout, and so is any name of the file that is standard output, or standard error.
//   - A device, a pipe or a socket is written to.
//   - A regular file is replaced in one step and keeps its mode: others read the old or the new
//     text. Where it cannot be replaced, as one that is mounted, it is overwritten.
//   - Of a link the target is written.
//   - What is not there becomes a file that everybody may read.
func Write(name string, body []byte, stdout io.Writer) error {
	if name == StandardOutput {
		_, err := stdout.Write(body)
		return err
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return create(name, body)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory: name a file in it", name)
	case isOpenAs(info, os.Stdout):
		_, err := stdout.Write(body)
		return err
	case isOpenAs(info, os.Stderr):
		_, err := os.Stderr.Write(body)
		return err
	case !info.Mode().IsRegular():
		return overwrite(name, body, 0)
	}
	target, err := resolve(name)
	if err != nil {
		return err
	}
	if there, err := os.Stat(target); err != nil || !os.SameFile(there, info) {
		return overwrite(name, body, os.O_TRUNC) // the name of an open file, which may have no other name
	}
	err = replace(target, body, info.Mode().Perm())
	if cannotReplace(err) {
		return overwrite(name, body, os.O_TRUNC)
	}
	return err
}

// create makes a missing file, or the missing target of a link.
func create(name string, body []byte) error {
	target, err := resolve(name)
	if err != nil {
		return err
	}
	return replace(target, body, 0o644)
}

func isOpenAs(info os.FileInfo, f *os.File) bool {
	open, err := f.Stat()
	return err == nil && os.SameFile(open, info)
}

// resolve follows the links that a name is, also to what is not there. The links of its directory
// need not be followed.
func resolve(name string) (string, error) {
	for range maxLinks {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		name = to
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
}

// overwrite writes into an existing file, and makes none.
func overwrite(name string, body []byte, flags int) error {
	f, err := os.OpenFile(name, os.O_WRONLY|flags, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	return errors.Join(err, f.Close())
}

// replace puts a file in the place of another one, or of none.
func replace(name string, body []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "write", Path: name, Err: failed.Err} // not the temporary file's name
	}
	if err != nil {
		return err
	}
	_, err = f.Write(body)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// cannotReplace reports whether an error concerns the directory or the mount, not the file.
func cannotReplace(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EBUSY) || errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.EROFS)
}
