// This file holds what the tests of evaluation share. Most of these stand where snapshots
// are built from items.

package search_test

import (
	"fmt"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// evaluate answers a body.
func evaluate(t *testing.T, r *snapshot.Reader, text string) *search.Result {
	t.Helper()
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	res, err := search.Eval(t.Context(), r, b)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// named is items of these names.
func named(names ...string) []string {
	for i, n := range names {
		names[i] = fmt.Sprintf(`{"ContentID":"%05d","Name":"%s"}`, i, n)
	}
	return names
}

// Callers must not cache results that depend on the clock.
func TestTimed(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{`{"ContentID":"a","Name":"now","CreatedAt":"2021-04-23T00:00:00Z"}`}})
	for body, want := range map[string]bool{
		`{}`: false,
		`{"query":{"range":{"CreatedAt":{"gte":"now-100y"}}}}`:                                       true,
		`{"query":{"range":{"CreatedAt":{"lt":"now/d"}}},"size":0}`:                                  true,
		`{"query":{"bool":{"must_not":[{"range":{"CreatedAt":{"gt":"now"}}}]}}}`:                     true,
		`{"query":{"query_string":{"query":"CreatedAt:[* TO now]"}}}`:                                true,
		`{"query":{"range":{"CreatedAt":{"gte":"2021||-1y/d"}}}}`:                                    false,
		`{"query":{"match":{"Name":"now"}}}`:                                                         false,
		`{"query":{"term":{"CreatedAt":"2021-04-23"}}}`:                                              false,
		`{"size":0,"aggs":{"a":{"date_histogram":{"field":"CreatedAt","calendar_interval":"day"}}}}`: false,
	} {
		if got := evaluate(t, r, body).Timed; got != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
