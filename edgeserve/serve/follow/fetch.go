// This file downloads and verifies a release's manifest and snapshots. Interrupted transfers
// resume; the next attempt fetches a file with wrong content again.

package follow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// diskReserve is how many bytes a fetch leaves free on the disk.
const diskReserve = 16 << 20

// fetch downloads the release of p, syncs it and returns its temporary directory.
func (f *Follower) fetch(ctx context.Context, p *release.Pointer) (string, error) {
	root := release.ReleasesDir + "/" + p.Build + "/"
	raw, err := f.manifest(ctx, root, p)
	if err != nil {
		return "", err
	}
	m, err := release.ParseRows(raw)
	if err != nil {
		return "", err
	}
	if m.Build != p.Build {
		return "", fmt.Errorf("%w: the manifest names build %s", ErrContent, m.Build)
	}
	temp, err := f.dir.newTemp()
	if err != nil {
		return "", err
	}
	if err := f.parts(ctx, root, temp, m); err != nil {
		return "", err
	}
	wanted := f.linkUnchanged(temp, m)
	if err := f.checkFreeSpace(wanted, int64(len(raw))); err != nil {
		return "", err
	}
	for _, s := range wanted {
		if err := f.snapshot(ctx, root, temp, s); err != nil {
			return "", fmt.Errorf("%s: %w", s.File, err)
		}
	}
	if err := writeNew(filepath.Join(temp, release.ManifestName), raw); err != nil {
		return "", err
	}
	return temp, errors.Join(syncPath(filepath.Join(temp, release.SnapshotDir)), syncPath(temp))
}

func (f *Follower) manifest(ctx context.Context, root string, p *release.Pointer) ([]byte, error) {
	b, _, err := f.cfg.Store.ReadAll(ctx, root+release.ManifestName, store.GetOptions{Max: p.ManifestBytes})
	if err != nil {
		return nil, err
	}
	if int64(len(b)) != p.ManifestBytes || release.HexSHA256(b) != p.ManifestSHA256 {
		return nil, fmt.Errorf("%w: the manifest does not match the digest in the pointer", ErrContent)
	}
	return b, nil
}

// parts brings the parts of a manifest, those of the current release by a hard link, and completes the manifest. What
// the machine has is verified as what arrives is.
func (f *Follower) parts(ctx context.Context, root, temp string, m *release.Manifest) error {
	parts := m.Missing(nil)
	if len(parts) == 0 {
		return nil
	}
	dir := filepath.Join(temp, release.PartsDir)
	if err := os.Mkdir(dir, dirMode); err != nil {
		return err
	}
	for _, p := range parts {
		name := filepath.FromSlash(p.Name)
		from := f.dir.path(release.CurrentLink, name)
		if text, err := os.ReadFile(from); err == nil && m.Fill(p, text) == nil && os.Link(from, filepath.Join(temp, name)) == nil {
			continue
		}
		text, _, err := f.cfg.Store.ReadAll(ctx, root+p.Name, store.GetOptions{Max: p.Bytes})
		if err == nil {
			err = m.Fill(p, text)
		}
		if err == nil {
			err = writeNew(filepath.Join(temp, name), text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return syncPath(dir)
}

// linkUnchanged hard-links snapshots of the current release and returns those that it lacks. It
// hashes each before, because files can decay on disk.
func (f *Follower) linkUnchanged(temp string, m *release.Manifest) (wanted []release.Snapshot) {
	for _, e := range m.Environments {
		to := filepath.Join(temp, filepath.FromSlash(e.Snapshot.File))
		from := f.dir.path(release.CurrentLink, filepath.FromSlash(e.Snapshot.File))
		if !matches(from, e.Snapshot) || os.Link(from, to) != nil {
			wanted = append(wanted, e.Snapshot)
		}
	}
	return wanted
}

func matches(path string, s release.Snapshot) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(file, s.Bytes+1))
	return err == nil && n == s.Bytes && hex.EncodeToString(h.Sum(nil)) == s.SHA256
}

func (f *Follower) checkFreeSpace(wanted []release.Snapshot, more int64) error {
	need := more + diskReserve
	for _, s := range wanted {
		if need += s.Bytes; need < 0 || s.Bytes < 0 {
			return errors.New("the sizes in the manifest overflow")
		}
	}
	free, err := freeBytes(string(f.dir))
	if err != nil {
		return err
	}
	if need > free {
		return fmt.Errorf("not enough disk space in %s: %d bytes needed, %d free", f.dir, need, free)
	}
	return nil
}

// snapshot downloads one snapshot.
func (f *Follower) snapshot(ctx context.Context, root, temp string, s release.Snapshot) error {
	file, err := create(filepath.Join(temp, filepath.FromSlash(s.File)))
	if err != nil {
		return err
	}
	h := sha256.New()
	err = f.transfers(ctx, root+s.File, s.Bytes, io.MultiWriter(file, h))
	if err == nil && hex.EncodeToString(h.Sum(nil)) != s.SHA256 {
		err = fmt.Errorf("%w: the SHA-256 does not match the manifest", ErrContent)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// transfers copies an object of a known size. It resumes for as long as each transfer adds bytes.
func (f *Follower) transfers(ctx context.Context, key string, size int64, w io.Writer) error {
	for at := int64(0); at < size; {
		n, err := f.transfer(ctx, key, at, size, w)
		at += n
		switch {
		case at == size && err == nil:
			return nil
		case err == nil:
			return fmt.Errorf("%w: the transfer ended after %d of %d bytes", ErrContent, at, size)
		case n == 0 || !store.Temporary(err):
			return err
		}
	}
	return nil
}

func (f *Follower) transfer(ctx context.Context, key string, at, size int64, w io.Writer) (int64, error) {
	obj, err := f.cfg.Store.Get(ctx, key, store.GetOptions{Offset: at, Max: size - at})
	if err != nil {
		return 0, err
	}
	defer func() { _ = obj.Close() }()
	return io.Copy(w, obj)
}
