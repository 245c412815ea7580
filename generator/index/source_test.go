// This file tests the memory of batches.

package index

import (
	"bytes"
	"testing"

	"contentedge/generator/index/indextest"
)

// TestBlocksBehindALargeDocument checks that a block is not much larger than its documents:
// a run counts only their bytes. The block after a large document must not be oversized
// either.
func TestBlocksBehindALargeDocument(t *testing.T) {
	docs := indextest.Docs{make([]byte, 32*batchSize)}
	for range 8 {
		docs = append(docs, bytes.Repeat([]byte("x"), batchSize))
	}
	err := batches(docs, 0, len(docs), false, func(block []byte, _ []int, from int) error {
		if from > 0 && cap(block) > 4*batchSize {
			t.Errorf("document %d: a block of %d bytes has room for %d", from, len(block), cap(block))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
