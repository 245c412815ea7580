package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// check says what the client of the page read, in one line each.
const check = `
console.log('articles', articles.length, new Set(articles.map((a) => a.ContentID)).size, articles.every((a) => a.TemplateName === 'Article'))
console.log('page', page.Name)
console.log('author', authors.get(page.Data.author.ContentIDs[0])?.TemplateName)
console.log('found', result.totalItems, result.hits.length, result.hits[0].title, result.tags.some(([tag, n]) => tag === 'bread' && n === result.totalItems))
import { item, list } from './content.mjs'
console.log('item', (await item(page.ContentID)).Name === page.Name)
console.log('none', await bySlug('nothing-has-this-slug'))
console.log('failed', await list({ page: 0 }).catch((e) => [e.status, e.code].join()))
console.log('other release', await list({}, { release: 'x' }).catch((e) => [e.status, e.code].join()))
`

// TestFrontend runs the client of the page for front-end developers against both engines.
func TestFrontend(t *testing.T) {
	node := need(t, "node")
	files := blocks(t)
	if lines := strings.Count(files["content.mjs"], "\n"); lines > 60 {
		t.Errorf("the client has %d lines", lines)
	}
	dir := t.TempDir()
	write(t, dir, map[string]string{"content.mjs": files["content.mjs"], "use.mjs": files["use.mjs"] + check})
	for _, engine := range []string{"auto", "off"} {
		got := run(t, dir, []string{"CONTENT_NODE=" + edge(t, "--fast-path", engine)}, node, "use.mjs")
		want := `articles 24 24 true
page Bread for People with Jobs
author Author
found 2 2 <em>Bread</em> Pot true
item true
none null
failed 400,bad_page
other release 412,release_mismatch
`
		if got != want {
			t.Errorf("--fast-path %s: got\n%s\nwant\n%s", engine, got, want)
		}
	}
}

// TestSearchPages compares what the page shows of search libraries with the pages that scripts/clients.d opens in a
// browser.
func TestSearchPages(t *testing.T) {
	files := blocks(t)
	for _, name := range []string{"searchkit.mjs", "search_ui.jsx"} {
		whole, err := os.ReadFile(filepath.Join("../clients.d/testdata/front", name))
		if err != nil || files[name] == "" {
			t.Fatalf("%s: %q, %v", name, files[name], err)
		}
		for line := range strings.Lines(files[name]) {
			if !strings.Contains("\n"+string(whole), "\n"+line) {
				t.Errorf("the tested page %s has no line %q", name, line)
			}
		}
	}
}
