// This file writes the files of one environment: its snapshot beside its items and
// pages, several at a time. Which worker writes a file changes nothing about it.

package generator

import (
	"context"
	"crypto/sha256"
	"io"
	"runtime"
	"sync"

	"contentedge/edgeserve/encoding"
	"contentedge/edgeserve/envelope"
	"contentedge/edgeserve/release"
	"contentedge/generator/index"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/render"
	"contentedge/generator/reuse"
	"contentedge/generator/sums"
)

const (
	// maxWriters bounds the goroutines that create files: more only wait for the
	// file system's locks, but for what they code meanwhile.
	maxWriters = 8
	// batchSize is how many files a writer takes at a time: some milliseconds' work,
	// so that a cancelled build stops soon and counting costs nothing.
	batchSize = 64
)

// envWriter writes one environment.
type envWriter struct {
	tx      *output.Tx
	tracker *tracker
	plan    *plan.Env
	docs    *documents
	index   index.Config
	coder   coder
	lister  *lister

	snapshotOnly bool // nothing else is written

	// Of the release before, nil where there is none to take from.
	from   *reuse.Release
	old    *reuse.Env
	cursor *reuse.Cursor // nil: files are coded differently
	spare  *spare
}

// run writes everything and gives the snapshot's name and figures.
func (w *envWriter) run(ctx context.Context) (output.Streamed, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var snapshot output.Streamed
	var wg sync.WaitGroup
	wg.Go(func() {
		var err error
		if snapshot, err = w.snapshot(ctx); err != nil {
			cancel(err)
		}
	})
	batches := make(chan *batch)
	wg.Go(func() { w.enumerate(ctx, batches) })
	for range min(maxWriters, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			if err := w.drain(ctx, batches); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return snapshot, context.Cause(ctx)
}

// snapshot writes the snapshot file. Indexing cannot be interrupted, but what it
// writes can: a cancelled build does not wait for it.
func (w *envWriter) snapshot(ctx context.Context) (output.Streamed, error) {
	type result struct {
		s   output.Streamed
		err error
	}
	done, let := make(chan result, 1), func() {}
	if w.old != nil {
		let = w.old.Use()
	}
	go func() {
		defer let()
		fill := func(to io.Writer) error { return index.Write(to, w.index, w.docs) }
		s, err := w.tx.Stream(fill, func(sum [32]byte) string { return release.SnapshotName(w.plan.ID, sum) })
		done <- result{s, err}
	}()
	select {
	case r := <-done:
		return r.s, r.err
	case <-ctx.Done():
		return output.Streamed{}, context.Cause(ctx)
	}
}

// enumerate hands out all files of the environment, to the list of sums and to the
// writers.
func (w *envWriter) enumerate(ctx context.Context, out chan<- *batch) {
	defer close(out)
	send := func(b *batch) bool {
		if !w.lister.add(ctx, b) {
			return false
		}
		select {
		case out <- b:
			return true
		case <-ctx.Done():
			return false
		}
	}
	b := &batch{done: make(chan struct{})}
	for f := range w.files() {
		if b.files = append(b.files, f); len(b.files) == batchSize {
			if !send(b) {
				return
			}
			b = &batch{done: make(chan struct{})}
		}
	}
	send(b)
}

// drain writes batches until there are no more or the build is cancelled.
func (w *envWriter) drain(ctx context.Context, in <-chan *batch) error {
	m := &maker{envWriter: w, renderer: render.NewRenderer(w.docs)}
	if w.reuses() {
		m.linker = w.tx.Linker(w.from.Dir)
		defer m.linker.Close()
	}
	for b := range in {
		if ctx.Err() != nil {
			return nil
		}
		if err := m.batch(b); err != nil {
			return err
		}
		close(b.done)
	}
	return nil
}

// maker makes files in one goroutine.
type maker struct {
	*envWriter
	renderer *render.Renderer
	linker   *output.Linker
	coded    []byte
}

// batch makes the files of a batch and counts them.
func (m *maker) batch(b *batch) error {
	var add Progress
	for i := range b.files {
		f := &b.files[i]
		linked, err := m.link(f)
		if err != nil {
			return err
		}
		if linked {
			add.Bytes += int64(m.size(f))
		} else {
			n, err := m.file(f)
			if err != nil {
				return err
			}
			add.Bytes += n
			add.Written++
		}
		if f.page == nil {
			add.Items++
		} else {
			add.Pages++
		}
	}
	m.tracker.update(func(p *Progress) {
		p.Items += add.Items
		p.Pages += add.Pages
		p.Bytes += add.Bytes
		p.Written += add.Written
	})
	return nil
}

// link takes a file over from the spare or from the old release; it gives false where it
// has to be written.
func (m *maker) link(f *file) (bool, error) {
	names, date := f.Names(f.name), release.FileTime(f.Sums[encoding.Identity])
	if f.spared {
		if f.linked && f.Files == f.spare {
			if kept, err := m.linker.Keep(date, names...); kept || err != nil {
				return kept, err
			}
		}
		if err := m.tx.Remove(f.spare.Names(f.name)...); err != nil {
			return false, err
		}
	}
	if !f.linked {
		return false, nil
	}
	return m.linker.Link(date, names...)
}

// file writes a file and those that hold it coded; it gives the length of its body.
func (m *maker) file(f *file) (int64, error) {
	f.Files = sums.Files{}
	body, err := m.body(f)
	if err != nil {
		return 0, err
	}
	if err := m.put(f, encoding.Identity, body); err != nil {
		return 0, err
	}
	for _, k := range m.coder.codings {
		var worth bool
		if m.coded, worth = m.coder.code(k, m.coded[:0], body); !worth {
			continue
		}
		f.Coded = f.Coded.With(k)
		if err := m.put(f, k, m.coded); err != nil {
			return 0, err
		}
	}
	return int64(len(body)), nil
}

// size is the length of a file's body.
func (m *maker) size(f *file) int {
	if f.page == nil {
		return envelope.ItemSize(m.docs.places[f.doc].Size)
	}
	sum := 0
	for _, doc := range f.page.Docs {
		sum += m.docs.places[doc].Size
	}
	return envelope.ListSize(len(f.page.Docs), sum, f.page.Total)
}

// body renders a file.
func (m *maker) body(f *file) ([]byte, error) {
	if f.page == nil {
		return m.renderer.Item(f.doc)
	}
	return m.renderer.Page(*f.page)
}

// put writes one form of a file, its body first.
func (m *maker) put(f *file, k encoding.Coding, b []byte) error {
	f.Sums[k] = sha256.Sum256(b)
	return m.tx.WriteDated(f.name+k.Suffix(), release.FileTime(f.Sums[encoding.Identity]), b)
}
