// This file measures a release on the disk.

package output

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// countBatch is how many names of a directory are held to count them.
const countBatch = 1024

// Dir is the directory of the release under way, until Commit or Abort.
func (t *Tx) Dir() string { return t.temp }

// Measure counts the files of a release and their bytes. It calls visit for every directory,
// with its slash path below dir ("." for dir), and the files directly in it.
func Measure(dir string, visit func(name string, files int, bytes int64)) error {
	return measure(dir, ".", visit)
}

// MeasureBelow is Measure for one directory of the release, which may be missing.
func MeasureBelow(dir, name string, visit func(name string, files int, bytes int64)) error {
	return ignore(measure(dir, name, visit), fs.ErrNotExist)
}

// MeasureFiles is Measure for files directly in the release's root.
func MeasureFiles(dir string, visit func(name string, files int, bytes int64), names ...string) error {
	bytes := int64(0)
	for _, name := range names {
		fi, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		bytes += fi.Size()
	}
	visit(".", len(names), bytes)
	return nil
}

func measure(root, name string, visit func(name string, files int, bytes int64)) error {
	d, err := os.Open(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	defer d.Close() // only read from
	var below []string
	files, bytes := 0, int64(0)
	for {
		entries, err := d.ReadDir(countBatch)
		for _, e := range entries {
			if e.IsDir() {
				below = append(below, path.Join(name, e.Name()))
			} else if e.Type().IsRegular() {
				// A name relative to the directory costs half as much as a path.
				var st unix.Stat_t
				if err := retry(func() error { return unix.Fstatat(int(d.Fd()), e.Name(), &st, unix.AT_SYMLINK_NOFOLLOW) }); err != nil {
					return &os.PathError{Op: "stat", Path: filepath.Join(d.Name(), e.Name()), Err: err}
				}
				files++
				bytes += st.Size
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	visit(name, files, bytes)
	for _, name := range below {
		if err := measure(root, name, visit); err != nil {
			return err
		}
	}
	return nil
}
