// This file holds a release open while it is being served. A generation is verified
// before anyone sees it and closed when its last reader leaves, never earlier: its
// snapshots are mapped memory.

package edgeserve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
	"contentedge/edgeserve/snapshot"
)

// Generation is a release held open. Acquire and Release bracket every use.
type Generation struct {
	manifest *release.Manifest
	mark     mark
	root     *os.Root // the release's directory: files are opened inside it only
	readers  map[string]*snapshot.Reader
	files    *cache
	fields   [release.Classes][]field // of prepared answers
	memory   *memory                  // the server's
	// stats are what the snapshots' files looked like last, in the manifest's order. Once the
	// generation is served they are the poll's.
	stats []os.FileInfo
	bare  bool // only manifest and snapshots are there: no file is looked for
	// Each tells the operator of the first file of its kind.
	missing, unreadable sync.Once

	refs    atomic.Int64 // one for whoever opened it, one for each reader
	onClose func()       // for tests; may be nil
}

// mark tells one release from another without reading it: where it lies, and which
// manifest lies there.
type mark struct {
	dir  string
	info os.FileInfo
}

// same reports whether two marks are of the same release.
func (m mark) same(o mark) bool {
	if m.info == nil || o.info == nil {
		return m.info == nil && o.info == nil
	}
	return m.dir == o.dir && os.SameFile(m.info, o.info) &&
		m.info.Size() == o.info.Size() && m.info.ModTime().Equal(o.info.ModTime())
}

// look finds the release that a public directory points to now.
func look(public string) (mark, error) {
	path, err := filepath.EvalSymlinks(filepath.Join(public, release.ManifestName))
	if err != nil {
		return mark{}, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return mark{}, err
	}
	return mark{dir: filepath.Dir(path), info: info}, nil
}

// OpenGeneration opens the release that dir/manifest.json leads to and verifies it:
// the manifest, and of each snapshot its size, its digest, its structure and the
// environment it is for. The caller holds the one reference to what it returns.
func OpenGeneration(dir string) (*Generation, error) {
	g, err := openUnproved(dir)
	if err != nil {
		return nil, err
	}
	if err := g.prove(context.Background()); err != nil {
		g.Release()
		return nil, err
	}
	return g, nil
}

// openUnproved is OpenGeneration without the digests, which prove adds. What it leaves
// out takes most of the time and finds little: every byte of a snapshot is under a
// checksum of the snapshot's own, which is looked at here, and its environment, size
// and number of items are compared with the manifest. That leaves a snapshot that was
// made with its checksums and put under another one's name.
func openUnproved(dir string) (*Generation, error) {
	m, err := look(dir)
	if err != nil {
		return nil, fmt.Errorf("no release in %s: %w", dir, err)
	}
	g := &Generation{mark: m, readers: map[string]*snapshot.Reader{}}
	g.refs.Store(1)
	if err := g.openRelease(); err != nil {
		g.Release()
		return nil, fmt.Errorf("release %s: %w", m.dir, err)
	}
	return g, nil
}

func (g *Generation) openRelease() error {
	var err error
	if g.root, err = os.OpenRoot(g.mark.dir); err != nil {
		return err
	}
	_, err = g.root.Stat(release.FilesLink)
	g.bare = errors.Is(err, fs.ErrNotExist)
	raw, err := g.read(release.ManifestName, release.MaxManifest)
	if err != nil {
		return err
	}
	if g.manifest, err = release.Parse(raw); err != nil {
		return err
	}
	return g.openSnapshots()
}

// openSnapshots opens and verifies all snapshots, on all processors: nobody is answered
// from the release before its last byte has been looked at.
func (g *Generation) openSnapshots() error {
	envs := g.manifest.Environments
	readers := make([]*snapshot.Reader, len(envs))
	g.stats = make([]os.FileInfo, len(envs))
	err := inParallel(len(envs), func(i int) (err error) {
		if g.stats[i], err = g.stat(envs[i]); err != nil {
			return err
		}
		if readers[i], err = g.openSnapshot(envs[i]); err != nil {
			return fmt.Errorf("%s: %w", envs[i].Snapshot.File, err)
		}
		return nil
	})
	for i, r := range readers {
		if r != nil {
			g.readers[envs[i].ID] = r
		}
	}
	return err
}

// prove compares the snapshots with the digests in the manifest, until ctx ends. It does
// so beside requests that are being answered, so it takes one processor at most and
// gives way on it.
func (g *Generation) prove(ctx context.Context) error {
	for _, env := range g.manifest.Environments {
		if err := g.checkDigest(ctx, env.Snapshot); err != nil {
			return fmt.Errorf("release %s: %s: %w", g.mark.dir, env.Snapshot.File, err)
		}
	}
	return nil
}

// openSnapshot maps a snapshot and proves that it is whole and is what the manifest
// says, its digest apart. The reader is to be closed even when there is an error.
func (g *Generation) openSnapshot(env release.Environment) (r *snapshot.Reader, err error) {
	// The file may be cut while it is read.
	debug.SetPanicOnFault(true)
	defer snapshot.Recover(&err)
	r, err = snapshot.Open(filepath.Join(g.mark.dir, filepath.FromSlash(env.Snapshot.File)))
	if err != nil {
		return nil, err
	}
	if err := r.Verify(giveWay); err != nil { // no pace: several goroutines would share it
		return r, err
	}
	if r.Env() != env.ID || r.Size() != env.Snapshot.Bytes || r.Items() != env.Items {
		return r, fmt.Errorf("it holds %d items of environment %q in %d bytes, the manifest says %d items of %q in %d bytes",
			r.Items(), r.Env(), r.Size(), env.Items, env.ID, env.Snapshot.Bytes)
	}
	return r, nil
}

// stat looks at a snapshot's file.
func (g *Generation) stat(env release.Environment) (os.FileInfo, error) {
	return g.root.Stat(filepath.FromSlash(env.Snapshot.File))
}

// inParallel does n tasks on all processors and returns the error of the first that
// has one.
func inParallel(n int, do func(task int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for task := next.Add(1) - 1; task < int64(n); task = next.Add(1) - 1 {
				errs[task] = do(int(task))
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkDigest proves that a snapshot is the one the manifest was written for. It reads
// the file instead of the mapping, so that the pages are warm but not the process's.
func (g *Generation) checkDigest(ctx context.Context, want release.Snapshot) error {
	f, err := g.root.OpenFile(filepath.FromSlash(want.File), readOnly, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(&polite{ctx: ctx, Reader: f}, want.Bytes+1))
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

// polite is a reader that gives way after each quantum, and ends with ctx.
type polite struct {
	ctx context.Context
	io.Reader
	pace pace
}

// Read fails once ctx has ended.
func (r *polite) Read(b []byte) (int, error) {
	r.pace.pause()
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

// Build is the release's identity.
func (g *Generation) Build() string { return g.manifest.Build }

// Acquire takes a reference. False means that the generation is closed already: a
// count that fell to zero never rises again.
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
	for _, r := range g.readers {
		_ = r.Close()
	}
	if g.root != nil {
		_ = g.root.Close()
	}
	if g.onClose != nil {
		g.onClose()
	}
}

// listDefaults are the build's defaults for list parameters.
func (g *Generation) listDefaults() address.Defaults {
	d := g.manifest.Defaults
	return address.Defaults{Sort: d.Sort, Asc: d.Asc, Size: d.PageSize}
}
