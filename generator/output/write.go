// This file creates the files of a release. Creation dominates a build: directories are made once.

package output

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"contentedge/edgeserve/crash"
)

const (
	streamBuffer = 1 << 20
	copyBuffer   = 256 << 10 // of each file that is copied
)

// Write creates a file from parts. The name is a slash path and must be new.
func (t *Tx) Write(name string, parts ...[]byte) error {
	return t.WriteMtime(name, time.Time{}, parts...)
}

// WriteMtime is Write with a modification time.
func (t *Tx) WriteMtime(name string, mtime time.Time, parts ...[]byte) error {
	t.life.RLock()
	defer t.life.RUnlock()
	f, err := t.create(name)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if _, err = f.Write(p); err != nil {
			break
		}
	}
	if err == nil && !mtime.IsZero() {
		err = setMtime(f, mtime)
	}
	return cmp.Or(err, f.Close())
}

// Copy creates a file of a size with a modification time from what it reads. It returns the number of bytes
// and their SHA-256. It reads one byte more than size at most.
func (t *Tx) Copy(name string, mtime time.Time, from io.Reader, size int64) (n int64, sum [sha256.Size]byte, err error) {
	f, err := t.createNow(name)
	if err != nil {
		return 0, sum, err
	}
	hash := sha256.New()
	n, err = io.CopyBuffer(struct{ io.Writer }{io.MultiWriter(f, hash)}, struct{ io.Reader }{io.LimitReader(from, size+1)}, make([]byte, copyBuffer))
	if err == nil && !mtime.IsZero() {
		err = setMtime(f, mtime)
	}
	return n, [sha256.Size]byte(hash.Sum(nil)), cmp.Or(err, f.Close())
}

// create opens a new file and makes its directories. The caller holds life.
func (t *Tx) create(name string) (*os.File, error) {
	if t.closed {
		return nil, ErrClosed
	}
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("the file name %q leads out of the release", name)
	}
	if err := t.mkdirs(path.Dir(name)); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(t.temp, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.o.FileMode)
	if err != nil || !t.chmodFiles {
		return f, err
	}
	if err := f.Chmod(t.o.FileMode); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// mkdirs makes a directory of the release and its parents, each once.
func (t *Tx) mkdirs(dir string) error {
	t.dirsMu.RLock()
	known := t.dirs[dir]
	t.dirsMu.RUnlock()
	if known {
		return nil
	}
	t.dirsMu.Lock()
	defer t.dirsMu.Unlock()
	return t.mkdirsLocked(dir)
}

// mkdirsLocked is mkdirs for the holder of dirsMu.
func (t *Tx) mkdirsLocked(dir string) error {
	if t.dirs[dir] {
		return nil
	}
	if err := t.mkdirsLocked(path.Dir(dir)); err != nil {
		return err
	}
	full := filepath.Join(t.temp, dir)
	err := os.Mkdir(full, t.o.DirMode)
	if err == nil && t.chmodDirs {
		err = t.chmodDir(full)
	}
	if err != nil && (t.emptied == nil || !errors.Is(err, fs.ErrExist)) {
		return err
	}
	t.dirs[dir] = true
	return nil
}

// Streamed is a file whose name follows from its bytes.
type Streamed struct {
	Name   string
	Bytes  int64
	SHA256 [sha256.Size]byte
}

// Stream creates a file from what fill writes. name gives its path by the SHA-256.
func (t *Tx) Stream(fill func(io.Writer) error, name func(sum [sha256.Size]byte) string) (Streamed, error) {
	temp := "stream-" + strconv.FormatInt(t.streams.Add(1), 10)
	f, err := t.createNow(temp)
	if err != nil {
		return Streamed{}, err
	}
	s, err := stream(f, fill)
	if err != nil {
		return Streamed{}, err
	}
	s.Name = name(s.SHA256)
	return s, t.rename(temp, s.Name)
}

// Path is the path of a file until Commit.
func (t *Tx) Path(name string) string { return filepath.Join(t.temp, filepath.FromSlash(name)) }

// createNow is create for a file that is filled while the transaction may end.
func (t *Tx) createNow(name string) (*os.File, error) {
	t.life.RLock()
	defer t.life.RUnlock()
	return t.create(name)
}

// rename fails after the transaction's end, when the old name may be another build's.
func (t *Tx) rename(old, name string) error {
	t.life.RLock()
	defer t.life.RUnlock()
	if t.closed {
		return ErrClosed
	}
	if !filepath.IsLocal(name) {
		return fmt.Errorf("the file name %q leads out of the release", name)
	}
	if err := t.mkdirs(path.Dir(name)); err != nil {
		return err
	}
	return os.Rename(filepath.Join(t.temp, old), filepath.Join(t.temp, name))
}

// stream fills and closes a file, counting and hashing its bytes.
func stream(f *os.File, fill func(io.Writer) error) (Streamed, error) {
	hash := sha256.New()
	var count counter
	w := bufio.NewWriterSize(io.MultiWriter(&both{f, hash}, &count), streamBuffer)
	err := fill(w)
	if err == nil {
		err = w.Flush()
	}
	return Streamed{Bytes: int64(count), SHA256: [sha256.Size]byte(hash.Sum(nil))}, cmp.Or(err, f.Close())
}

// both writes to a file and to a hash at the same time: each takes as long as the other.
type both struct {
	file *os.File
	hash hash.Hash
}

func (b *both) Write(p []byte) (int, error) {
	hashed := make(chan struct{})
	go func() {
		defer crash.Exit()
		b.hash.Write(p)
		close(hashed)
	}()
	n, err := b.file.Write(p)
	<-hashed
	return n, err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
