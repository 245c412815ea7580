// This file tests that batches take the memory that their documents need.

package index

import (
	"bytes"
	"testing"
)

// A run counts the bytes of its documents, so a block must not be much larger than them:
// not even behind a large document.
func TestBlocksBehindALargeDocument(t *testing.T) {
	docs := Docs{make([]byte, 32*batchSize)}
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
