// This file writes the media of all environments: copies of the files of the content, which editors may
// change, or links to the baseline's files. In byte order their names come before those of all other files.

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
	e := &envWriter{c: &w.c, tx: w.tx, checksums: sums, cursor: w.cursor, recycled: w.recycled}
	group, ctx := parallel.NewGroup(ctx)
	batches := make(chan *batch)
	group.Start(func() error {
		defer close(batches)
		for _, i := range w.byName() {
			for _, m := range w.envs[i].Media {
				b := newBatch()
				f := file{name: mediaName(m), media: m}
				f.unchanged = e.cursor != nil && e.cursor.Take(f.name, &f.Entry) && f.Sums[contentcoding.Identity] == m.SHA256
				f.recycled = e.recycled.take(f.name, &f.recycledEntry)
				b.files = append(b.files, f)
				if !put(ctx, sums.batches, b) || !put(ctx, batches, b) {
					return nil
				}
			}
		}
		return nil
	})
	for range min(maxWorkers, runtime.GOMAXPROCS(0)) {
		group.Start(func() error { return e.work(ctx, batches) })
	}
	return group.Wait()
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

// sameMedia reports whether the baseline has exactly the media of all environments.
func (w *Writer) sameMedia() bool {
	cursor := w.baseline.Media()
	for _, i := range w.byName() {
		for _, m := range w.envs[i].Media {
			if !cursor.Next() || string(cursor.Name()) != mediaName(m) || cursor.Sum() != m.SHA256 {
				return false
			}
		}
	}
	return !cursor.Next()
}
