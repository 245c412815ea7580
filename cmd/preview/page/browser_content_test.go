// This file tests the part Content: environments, lists and items.

package page_test

import (
	"encoding/json"
	"net/url"
	"os/exec"
	"strings"
	"testing"
)

// testContent: from the environments to a list of a template's drafts.
func testContent(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/")
	b.same("main h2", "shop 1 item", "site 28 items")
	b.says("main tr", "Article")
	b.says("main tr", "Published 24")
	b.says("main tr", "Draft 2")
	b.click(`a[aria-label="Article, Draft: 2"]`)
	b.same("td.name", "Article 25", "Article 24")
	b.says(".request-line code", "/cda/rest/v1/site/contents?")
	if got := eval[string](b, `document.querySelector("input.query").value`); got != "searchByTemplateName=Article&status=Draft" {
		t.Errorf("the request's query is %q", got)
	}
	b.choose("#env", "shop")
	b.same("td.name", "Flour")
	b.says(".side", "Product")
	b.visit("/shop/constructor") // a name that every object has, but no part of the page
	b.same("td.name", "Flour")
}

// testLists: filters, order and pages are those of the interface, and what it ignores is said.
func testLists(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items")
	b.says(".total", "28 items, 1 to 10")
	b.says(".pager", "page 1 of 3")
	b.click(".pager a[rel=last]")
	b.says(".total", "28 items, 21 to 28")
	b.click(`th a[href*="sort=Name"]`) // descending first, as the interface does
	b.wait("names descending", `document.querySelector("td.name").innerText === "Ben Miller"`)
	b.click(`th a[href*="sort=Name"]`)
	b.wait("names ascending", `document.querySelector("td.name").innerText === "Ada Baker"`)
	if got := eval[string](b, `document.querySelector("th[aria-sort]").getAttribute("aria-sort")`); got != "ascending" {
		t.Errorf("the column says %q", got)
	}
	b.enter("#list-searchByName", "Article 07\r")
	b.same("td.name", "Article 07")
	b.link("Reset")
	b.enter("#list-sort", "Data.rank")
	b.enter("#list-pageSize", "3\r")
	b.same("td.name", "Article 26", "Article 25", "Article 24")
	b.says("thead", "Data.rank")
	b.visit("/site/items?sort=Data.exact&pageSize=1")
	b.says("tbody td", "12345678901234567890")
	b.enter("input.query", "utm_source=3\r")
	b.says(".hints", "utm_source is not a parameter of this request: it is ignored.")
	b.enter("input.query", "page=0\r")
	b.says(".problem", `page must be an integer from 1, not "0"`)
	b.enter("input.query", "status=Gone\r")
	b.says(".empty", "No item matches")
	b.visit("/nowhere/items")
	b.says(".empty", "There is no environment nowhere")
	_, query, _ := strings.Cut(eval[string](b, `performance.getEntriesByType("resource").filter((e) => e.name.includes("sort=Data.rank")).at(-1).name`), "?")
	if values, _ := url.ParseQuery(query); values.Get("pageSize") != "3" || len(values) != 2 {
		t.Errorf("asked with %s", query)
	}
}

// testItem: the fields by path, references, media, JSON and the place in the source.
func testItem(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items/" + id(1))
	b.says("h1", "Article 01")
	b.says(".facts", "content/site/article-01.json:1")
	row := func(path, text string) {
		b.Helper()
		b.wait(path+" "+text, rowOf(path)+"?.innerText.includes("+quote(text)+")")
	}
	row("Data.exact", "12345678901234567890")
	row("Data.shelf[0].depth", "1.0")
	row("Data.shelf[1].name", "bottom")
	row("Data.more", "Article 02")
	row("Data.more", "broken")
	row("Data.photo", "https://media.example.org/loaf.jpg")
	b.wait("the image", rowOf("Data.icon")+`.querySelector("img").naturalWidth === 1`)
	b.click("details.raw summary")
	b.says("pre.json", `"exact": 12345678901234567890`)
	b.link("Ada Baker")
	b.says("h1", "Ada Baker")
	b.says("aside", "Referred to by 26")
	b.link("Article 13")
	b.says("h1", "Article 13")
	b.visit("/site/items/" + id(999))
	b.says(".empty", "This view has no such item")
}

// rowOf finds the row of a path among an item's fields.
func rowOf(path string) string {
	return `[...document.querySelectorAll(".values tr")].find((r) => r.querySelector("th").innerText === ` + quote(path) + `)`
}

// testCopiedRequest: what is copied does what the page did, also for names that shells read.
func testCopiedRequest(t *testing.T, s *suite) {
	const name = `@It's "$HOME" & co; \o/ [1-2]{3,4}`
	p := s.preview(t, map[string]string{"site/a.json": item(1, name, "Page", object{"title": name})})
	b := s.open(t, p.base)
	b.allowClipboard()
	b.visit("/site/items?" + url.Values{"searchByName": {name}}.Encode())
	b.same("td.name", name)
	copied := func(label string) string {
		b.click(`button[aria-label="` + label + `"]`)
		b.says(`button[aria-label="`+label+`"]`, "Copied")
		return eval[string](b, "navigator.clipboard.readText()")
	}
	answers := func(body []byte, err error) {
		t.Helper()
		var list struct{ TotalItems int }
		if err != nil || json.Unmarshal(body, &list) != nil || list.TotalItems != 1 {
			t.Errorf("%v: %s", err, body)
		}
	}
	u, err := url.Parse(copied("Copy the URL"))
	check(t, err)
	answers(p.get(u.RequestURI()), nil)
	run := func(b *tab) {
		t.Helper()
		if _, err := exec.LookPath("curl"); err == nil {
			answers(exec.Command("sh", "-c", copied("Copy as curl")+" -s").Output())
		}
		if n := eval[int](b, "(async () => { "+copied("Copy as fetch")+"\nreturn totalItems })()"); n != 1 {
			t.Errorf("fetch found %d items", n)
		}
	}
	run(b)
	b.visit("/site/search?" + url.Values{"f": {"Name|is|" + name}}.Encode())
	b.says(".total", "1 item")
	run(b)
}
