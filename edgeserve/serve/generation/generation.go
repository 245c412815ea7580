// Package generation holds a release open while it is served. A generation is verified before a
// request sees it. The last reader closes it, as its snapshots are mapped memory.
package generation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/wire/release"
)

// Generation is a release held open. Acquire and Release bracket every use.
type Generation struct {
	Dir releasedir.Dir
	// Content answers requests for the content; nil means that the snapshots do.
	Content *answer.Release

	refs    atomic.Int64 // one for its opener, one for each reader
	OnClose func()       // called once, after closing; may be nil
}

// Open opens the release that dir/manifest.json leads to and verifies it: the manifest, and of each snapshot size,
// digest, structure and environment. It shares unchanged snapshots, which are verified already, with before, which the
// caller holds; or nil. The caller holds the only reference.
func Open(dir string, before *Generation) (*Generation, error) {
	g, err := OpenUnverified(dir, before)
	if err != nil {
		return nil, err
	}
	if err := g.VerifyDigests(context.Background()); err != nil {
		g.Release()
		return nil, err
	}
	return g, nil
}

// OpenUnverified is Open without the slow digests, which VerifyDigests adds.
func OpenUnverified(dir string, before *Generation) (*Generation, error) {
	d, err := releasedir.OpenAfter(before.dir(), dir, admission.Yield)
	return hold(d, err)
}

// OpenFields is Open for a release whose items are found elsewhere: no snapshot is opened, or need be there.
func OpenFields(dir string, before *Generation) (*Generation, error) {
	d, err := releasedir.OpenFieldsAfter(before.dir(), dir)
	return hold(d, err)
}

// dir is the release of a generation, which may be nil.
func (g *Generation) dir() *releasedir.Dir {
	if g == nil {
		return nil
	}
	return &g.Dir
}

func hold(d *releasedir.Dir, err error) (*Generation, error) {
	if err != nil {
		return nil, err
	}
	g := &Generation{Dir: *d}
	g.refs.Store(1)
	return g, nil
}

// VerifyDigests compares the snapshots with the digests in the manifest, until ctx ends, except the snapshots that were
// compared since they were opened. It runs during requests, so it uses one processor and yields on it.
func (g *Generation) VerifyDigests(ctx context.Context) error {
	var errs []error
	for i, s := range g.Dir.Snapshots {
		env := &g.Dir.Manifest.Environments[i]
		if s.HasDigest() {
			continue
		}
		if err := g.checkDigest(ctx, env.Snapshot); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", env.Snapshot.File, err))
		} else {
			s.SetHasDigest()
		}
		if ctx.Err() != nil {
			break
		}
	}
	if err := releasedir.Join(errs...); err != nil {
		return fmt.Errorf("release %s: %w", g.Dir.Fingerprint.Dir, err)
	}
	return nil
}

// checkDigest compares a snapshot with its digest. It reads the file, not the mapping: the pages
// are warm and do not count as the process's memory.
func (g *Generation) checkDigest(ctx context.Context, want release.Snapshot) error {
	f, err := g.Dir.OpenSnapshotFile(want)
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
	g.Dir.Close()
	if g.OnClose != nil {
		g.OnClose()
	}
}
