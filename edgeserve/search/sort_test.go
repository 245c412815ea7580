// This file tests orders that are read off a column.

package search_test

import (
	"testing"

	"contentedge/edgeserve/snapshot/snaptest"
)

func TestRangeOfAllValuesSortedByThem(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{
		`{"ContentID":"a","Data":{"n":1}}`, `{"ContentID":"b"}`, `{"ContentID":"c","Data":{"n":2}}`,
	}})
	for _, body := range []string{
		`{"query":{"range":{"Data.n":{"gte":0}}},"sort":[{"Data.n":"asc"}],"size":10}`,
		`{"query":{"range":{"Data.n":{"gte":0}}},"sort":[{"Data.n":"desc"}],"size":10}`,
	} {
		if res := evaluate(t, r, body); res.Total != 2 || len(res.Docs) != 2 {
			t.Errorf("%s: %d hits of %d, expected 2 of 2", body, len(res.Docs), res.Total)
		}
	}
}
