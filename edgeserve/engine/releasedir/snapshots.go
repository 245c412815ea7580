// This file opens the snapshots of a release. A file that the release before has open, unchanged, is not opened
// again: both releases share its mapping, so that the cost of opening a release follows what changed.

package releasedir

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync/atomic"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// Snapshot is an open snapshot. Several releases may share it.
type Snapshot struct {
	Reader *snapshot.Reader

	file     atomic.Pointer[os.FileInfo]
	verified atomic.Bool
	damaged  atomic.Bool
}

// File returns the state of the file as last seen.
func (s *Snapshot) File() os.FileInfo { return *s.file.Load() }

// SetFile notes a new state of the file. Releases compare the file with the state that was noted last.
func (s *Snapshot) SetFile(info os.FileInfo) { s.file.Store(&info) }

// HasDigest reports whether the file was compared with its digest.
func (s *Snapshot) HasDigest() bool { return s.verified.Load() }

// SetHasDigest notes that the file has the digest that the manifest says.
func (s *Snapshot) SetHasDigest() { s.verified.Store(true) }

// IsDamaged reports whether the file was damaged after it was opened.
func (s *Snapshot) IsDamaged() bool { return s.damaged.Load() }

// SetDamaged records damage: no release that shares the snapshot may be served any more.
func (s *Snapshot) SetDamaged() { s.damaged.Store(true) }

// SameFile reports whether two states belong to one file that was not written to between them.
func SameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// openSnapshots opens and verifies the snapshots that it cannot share with another release, which may be nil. It uses
// all processors: nothing is served meanwhile, or the release differs little from the served one.
func (d *Dir) openSnapshots(before *Dir, pause func()) error {
	var err error
	if d.snapshots, err = d.root.OpenRoot(release.SnapshotDir); err != nil {
		d.snapshots = nil // each snapshot has the error
	}
	envs := d.Manifest.Environments
	d.Snapshots = make([]*Snapshot, len(envs))
	d.Readers = make(map[string]*snapshot.Reader, len(envs))
	old := before.snapshotsOf(envs)
	errs := make([]error, len(envs))
	read := everyMegabyte(pause)
	snapshot.Parallel(len(envs), func(i int) {
		if d.Snapshots[i], errs[i] = d.shareOrOpen(old[i], envs[i], read); errs[i] != nil {
			errs[i] = fmt.Errorf("%s: %w", envs[i].Snapshot.File, errs[i])
		}
	})
	for i, s := range d.Snapshots {
		if s != nil {
			d.Readers[envs[i].ID] = s.Reader
		}
	}
	return Join(errs...)
}

// snapshotsOf returns the snapshots of a release that environments of another release say the same of, nil for
// the others. Both are in order.
func (d *Dir) snapshotsOf(envs []release.Environment) []*Snapshot {
	found := make([]*Snapshot, len(envs))
	if d == nil || d.FieldsOnly {
		return found
	}
	own := d.Manifest.Environments
	for i := range envs {
		for len(own) > 0 && own[0].ID < envs[i].ID {
			own = own[1:]
		}
		if len(own) > 0 && own[0].ID == envs[i].ID && own[0].Snapshot == envs[i].Snapshot && own[0].Items == envs[i].Items {
			found[i] = d.Snapshots[len(d.Snapshots)-len(own)]
		}
	}
	return found
}

// shareOrOpen shares an open snapshot if its file is the environment's, unchanged. Otherwise it opens and verifies
// the environment's.
func (d *Dir) shareOrOpen(open *Snapshot, env release.Environment, read func(bytes int)) (*Snapshot, error) {
	info, err := d.Stat(env)
	if err != nil {
		return nil, err
	}
	if open != nil && SameFile(info, open.File()) && !open.IsDamaged() && open.Reader.Share() {
		return open, nil
	}
	r, err := d.openSnapshot(env, read)
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	s := &Snapshot{Reader: r}
	s.SetFile(info)
	return s, nil
}

// openCost is the number of bytes whose checksums take as long as opening a small snapshot.
const openCost = 256 << 10

// everyMegabyte returns a function that counts bytes and calls pause after each megabyte. A pause costs some
// microseconds, as much as a small snapshot: so the snapshots are counted together.
func everyMegabyte(pause func()) func(bytes int) {
	const megabyte = 1 << 20
	var total atomic.Int64
	return func(bytes int) {
		after := total.Add(int64(bytes))
		if pause != nil && after/megabyte != (after-int64(bytes))/megabyte {
			pause()
		}
	}
}

// openSnapshot maps a snapshot and verifies everything but its digest. Close r even after an error.
func (d *Dir) openSnapshot(env release.Environment, read func(bytes int)) (r *snapshot.Reader, err error) {
	defer snapshot.Recover(&err) // the file may be cut while it is read
	r, err = snapshot.Open(filepath.Join(d.Fingerprint.Dir, filepath.FromSlash(env.Snapshot.File)))
	if err != nil {
		return nil, err
	}
	read(openCost)
	if err := r.Verify(read); err != nil {
		return r, err
	}
	if r.Env() != env.ID || r.Size() != env.Snapshot.Bytes || r.Items() != env.Items {
		return r, fmt.Errorf("it holds %d items of environment %q in %d bytes, the manifest says %d items of %q in %d bytes",
			r.Items(), r.Env(), r.Size(), env.Items, env.ID, env.Snapshot.Bytes)
	}
	return r, nil
}

// Stat returns the state of a snapshot's file now.
func (d *Dir) Stat(env release.Environment) (os.FileInfo, error) {
	if d.snapshots == nil {
		return d.root.Stat(filepath.FromSlash(env.Snapshot.File))
	}
	return d.snapshots.Stat(path.Base(env.Snapshot.File))
}

// OpenSnapshotFile opens a snapshot's file for reading, in addition to its mapping.
func (d *Dir) OpenSnapshotFile(s release.Snapshot) (*os.File, error) {
	return d.root.OpenFile(filepath.FromSlash(s.File), readOnly, 0)
}
