// This file opens the list of a release on disk and verifies its digest.

package checksums

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/release"
)

// List is the list of a release, and the manifest that has its digest.
type List struct {
	Dir      string // of the release; "" if it is not on a disk
	Raw      []byte // the bytes of the manifest
	Manifest *release.Manifest
	file     io.ReaderAt
	close    func() error
}

// Manifest finds the manifest of the release that a directory holds or points to.
func Manifest(dir string) (path string, err error) {
	path, err = filepath.EvalSymlinks(filepath.Join(dir, release.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s holds no release: it has no %s", dir, release.ManifestName)
	}
	if errors.Is(err, syscall.ENOTDIR) { // the system's error has no path
		return "", fmt.Errorf("%s holds no release: it is not a directory", dir)
	}
	return path, err
}

// Open opens the list of the release that a directory holds or points to.
func Open(dir string) (*List, error) { return open(dir, releasedir.ReadManifest) }

// OpenRows is Open, but leaves the parts of the manifest out.
func OpenRows(dir string) (*List, error) { return open(dir, releasedir.ReadRows) }

func open(dir string, read func(dir string) (*release.Manifest, []byte, error)) (*List, error) {
	manifest, err := Manifest(dir)
	if err != nil {
		return nil, err
	}
	m, raw, err := read(filepath.Dir(manifest))
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(filepath.Dir(manifest), release.ChecksumsName))
	if err != nil {
		return nil, err
	}
	return New(filepath.Dir(manifest), raw, m, f)
}

// New returns the list in f. It closes f if the list does not have the digest in the manifest.
func New(dir string, raw []byte, m *release.Manifest, f *os.File) (*List, error) {
	return newList(&List{Dir: dir, Raw: raw, Manifest: m, file: f, close: f.Close})
}

// InMemory is New for a list in memory.
func InMemory(raw []byte, m *release.Manifest, text []byte) (*List, error) {
	return newList(&List{Raw: raw, Manifest: m, file: bytes.NewReader(text), close: func() error { return nil }})
}

// None returns the list of a release without files: what comes before the first release.
func None() *List {
	return &List{Manifest: &release.Manifest{}, file: bytes.NewReader(nil), close: func() error { return nil }}
}

func newList(l *List) (*List, error) {
	n, sum, err := Digest(io.NewSectionReader(l.file, 0, math.MaxInt64))
	if c := l.Manifest.Checksums; err == nil && (n != c.Bytes || sum != c.SHA256) {
		err = fmt.Errorf("%s is not what the manifest says: the release is damaged", filepath.Join(l.Dir, release.ChecksumsName))
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// Digest returns the length and the hexadecimal SHA-256 of what r reads.
func Digest(r io.Reader) (n int64, sum string, err error) {
	h := sha256.New()
	n, err = io.Copy(h, r)
	return n, hex.EncodeToString(h.Sum(nil)), err
}

// Path is the path of a file of the release, on its disk.
func (l *List) Path(name string) string { return filepath.Join(l.Dir, filepath.FromSlash(name)) }

// Lines reads the list from its beginning.
func (l *List) Lines() *Reader {
	return NewReader(io.NewSectionReader(l.file, 0, l.Manifest.Checksums.Bytes))
}

// Close closes the list.
func (l *List) Close() { _ = l.close() } // an error of a file that was only read harms nothing
