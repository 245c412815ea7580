// This file fuzzes bodies: one that is written parses to an equal tree.

package encode

import (
	"testing"

	"contentedge/edgeserve/engine/query/body"
)

func FuzzBody(f *testing.F) {
	for i, raw := range corpus(f) {
		if len(raw) < fuzzBytes && i%4 == 0 {
			f.Add(raw)
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > fuzzBytes {
			return
		}
		if b, err := body.Parse(raw); err == nil {
			roundTrip(t, raw, b)
		}
	})
}

// fuzzBytes is the length of the longest body: longer ones take time, and may reach limits as they are written, for
// example the depth of JSON.
const fuzzBytes = 1500
