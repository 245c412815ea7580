// This file writes the list of checksums while workers write the files. The list is in order of
// names, so it waits for the first batch that is not yet written. The number of batches that are under
// way is bounded, and so is their memory.

package writer

import (
	"bufio"
	"cmp"
	"context"
	"encoding/hex"
	"io"
	"slices"

	"contentedge/edgeserve/crash"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/release"
	"contentedge/generator/checksums"
	"contentedge/generator/incremental"
	"contentedge/generator/output"
)

const maxBatches = 128 // under way

type batch struct {
	files   []file
	copied  checksums.Section // of the baseline's list, instead of files
	written chan struct{}     // closed when the files are written and their checksums known
}

func newBatch() *batch { return &batch{written: make(chan struct{})} }

// add adds a file whose digest is known in hexadecimal digits.
func (b *batch) add(name, digest string) error {
	sum, err := hex.DecodeString(digest)
	if err != nil {
		return err
	}
	f := file{name: name}
	f.Sums[contentcoding.Identity] = checksums.Sum(sum)
	b.files = append(b.files, f)
	return nil
}

type checksumWriter struct {
	from     *incremental.Baseline // of copied sections
	batches  chan *batch
	finished chan error
	list     output.Streamed // valid once finished
}

func newChecksumWriter(ctx context.Context, tx *output.Tx, from *incremental.Baseline) *checksumWriter {
	c := &checksumWriter{from: from, batches: make(chan *batch, maxBatches), finished: make(chan error, 1)}
	go func() {
		defer crash.Exit()
		var err error
		fill := func(w io.Writer) error { return c.write(ctx, w) }
		c.list, err = tx.Stream(fill, func([32]byte) string { return release.ChecksumsName })
		c.finished <- err
	}()
	return c
}

func (c *checksumWriter) write(ctx context.Context, to io.Writer) error {
	buffered := bufio.NewWriter(to)
	w := checksums.NewWriter(buffered)
	for b := range c.batches {
		select {
		case <-b.written:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if b.copied.Lines > 0 {
			if err := w.Copy(c.from.List, b.copied); err != nil {
				return err
			}
		}
		for i := range b.files {
			if err := b.files[i].Each(b.files[i].name, w.Add); err != nil {
				return err
			}
		}
	}
	return cmp.Or(context.Cause(ctx), buffered.Flush())
}

func (c *checksumWriter) end(ctx context.Context, m *release.Manifest) (release.Checksums, error) {
	b := newBatch()
	close(b.written)
	for i := range m.Environments {
		e := &m.Environments[i]
		if err := b.add(e.Snapshot.File, e.Snapshot.SHA256); err != nil {
			return release.Checksums{}, err
		}
		if !m.HasParts() {
			continue
		}
		part := e.PartFile()
		if err := b.add(part.Name, part.SHA256); err != nil {
			return release.Checksums{}, err
		}
	}
	slices.SortFunc(b.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	put(ctx, c.batches, b)
	close(c.batches)
	err := <-c.finished
	return release.Checksums{Bytes: c.list.Bytes, SHA256: hex.EncodeToString(c.list.SHA256[:])}, err
}
