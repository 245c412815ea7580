// This file makes the forms of one snapshot. Files are mapped or in temporary files, so that a large snapshot takes no
// memory of its size.

package ship

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/delta"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// formMaker makes the forms of a snapshot.
type formMaker struct {
	w    *writer
	l    *local
	dir  string // for temporary files
	plan formPlan

	done Forms
}

func (m *formMaker) make(ctx context.Context) error {
	in, err := m.l.root.Open(m.plan.snapshot.File)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	if m.plan.compressed == 0 {
		if err := m.compress(ctx, in); err != nil {
			return err
		}
	}
	if m.plan.compressed == 0 || len(m.plan.from) == 0 { // it compresses badly: so would patches
		return nil
	}
	data, unmap, err := snapshot.MapFile(in)
	if err != nil {
		return err
	}
	defer func() { _ = unmap() }()
	var errs []error
	for _, base := range m.plan.from {
		if err := m.patch(ctx, base, data); err != nil {
			errs = append(errs, fmt.Errorf("the patch from %s: %w", base.Sum, err))
		}
	}
	return errors.Join(errs...)
}

// formObject is an object in a temporary file.
type formObject struct {
	*os.File
	digest hash.Hash
	bytes  int64
}

// newObject makes an object. The caller removes it.
func (m *formMaker) newObject() (*formObject, error) {
	f, err := os.CreateTemp(m.dir, "")
	if err != nil {
		return nil, err
	}
	return &formObject{File: f, digest: sha256.New()}, nil
}

// Write adds bytes and counts them.
func (o *formObject) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	o.digest.Write(b[:n])
	o.bytes += int64(n)
	return n, err
}

func (o *formObject) remove() { _ = errors.Join(o.Close(), os.Remove(o.Name())) }

func (o *formObject) put(ctx context.Context, s *store.Store, key string) error {
	_, err := put(ctx, s, key, o.File, o.bytes, store.PutOptions{ContentType: "application/octet-stream",
		CacheControl: release.CacheControl(release.ClassSnapshot), SHA256: hex.EncodeToString(o.digest.Sum(nil))})
	return err
}

// compress sends the compressed snapshot, unless it saves too little.
func (m *formMaker) compress(ctx context.Context, in io.Reader) error {
	o, err := m.newObject()
	if err != nil {
		return err
	}
	defer o.remove()
	zip := compression.NewZstdWriter(o)
	_, err = io.Copy(zip, &untilEnd{ctx, in})
	if err = errors.Join(err, zip.Close()); err != nil || o.bytes > m.plan.snapshot.MaxCompressed() {
		return err
	}
	if err := o.put(ctx, m.w.Store, release.CompressedKey(m.plan.env, m.plan.snapshot)); err != nil {
		return err
	}
	m.plan.compressed = o.bytes
	m.done.add(Forms{Compressed: 1, CompressedBytes: o.bytes})
	return nil
}

// patch sends the patch from a base, unless it saves too little.
func (m *formMaker) patch(ctx context.Context, base formBase, data []byte) error {
	from, err := m.open(ctx, base)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	old, unmap, err := snapshot.MapFile(from)
	if err != nil {
		return err
	}
	defer func() { _ = unmap() }()
	if sum := sha256.Sum256(old); hex.EncodeToString(sum[:len(base.Sum)/2]) != base.Sum {
		return errNoBase
	}
	o, err := m.newObject()
	if err != nil {
		return err
	}
	defer o.remove()
	err = delta.Make(o, old, data, min(m.plan.compressed/patchShare, m.plan.snapshot.MaxPatch()))
	if errors.Is(err, delta.ErrLarge) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := o.put(ctx, m.w.Store, base.patchTo(m.plan.snapshot)); err != nil {
		return err
	}
	m.done.add(Forms{Patches: 1, PatchBytes: o.bytes})
	return nil
}

// open opens the base snapshot from a sibling release, or else from the store.
func (m *formMaker) open(ctx context.Context, base formBase) (*os.File, error) {
	if releases := filepath.Dir(m.l.Dir); filepath.Base(releases) == release.ReleasesDir {
		builds, _ := os.ReadDir(releases) // without it the base is fetched
		for _, build := range builds {
			if f, err := os.Open(filepath.Join(releases, build.Name(), filepath.FromSlash(base.SnapshotName()))); err == nil {
				return f, nil
			}
		}
	}
	return m.fetch(ctx, base)
}

// fetch fetches a base into a temporary file, whose directory is removed in the end. It refuses a base that is more
// than twice as large.
func (m *formMaker) fetch(ctx context.Context, base formBase) (*os.File, error) {
	f, err := os.CreateTemp(m.dir, "")
	if err != nil {
		return nil, err
	}
	_, err = again(ctx, func() (struct{}, error) { return struct{}{}, m.copyBase(ctx, base, f) })
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (m *formMaker) copyBase(ctx context.Context, base formBase, f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	o, err := m.w.Store.Get(ctx, base.key, store.GetOptions{Max: base.max})
	if err != nil {
		return err
	}
	defer func() { _ = o.Close() }()
	in := io.Reader(o)
	if base.key == base.String() {
		zip, err := compression.NewZstdReader(o)
		if err != nil {
			return err
		}
		defer func() { _ = zip.Close() }()
		in = zip
	}
	most := 2 * m.plan.snapshot.Bytes
	if n, err := io.Copy(f, io.LimitReader(in, most+1)); err != nil || n <= most {
		return err
	}
	return fmt.Errorf("%w: it has more than %d bytes", errNoBase, most)
}

// untilEnd reads until a context ends.
type untilEnd struct {
	ctx context.Context
	io.Reader
}

func (r *untilEnd) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}
