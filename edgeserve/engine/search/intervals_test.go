// This file tests intervals whose fields differ.

package search_test

import (
	"testing"

	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// A rule in a filter looks in the query's own field, even where it holds no text.
func TestIntervalsBesideText(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{`{"ContentID":"a","Name":"red fox","CreatedAt":"2021-04-23T00:00:00Z"}`}})
	rule := func(filter string) string {
		return `{"query":{"intervals":{"CreatedAt":{"match":{"query":"fox","use_field":"Name","filter":{"` + filter + `":{"prefix":{"prefix":"re"}}}}}}}}`
	}
	for filter, want := range map[string]int{"not_overlapping": 1, "after": 0} {
		if got := evaluate(t, r, rule(filter)).Total; got != want {
			t.Errorf("%s: %d items, want %d", filter, got, want)
		}
	}
}
