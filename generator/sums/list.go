// This file opens the list of a release on disk, and proves it before anybody goes by it.

package sums

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"contentedge/edgeserve/release"
)

// List is the list of a release, and the manifest that vouches for it.
type List struct {
	Dir      string // where the release lies
	Raw      []byte // the bytes of the manifest
	Manifest *release.Manifest
	file     *os.File
}

// Open opens the list of the release that a directory holds or points to. The manifest
// says of every byte of it that it is right.
func Open(dir string) (*List, error) {
	manifest, err := filepath.EvalSymlinks(filepath.Join(dir, release.ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no release: it has no %s", dir, release.ManifestName)
	}
	if err != nil {
		return nil, err
	}
	l := &List{Dir: filepath.Dir(manifest)}
	if l.Raw, err = os.ReadFile(manifest); err != nil {
		return nil, err
	}
	if l.Manifest, err = release.Parse(l.Raw); err != nil {
		return nil, fmt.Errorf("%s: %w", manifest, err)
	}
	if l.file, err = os.Open(filepath.Join(l.Dir, release.SumsName)); err != nil {
		return nil, err
	}
	if err := l.prove(); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// prove compares the list with the manifest.
func (l *List) prove() error {
	h := sha256.New()
	n, err := io.Copy(h, l.file)
	if err != nil {
		return err
	}
	if want := l.Manifest.Sums; n != want.Bytes || hex.EncodeToString(h.Sum(nil)) != want.SHA256 {
		return fmt.Errorf("%s is not what the manifest says: build the release anew", l.file.Name())
	}
	return nil
}

// Lines reads the list from its beginning, as often as one likes.
func (l *List) Lines() *Reader {
	return NewReader(bufio.NewReader(io.NewSectionReader(l.file, 0, l.Manifest.Sums.Bytes)))
}

// Close closes the list.
func (l *List) Close() { l.file.Close() } // only read from
