// Package incremental finds what a build takes from its baseline, the release it starts from:
// items, list pages and index fields that did not change. It reads only manifest, snapshots and
// checksums, and is exact: a file has the same bytes, or the build writes it.
package incremental

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// Baseline is the release to compare with.
type Baseline struct{ *checksums.List }

// Open opens a release. It returns nil if the directory holds none or a damaged one. An error is the
// system's.
func Open(dir string) (*Baseline, error) {
	l, err := checksums.Open(dir)
	if err != nil {
		return nil, systemError(err)
	}
	return &Baseline{l}, nil
}

// systemError returns err, or nil if err says that a file is missing or damaged.
func systemError(err error) error {
	if !errors.As(err, new(syscall.Errno)) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// open maps an environment's snapshot. It returns nil if the snapshot is not sound. With verify it
// verifies the checksums, so that damage on the disk does not spread.
func (b *Baseline) open(id string, verify bool) (*snapshot.Reader, error) {
	i := slices.IndexFunc(b.Manifest.Environments, func(e release.Environment) bool { return e.ID == id })
	if i < 0 {
		return nil, nil
	}
	s, err := snapshot.Open(filepath.Join(b.Dir, filepath.FromSlash(b.Manifest.Environments[i].Snapshot.File)))
	if err != nil {
		return nil, systemError(err)
	}
	if !verify {
		return s, nil
	}
	if err := s.Verify(nil); err != nil {
		_ = s.Close() // read only
		return nil, systemError(err)
	}
	return s, nil
}

// Cursor is a position in a list of checksums.
type Cursor struct {
	r       *checksums.EntryReader
	more    bool
	skipped func(name string)
}

// Cursor returns a cursor at the first entry. It calls skipped, which may be nil, with each name that
// is not taken.
func (b *Baseline) Cursor(skipped func(name string)) *Cursor {
	c := &Cursor{r: checksums.NewEntryReader(b.Lines()), skipped: skipped}
	c.next()
	return c
}

// MediaLines reads the lines of media, the first of a list of checksums.
type MediaLines struct{ *checksums.Reader }

// Media returns the lines of media.
func (b *Baseline) Media() MediaLines { return MediaLines{b.Lines()} }

// Next moves to the next line, and reports whether it is one of media.
func (m MediaLines) Next() bool {
	return m.Reader.Next() && bytes.HasPrefix(m.Name(), mediaDir)
}

var mediaDir = []byte(release.MediaDir + "/")

func (c *Cursor) next() { c.more = c.r.Next() }

func (c *Cursor) skip() {
	if c.skipped != nil {
		for _, name := range c.r.Names(c.r.Name) {
			c.skipped(name)
		}
	}
	c.next()
}

// End skips the rest of the list.
func (c *Cursor) End() error {
	for c.more {
		c.skip()
	}
	return c.r.Err()
}

// Take finds the entry of a name. Names have to ascend from call to call.
func (c *Cursor) Take(name string, e *checksums.Entry) bool {
	for c.more && c.r.Name < name {
		c.skip()
	}
	if !c.more || c.r.Name != name {
		return false
	}
	*e = c.r.Entry
	c.next()
	return true
}
