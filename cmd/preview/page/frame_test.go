package page

import (
	"net/url"
	"strings"
	"testing"
)

// oneText is a Site with one item.
type oneText struct {
	noSite
	json string
}

func (s oneText) Text(_, id string) ([]byte, bool) { return []byte(s.json), id == "a" }

func TestFrame(t *testing.T) {
	for _, tt := range []struct {
		name, json, id, query string
		status                int
		want                  string
	}{
		{"a text", `{"Data":{"t":"<p>x</p>"}}`, "a", "at=/Data/t", 200, "<main><p>x</p></main>"},
		{"Markdown", `{"Data":{"t":"# x\n"}}`, "a", "at=/Data/t&as=markdown", 200, `<main><h1 id="x">x</h1>`},
		{"no item", ``, "b", "at=/Data/t", 404, "This item is not there any more."},
		{"no value", `{"Data":{}}`, "a", "at=/Data/t", 404, "This value is not there any more."},
		{"a long item", `{"Data":{"t":"` + strings.Repeat("x", maxTree) + `"}}`, "a", "at=/Data/t", 200, "The item is too long for its texts to be shown."},
		{"a foreign image", `{"Data":{"t":"<img src=//i.example/a.png>"}}`, "a", "at=/Data/t&theme=dark", 200, `1 image is not loaded, from i.example. <a href="?at=%2FData%2Ft&amp;images=all&amp;theme=dark" target="_self">Load</a>`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := New(PageConfig{Site: oneText{json: tt.json}})
			query, _ := url.ParseQuery(tt.query)
			if status, body := p.frame("site", tt.id, query, false); status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("%d %s", status, body)
			}
			if n := len(p.texts("site", tt.id)); len(tt.json) > maxTree && n > 0 || n > 1 {
				t.Errorf("%d texts", n)
			}
		})
	}
}
