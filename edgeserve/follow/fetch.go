// This file brings a release's manifest and snapshots from the store into the
// directory's temporary place, and proves them on their way. A transfer that is cut goes
// on where it was; what turns out to be wrong begins again with the next attempt.

package follow

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

	"contentedge/edgeserve/release"
	"contentedge/edgeserve/store"
)

// spare is what a fetch leaves free on the disk, in bytes.
const spare = 16 << 20

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// fetch brings the release that p names into the temporary place, durable, and gives
// its path.
func (f *Follower) fetch(ctx context.Context, p *release.Pointer) (string, error) {
	root := release.ReleasesDir + "/" + p.Build + "/"
	raw, err := f.manifest(ctx, root, p)
	if err != nil {
		return "", err
	}
	m, err := release.Parse(raw)
	if err != nil {
		return "", err
	}
	if m.Build != p.Build {
		return "", fmt.Errorf("its manifest is that of build %s", m.Build)
	}
	temp, err := f.dir.temp()
	if err != nil {
		return "", err
	}
	wanted, err := f.reuse(temp, m)
	if err != nil {
		return "", err
	}
	if err := f.room(wanted, int64(len(raw))); err != nil {
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

// manifest reads the manifest that the pointer is about.
func (f *Follower) manifest(ctx context.Context, root string, p *release.Pointer) ([]byte, error) {
	obj, err := f.cfg.Store.Get(ctx, root+release.ManifestName, store.GetOptions{Max: p.ManifestBytes})
	if err != nil {
		return nil, err
	}
	defer func() { _ = obj.Close() }()
	b, err := io.ReadAll(obj)
	if err != nil {
		return nil, err
	}
	if int64(len(b)) != p.ManifestBytes || sumOf(b) != p.ManifestSHA256 {
		return nil, errors.New("its manifest is not the one that the pointer means")
	}
	return b, nil
}

// reuse links snapshots that the current release has too, and gives the others. What it
// links is proven anew: the disk had it for long.
func (f *Follower) reuse(temp string, m *release.Manifest) (wanted []release.Snapshot, err error) {
	for _, e := range m.Environments {
		to := filepath.Join(temp, filepath.FromSlash(e.Snapshot.File))
		from := f.dir.path(release.CurrentLink, filepath.FromSlash(e.Snapshot.File))
		if !holds(from, e.Snapshot) || os.Link(from, to) != nil {
			wanted = append(wanted, e.Snapshot)
		}
	}
	return wanted, nil
}

// holds tells whether a file is a snapshot, whole.
func holds(path string, s release.Snapshot) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(file, s.Bytes+1))
	return err == nil && n == s.Bytes && hex.EncodeToString(h.Sum(nil)) == s.SHA256
}

// room refuses a release that the disk has no place for.
func (f *Follower) room(wanted []release.Snapshot, more int64) error {
	need := more + spare
	for _, s := range wanted {
		if need += s.Bytes; need < 0 || s.Bytes < 0 {
			return errors.New("its manifest names more bytes than there are")
		}
	}
	free, err := freeBytes(string(f.dir))
	if err != nil {
		return err
	}
	if need > free {
		return fmt.Errorf("no room: it needs %d bytes in %s, %d are free", need, f.dir, free)
	}
	return nil
}

// snapshot fetches one snapshot, in as many transfers as it takes while each of them
// brings some of it.
func (f *Follower) snapshot(ctx context.Context, root, temp string, s release.Snapshot) error {
	file, err := create(filepath.Join(temp, filepath.FromSlash(s.File)))
	if err != nil {
		return err
	}
	h := sha256.New()
	err = f.transfers(ctx, root+s.File, s.Bytes, file, h)
	if err == nil && hex.EncodeToString(h.Sum(nil)) != s.SHA256 {
		err = errors.New("its SHA-256 is not the one in the manifest")
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// transfers copies an object of the given size to a file and a digest.
func (f *Follower) transfers(ctx context.Context, key string, size int64, file *os.File, h hash.Hash) error {
	for at := int64(0); at < size; {
		n, err := f.transfer(ctx, key, at, size, io.MultiWriter(file, h))
		at += n
		switch {
		case at == size && err == nil:
			return nil
		case err == nil:
			return fmt.Errorf("it ends after %d of %d bytes", at, size)
		case n == 0 || !store.Temporary(err):
			return err
		}
	}
	return nil
}

// transfer copies an object from an offset on, as far as it comes.
func (f *Follower) transfer(ctx context.Context, key string, at, size int64, w io.Writer) (int64, error) {
	obj, err := f.cfg.Store.Get(ctx, key, store.GetOptions{Offset: at, Max: size - at})
	if err != nil {
		return 0, err
	}
	defer func() { _ = obj.Close() }()
	return io.Copy(w, obj)
}
