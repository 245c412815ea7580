// This file holds what the tests of evaluation share. Most of these stand where snapshots
// are built from items.

package search_test

import (
	"fmt"
	"testing"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search"
	"contentedge/edgeserve/snapshot"
)

// evaluate answers a body.
func evaluate(t *testing.T, r *snapshot.Reader, body string) *search.Result {
	t.Helper()
	b, err := query.Parse([]byte(body))
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
