// This file compares searches with a naive twin over snapshots of package snaptest. What
// is built by the generator is compared where it is built.

package search_test

import (
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// A search is computed in one goroutine: a short run, as that of the race detector, asks a few questions.
func TestTwin(t *testing.T) {
	if testing.Short() {
		searchtest.TestBuilt(t, searchtest.Snaptest)
		return
	}
	searchtest.Test(t, searchtest.Snaptest)
}

func FuzzEval(f *testing.F) { searchtest.Fuzz(f, searchtest.Snaptest) }

func FuzzEvalString(f *testing.F) { searchtest.FuzzStrings(f, searchtest.Snaptest) }

func BenchmarkAggregations(b *testing.B) { searchtest.BenchmarkAggregations(b, searchtest.Snaptest) }
