// This file reads the documents to index: they may lie anywhere, so they come in
// batches that a run can keep, and let go of, as one block of memory.

package index

import (
	"contentedge/edgeserve/snapshot"
	"contentedge/generator/fields"
)

// Source gives the documents to index, in the default order. Its methods are called
// from several goroutines, more than once a document.
type Source interface {
	Len() int
	// Append appends the fragment of a document, a valid compact JSON object.
	Append(dst []byte, doc int) ([]byte, error)
}

// Docs are the fragments of documents in memory.
type Docs [][]byte

// Len is their number.
func (ds Docs) Len() int { return len(ds) }

// Append appends the fragment of a document.
func (ds Docs) Append(dst []byte, doc int) ([]byte, error) {
	return append(dst, ds[doc]...), nil
}

// Fields finds the fields of the documents.
func (ds Docs) Fields() []fields.Field {
	s := fields.NewSurvey()
	for _, d := range ds {
		s.Item(d)
	}
	return fields.Result(s)
}

// batchSize is about how many bytes of fragments are read at a time.
const batchSize = 256 << 10

// batches reads the documents of a range. A batch is block, cut at ends; document from
// is its first. It lasts until the next where reuse is set, else for good.
func batches(src Source, from, to int, reuse bool, visit func(block []byte, ends []int, from int) error) error {
	var block []byte
	var ends []int
	for from < to {
		if !reuse {
			block = make([]byte, 0, min(cap(block), 2*batchSize))
		}
		block, ends = block[:0], ends[:0]
		for from+len(ends) < to && len(block) < batchSize {
			var err error
			if block, err = src.Append(block, from+len(ends)); err != nil {
				return err
			}
			ends = append(ends, len(block))
		}
		if err := visit(block, ends, from); err != nil {
			return err
		}
		from += len(ends)
	}
	return nil
}

// eachFragment calls visit for the documents of a range; a fragment lasts until the
// next call.
func eachFragment(src Source, from, to int, visit func(doc snapshot.DocID, fragment []byte)) error {
	return batches(src, from, to, true, func(block []byte, ends []int, from int) error {
		start := 0
		for i, end := range ends {
			visit(snapshot.DocID(from+i), block[start:end])
			start = end
		}
		return nil
	})
}
