// This file writes the files of one environment: its snapshot beside its items and
// pages, several at a time. Which worker writes a file changes nothing about it.

package generator

import (
	"context"
	"io"
	"runtime"
	"sync"

	"contentedge/edgeserve/address"
	"contentedge/edgeserve/release"
	"contentedge/generator/index"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/render"
)

const (
	// maxWriters bounds the goroutines that create files: more only wait for the
	// file system's locks.
	maxWriters = 4
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
	batches := make(chan batch)
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
	done := make(chan result, 1)
	go func() {
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

// batch is a run of items by document number, or some pages.
type batch struct {
	from, to int
	pages    []plan.Page
}

// enumerate hands out all files of the environment, items first.
func (w *envWriter) enumerate(ctx context.Context, out chan<- batch) {
	defer close(out)
	send := func(b batch) bool {
		select {
		case out <- b:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for from := 0; from < w.docs.Len(); from += batchSize {
		if !send(batch{from: from, to: min(from+batchSize, w.docs.Len())}) {
			return
		}
	}
	var pages []plan.Page
	for p := range w.plan.Pages() {
		if pages = append(pages, p); len(pages) == batchSize {
			if !send(batch{pages: pages}) {
				return
			}
			pages = nil
		}
	}
	send(batch{pages: pages})
}

// drain writes batches until there are no more or the build is cancelled.
func (w *envWriter) drain(ctx context.Context, in <-chan batch) error {
	r := render.NewRenderer(w.docs)
	for b := range in {
		if ctx.Err() != nil {
			return nil
		}
		if err := w.write(r, b); err != nil {
			return err
		}
	}
	return nil
}

// write writes a batch and counts it.
func (w *envWriter) write(r *render.Renderer, b batch) error {
	var bytes int64
	for doc := b.from; doc < b.to; doc++ {
		body, err := r.Item(doc)
		if err == nil {
			err = w.tx.Write(address.ItemFile(w.plan.ID, w.docs.ids[doc]), body)
		}
		if err != nil {
			return err
		}
		bytes += int64(len(body))
	}
	for _, p := range b.pages {
		name, _ := p.Address.File(w.plan.ID) // a planned list has a file
		body, err := r.Page(p)
		if err == nil {
			err = w.tx.Write(name, body)
		}
		if err != nil {
			return err
		}
		bytes += int64(len(body))
	}
	w.tracker.update(func(p *Progress) {
		p.Items += b.to - b.from
		p.Pages += len(b.pages)
		p.Bytes += bytes
	})
	return nil
}
