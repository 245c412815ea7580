// Package reuse finds out what of a release may be taken over into the next one as it
// is: which items, which list pages and which fields of the index. All it goes by is
// that release: its manifest, its snapshots and its list of sums. What it says is
// exact: a file is the same or it is made again.
package reuse

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/snapshot"
)

// Release is a release that the next one is compared with.
type Release struct {
	Dir      string
	Manifest *release.Manifest
	sums     *os.File
}

// Open opens a release. The error tells why nothing of it can be used.
func Open(dir string) (*Release, error) {
	b, err := os.ReadFile(filepath.Join(dir, release.ManifestName))
	if err != nil {
		return nil, err
	}
	m, err := release.Parse(b)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, release.SumsName))
	if err != nil {
		return nil, err
	}
	r := &Release{Dir: dir, Manifest: m, sums: f}
	if err := r.check(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// check compares the list of sums with the manifest.
func (r *Release) check() error {
	h := sha256.New()
	n, err := io.Copy(h, r.sums)
	if err != nil {
		return err
	}
	if n != r.Manifest.Sums.Bytes || hex.EncodeToString(h.Sum(nil)) != r.Manifest.Sums.SHA256 {
		return fmt.Errorf("%s is not what the manifest says", r.sums.Name())
	}
	return nil
}

// Close closes what Open opened.
func (r *Release) Close() { r.sums.Close() }

// Sums reads the list of sums from its beginning. There is one reader at a time.
func (r *Release) Sums() (*Cursor, error) {
	if _, err := r.sums.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return newCursor(r.sums), nil
}

// open maps the snapshot of an environment and reads all of it once, so that whatever
// was damaged on the disk is not taken over.
func (r *Release) open(id string) (*snapshot.Reader, error) {
	i := slices.IndexFunc(r.Manifest.Environments, func(e release.Environment) bool { return e.ID == id })
	if i < 0 {
		return nil, errors.New("the release has no such environment")
	}
	s, err := snapshot.Open(filepath.Join(r.Dir, filepath.FromSlash(r.Manifest.Environments[i].Snapshot.File)))
	if err != nil {
		return nil, err
	}
	if err := s.Verify(); err != nil {
		_ = s.Close() // only read from
		return nil, err
	}
	return s, nil
}
