package model

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/generator/source/documents"
)

// TestRepeated: a message about several findings names the first different values.
func TestRepeated(t *testing.T) {
	kind := &documents.Kind{One: "%v", Many: "%d texts (%v)"}
	all := repeats{}
	for _, values := range [][]string{{"b", "a%d"}, {"a%d", "c"}} {
		r := repeated{kind: kind, count: 1, first: Diagnostic{Message: "first"}}
		r.note(values...)
		all.add(r)
	}
	if got := all.list()[0].Message; got != "2 texts (b, a%d, c)" {
		t.Error(got)
	}
	for i := range 50 {
		r := repeated{kind: kind, count: 1}
		r.note(fmt.Sprint(i))
		all.add(r)
	}
	if got := all.list()[0].Message; !strings.HasSuffix(got, "c, 0, 1, 2, 3, 4, 5, 6, …)") || len(all[0].values) > maxValues+1 {
		t.Error(got, len(all[0].values))
	}
}
