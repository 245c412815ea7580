// This file reads snapshots of a store, to compare the items of releases whose files the store does not have.

package ship

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
	"contentedge/generator/checksums"
	"contentedge/generator/diff"
)

// BySnapshots reports whether the store has no list of the release's files: its items are compared by its snapshots.
func (r *Stored) BySnapshots() bool { return r.kind == release.KindNodes }

// Side returns the release for diff.ItemLists. It reads only the parts of the manifest that like, the other release,
// does not have.
func (r *Stored) Side(ctx context.Context, like *release.Manifest) (diff.Side, error) {
	return sideOf(ctx, r.s, r.Manifest, r.Raw, like)
}

func sideOf(ctx context.Context, s *store.Store, m *release.Manifest, raw []byte, like *release.Manifest) (diff.Side, error) {
	m.Missing(like) // environments are carried over
	err := fillLike(ctx, s, release.KindNodes, m, like)
	if isDamaged(err) {
		err = fillLike(ctx, s, release.KindComplete, m, like)
	}
	open := func(ctx context.Context, e *release.Environment) (*snapshot.Reader, error) {
		r, err := openStored(ctx, s, release.KindNodes.ObjectKey(m.Build, e.Snapshot.File), e.Snapshot)
		if errors.Is(err, store.ErrNotFound) {
			r, err = openStored(ctx, s, release.KindComplete.ObjectKey(m.Build, e.Snapshot.File), e.Snapshot)
		}
		return r, err
	}
	return diff.Side{Raw: raw, Manifest: m, Open: open}, err
}

// openStored opens a snapshot of a store. It copies the snapshot to a file without a name.
func openStored(ctx context.Context, s *store.Store, key string, want release.Snapshot) (*snapshot.Reader, error) {
	file, err := os.CreateTemp("", "contentedge-snapshot-")
	if err != nil {
		return nil, err
	}
	defer func() {
		_ = file.Close() // nothing reads it by this descriptor
		_ = os.Remove(file.Name())
	}()
	h := sha256.New()
	_, err = again(ctx, func() (struct{}, error) {
		h.Reset()
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return struct{}{}, err
		}
		obj, err := s.Get(ctx, key, store.GetOptions{Max: want.Bytes})
		if err != nil {
			return struct{}{}, err
		}
		defer func() { _ = obj.Close() }()
		_, err = io.Copy(io.MultiWriter(file, h), obj)
		return struct{}{}, err
	})
	if err == nil && hex.EncodeToString(h.Sum(nil)) != want.SHA256 {
		err = fmt.Errorf("%w: %s/%s is not what the manifest says", release.ErrManifest, s, key)
	}
	if err != nil {
		return nil, err
	}
	return snapshot.Open(file.Name())
}

// withoutFiles is the list of a release of which only the manifest exists.
func withoutFiles(m *release.Manifest, raw []byte) (*checksums.List, error) {
	bare := *m
	bare.Checksums = release.Checksums{SHA256: release.HexSHA256(nil)}
	return checksums.InMemory(raw, &bare, nil)
}

// HasItem reports whether the release has an item: by its file, which has at most max bytes, or by the snapshot if the store
// has no files of items.
func (r *Stored) HasItem(ctx context.Context, env, id string, max int64) (bool, error) {
	if !r.BySnapshots() {
		text, err := r.Read(ctx, address.ItemFile(env, id), max)
		return text != nil, err
	}
	side, err := r.Side(ctx, nil)
	if err != nil {
		return false, err
	}
	e := side.Manifest.Environment(env)
	if e == nil {
		return false, nil
	}
	snap, err := side.Open(ctx, e)
	if err != nil {
		return false, err
	}
	_, found := snap.Lookup(id)
	return found, snap.Close()
}
