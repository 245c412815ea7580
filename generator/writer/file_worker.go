// This file writes single files: linked from the baseline, or rendered and compressed.

package writer

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/release"
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
		if err := w.settle(f); err != nil {
			return err
		}
		linked, err := w.link(f)
		if err != nil {
			return err
		}
		n := int64(0)
		if linked {
			n = w.size(f)
		} else if f.listed {
			return ErrNotCarried
		} else if n, err = w.write(f); err != nil {
			return err
		} else {
			p.Written++
		}
		if f.listed {
			continue
		}
		p.Bytes += n
		switch {
		case f.media != nil:
			p.Media++
		case f.page == nil:
			p.Items++
		default:
			p.Pages++
		}
	}
	w.c.Progress(p)
	return nil
}

// settle finds out whether a file that may be unchanged is.
func (w *fileWorker) settle(f *file) error {
	if !f.maybe {
		return nil
	}
	body, err := w.body(f)
	f.unchanged = err == nil && sha256.Sum256(body) == f.Sums[contentcoding.Identity]
	return err
}

// link takes a file from the recycled release, whose directories were checked, or from the baseline. It returns false
// if neither has it, so that the file has to be written.
func (w *fileWorker) link(f *file) (bool, error) {
	names := f.Names(f.name)
	wanted := output.Wanted{Mtime: release.FileTime(f.Sums[contentcoding.Identity]), Size: w.size(f)}
	if f.recycled {
		if f.unchanged && f.Entry == f.recycledEntry {
			if kept, err := w.sound(f, w.tx.Path("")); kept || err != nil {
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
	if ok, err := w.sound(f, w.c.Baseline); !ok {
		return false, err
	}
	return w.linker.Link(wanted, names...)
}

// sound reports whether the files of a directory have the checksums of the list. Without
// ReleaseConfig.Check it trusts them.
func (w *fileWorker) sound(f *file, dir string) (bool, error) {
	if !w.c.Check {
		return true, nil
	}
	ok := true
	err := f.Each(f.name, func(name string, sum checksums.Sum) error {
		if ok {
			ok = hasSum(filepath.Join(dir, filepath.FromSlash(name)), sum)
		}
		return nil
	})
	return ok, err
}

// hasSum reports whether a file can be read and has a SHA-256.
func hasSum(path string, sum checksums.Sum) bool { return hexSum(path) == hex.EncodeToString(sum[:]) }

// hexSum returns the SHA-256 of a file; "" if it cannot be read.
func hexSum(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	_, sum, err := checksums.Digest(f)
	if err != nil {
		return ""
	}
	return sum
}

// write writes a file and its precompressed files. It returns the length of the body.
func (w *fileWorker) write(f *file) (int64, error) {
	if f.media != nil {
		return w.copyMedia(f)
	}
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

// size returns the length of the body, which is known before the body is rendered.
func (w *envWriter) size(f *file) int64 {
	switch {
	case f.listed:
		return output.UnknownSize
	case f.body != nil:
		return int64(len(f.body))
	case f.media != nil:
		return f.media.Size
	}
	if f.usedIn {
		return int64(w.references.Referrers(f.doc).Size)
	}
	if f.page == nil {
		return int64(render.ItemSize(w.references, f.doc, w.docs.spans[f.doc].Size))
	}
	sum := 0
	for _, doc := range f.page.Docs {
		sum += w.docs.spans[doc].Size
	}
	return int64(envelope.ListSize(len(f.page.Docs), sum, f.page.Total))
}

func (w *fileWorker) body(f *file) ([]byte, error) {
	if f.body != nil {
		return f.body, nil
	}
	if f.usedIn {
		return w.renderer.UsedIn(f.doc)
	}
	if f.page == nil {
		return w.renderer.Item(f.doc)
	}
	return w.renderer.Page(*f.page)
}

// put writes a file in one coding, Identity first. The files of all codings get the same mtime, which
// follows from the body.
func (w *fileWorker) put(f *file, k contentcoding.Coding, b []byte) error {
	f.Sums[k] = sha256.Sum256(b)
	return w.tx.WriteMtime(f.name+k.Suffix(), release.FileTime(f.Sums[contentcoding.Identity]), b)
}
