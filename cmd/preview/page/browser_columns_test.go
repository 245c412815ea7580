// This file tests the columns of lists that somebody chooses.

package page_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func testColumns(t *testing.T, s *suite) {
	files := bakery()
	files["site/odd.json"] = strings.TrimSuffix(strings.TrimSpace(item(301, "Odd", "Odd", object{"rank": 0, "author": reference(id(101))})), "}") + `,"Source":{"ID":"x1"}}`
	p := s.preview(t, files)
	b := s.open(t, p.base)
	b.visit("/site/items?searchByTemplateName=Article&pageSize=3")
	columns := func(want ...string) {
		t.Helper()
		w, _ := json.Marshal(want)
		b.wait("columns "+string(w), `JSON.stringify([...document.querySelectorAll(".items thead th")].map((th) => th.textContent.replace(/ [↑↓]$/, ""))) === JSON.stringify(`+string(w)+`)`)
	}
	columns("Name", "Template", "Status", "Created", "Updated", "Published")
	b.click(".columns-menu summary")
	b.focused("the filter", ".columns-menu input[type=search]")
	b.press("rank" + kb.Tab)
	b.focused("the path", `.columns-menu input[data-key="Data.rank"]`)
	b.press(" ")
	columns("Name", "Template", "Status", "Created", "Updated", "Published", "Data.rank")
	b.same("tbody td:last-child", "26", "25", "24")
	b.focused("the path after the table was drawn", `.columns-menu input[data-key="Data.rank"]`)
	b.says("#announce", "Data.rank is a column")
	b.enter(".columns-menu input[type=search]", "author.contentids")
	b.press(kb.Tab + " " + kb.Escape)
	b.wait("a link to the item", `document.querySelector("tbody tr td:last-child a")?.getAttribute("href") === "#/site/items/`+id(101)+`"`)
	b.gone(".columns-menu .menu-body")
	b.click(`th a[href*="sort=Data.rank"]`)
	b.wait("the order", `document.querySelector("th[aria-sort=descending]")?.innerText.startsWith("Data.rank")`)
	columns("Name", "Template", "Status", "Created", "Updated", "Published", "Data.rank", "Data.author.ContentIDs")
	b.visit("/shop/items")
	columns("Name", "Template", "Status", "Created", "Updated", "Published")
	b.goTo("about:blank")
	b.visit("/site/items?searchByTemplateName=Odd")
	columns("Name", "Template", "Status", "Created", "Updated", "Published", "Data.rank", "Data.author.ContentIDs")
	b.click(".columns-menu summary")
	b.enter(".columns-menu input[type=search]", "source.id")
	b.press(kb.Tab + " ")
	b.says("tbody td:last-child", "x1")
	b.wait("no order by a member that the interface cannot order by", `!document.querySelector(".items thead th:last-child a")`)
	b.size(320, 640)
	if eval[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the chosen columns make the page wide")
	}
	b.shoot("columns-narrow")
	b.size(1280, 800)
	eval[bool](b, `localStorage.setItem("preview:columns:site", '{"no":"list"}') || true`)
	b.goTo("about:blank")
	b.visit("/site/items")
	columns("Name", "Template", "Status", "Created", "Updated", "Published")
}
