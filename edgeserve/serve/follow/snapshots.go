// This file fetches a snapshot: as a patch of the local one, compressed, or else whole. A writer of the store may write
// any patch. So a node believes only the digest of the snapshot, which the manifest has, bounds the bytes and the time
// of each form, and falls back to the next.

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
	"strings"
	"sync/atomic"
	"time"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/delta"
	"contentedge/edgeserve/wire/release"
	"contentedge/edgeserve/wire/store"
)

// The forms of a snapshot, in metrics. A linked snapshot belongs to the current release too.
const (
	formPatch      = "patch"
	formCompressed = "compressed"
	formWhole      = "whole"
	formLinked     = "linked"
)

const (
	// partSuffix ends the names of files that have not arrived whole, or were not verified yet.
	partSuffix = ".part"
	// unpackedSuffix ends the name of a snapshot that is being unpacked.
	unpackedSuffix = ".unpacked"

	// maxMisses is how many objects of a form a store may lack before a fetch stops asking for that form, if the store
	// had none: an older program publishes there.
	maxMisses = 8
	// maxFaults is how many objects may be wrong before a fetch takes only whole snapshots: more are an attack.
	maxFaults = 4
)

// formTime is the share of the time that is left which the download of a form may take: then there is time for the next.
func formTime(left time.Duration) time.Duration { return left / 3 }

// tally counts what a store had of a form.
type tally struct{ hits, misses atomic.Int32 }

func newTallies() map[string]*tally { return map[string]*tally{formPatch: {}, formCompressed: {}} }

// unfinished is the name of the file that a file of the temporary directory becomes.
func unfinished(name string) string {
	for _, suffix := range []string{unpackedSuffix, partSuffix, "." + formPatch, "." + formCompressed} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// form is a form of a snapshot.
type form struct {
	name   string
	key    string
	max    int64 // bytes
	unpack func(in *os.File, out io.Writer) error
	blame  func() error // why the result is another one, if it is not for what the store sent; nil if it is
}

// formsOf are the forms to ask for, the smallest first.
func (d *download) formsOf(w wanted) (all []form) {
	if !d.forms || w.Bytes < release.MinPatched {
		return nil
	}
	if from, path, ok := d.before(w); ok {
		all = append(all, form{formPatch, release.PatchKey(w.env, from, w.Snapshot), w.MaxPatch(),
			func(in *os.File, out io.Writer) error { return applyPatch(in, out, path, w.Bytes) },
			func() error {
				if matches(path, from) {
					return nil
				}
				return fmt.Errorf("%s on this machine is damaged", from.File)
			}})
	}
	return append(all, form{formCompressed, release.CompressedKey(w.env, w.Snapshot), w.MaxCompressed(), decompress, func() error { return nil }})
}

// before is the snapshot of the environment in the current release.
func (d *download) before(w wanted) (s release.Snapshot, path string, ok bool) {
	d.filling.Lock()
	defer d.filling.Unlock()
	e := d.old.Environment(w.env)
	if e == nil {
		return s, "", false
	}
	if file, missing := e.Missing(); missing {
		text, err := os.ReadFile(d.dir.path(release.CurrentLink, filepath.FromSlash(file.Name)))
		if err != nil || d.old.Fill(file, text) != nil {
			return s, "", false
		}
	}
	return e.Snapshot, d.dir.path(release.CurrentLink, filepath.FromSlash(e.Snapshot.File)), e.Snapshot.SHA256 != w.SHA256
}

// snapshot fetches a snapshot.
func (d *download) snapshot(ctx context.Context, w wanted) error {
	if err := d.anyForm(ctx, w); err != nil {
		return err
	}
	for _, name := range []string{formPatch, formCompressed} {
		if err := os.Remove(d.formPath(w, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d *download) anyForm(ctx context.Context, w wanted) error {
	for _, form := range d.formsOf(w) {
		if d.try(ctx, w, form) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return d.whole(ctx, w)
}

// formPath is the file of a form that has not been unpacked.
func (d *download) formPath(w wanted, form string) string {
	return d.path(w.File) + "." + form + partSuffix
}

// try fetches a form of a snapshot and unpacks it. It reports whether the snapshot is complete.
func (d *download) try(ctx context.Context, w wanted, form form) bool {
	tally := d.tally[form.name]
	if d.faults.Load() >= maxFaults || tally.hits.Load() == 0 && tally.misses.Load() >= maxMisses {
		return false
	}
	path := d.formPath(w, form.name)
	err := d.arrive(ctx, form, path)
	if err == nil {
		tally.hits.Add(1)
		err = d.unpacked(ctx, w, form, path)
	}
	switch {
	case err == nil:
		d.fetchedSnapshots.Inc(form.name)
		return true
	case ctx.Err() != nil: // the next attempt continues
		return false
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrDenied): // without the right to list keys, a store refuses keys that it lacks
		tally.misses.Add(1)
		return false
	}
	d.faults.Add(1)
	d.formFailures.Inc(form.name)
	d.log.Warn("the snapshot is fetched another way", "file", w.File, "failed", form.key, "error", err)
	return false
}

// arrive downloads a form within its share of the time.
func (d *download) arrive(ctx context.Context, form form, path string) error {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.formTime(time.Until(end)))
		defer cancel()
	}
	return d.complete(ctx, form.name, form.key, path, form.max, func(int64) error { return nil })
}

// unpacked unpacks a form, and verifies that it is the snapshot.
func (d *download) unpacked(ctx context.Context, w wanted, form form, path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	temp := d.path(w.File) + unpackedSuffix
	if err := os.Remove(temp); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	out, err := create(temp)
	if err != nil {
		return err
	}
	digest := sha256.New()
	d.unpack.Lock()
	err = form.unpack(in, &within{ctx, io.MultiWriter(out, digest), w.Bytes})
	d.unpack.Unlock()
	if err == nil && hex.EncodeToString(digest.Sum(nil)) != w.SHA256 {
		err = errors.Join(fmt.Errorf("%w: the SHA-256 of what it leads to does not match the manifest", ErrContent), form.blame())
	}
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return os.Rename(temp, d.path(w.File))
}

func applyPatch(in *os.File, out io.Writer, oldPath string, size int64) error {
	old, err := os.Open(oldPath)
	if err != nil {
		return err
	}
	defer func() { _ = old.Close() }()
	info, err := old.Stat()
	if err != nil {
		return err
	}
	return delta.Apply(out, old, info.Size(), in, size)
}

func decompress(in *os.File, out io.Writer) error {
	r, err := compression.NewZstdReader(in)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	_, err = io.Copy(out, r)
	return err
}

// within writes at most left bytes, until its context ends.
type within struct {
	ctx  context.Context
	out  io.Writer
	left int64
}

func (w *within) Write(b []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if w.left -= int64(len(b)); w.left < 0 {
		return 0, fmt.Errorf("%w: it leads to more bytes than the snapshot has", ErrContent)
	}
	return w.out.Write(b)
}

// whole fetches a snapshot as it is.
func (d *download) whole(ctx context.Context, w wanted) error {
	path := d.path(w.File) + partSuffix
	err := d.complete(ctx, formWhole, d.key(w.File), path, w.Bytes, func(n int64) error {
		switch {
		case n != w.Bytes:
			return fmt.Errorf("%w: the transfer ended after %d of %d bytes", ErrContent, n, w.Bytes)
		case !matches(path, w.Snapshot):
			return fmt.Errorf("%w: the SHA-256 does not match the manifest", ErrContent)
		}
		return nil
	})
	if err != nil {
		return err
	}
	d.fetchedSnapshots.Inc(formWhole)
	return errors.Join(syncPath(path), os.Rename(path, d.path(w.File)))
}
