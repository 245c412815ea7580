// Package reuse finds out what of a release may be taken over into the next one as it
// is: which items, which list pages and which fields of the index. All it goes by is
// that release: its manifest, its snapshots and its list of sums. What it says is
// exact: a file is the same or it is made again.
package reuse

import (
	"errors"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/sums"
)

// Release is a release that the next one is compared with.
type Release struct{ *sums.List }

// Open opens a release. The error tells why nothing of it can be used.
func Open(dir string) (*Release, error) {
	l, err := sums.Open(dir)
	if err != nil {
		return nil, err
	}
	return &Release{l}, nil
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
