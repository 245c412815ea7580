// This test searches snapshots of random items and compares with a naive twin. Package
// search has the other search tests.

package index_test

import (
	"bytes"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/generator/index"
	"contentedge/generator/index/indextest"
)

// indexed builds a snapshot of items in document order.
func indexed(tb testing.TB, items []string) *snapshot.Reader {
	tb.Helper()
	docs := make(indextest.Docs, len(items))
	for i, text := range items {
		docs[i] = []byte(text)
	}
	var b bytes.Buffer
	if err := index.Write(&b, index.Environment{Env: "random", Sort: "CreatedAt", Fields: docs.Fields()}, docs); err != nil {
		tb.Fatal(err)
	}
	r, err := snapshot.OpenBytes(b.Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.Check(); err != nil {
		tb.Fatal(err)
	}
	return r
}

func TestSearches(t *testing.T) { searchtest.TestBuilt(t, indexed) }
