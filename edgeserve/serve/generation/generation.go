// Package generation holds a release open while it is served. A generation is verified before a
// request sees it. The last reader closes it, as its snapshots are mapped memory.
package generation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// Generation is a release held open. Acquire and Release bracket every use.
type Generation struct {
	Manifest    *release.Manifest
	Fingerprint Fingerprint
	root        *os.Root // the release's directory: files are opened inside it only
	Readers     map[string]*snapshot.Reader
	// Stats are the last ones of the snapshot files, in the manifest's order. Once the generation
	// is served, only the poll uses them.
	Stats        []os.FileInfo
	SnapshotOnly bool // there are no page files, only manifest and snapshots

	refs    atomic.Int64 // one for whoever opened it, one for each reader
	OnClose func()       // called once, after closing; nil: nobody is told
}

// Fingerprint identifies a release without reading it: its directory and its manifest file.
type Fingerprint struct {
	Dir  string
	Info os.FileInfo
}

// Same reports whether two fingerprints are of one release.
func (m Fingerprint) Same(o Fingerprint) bool {
	if m.Info == nil || o.Info == nil {
		return m.Info == nil && o.Info == nil
	}
	return m.Dir == o.Dir && os.SameFile(m.Info, o.Info) &&
		m.Info.Size() == o.Info.Size() && m.Info.ModTime().Equal(o.Info.ModTime())
}

// Find returns the fingerprint of the release that a public directory links to now.
func Find(public string) (Fingerprint, error) {
	path, err := filepath.EvalSymlinks(filepath.Join(public, release.ManifestName))
	if err != nil {
		return Fingerprint{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return Fingerprint{}, err
	}
	return Fingerprint{Dir: filepath.Dir(path), Info: info}, nil
}

// Open opens the release that dir/manifest.json leads to and verifies it: the manifest, and of each
// snapshot size, digest, structure and environment. The caller holds the one reference.
func Open(dir string) (*Generation, error) {
	g, err := OpenUnverified(dir)
	if err != nil {
		return nil, err
	}
	if err := g.VerifyDigests(context.Background()); err != nil {
		g.Release()
		return nil, err
	}
	return g, nil
}

// OpenUnverified is Open without the slow digests, which VerifyDigests adds. They find little: the
// snapshot's own checksums cover every byte and are verified here, and its environment, size and
// number of items compared with the manifest. What remains is a valid snapshot of another name.
func OpenUnverified(dir string) (*Generation, error) {
	m, err := Find(dir)
	if err != nil {
		return nil, fmt.Errorf("no release in %s: %w", dir, err)
	}
	g := &Generation{Fingerprint: m, Readers: map[string]*snapshot.Reader{}}
	g.refs.Store(1)
	if err := g.openRelease(); err != nil {
		g.Release()
		return nil, fmt.Errorf("release %s: %w", m.Dir, err)
	}
	return g, nil
}

func (g *Generation) openRelease() error {
	var err error
	if g.root, err = os.OpenRoot(g.Fingerprint.Dir); err != nil {
		return err
	}
	_, err = g.root.Stat(release.FilesLink)
	g.SnapshotOnly = errors.Is(err, fs.ErrNotExist)
	raw, err := g.read(release.ManifestName, release.MaxManifest)
	if err != nil {
		return err
	}
	if g.Manifest, err = release.Parse(raw); err != nil {
		return err
	}
	return g.openSnapshots()
}

// openSnapshots opens and verifies all snapshots, on all processors: nothing is served before.
func (g *Generation) openSnapshots() error {
	envs := g.Manifest.Environments
	readers := make([]*snapshot.Reader, len(envs))
	g.Stats = make([]os.FileInfo, len(envs))
	errs := make([]error, len(envs))
	snapshot.Parallel(len(envs), func(i int) {
		if g.Stats[i], errs[i] = g.Stat(envs[i]); errs[i] != nil {
			return
		}
		if readers[i], errs[i] = g.openSnapshot(envs[i]); errs[i] != nil {
			errs[i] = fmt.Errorf("%s: %w", envs[i].Snapshot.File, errs[i])
		}
	})
	for i, r := range readers {
		if r != nil {
			g.Readers[envs[i].ID] = r
		}
	}
	return cmp.Or(errs...)
}

// VerifyDigests compares the snapshots with the digests in the manifest, until ctx ends. It runs
// beside requests, so it uses one processor and yields on it.
func (g *Generation) VerifyDigests(ctx context.Context) error {
	for _, env := range g.Manifest.Environments {
		if err := g.checkDigest(ctx, env.Snapshot); err != nil {
			return fmt.Errorf("release %s: %s: %w", g.Fingerprint.Dir, env.Snapshot.File, err)
		}
	}
	return nil
}

// openSnapshot maps a snapshot and verifies all but its digest. Close r even after an error.
func (g *Generation) openSnapshot(env release.Environment) (r *snapshot.Reader, err error) {
	defer snapshot.Recover(&err) // the file may be cut while it is read
	r, err = snapshot.Open(filepath.Join(g.Fingerprint.Dir, filepath.FromSlash(env.Snapshot.File)))
	if err != nil {
		return nil, err
	}
	if err := r.Verify(admission.Yield); err != nil { // no Yielder: several goroutines would share it
		return r, err
	}
	if r.Env() != env.ID || r.Size() != env.Snapshot.Bytes || r.Items() != env.Items {
		return r, fmt.Errorf("it holds %d items of environment %q in %d bytes, the manifest says %d items of %q in %d bytes",
			r.Items(), r.Env(), r.Size(), env.Items, env.ID, env.Snapshot.Bytes)
	}
	return r, nil
}

// Stat describes a snapshot's file.
func (g *Generation) Stat(env release.Environment) (os.FileInfo, error) {
	return g.root.Stat(filepath.FromSlash(env.Snapshot.File))
}

// checkDigest compares a snapshot with its digest. It reads the file, not the mapping: the pages
// are warm and do not count as the process's memory.
func (g *Generation) checkDigest(ctx context.Context, want release.Snapshot) error {
	f, err := g.root.OpenFile(filepath.FromSlash(want.File), readOnly, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(&admission.YieldingReader{Ctx: ctx, Reader: f}, want.Bytes+1))
	if err != nil {
		return err
	}
	if n != want.Bytes {
		return fmt.Errorf("its size is not the %d bytes the manifest says", want.Bytes)
	}
	if hex.EncodeToString(h.Sum(nil)) != want.SHA256 {
		return errors.New("its SHA-256 is not the one in the manifest")
	}
	return nil
}

// Build is the release's identity.
func (g *Generation) Build() string { return g.Manifest.Build }

// Acquire takes a reference. False: the generation is closed, as a count of zero never rises again.
func (g *Generation) Acquire() bool {
	for {
		n := g.refs.Load()
		if n == 0 {
			return false
		}
		if g.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Release drops a reference; the last one closes the generation.
func (g *Generation) Release() {
	if g.refs.Add(-1) == 0 {
		g.close()
	}
}

func (g *Generation) close() {
	for _, r := range g.Readers {
		_ = r.Close()
	}
	if g.root != nil {
		_ = g.root.Close()
	}
	if g.OnClose != nil {
		g.OnClose()
	}
}

// ListDefaults are the build's defaults for list parameters.
func (g *Generation) ListDefaults() address.Defaults {
	d := g.Manifest.Defaults
	return address.Defaults{Sort: d.Sort, Asc: d.Asc, Size: d.PageSize}
}

// readOnly does not wait for the other end of a pipe or a device.
const readOnly = os.O_RDONLY | syscall.O_NONBLOCK

// OpenFile opens a regular file of the release, of at most limit bytes, and returns its size. A
// build may reuse the directory of an old release: then the old release has no files.
func (g *Generation) OpenFile(name string, limit int64) (*os.File, int64, error) {
	f, err := g.root.OpenFile(filepath.FromSlash(name), readOnly, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil {
		err = g.CheckCurrent()
	}
	if err == nil && (!info.Mode().IsRegular() || info.Size() > limit) {
		err = fmt.Errorf("%s is not a file of at most %d bytes", name, limit)
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// ErrRemoved says that the directory belongs to another release now.
var ErrRemoved = fmt.Errorf("the release was removed: %w", fs.ErrNotExist)

// CheckCurrent returns ErrRemoved unless the release's manifest is still there. A build removes it
// before it replaces files, so a file that was opened before this check is the release's.
func (g *Generation) CheckCurrent() error {
	info, err := g.root.Stat(release.ManifestName)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !g.Fingerprint.Same(Fingerprint{Dir: g.Fingerprint.Dir, Info: info}) {
		return ErrRemoved
	}
	return err
}

func (g *Generation) read(name string, limit int64) ([]byte, error) {
	f, size, err := g.OpenFile(name, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	body := make([]byte, size)
	if _, err := io.ReadFull(f, body); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return body, nil
}
