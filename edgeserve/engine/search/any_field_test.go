package search_test

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// A search in all fields allocates nothing for a text that lacks the word, and for a number the error that leniency
// forgives.
func TestFieldsWithoutTheWordAllocateLittle(t *testing.T) {
	b, err := body.Parse([]byte(`{"query":{"query_string":{"query":"harbour"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(fields int) float64 {
		var item strings.Builder
		item.WriteString(`{"ContentID":"a","Name":"harbour","Data":{"title":"harbour"`)
		for i := range fields {
			fmt.Fprintf(&item, `,"text%d":"tide tables","number%d":%d,"fraction%d":%d.5`, i, i, i, i, i)
		}
		r := snaptest.Open(t, snaptest.Env{Items: []string{item.String() + "}}"}})
		return testing.AllocsPerRun(100, func() {
			if res, err := search.Eval(t.Context(), r, b); err != nil || res.Total != 1 {
				t.Fatal(res, err)
			}
		})
	}
	if few, many := allocations(5), allocations(45); many > few+2*40+5 {
		t.Errorf("%v allocations with 5 texts, numbers and fractions, %v with 45", few, many)
	}
}
