// This file brings a release to this machine: its manifest, the parts of the manifest, and its snapshots. What the
// current release has is linked, not fetched. Complete files stay in the temporary directory when an attempt ends, so
// that the next attempt continues with them, also in another process.

package follow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

const (
	// reserveShare is the share of a release's bytes that stays free on the disk: the release itself and the media of
	// clients leave it.
	reserveShare = 8
	// fetchJobs is how many objects are fetched at once. It hides the latency of a distant store where there are many
	// small snapshots, and leaves clients their share of the network.
	fetchJobs = 8
)

// wanted is a snapshot to fetch.
type wanted struct {
	env string
	release.Snapshot
}

// download is a fetch of a release into the temporary directory.
type download struct {
	*Follower
	pointer *release.Pointer
	temp    string
	verify  bool              // what is on this machine is not trusted
	m       *release.Manifest // of the release
	old     *release.Manifest // of the current release; its environments may have only their rows
	forms   bool              // other forms than whole snapshots may be fetched
	unread  int               // files on this machine that were taken without reading them
	tally   map[string]*tally // by form
	faults  atomic.Int32      // forms that the store has, and that are wrong
	unpack  sync.Mutex        // of a form: each takes megabytes of memory
	filling sync.Mutex        // guards m and old while objects are fetched
	wanted  []wanted
}

// fetch downloads the release of p into the temporary directory. It verifies what it fetches, and with verify also
// what this machine has. It returns how many files it took without reading them.
func (f *Follower) fetch(ctx context.Context, p *release.Pointer, verify bool) (temp string, unread int, err error) {
	raw, err := f.manifest(ctx, p)
	if err != nil {
		return "", 0, err
	}
	m, err := release.ParseRows(raw)
	if err != nil {
		return "", 0, err
	}
	if m.Build != p.Build {
		return "", 0, fmt.Errorf("%w: the manifest names build %s", ErrContent, m.Build)
	}
	if temp, err = f.dir.openTemp(); err != nil {
		return "", 0, err
	}
	d := &download{Follower: f, pointer: p, temp: temp, verify: verify, m: m, old: f.currentRows(), tally: newTallies()}
	if err := d.run(ctx, int64(len(raw))); err != nil {
		return "", 0, err
	}
	if err := writeNew(filepath.Join(temp, release.ManifestName), raw); err != nil {
		return "", 0, err
	}
	d.remember()
	return temp, d.unread, errors.Join(syncPath(filepath.Join(temp, release.SnapshotDir)), syncPath(temp))
}

// remember keeps which snapshot each part names, so that the next release costs what it changed.
func (d *download) remember() {
	known := map[release.Part]release.Snapshot{}
	for i := range d.m.Environments {
		e := &d.m.Environments[i]
		file, missing := e.Missing()
		switch {
		case missing:
			known[file.Part] = d.snapshots[file.Part]
		case d.m.HasParts():
			known[e.Part()] = e.Snapshot
		}
	}
	d.snapshots = known
}

func (f *Follower) manifest(ctx context.Context, p *release.Pointer) ([]byte, error) {
	b, _, err := f.cfg.Store.ReadAll(ctx, p.Kind.ObjectKey(p.Build, release.ManifestName), store.GetOptions{Max: p.ManifestBytes})
	if err != nil {
		return nil, err
	}
	if int64(len(b)) != p.ManifestBytes || release.HexSHA256(b) != p.ManifestSHA256 {
		return nil, fmt.Errorf("%w: the manifest does not match the digest in the pointer", ErrContent)
	}
	return b, nil
}

// currentRows reads the manifest of the current release without its parts, or nil.
func (f *Follower) currentRows() *release.Manifest {
	raw, err := readManifest(f.dir.path(release.CurrentLink))
	if err != nil {
		return nil
	}
	m, err := release.ParseRows(raw)
	if err != nil {
		return nil
	}
	return m
}

// run brings everything but the manifest.
func (d *download) run(ctx context.Context, more int64) error {
	known := map[string]bool{} // names of the release
	if err := d.parts(ctx, known); err != nil {
		return err
	}
	for i := range d.m.Environments {
		if e := &d.m.Environments[i]; e.Snapshot.File != "" {
			d.take(wanted{e.ID, e.Snapshot}, known)
		}
	}
	if err := d.discard(known); err != nil {
		return err
	}
	if err := d.checkFreeSpace(more); err != nil {
		d.dir.removeTemp()
		return err
	}
	return parallel.Each(ctx, fetchJobs, len(d.wanted), func(_, i int) error {
		if err := d.snapshot(ctx, d.wanted[i]); err != nil {
			return fmt.Errorf("%s: %w", d.wanted[i].File, err)
		}
		return nil
	})
}

func (d *download) path(name string) string { return filepath.Join(d.temp, filepath.FromSlash(name)) }

// key is the key of a file of the release in the store.
func (d *download) key(name string) string { return d.pointer.Kind.ObjectKey(d.pointer.Build, name) }

// parts brings the parts of the manifest, linking the parts that the current release has, and completes the manifest.
// The snapshot of a part that was read before is linked too, and the environment stays incomplete.
func (d *download) parts(ctx context.Context, known map[string]bool) error {
	parts := d.m.Missing(nil)
	if len(parts) == 0 {
		return nil
	}
	if err := os.MkdirAll(d.path(release.PartsDir), dirMode); err != nil {
		return err
	}
	var missing []release.PartFile
	for _, p := range parts {
		known[p.Name] = true
		s, ok := d.snapshots[p.Part]
		if ok && !d.verify && d.link(p.Name) {
			d.take(wanted{p.Environment, s}, known)
			continue
		}
		if !d.fill(p, d.path(p.Name)) && (!d.fill(p, d.dir.path(release.CurrentLink, filepath.FromSlash(p.Name))) || !d.link(p.Name)) {
			missing = append(missing, p)
		}
	}
	err := parallel.Each(ctx, fetchJobs, len(missing), func(_, i int) error { return d.part(ctx, missing[i]) })
	if err != nil {
		return err
	}
	return syncPath(d.path(release.PartsDir))
}

// fill completes an environment by a file, if that is its part.
func (d *download) fill(p release.PartFile, path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && d.m.Fill(p, text) == nil
}

// part fetches a part.
func (d *download) part(ctx context.Context, p release.PartFile) error {
	text, _, err := d.cfg.Store.ReadAll(ctx, d.key(p.Name), store.GetOptions{Max: p.Bytes})
	if err == nil {
		d.filling.Lock()
		err = d.m.Fill(p, text)
		d.filling.Unlock()
	}
	if err == nil {
		err = writeVerified(d.path(p.Name), text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	return nil
}

// link links a file of the current release, unless an earlier attempt left it. It reports whether the file exists now.
func (d *download) link(name string) bool {
	if _, err := os.Lstat(d.path(name)); err == nil {
		return true
	}
	return os.Link(d.dir.path(release.CurrentLink, filepath.FromSlash(name)), d.path(name)) == nil
}

// take takes a snapshot that this machine has, or notes that it is wanted. Files can decay on the disk: with verify each
// is read before.
func (d *download) take(w wanted, known map[string]bool) {
	if d.cfg.WithoutSnapshots {
		return
	}
	known[w.File] = true
	path := d.path(w.File)
	if d.link(w.File) {
		if !d.verify {
			d.unread++
			d.fetchedSnapshots.Inc(formLinked)
			return
		}
		if matches(path, w.Snapshot) {
			return
		}
		_ = os.Remove(path) // a file that cannot be removed is found when it is renamed
	}
	d.wanted = append(d.wanted, w)
}

// discard removes what an attempt for another release left.
func (d *download) discard(known map[string]bool) error {
	entries, err := os.ReadDir(d.temp)
	for _, e := range entries {
		if name := e.Name(); name != release.SnapshotDir && name != release.PartsDir {
			err = errors.Join(err, os.RemoveAll(d.path(name)))
		}
	}
	for _, dir := range []string{release.SnapshotDir, release.PartsDir} {
		entries, e := os.ReadDir(d.path(dir))
		if e != nil && !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
		for _, e := range entries {
			if name := dir + "/" + e.Name(); !known[unfinished(name)] {
				err = errors.Join(err, os.RemoveAll(d.path(name)))
			}
		}
	}
	return err
}

// checkFreeSpace verifies that the disk has room. Without room for the additional files of other forms, it allows only
// whole snapshots.
func (d *download) checkFreeSpace(more int64) error {
	need, largest := more, int64(0)
	for _, w := range d.wanted {
		if need += w.Bytes; need < 0 || w.Bytes < 0 {
			return errors.New("the sizes in the manifest overflow")
		}
		largest = max(largest, w.Bytes)
	}
	disk, err := diskOf(string(d.dir))
	if err != nil {
		return err
	}
	if need += need / reserveShare; need > disk.free {
		return fmt.Errorf("not enough disk space in %s: %d bytes needed, %d free", d.dir, need, disk.free)
	}
	d.forms = largest < (disk.free-need)/fetchJobs
	return nil
}
