// This file writes the media of all environments: copies of the files of the content, which editors may change, or
// links to the baseline's files. In byte order their names come before all other files.

package writer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"runtime"

	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/source/media"
)

// mediaName is the path of a media file below the release's root.
func mediaName(f *media.File) string { return f.Address[1:] }

// media writes the media of all environments.
func (w *Writer) media(ctx context.Context, sums *checksumWriter) error {
	for _, i := range w.byName() {
		e, id := &envWriter{c: &w.c, tx: w.tx, checksums: sums}, w.envs[i].Plan.ID
		var err error
		if w.carried(i) {
			err = w.carrySection(ctx, e, mediaSection, w.unchanged[i])
		} else {
			if w.takes {
				e.cursor = w.baseline.Cursor(w.places[id].Media, nil)
			}
			e.recycled = w.recycled.cursor(id, mediaSection)
			err = e.media(ctx, w.envs[i].Media)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// media writes the media of an environment.
func (w *envWriter) media(ctx context.Context, files []*media.File) error {
	if len(files) == 0 {
		return w.recycled.end()
	}
	group, ctx := parallel.NewGroup(ctx)
	batches := make(chan *batch)
	group.Start(func() error {
		defer close(batches)
		for _, m := range files {
			b := newBatch()
			f := file{name: mediaName(m), media: m}
			f.unchanged = w.cursor != nil && w.cursor.Take(f.name, &f.Entry) && f.Sums[contentcoding.Identity] == m.SHA256
			f.recycled = w.recycled.take(f.name, &f.recycledEntry)
			b.files = append(b.files, f)
			if !put(ctx, w.checksums.batches, b) || !put(ctx, batches, b) {
				return nil
			}
		}
		return nil
	})
	for range min(maxWorkers, runtime.GOMAXPROCS(0)) {
		group.Start(func() error { return w.work(ctx, batches) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return w.recycled.end()
}

// copyMedia copies a media file. It fails if the file has other bytes than when its address was made.
func (w *fileWorker) copyMedia(f *file) (int64, error) {
	in, err := f.media.Open()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	n, sum, err := w.tx.Copy(f.name, release.FileTime(f.media.SHA256), in, f.media.Size)
	if err != nil {
		return 0, err
	}
	if sum != f.media.SHA256 {
		return 0, f.media.Changed()
	}
	f.Entry = checksums.Entry{}
	f.Sums[contentcoding.Identity] = sum
	return n, nil
}

// counted adds up media files, and digests their lines of the list of checksums. The files are in order of address.
func counted(files []*media.File) (m release.Media) {
	if len(files) == 0 {
		return m
	}
	digest := sha256.New()
	lines := checksums.NewWriter(digest)
	for _, f := range files {
		m.Files++
		m.Bytes += f.Size
		_ = lines.Add(mediaName(f), f.SHA256) // the list of the release has the same order, and reports an error
	}
	m.SHA256 = hex.EncodeToString(digest.Sum(nil))
	return m
}
