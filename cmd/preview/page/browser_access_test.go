// These tests use the page by keyboard and by ear: where the focus is, what is announced, and the
// rules of axe-core.

package page_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"contentedge/cmd/browsertest"
)

// testAxe: no rule of axe-core is violated in any part: light, dark, narrow, with menus open,
// with a failed build, a refused page and a body by hand.
func testAxe(t *testing.T, s *suite) {
	axe := browsertest.Axe(t)
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	verdict := func(what string) {
		t.Helper()
		if eval[bool](b, `typeof axe === "undefined"`) {
			eval[bool](b, axe)
		}
		if found := eval[string](b, browsertest.AxeRun); found != "" {
			t.Errorf("%s:\n%s", what, found)
		}
	}
	states := func(how string) {
		for _, part := range append(parts(), "/site/search?body=%7B%22size%22%3A1%7D", "/site/fields", "/site/items?searchByName=nobody") {
			b.visit(part)
			verdict(how + part)
		}
	}
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		states(theme + " ")
	}
	b.size(320, 640)
	states("narrow ")
	b.size(1280, 800)
	request, _ := http.NewRequest("GET", p.base+"/cda/rest/v1/site/contents", nil)
	request.Header.Set("Origin", "http://localhost:5173")
	response, err := http.DefaultClient.Do(request)
	check(t, err)
	response.Body.Close()
	b.click("#view .choice:has(#as-visitor)")
	b.switched()
	p.save("site/broken.json", "{")
	b.says("#failure", "content/site/broken.json")
	b.says("#refused", "http://localhost:5173")
	for _, theme := range []string{"light", "dark"} {
		b.theme(theme)
		b.visit("/-/builds")
		verdict("failed, " + theme)
		b.visit("/site/search?q=loaf")
		b.click("#view summary")
		verdict("menu of the view, " + theme)
		b.click("main .menu summary")
		verdict("history, " + theme)
	}
}

// focused waits until the focus is where a selector says.
func (b *tab) focused(what, selector string) {
	b.Helper()
	b.wait("focus at "+what, `document.activeElement.matches(`+quote(selector)+`)`)
}

// focusOn puts the focus at an element.
func (b *tab) focusOn(selector string) {
	b.Helper()
	b.wait(selector, `(document.querySelector(`+quote(selector)+`)?.focus(), document.activeElement.matches(`+quote(selector)+`))`)
}

// slash presses / as a keyboard does: whether it is typed too is for the page to say.
func (b *tab) slash() {
	b.Helper()
	for _, event := range []input.DispatchKeyEventParams{
		{Type: kb.KeyDown, Key: "/", Code: "Slash", Text: "/", WindowsVirtualKeyCode: 191},
		{Type: kb.KeyUp, Key: "/", Code: "Slash", WindowsVirtualKeyCode: 191},
	} {
		_, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, event)
		check(b.T, err)
	}
}

// testFocusAndBuilds: a build takes the focus nowhere, wherever it is.
func testFocusAndBuilds(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	saves := 0
	for part, places := range map[string][]string{
		"/":                                     {`#parts a[href$="/search"]`, `.cards tbody a`, "#env"},
		"/site/items":                           {`#parts a[aria-current]`, `.side a[href*="Author"]`, "#list-sort", `.items tbody tr:nth-child(2) a`, `.pager [rel="next"]`, ".items thead a", ".request button"},
		"/site/items/" + id(1):                  {`#parts a[aria-current]`, ".values tbody a", "aside a", ".raw summary"},
		"/site/search?q=loaf&f=Data.rank|gte|3": {`#parts a[aria-current]`, "#q", "#c-op-0", ".hits a", ".facets input", "#add-facet", ".area", "main .menu summary"},
		"/site/fields?path=Data.rank":           {`#parts a[aria-current]`, ".field-table a[aria-current]", ".column", ".ranges summary", "#field-filter"},
		"/-/builds":                             {`#parts a[aria-current]`, ".tag-line + .copies button"},
	} {
		b.visit(part)
		for _, place := range places {
			b.focusOn(place)
			eval[bool](b, `window.was = document.activeElement.outerHTML.replace(/ tabindex="\d"/, "").slice(0, 80), true`)
			saves++
			reads := b.asked("/-/api/state")
			p.save("site/extra.json", item(900, fmt.Sprintf("Extra %d", saves), "Page", object{"n": saves}))
			until(t, "the refresh", func() bool { return b.asked("/-/api/state") > reads })
			b.wait("its end", `new Promise((done) => requestIdleCallback(() => done(!document.querySelector("[aria-busy=true]"))))`)
			b.wait(part+": the focus at "+place, `document.activeElement.matches(`+quote(place)+`)`)
		}
	}
}

// testFocusAfterActions: what a key press removes gives the focus to what is next.
func testFocusAfterActions(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?pageSize=20")
	b.focusOn(`.pager [rel="next"]`)
	b.press("\r")
	b.says(".pager", "page 2 of 2")
	b.focused("the number of the page", ".pager-at")
	b.visit("/site/search?f=Data.rank|gte|3&f=Data.sour|is|true&q=loaf&facet=Data.tags")
	b.focusOn(`[aria-label="Remove condition 1"]`)
	b.press("\r")
	b.wait("one condition", `document.querySelectorAll(".condition").length === 1 && !location.hash.includes("rank")`)
	b.focused("the next condition", `[aria-label="Remove condition 1"]`)
	b.press("\r")
	b.wait("no condition", `!location.hash.includes("sour") && document.querySelector("#c-path-0").value === ""`)
	b.focused("the empty condition", "#c-path-0")
	b.focusOn(`[aria-label="Remove the facet Data.tags"]`)
	b.press("\r")
	b.wait("no facet", `!location.hash.includes("facet")`)
	b.focused("the list of facets", "#add-facet")
	b.focusOn("main .menu summary")
	b.press("\r" + kb.Tab)
	b.wait("a link of the history", `document.activeElement.matches(".menu-body a")`)
	b.press(kb.Escape)
	b.wait("the menu is closed", `!document.querySelector("main .menu").open`)
	b.focused("the menu", "main .menu summary")
	b.press("\r")
	b.focusOn("main .menu-body button")
	b.press("\r")
	b.says("main .menu-body", "Searches of this browser appear here")
	b.focused("the menu", "main .menu summary")
	b.press("\r\r" + kb.Tab)
	b.wait("a menu that was left is closed", `!document.querySelector("main .menu").open`)
	b.visit("/site/search?body=%7B%22size%22%3A1%7D")
	b.focusOn(".note button")
	b.press("\r")
	b.gone(".note")
	b.focused("the box", "#q")
	b.click("#view .choice:has(#as-visitor)")
	b.switched()
	eval[bool](b, `document.querySelector("#as-of").value = "2031-01-01T00:00", true`)
	b.click("#as-of-set")
	b.switched()
	b.focusOn("#as-of-now")
	b.press("\r")
	b.gone("#as-of-now")
	b.focused("the date", "#as-of")
	b.switched()
	b.wait("the end of the build", `document.querySelector("#live").dataset.state === "live"`)
	b.click("#view summary")
	b.wait("an open menu", `document.querySelector("#view .menu").open`)
	b.focusOn("#other-status")
	b.press(kb.Escape)
	b.focused("the menu of the view", "#view summary")
	b.wait("the menu is closed", `!document.querySelector("#view .menu").open`)
}

// testWalk: keys alone reach everything: / the search from every part, one Tab the detail of a field.
func testWalk(t *testing.T, s *suite) {
	files := bakery()
	wide := object{}
	for i := range 200 {
		wide[fmt.Sprintf("field%03d", i)] = i
	}
	files["site/wide.json"] = item(500, "Wide", "Page", wide)
	p := s.preview(t, files)
	b := s.open(t, p.base)
	for _, part := range []string{"/", "/site/items/" + id(1), "/-/builds"} {
		b.visit(part)
		b.slash()
		b.wait("the search", `location.hash.endsWith("/search")`)
		b.focused("the box", "#q")
	}
	for _, part := range []string{"/site/items", "/site/search", "/site/fields"} {
		b.visit(part)
		b.slash()
		b.focused("the box", "[data-search]")
	}
	b.visit("/site/fields?path=Data.field000")
	if text := eval[string](b, `document.querySelector("#field-filter").value`); text != "" {
		t.Errorf("the filter has %q", text)
	}
	b.focusOn(`.field-table a[href$="Data.field000"]`)
	b.press(kb.ArrowDown + "\r")
	b.says(".field-detail h2", "Data.field001")
	b.says("#announce", "Data.field001: long in 1 of 29 items")
	b.focused("the path", `.field-table a[href$="Data.field001"]`)
	b.press(kb.Tab)
	b.wait("the detail", `document.activeElement.closest(".field-detail")`)
	b.press(kb.Tab, chromedp.KeyModifiers(chromedp.ModifierShift))
	b.focused("the path again", `.field-table a[href$="Data.field001"]`)
}

// testChoices: arrow keys pass over the choices of a select; Enter makes one, Tab none.
func testChoices(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items")
	b.focusOn("#env")
	b.press(kb.ArrowUp)
	b.wait("another value", `document.querySelector("#env").value === "shop"`)
	b.wait("the same part", `location.hash === "#/site/items"`)
	b.press(kb.Tab)
	b.wait("the old value", `document.querySelector("#env").value === "site"`)
	b.focusOn("#env")
	b.press(kb.ArrowUp + "\r")
	b.wait("the other environment", `location.hash === "#/shop/items"`)
	b.visit("/site/search?q=loaf")
	b.focusOn("#add-facet")
	b.press(kb.ArrowDown)
	if hash := eval[string](b, "location.hash"); strings.Contains(hash, "facet") {
		t.Errorf("an arrow key chose: %s", hash)
	}
	b.press("\r")
	b.wait("the facet", `location.hash.includes("facet=")`)
}

// testAnnouncements: lists, the filter of fields and wrong query strings are told; a failed build once.
func testAnnouncements(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?pageSize=5&page=2")
	b.says("#announce", "28 items, 6 to 10, page 2 of 6")
	b.visit("/site/fields")
	b.focusOn("#field-filter")
	b.press("tag")
	b.says("#announce", "1 path")
	if live := eval[int](b, `document.querySelectorAll(".field-detail[aria-live], .field-detail [aria-live]").length`); live > 0 {
		t.Error("the detail of a field is read at each build")
	}
	b.visit("/site/search?q=loaf+AND")
	b.wait("a box that is told to be wrong", `document.querySelector("#q").getAttribute("aria-invalid") === "true" && document.querySelector("#" + document.querySelector("#q").getAttribute("aria-describedby")).innerText.includes("refused")`)
	b.visit("/site/search?q=loaf")
	b.wait("a box that is right", `!document.querySelector("#q").hasAttribute("aria-invalid")`)
	b.says("#announce", "found")
	p.save("site/broken.json", "{")
	b.says("#failure [role=alert]", "failed")
	if told := b.texts("#announce"); strings.Contains(strings.Join(told, ""), "failed") {
		t.Errorf("the alert speaks, and so does %q", told)
	}
}

// testManyTabs: eight visible tabs have one stream between them, and all see a save.
func testManyTabs(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	first := s.open(t, p.base)
	tabs := []*tab{first}
	for range 7 {
		tabs = append(tabs, s.openIn(t, p.base, chromedp.WithExistingBrowserContext(chromedp.FromContext(first.ctx).BrowserContextID)))
	}
	for _, b := range tabs {
		b.visit("/site/items?searchByName=Article+01")
		b.same("td.name", "Article 01")
		b.says("#live-text", "live")
	}
	p.save("site/article-01.json", item(1, "Article 01", "Article", object{}, "Status", "Draft"))
	for _, b := range tabs {
		b.says("main tr", "Draft")
	}
}

// testPartWhileDown: a part first opened while preview does not answer says so, and appears with
// the connection.
func testPartWhileDown(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	via := proxyTo(t, p.base)
	b := s.open(t, via.base())
	b.down = true
	b.visit("/site/items")
	via.down.Store(true)
	via.cut()
	b.says("#announce", "The connection to preview is lost")
	eval[bool](b, `location.hash = "#/site/fields", true`)
	b.says("main .empty", "This part cannot be loaded")
	b.focusOn("#try-again")
	b.press("\r")
	b.says("#announce", "Preview still does not answer")
	via.down.Store(false)
	b.says("main h1", "Fields")
	b.says("#live-text", "live")
}

// testRefusedOrigin: who develops a site on another port learns why it reads nothing, once.
func testRefusedOrigin(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, `<!doctype html><title>Own</title><script>for (let i = 0; i < 3; i++) fetch("`+p.base+`/cda/rest/v1/site/contents").catch(() => { document.title = "refused" })</script>`)
	}))
	t.Cleanup(own.Close)
	site := s.open(t, own.URL)
	site.also, site.down = p.base, true
	site.goTo(own.URL + "/")
	site.wait("a refused request", `document.title === "refused"`)
	line := "preview: hint: a page of " + own.URL + " was refused; start with --cors-origin " + own.URL + "\n"
	until(t, "the line", func() bool { return strings.Contains(p.log.String(), line) })
	if n := strings.Count(p.log.String(), "was refused"); n != 1 {
		t.Errorf("%d lines:\n%s", n, p.log)
	}
	b := s.open(t, p.base)
	b.visit("/")
	b.says("#refused", "A page of "+own.URL+" was refused; start preview with --cors-origin "+own.URL)
}
