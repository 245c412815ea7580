// This file tests the parts Search and Fields.

package page_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// testQueryString: the box takes query strings, and shows where one is wrong.
func testQueryString(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/search")
	b.says(".total", "28 items, by CreatedAt, descending")
	b.enter("#q", "number AND (7 OR 9)\r")
	b.same(".hit-head a", "Article 09", "Article 07")
	b.same(".snippet mark", "number", "9", "number", "7")
	b.says(".outcome", " ms")
	b.says(".outcome", " KB")
	b.enter("#q", "bread AND\r")
	b.says(".problem", "it ends where a word")
	b.wait("a mark behind the last word", `document.querySelector(".marks mark") && document.querySelector(".marks").textContent.endsWith("bread AND ")`)
	if line := eval[string](b, `document.querySelector(".gutter b").innerText`); line != "2" {
		t.Errorf("the error is marked at line %s", line)
	}
	b.enter("#q", "Data.titel:loaf\r")
	b.says(".empty", "Nothing matches")
	b.says(".hints", "No item has the field Data.titel. Did you mean Data.title?")
	b.enter("#q", "loaf\r")
	b.says(".total", "26 items, by relevance")
	b.gone(".hints li")
	b.click(".pager a[data-key=next]")
	b.says(".pager", "page 2 of 3")
	b.says(".editor .paint", `"from": 10`)
}

// testForm: conditions, facets and order write the body that is sent.
func testForm(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/search")
	b.enter("#c-path-0", "Data.title")
	b.choose("#c-op-0", "like")
	b.enter("#c-value-0", "Loaf number 1*")
	b.click("#add-condition")
	b.enter("#c-path-1", "Data.rank")
	b.choose("#c-op-1", "gte")
	b.enter("#c-value-1", "15")
	b.enter("#search-sort", "Data.rank")
	b.choose("#search-order", "true")
	b.press(kb.Tab) // the choice stays when the focus goes
	b.enter("#search-size", "2\r")
	b.same(".hit-head a", "Article 15", "Article 16")
	b.says(".total", "5 items, by Data.rank")
	b.choose("#add-facet", "Data.tags")
	b.says(".facets", "oven 0")
	b.click(`input[data-key="Data.tags|oven 0"]`)
	b.same(".hit-head a", "Article 15", "Article 18")
	b.says(".facet-value", "oven 0")
	want := `{"query":{"bool":{"filter":[{"wildcard":{"Data.title":{"value":"Loaf number 1*"}}},{"range":{"Data.rank":{"gte":"15"}}},{"terms":{"Data.tags.keyword":["oven 0"]}}]}},"size":2,"sort":[{"Data.rank":"asc"}]}`
	var body map[string]json.RawMessage
	check(t, json.Unmarshal([]byte(eval[string](b, `document.querySelector(".area").value`)), &body))
	delete(body, "aggs")
	got, _ := json.Marshal(body)
	if !sameJSON(string(got), want) {
		t.Errorf("the body is\n%s, want\n%s", got, want)
	}
	b.click(`input[data-key="Data.tags|oven 0"]`)
	b.says(".total", "5 items")
	b.click(`button[aria-label="Remove condition 1"]`)
	b.says(".total", "12 items")
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	p, _ := json.Marshal(x)
	q, _ := json.Marshal(y)
	return string(p) == string(q)
}

// testBody: a body written by hand is sent as it is; its errors are marked where they are.
func testBody(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/search")
	for _, c := range []struct{ name, body, message, marked, place string }{
		{"JSON", "{\n  \"query\": {,}\n}", "the body is not valid JSON", ",", "Go to line 2, column 13"},
		{"the end", `{"query": {`, "is the end", " ", "Go to line 1, column 12"},
		{"a query string after letters of two bytes and an escape", `{"query":{"query_string":{"query":"é\u00e9 AND ~"}}}`, "query string, byte", "~", "Go to line 1, column 48"},
		{"an unknown query in an array", "{\"query\":{\"bool\":{\"must\":[\n{\"match_all\":{}},\n{\"matc\":{\"a\":1}}]}}}", `unknown query "matc"`, `"matc"`, "Go to line 3, column 2"},
		{"an option below a name with a dot", `{"query":{"wildcard":{"Data.title":{"value":"x","z":1}}}}`, `unknown option "z"`, `"z"`, "Go to line 1, column 49"},
		{"a value of a field", `{"query":{"range":{"Data.rank":{"gte":"abc"}}}}`, "Data.rank holds integers", `"Data.rank"`, "Go to line 1, column 20"},
	} {
		b.body(c.body)
		b.says(".problem", c.message)
		b.says("#go-to-error", c.place)
		if got := eval[string](b, `document.querySelector(".marks mark").textContent`); got != c.marked {
			t.Errorf("%s: %q is marked, want %q", c.name, got, c.marked)
		}
		if !eval[bool](b, `document.querySelector(".area").getAttribute("aria-invalid") === "true" && document.getElementById(document.querySelector(".area").getAttribute("aria-describedby")).innerText.length > 0`) {
			t.Errorf("%s: screen readers are not told", c.name)
		}
	}
	b.click("#go-to-error")
	if got := eval[string](b, `(() => { const a = document.activeElement; return a.value.slice(a.selectionStart, a.selectionEnd) })()`); got != `"Data.rank"` {
		t.Errorf("the caret is at %q", got)
	}
	b.body("{ // two fields\n \"_source\": \"Name\", \"size\": 1, \"query\": {\"term\": {\"Data.rank\": 3}}, \"aggs\": {\"n\": {\"max\": {\"field\": \"Data.rank\"}}}}")
	b.gone(".problem")
	b.same(".hit-head", "Article 03")
	b.says("pre[aria-label=Aggregations]", `"value": 3`)
	b.gone(".marks mark")
	_, fragment, _ := strings.Cut(eval[string](b, "location.href"), "#")
	b.visit("/site/items")
	b.visit(fragment) // the address has the body
	b.same(".hit-head", "Article 03")
	b.click(".note button")
	b.says(".total", "28 items")
}

// body replaces the body by typing and sends it.
func (b *tab) body(text string) {
	b.Helper()
	b.click(".area")
	b.press("a", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	if !eval[bool](b, `document.execCommand("insertText", false, `+quote(text)+`)`) {
		b.Fatal("the editor takes no text")
	}
	b.press("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	b.wait("the body being sent", `new URLSearchParams(location.hash.split("?")[1]).get("body") === `+quote(text)+` && !document.querySelector("[aria-busy=true]")`)
}

// testHistory: searches are found again, also by another page of the browser.
func testHistory(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/search?q=mills")
	b.same(".hit-head a", "Ben Miller")
	b.visit("/site/search?q=bakes")
	b.same(".hit-head a", "Ada Baker")
	check(t, chromedp.Do(b.ctx, chromedp.Reload()))
	b.same(".hit-head a", "Ada Baker")
	b.click(".menu summary")
	b.same(".menu-body li", "bakes\n1", "mills\n1")
	b.link("mills")
	b.same(".hit-head a", "Ben Miller")
	b.visit("/shop/search?q=flour")
	b.click(".menu summary")
	b.same(".menu-body li", "flour\n1")
	b.click(".menu-body button")
	b.says(".menu-body", "Searches of this browser appear here")
}

// testFields: paths with their kinds, values and ranges.
func testFields(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/fields")
	b.says(".field-table tr", "Data.rank")
	b.enter("#field-filter", "rank")
	b.same(".field-table tbody td:first-child", "Data.rank")
	b.same(".field-table tbody td:nth-child(2)", "long")
	b.same(".field-table tbody td:nth-child(4)", "26")
	b.click(".field-table a")
	b.says(".field-detail", "in 26 of 28 items (93 %)")
	b.says(".field-detail h3", "Commonest values 26 distinct")
	b.says(".axis", "1")
	b.says(".axis", "26")
	counted := `[...document.querySelectorAll(".column")].reduce((n, c) => n + Number(c.title.split(": ")[1]), 0)`
	if n := eval[int](b, counted); n != 26 {
		t.Errorf("the histogram counts %d items", n)
	}
	b.click(".column:last-child")
	b.wait("items of the last range", `/^\d items?/.test(document.querySelector(".total")?.innerText)`)
	b.visit("/site/fields?path=Data.tags")
	b.same(".bars tr", "bread\t26", "oven 1\t9", "oven 2\t9", "oven 0\t8")
	b.link("oven 0")
	b.says(".total", "8 items")
	b.visit("/site/fields?path=Data.baked")
	b.says(".field-detail h3", "Range by month")
	b.visit("/site/fields?path=Data.since")
	b.says(".mixed", "content/site/ada.json:")
	b.says(".mixed", "content/site/ben.json:")
	b.says(".field-table tr.chosen", "mixed")
	if text := strings.Join(b.texts(".mixed .kind"), " "); text != "string number" {
		t.Errorf("kinds %q", text)
	}
}
