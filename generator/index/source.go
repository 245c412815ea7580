// This file reads documents in batches, each one block of memory.

package index

import "contentedge/edgeserve/engine/snapshot"

// Source provides the documents in the default order. Several goroutines call its methods, more
// than once per document.
type Source interface {
	Len() int
	// Append appends the fragment of a document, a valid compact JSON object.
	Append(dst []byte, doc int) ([]byte, error)
}

const batchSize = 256 << 10 // bytes, approximately

// batches reads documents in blocks of fragments. ends are the ends of the fragments in the block, from
// is the number of the first. With reuse, a block is valid only until the next.
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

// eachFragment visits a range of documents. A fragment is valid until the next call.
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
