package searches_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contentedge/generator/searches"
	"contentedge/generator/source"
)

// TestSearches shows which files of _searches are saved searches, and what is wrong with others. A saved
// search is shown as its name, its pages and its body.
func TestSearches(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		text       string
		want       string
	}{
		{
			"a search body is a saved search of one page", "bread.json", `
			{
			  "query": {"match": {"Data.title": "bread"}}
			}`,
			`bread, pages: 1, {"query":{"match":{"Data.title":"bread"}}}`,
		},
		{
			"pages and their size", "news.json", `
			{
			  "pages": 3,
			  "size": 5
			}`,
			`news, pages: 3, {"size":5}`,
		},
		{
			"an error of the body has its place", "bread.json", `
			{
			  "query": {"match": {"Data.title": "bread"}},
			  "size": "many"
			}`,
			`3:6: size must be an integer from -1, not "many"`,
		},
		{"an empty file is an error", "bread.json", ` `, `1:1: this saved search is empty`},
		{"the name is a name in an address", "fresh bread.json", `{}`, `0:0: this cannot be the name of a saved search`},
		{"so is a name without .json", "bread.ndjson", `{}`, `0:0: this cannot be the name of a saved search`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "site", "_searches", tt.file)
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(strings.TrimPrefix(tt.text, "\n")), 0o644); err != nil {
				t.Fatal(err)
			}
			tree, err := source.List(context.Background(), dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			all, found, err := searches.Load(tree)
			if err != nil {
				t.Fatal(err)
			}
			var got string
			for _, s := range all["site"] {
				got += fmt.Sprintf("%s, pages: %d, %s", s.Name, s.Pages, s.Body)
			}
			for _, d := range found {
				got += fmt.Sprintf("%d:%d: %s", d.Line, d.Col, d.Message)
			}
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
}
