// Package incremental finds what a build takes from its baseline, the release it starts from:
// items, list pages and index fields that did not change. It reads only manifest, snapshots and
// checksums, and is exact: a file has the same bytes, or the build writes it.
package incremental

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
)

// Baseline is the release to compare with.
type Baseline struct{ *checksums.List }

// Open opens a release, without the parts of its manifest: Complete reads one. It returns nil if the directory holds none
// or a damaged one. An error is the system's.
func Open(dir string) (*Baseline, error) {
	l, err := checksums.OpenRows(dir)
	if err != nil {
		return nil, systemError(err)
	}
	return &Baseline{l}, nil
}

// snapshot returns the path of an environment's snapshot, or "".
func (b *Baseline) snapshot(id string) string {
	e := b.Manifest.Environment(id)
	if e == nil || e.Snapshot.File == "" {
		return ""
	}
	return filepath.Join(b.Dir, filepath.FromSlash(e.Snapshot.File))
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
	path := b.snapshot(id)
	if path == "" {
		return nil, nil
	}
	s, err := snapshot.Open(path)
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

// Complete reads the part of the manifest that describes an environment. An environment whose part is missing or damaged
// has no snapshot here.
func (b *Baseline) Complete(id string) error {
	e := b.Manifest.Environment(id)
	if e == nil {
		return nil
	}
	part, missing := e.Missing()
	if !missing {
		return nil
	}
	text, err := releasedir.ReadPart(b.Dir, part)
	if err != nil {
		return systemError(err)
	}
	_ = b.Manifest.Fill(part, text) // a damaged part is written again, with its environment
	return nil
}

// Snapshots returns the names and digests of all snapshots by environment, from the list of checksums.
func (b *Baseline) Snapshots() (map[string]release.Snapshot, error) {
	f := b.Finder()
	section, err := f.Find(release.SnapshotDir + "/")
	if err != nil {
		return nil, err
	}
	all, lines := map[string]release.Snapshot{}, b.Section(section)
	for lines.Next() {
		name, sum := string(lines.Name()), lines.Sum()
		all[release.EnvironmentOf(name)] = release.Snapshot{File: name, SHA256: hex.EncodeToString(sum[:])}
	}
	return all, lines.Err()
}

// Places are where a list of checksums has the files of an environment.
type Places struct{ Media, Bodies checksums.Section }

// Places finds the files of environments in one pass over the list.
func (b *Baseline) Places(envs []string) (map[string]Places, error) {
	order := slices.Clone(envs)
	slices.SortFunc(order, func(a, b string) int { return strings.Compare(a+"/", b+"/") })
	all, f := make(map[string]Places, len(envs)), b.Finder()
	var err error
	for _, env := range order {
		var p Places
		if p.Media, err = f.Find(release.MediaDir + "/" + env + "/"); err != nil {
			return nil, err
		}
		all[env] = p
	}
	for _, env := range order {
		p := all[env]
		if p.Bodies, err = f.Find(address.EnvDir(env) + "/"); err != nil {
			return nil, err
		}
		all[env] = p
	}
	return all, nil
}

// Cursor is a position in a section of a list of checksums.
type Cursor struct {
	r       *checksums.EntryReader
	more    bool
	skipped func(name string)
}

// Cursor returns a cursor at the first entry of a section. It calls skipped, which may be nil, with each name that
// is not taken.
func (b *Baseline) Cursor(s checksums.Section, skipped func(name string)) *Cursor {
	c := &Cursor{r: checksums.NewEntryReader(b.Section(s)), skipped: skipped}
	c.next()
	return c
}

func (c *Cursor) next() { c.more = c.r.Next() }

func (c *Cursor) skip() {
	if c.skipped != nil {
		for _, name := range c.r.Names(c.r.Name) {
			c.skipped(name)
		}
	}
	c.next()
}

// Err is the error that ended reading, nil at the end of the section.
func (c *Cursor) Err() error { return c.r.Err() }

// End skips the rest of the section.
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

// Next takes the next entry, whatever its name.
func (c *Cursor) Next(e *checksums.Entry) (name string, ok bool) {
	if !c.more {
		return "", false
	}
	name, *e = c.r.Name, c.r.Entry
	c.next()
	return name, true
}
