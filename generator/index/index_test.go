package index_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestIndex shows the fields of a snapshot of some items, with the type of each, and the words of
// texts.
func TestIndex(t *testing.T) {
	for _, tt := range []struct {
		name  string
		items string // one a line
		want  string
	}{
		{
			"a text has its words in lower case, without marks", `
			{"Data":{"title":"Bread and Bread"}}
			{"Data":{"title":"bread, butter"}}`, `
			Data.title text: and bread butter`,
		},
		{
			"values of an array belong to one path, those of objects in it too", `
			{"Data":{"tags":["a","b"],"rows":[{"n":"x"},{"n":"y"}]}}`, `
			Data.rows.n text: x y
			Data.tags text: a b`,
		},
		{
			"a path has one type for all items", `
			{"Data":{"price":1,"day":"2024-01-01","on":true,"mixed":1}}
			{"Data":{"price":2.5,"day":"2024-01-02","on":false,"mixed":"one"}}`, `
			Data.day date
			Data.mixed text: 1 one
			Data.on boolean
			Data.price float`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := indexed(t, strings.Split(unindent(tt.items), "\n"))
			var got []string
			for _, f := range r.Fields() {
				if !strings.HasPrefix(f.Path, "Data.") {
					continue
				}
				line := fmt.Sprint(f.Path, " ", f.Type)
				if f.Terms() != nil {
					line += ":"
					for it := f.Terms().Seek(nil); it.Next(); {
						line += " " + string(it.Term())
					}
				}
				got = append(got, line)
			}
			if want := unindent(tt.want); strings.Join(got, "\n") != want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
			}
		})
	}
}

// unindent takes the line break before a text off, and the tabs before its lines.
func unindent(text string) string {
	return strings.ReplaceAll(strings.TrimPrefix(text, "\n"), "\t", "")
}
