package sanity

import (
	"slices"
	"strings"
	"testing"

	"contentedge/generator/imports"
)

// TestPeople: a type is judged by all its documents, in any order.
func TestPeople(t *testing.T) {
	docs := []string{
		doc("a", "visitor", `"name":"Ann"`), doc("b", "visitor", `"phone":"5551"`), doc("c", "host", `"phone":"5551"`), doc("d", "host", `"slug":{"current":"d"}`),
		doc("e", "contactRequest", `"name":"Eve"`), doc("f", "contactPage", `"phone":"5551"`), doc("g", "map", `"deep":{"apiKey":"x"},"slug":{"current":"g"}`),
		doc("h", "post", `"title":"P","by":{"_ref":"a"}`),
	}
	for range 2 {
		slices.Reverse(docs)
		for _, tt := range []struct {
			types []string
			want  string
			out   int
		}{
			{nil, "site/c site/d site/f site/h", 4},
			{[]string{"visitor"}, "site/a site/b site/c site/d site/f site/h", 2},
			{[]string{"map", "contactRequest", "post"}, "site/c site/d site/e site/f site/g site/h", 2},
		} {
			r := sanity(t, imports.Options{Types: tt.types}, docs...)
			if got := strings.Join(r.Names(), " "); r.Err != nil || got != tt.want || r.Skipped != tt.out || r.Read != 8 {
				t.Errorf("%v: %s, want %s\n%s", r.Err, got, tt.want, r.Account())
			}
			if strings.Contains(r.Warned(), "not taken: 1 (a)") != !slices.Contains(tt.types, "visitor") {
				t.Error(r.Warned())
			}
		}
	}
}
