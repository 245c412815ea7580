// Package reuse finds out what of a release may be taken over into the next one as it
// is: which items, which list pages and which fields of the index. All it goes by is
// that release: its manifest, its snapshots and its list of sums. What it says is
// exact: a file is the same or it is made again.
package reuse

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/sums"
)

// Release is a release that the next one is compared with.
type Release struct{ *sums.List }

// Open opens a release; nil if there is none, or it is damaged. The error is the
// system's.
func Open(dir string) (*Release, error) {
	l, err := sums.Open(dir)
	if err != nil {
		return nil, systems(err)
	}
	return &Release{l}, nil
}

// systems gives an error only if it is one of the system's, and says more than that a
// file is not there.
func systems(err error) error {
	if !errors.As(err, new(syscall.Errno)) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// Sums reads the list of sums from its beginning. It calls passed, which may be nil, with
// every name that is not asked for.
func (r *Release) Sums(passed func(name string)) *Cursor { return newCursor(r.Lines(), passed) }

// Files counts the files of the list but for snapshots.
func (r *Release) Files() (n int, err error) {
	lines := r.Lines()
	for lines.Next() {
		n++
	}
	return n - len(r.Manifest.Environments), lines.Err()
}

// open maps the snapshot of an environment and reads all of it once, so that whatever
// was damaged on the disk is not taken over. It gives nil if there is nothing to use.
func (r *Release) open(id string) (*snapshot.Reader, error) {
	i := slices.IndexFunc(r.Manifest.Environments, func(e release.Environment) bool { return e.ID == id })
	if i < 0 {
		return nil, nil
	}
	s, err := snapshot.Open(filepath.Join(r.Dir, filepath.FromSlash(r.Manifest.Environments[i].Snapshot.File)))
	if err != nil {
		return nil, systems(err)
	}
	if err := s.Verify(nil); err != nil {
		_ = s.Close() // only read from
		return nil, systems(err)
	}
	return s, nil
}
