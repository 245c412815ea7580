// This file writes single files, from the baseline or rendered and compressed.

package writer

import (
	"crypto/sha256"

	"contentedge/edgeserve/contentcoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/release"
	"contentedge/generator/checksums"
	"contentedge/generator/output"
	"contentedge/generator/render"
)

// fileWorker belongs to one goroutine.
type fileWorker struct {
	*envWriter
	renderer   *render.Renderer
	linker     *output.Linker
	compressed []byte
}

func (w *fileWorker) batch(b *batch) error {
	var p Progress
	for i := range b.files {
		f := &b.files[i]
		linked, err := w.link(f)
		if err != nil {
			return err
		}
		n := int64(0)
		if linked {
			n = int64(w.size(f))
		} else if n, err = w.write(f); err != nil {
			return err
		} else {
			p.Written++
		}
		p.Bytes += n
		if f.page == nil {
			p.Items++
		} else {
			p.Pages++
		}
	}
	w.c.Progress(p)
	return nil
}

// link takes a file from the recycled release or the baseline; false if it has to be written.
func (w *fileWorker) link(f *file) (bool, error) {
	names, mtime := f.Names(f.name), release.FileTime(f.Sums[contentcoding.Identity])
	if f.recycled {
		if f.unchanged && f.Entry == f.recycledEntry {
			if kept, err := w.linker.Keep(mtime, names...); kept || err != nil {
				return kept, err
			}
		}
		if err := w.tx.Remove(f.recycledEntry.Names(f.name)...); err != nil {
			return false, err
		}
	}
	if !f.unchanged {
		return false, nil
	}
	return w.linker.Link(mtime, names...)
}

// write writes a file and its precompressed files. It gives the length of the body.
func (w *fileWorker) write(f *file) (int64, error) {
	f.Entry = checksums.Entry{}
	body, err := w.body(f)
	if err != nil {
		return 0, err
	}
	if err := w.put(f, contentcoding.Identity, body); err != nil {
		return 0, err
	}
	for _, k := range w.c.Compressor.codings {
		var worth bool
		if w.compressed, worth = w.c.Compressor.compress(k, w.compressed[:0], body); !worth {
			continue
		}
		f.Codings = f.Codings.With(k)
		if err := w.put(f, k, w.compressed); err != nil {
			return 0, err
		}
	}
	return int64(len(body)), nil
}

func (w *fileWorker) size(f *file) int {
	if f.page == nil {
		return envelope.ItemSize(w.docs.spans[f.doc].Size)
	}
	sum := 0
	for _, doc := range f.page.Docs {
		sum += w.docs.spans[doc].Size
	}
	return envelope.ListSize(len(f.page.Docs), sum, f.page.Total)
}

func (w *fileWorker) body(f *file) ([]byte, error) {
	if f.body != nil {
		return f.body, nil
	}
	if f.page == nil {
		return w.renderer.Item(f.doc)
	}
	return w.renderer.Page(*f.page)
}

// put writes a file in one coding, Identity first: all get the mtime that follows from the body.
func (w *fileWorker) put(f *file, k contentcoding.Coding, b []byte) error {
	f.Sums[k] = sha256.Sum256(b)
	return w.tx.WriteMtime(f.name+k.Suffix(), release.FileTime(f.Sums[contentcoding.Identity]), b)
}
