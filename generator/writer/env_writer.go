// This file writes the files of one environment while the index is built.

package writer

import (
	"context"
	"io"
	"iter"
	"runtime"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/engine/parallel"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/incremental"
	"contentedge/generator/index"
	"contentedge/generator/output"
	"contentedge/generator/plan"
	"contentedge/generator/related"
	"contentedge/generator/render"
)

const (
	// maxWorkers bounds goroutines that create files: more would wait for locks.
	maxWorkers = 8
	// batchSize is a few milliseconds of work, after which a cancelled build stops.
	batchSize = 64
)

type envWriter struct {
	c         *ReleaseConfig
	tx        *output.Tx
	plan      *plan.Env
	docs      *documents
	index     index.Environment
	checksums *checksumWriter

	references *related.Env
	old        baselineReferences

	compared *incremental.Env    // nil without a baseline
	cursor   *incremental.Cursor // nil: no file is taken from the baseline
	recycled *recycledCursor     // may be nil
}

func (w *envWriter) run(ctx context.Context) (output.Streamed, error) {
	group, ctx := parallel.NewGroup(ctx)
	var snapshot output.Streamed
	group.Start(func() (err error) {
		snapshot, err = w.snapshot(ctx)
		return err
	})
	batches := make(chan *batch)
	group.Start(func() error { w.enumerate(ctx, batches); return nil })
	for range min(maxWorkers, runtime.GOMAXPROCS(0)) {
		group.Start(func() error { return w.work(ctx, batches) })
	}
	err := group.Wait()
	return snapshot, err
}

// snapshot writes the snapshot. After a cancellation it returns at once: indexing cannot be
// interrupted, but its output can.
func (w *envWriter) snapshot(ctx context.Context) (output.Streamed, error) {
	type result struct {
		s   output.Streamed
		err error
	}
	finished, unuse := make(chan result, 1), func() {}
	if w.compared != nil {
		unuse = w.compared.Use()
	}
	go func() {
		defer crash.Exit()
		defer unuse()
		fill := func(to io.Writer) error { return index.Write(to, w.index, w.docs) }
		s, err := w.tx.Stream(fill, func(sum [32]byte) string { return release.SnapshotName(w.plan.ID, sum) })
		finished <- result{s, err}
	}()
	select {
	case r := <-finished:
		return r.s, r.err
	case <-ctx.Done():
		return output.Streamed{}, context.Cause(ctx)
	}
}

func (w *envWriter) enumerate(ctx context.Context, workers chan<- *batch) {
	defer close(workers)
	w.batches(w.files(), func(b *batch) bool { return put(ctx, w.checksums.batches, b) && put(ctx, workers, b) })
}

// batches cuts files into batches until send returns false.
func (w *envWriter) batches(files iter.Seq[file], send func(*batch) bool) {
	b := newBatch()
	for f := range files {
		if b.files = append(b.files, f); len(b.files) == batchSize {
			if !send(b) {
				return
			}
			b = newBatch()
		}
	}
	send(b)
}

func put(ctx context.Context, to chan<- *batch, b *batch) bool {
	select {
	case to <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

func (w *envWriter) work(ctx context.Context, batches <-chan *batch) error {
	f := &fileWorker{envWriter: w, renderer: render.NewRenderer(w.docs, w.references)}
	if w.cursor != nil || w.recycled != nil || w.c.Baseline != "" {
		f.linker = w.tx.Linker(w.c.Baseline)
		defer f.linker.Close()
	}
	for b := range batches {
		if ctx.Err() != nil {
			return nil
		}
		if err := f.batch(b); err != nil {
			return err
		}
		close(b.written)
	}
	return nil
}
