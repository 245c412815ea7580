// This file downloads a media file from the releases of the store that may have it.

package follow

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// rightFirst puts the keys of objects that were wrong after the others.
func (c *mediaCache) rightFirst(keys []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.SortStableFunc(keys, func(a, b string) int {
		switch {
		case c.wrong[a] == c.wrong[b]:
			return 0
		case c.wrong[a]:
			return 1
		}
		return -1
	})
}

// noteWrong notes that the object of keys[0] is wrong, and reports whether there is another that is not known to be.
func (c *mediaCache) noteWrong(keys []string) (another bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.wrong) >= maxRefused {
		clear(c.wrong)
	}
	c.wrong[keys[0]] = true
	return len(keys) > 1 && !c.wrong[keys[1]]
}

// fetch downloads a file of the current release of this node, or of the previous one. A store that does not let the
// node list keys refuses keys that it lacks.
func (c *mediaCache) fetch(ctx context.Context, name string, f *flight) error {
	var refused error
	builds, err := c.builds(ctx, name)
	if err != nil {
		return err
	}
	keys := c.f.dir.mediaKeys(builds, name)
	c.rightFirst(keys)
	for i, key := range keys {
		err := c.download(ctx, key, name, f)
		another := errors.Is(err, errNotWhole) && c.noteWrong(keys[i:])
		other := errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrDenied) || errors.Is(err, errNotWhole)
		switch {
		case other && f.abandon():
		case another: // clients have a part of the wrong file
			return fmt.Errorf("%w: %w", err, errNextTry)
		default:
			return err
		}
		if !errors.Is(err, store.ErrNotFound) {
			refused = cmp.Or(refused, err)
		}
	}
	return cmp.Or(refused, fs.ErrNotExist)
}

// builds are the releases that may have a file: with a trust file the newest that names it, otherwise the current one
// and the previous one.
func (c *mediaCache) builds(ctx context.Context, name string) (builds []string, err error) {
	if c.f.policy.Load() == nil {
		return c.f.dir.linked(), nil
	}
	for i, r := range c.f.vouched() {
		named, err := c.lists.names(ctx, r, name)
		if i > 0 && errors.Is(err, store.ErrNotFound) { // the release before was collected
			continue
		}
		if named || err != nil {
			return []string{r.build}, err
		}
	}
	return nil, nil
}

// download gives the bytes of an object to a flight, and brings them into the directory, if the object is the file of the
// name and the disk has room for it.
func (c *mediaCache) download(ctx context.Context, key, name string, f *flight) error {
	obj, err := c.f.cfg.Store.Get(ctx, key, store.GetOptions{Max: address.MaxMedia})
	if err != nil {
		return err
	}
	if obj.Bytes > address.MaxMedia {
		return errors.Join(fmt.Errorf("%s: %w", key, store.ErrTooLarge), obj.Close())
	}
	temp, full := c.create(obj.Bytes)
	if full == nil {
		defer func() { _ = os.Remove(temp.Name()) }() // it has another name if all went well
	}
	f.begin(temp, full, obj.Bytes)
	if err := c.copy(ctx, key, obj, f); err != nil {
		return err
	}
	if !address.MediaDigest(path.Join(release.MediaDir, name), [sha256.Size]byte(f.digest.Sum(nil))) {
		return fmt.Errorf("%w: %s", errNotWhole, key)
	}
	f.verify()
	if f.isStored() {
		if err := c.install(temp, name); err != nil {
			f.reject(err)
		}
	}
	return nil
}

// create creates a file for size bytes. It leaves the reserve of the next release free.
func (c *mediaCache) create(size int64) (*os.File, error) {
	if err := os.MkdirAll(c.root, dirMode); err != nil {
		return nil, err
	}
	if disk, err := diskOf(c.root); err == nil && size > disk.free-c.f.reserve.Load() {
		return nil, fmt.Errorf("not enough disk space in %s: %d bytes needed, %d free of which %d are a reserve", c.root, size, disk.free, c.f.reserve.Load())
	}
	return os.CreateTemp(c.root, release.TempPrefix)
}

// install gives a verified file its name.
func (c *mediaCache) install(temp *os.File, name string) error {
	final := filepath.Join(c.root, filepath.FromSlash(name))
	err := errors.Join(temp.Chmod(fileMode), temp.Sync()) // after a power failure nothing verifies it again
	if err == nil {
		err = os.MkdirAll(filepath.Dir(final), dirMode)
	}
	if err == nil {
		err = os.Rename(temp.Name(), final)
	}
	if err != nil {
		_ = os.Remove(filepath.Dir(final)) // unless another name is in it
	}
	return err
}

// copy copies an object. It resumes for as long as each transfer adds bytes.
func (c *mediaCache) copy(ctx context.Context, key string, obj *store.Object, to *flight) error {
	whole := obj.Bytes
	for size := int64(0); ; {
		n, err := io.Copy(to, obj)
		_ = obj.Close()
		if size += n; err == nil && whole >= 0 && size != whole {
			err = fmt.Errorf("%w: %s has %d bytes instead of %d", errNotWhole, key, size, whole)
		}
		if err == nil || n == 0 || !store.Temporary(err) {
			return err
		}
		if obj, err = c.f.cfg.Store.Get(ctx, key, store.GetOptions{Offset: size, Max: address.MaxMedia - size}); err != nil {
			return err
		}
	}
}
