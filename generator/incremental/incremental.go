// Package incremental finds what an incremental build takes from its baseline, the
// release that it starts from: items, list pages and fields of the index that did not
// change. It reads only the baseline's manifest, snapshots and list of checksums, and it
// is exact: a file has the same bytes, or the build writes it.
package incremental

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/checksums"
)

// Baseline is the release that the next one is compared with.
type Baseline struct{ *checksums.List }

// Open opens a release. It gives nil for none and for a damaged one; an error is the
// system's.
func Open(dir string) (*Baseline, error) {
	l, err := checksums.Open(dir)
	if err != nil {
		return nil, systemError(err)
	}
	return &Baseline{l}, nil
}

// systemError gives err if the system failed, and nil if a file is missing or damaged.
func systemError(err error) error {
	if !errors.As(err, new(syscall.Errno)) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

// Files counts the files in the list of checksums, without the snapshots.
func (b *Baseline) Files() (n int, err error) {
	lines := b.Lines()
	for lines.Next() {
		n++
	}
	return n - len(b.Manifest.Environments), lines.Err()
}

// open maps the snapshot of an environment. With verify it verifies its checksums, so that
// damage on the disk does not spread. It gives nil where no sound snapshot exists.
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

// Cursor stands at the first entry. It calls skipped, which may be nil, with every name
// that Take was not called for.
func (b *Baseline) Cursor(skipped func(name string)) *Cursor {
	c := &Cursor{r: checksums.NewEntryReader(b.Lines()), skipped: skipped}
	c.next()
	return c
}

func (c *Cursor) next() { c.more = c.r.Next() }

// skip moves on from an entry that was not taken.
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
