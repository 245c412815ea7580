// This file opens and reads files of a release.

package releasedir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"contentedge/edgeserve/wire/release"
)

// File is a regular file of a release, open for reading. Its holder closes it. The zero File has no file, and must not
// be closed.
type File struct {
	Size int64 // in bytes

	file *os.File // nil if the descriptor of direct is open
	direct
}

// ErrWouldWait says that the system may have to wait for a disk or another machine.
var ErrWouldWait = errors.New("the file is not known to be in memory")

// readOnly opens a file without waiting for the other end of a pipe or for a device.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// OpenFile opens a regular file of the release, of at most limit bytes. A build may reuse the directory of an
// old release: then the old release has no files.
func (d *Dir) OpenFile(name string, limit int64) (File, error) { return d.openFile(name, limit, false) }

// OpenCached is OpenFile for callers that must not wait. It returns ErrWouldWait if the system does not have the
// directories and the file's attributes in memory, or if it cannot tell.
func (d *Dir) OpenCached(name string, limit int64) (File, error) {
	return d.openFile(name, limit, true)
}

func (d *Dir) openFile(name string, limit int64, cached bool) (File, error) {
	f, regular, err := d.openAt(name, cached)
	if err != nil {
		return File{}, err
	}
	err = d.CheckCurrent()
	if err == nil && (!regular || f.Size > limit) {
		err = fmt.Errorf("%s is not a file of at most %d bytes", name, limit)
	}
	if err != nil {
		_ = f.Close()
		return File{}, err
	}
	return f, nil
}

// openInRoot opens a file through os.Root, which walks the path with a system call for each element.
func (d *Dir) openInRoot(name string) (f File, regular bool, err error) {
	file, err := d.root.OpenFile(filepath.FromSlash(name), readOnly, 0)
	if err != nil {
		return File{}, false, err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return File{}, false, err
	}
	return File{Size: info.Size(), file: file}, info.Mode().IsRegular(), nil
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, from int64) (int, error) {
	if f.file != nil {
		return f.file.ReadAt(p, from)
	}
	return f.direct.readAt(p, from)
}

// ReadFull reads the first len(p) bytes of the file.
func (f *File) ReadFull(p []byte) error {
	n, err := f.ReadAt(p, 0)
	if n < len(p) && errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if n == len(p) {
		return nil
	}
	return err
}

// ReadCached is ReadFull for callers that must not wait. It returns ErrWouldWait if the system does not have the
// bytes in memory, or if it cannot tell.
func (f *File) ReadCached(p []byte) error {
	if f.file != nil {
		return ErrWouldWait
	}
	return f.direct.readCached(p)
}

// Close closes the file.
func (f *File) Close() error {
	if f.file != nil {
		return f.file.Close()
	}
	return f.direct.close()
}

// ErrRemoved says that the directory belongs to another release now.
var ErrRemoved = fmt.Errorf("the release was removed: %w", fs.ErrNotExist)

// checkInRoot is CheckCurrent through os.Root.
func (d *Dir) checkInRoot() error {
	info, err := d.root.Stat(release.ManifestName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !d.Fingerprint.Same(Fingerprint{Dir: d.Fingerprint.Dir, Info: info}) {
		return ErrRemoved
	}
	return err
}

// HasFile reports whether the release has a file of pages or items.
func (d *Dir) HasFile(name string) bool {
	if d.SnapshotOnly {
		return false
	}
	info, err := d.root.Stat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}

// ReadFile reads a file of the release, of at most limit bytes.
func (d *Dir) ReadFile(name string, limit int64) ([]byte, error) { return d.read(name, limit) }

func (d *Dir) read(name string, limit int64) ([]byte, error) {
	f, err := d.OpenFile(name, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	body := make([]byte, f.Size)
	if err := f.ReadFull(body); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return body, nil
}
