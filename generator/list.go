// This file writes the list of sums while several writers make the files: batches come
// in order, and the list waits for the first that is not done. How many may be under
// way is bounded, and with it what is held of them.

package generator

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"slices"

	"contentedge/edgeserve/release"
	"contentedge/generator/output"
	"contentedge/generator/sums"
)

// window is how many batches may be under way.
const window = 128

// batch is some files, by name.
type batch struct {
	files []file
	done  chan struct{} // closed when their sums are known
}

// lister writes the list of sums.
type lister struct {
	batches chan *batch
	made    chan error // when the list is written
	list    output.Streamed
}

// newLister begins the list of a release.
func newLister(ctx context.Context, tx *output.Tx) *lister {
	l := &lister{batches: make(chan *batch, window), made: make(chan error, 1)}
	go func() {
		var err error
		fill := func(w io.Writer) error { return l.write(ctx, w) }
		l.list, err = tx.Stream(fill, func([32]byte) string { return release.SumsName })
		l.made <- err
	}()
	return l
}

// write writes the lines of the batches as they come.
func (l *lister) write(ctx context.Context, to io.Writer) error {
	buffered := bufio.NewWriter(to)
	w := sums.NewWriter(buffered)
	for b := range l.batches {
		select {
		case <-b.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		for i := range b.files {
			if err := b.files[i].Each(b.files[i].name, w.Add); err != nil {
				return err
			}
		}
	}
	return cmp.Or(context.Cause(ctx), buffered.Flush())
}

// add puts a batch into the list.
func (l *lister) add(ctx context.Context, b *batch) bool {
	select {
	case l.batches <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// end adds the snapshots and waits for the list.
func (l *lister) end(ctx context.Context, m *release.Manifest) (release.Sums, error) {
	b := &batch{done: make(chan struct{})}
	close(b.done)
	for _, e := range m.Environments {
		sum, err := hex.DecodeString(e.Snapshot.SHA256)
		if err != nil {
			return release.Sums{}, err
		}
		f := file{name: e.Snapshot.File, Files: sums.Files{}}
		copy(f.Sums[0][:], sum)
		b.files = append(b.files, f)
	}
	slices.SortFunc(b.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	l.add(ctx, b)
	close(l.batches)
	err := <-l.made
	return release.Sums{Bytes: l.list.Bytes, SHA256: hex.EncodeToString(l.list.SHA256[:])}, err
}
