// This file tests phrases over many documents: what a window passes over must not be
// remembered in the next.

package search_test

import (
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/snapshot/snaptest"
)

func TestPhraseBehindWindowThatCannotScore(t *testing.T) {
	long := "red chair" + strings.Repeat(" and", 200)
	names := slices.Repeat([]string{long}, 6000)
	names[0] = "red chair red chair"
	names[4096] = "red chair red chair red chair red chair"
	r := snaptest.Open(t, snaptest.Env{Items: named(names...)})
	for _, body := range []string{
		`{"query":{"match_phrase":{"Name":"red chair"}},"size":1}`,
		`{"query":{"match_phrase":{"Name":"red chair red"}},"size":1}`,
		`{"query":{"bool":{"must":[{"match_phrase":{"Name":"red chair"}},{"match_phrase":{"Name":"chair"}}]}},"size":1}`,
	} {
		res := evaluate(t, r, body)
		if len(res.Docs) != 1 || res.Docs[0] != 4096 {
			t.Errorf("%s: document %d, expected 4096", body, res.Docs)
		}
	}
}
