// This file tests what changes while a page is open: builds, views, connections.

package page_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// testSave: a save shows in every part without a reload, and the focus stays where it is.
func testSave(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?sort=Name&sortAsc=true&pageSize=5")
	eval[bool](b, `window.loaded = true; document.querySelector(".items tbody tr:nth-child(3) a").focus() || true`)
	p.save("site/article-01.json", item(1, "Article 01, again", "Article", object{"title": "New"}))
	b.says("tr.changed", "Article 01, again")
	b.says("#announce", "29 items")
	if got := eval[string](b, "document.activeElement.innerText"); got != "Article 02" && got != "Article 01, again" {
		t.Errorf("the focus is at %q", got)
	}
	b.visit("/site/items/" + id(1))
	p.save("site/article-01.json", item(1, "Article 01, at last", "Article", object{"title": "Newer"}))
	b.says("h1", "Article 01, at last")
	b.says(".values", "Newer")
	b.visit("/site/search?q=newest")
	b.says(".empty", "Nothing matches")
	p.save("site/article-01.json", item(1, "Article 01", "Article", object{"title": "Newest", "fresh": 1}))
	b.same(".hit-head a", "Article 01")
	b.visit("/")
	p.save("fresh/one.json", item(1, "One", "Page", object{}))
	b.says("main h2", "fresh")
	if !eval[bool](b, "window.loaded === true") {
		t.Error("the page was loaded again")
	}
}

// testErrorAndMending: an error stands above every part until it is mended.
func testErrorAndMending(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?searchByName=Article+01")
	b.same("td.name", "Article 01")
	p.save("site/article-01.json", "{\n  \"ContentID\": Content_1\n}")
	b.says("#failure", "failed. The last good build is shown.")
	b.says("#failure", "content/site/article-01.json:2:")
	b.says("#failure .line.marked", `"ContentID": Content_1`)
	b.same("td.name", "Article 01")
	b.shoot("error")
	b.click("#failure a")
	b.says(".build-detail", "content/site/article-01.json:2:")
	p.save("site/article-01.json", item(1, "Article 01", "Article", object{"title": "Mended"}))
	b.gone("#failure")
	b.says(".build-columns tbody tr:first-child", "built")
}

// testBrokenAtStart: without any good build the page says why, lists all errors, and shows the content
// as soon as there is one.
func testBrokenAtStart(t *testing.T, s *suite) {
	p := s.preview(t, map[string]string{"site/a.json": "{", "site/b.json": "["})
	b := s.open(t, p.base)
	b.visit("/site/items")
	b.says("#failure", " failed. Nothing is shown until a build succeeds. 2 problems")
	b.says("#failure", "content/site/a.json:1:")
	b.says("main", "No build has succeeded yet")
	b.click("#failure a")
	b.says(".build-detail", "content/site/a.json:1:")
	b.says(".build-detail", "content/site/b.json:1:")
	b.visit("/-/builds") // of the newest build
	p.save("site/b.json", "[1")
	b.says(".build-detail", "content/site/b.json:1:3")
	b.visit("/site/items")
	check(t, os.Remove(filepath.Join(p.dir, "site", "b.json")))
	p.save("site/a.json", item(1, "First", "Page", object{}))
	b.same("td.name", "First")
	b.gone("#failure")
}

// testLeftOutAtStart: at the first start the page shows the good files, and names the others.
func testLeftOutAtStart(t *testing.T, s *suite) {
	p := s.preview(t, map[string]string{"site/a.json": item(1, "First", "Page", object{}), "site/b.json": "{", "site/c.json": "["})
	b := s.open(t, p.base)
	b.visit("/site/items")
	b.same("td.name", "First")
	b.says("#failure", " left out 2 files: content/site/b.json, content/site/c.json. The others are shown. 2 problems")
	b.click("#failure a")
	b.says(".build-detail", "content/site/b.json:1:")
	b.says(".build-detail", "content/site/c.json:1:")
	p.save("site/b.json", item(2, "Second", "Page", object{}))
	b.says("#failure", "left out 1 file: content/site/c.json. The others are shown. 1 problem")
	p.save("site/_environment.yaml", "x: 1")
	b.says("#failure", "failed. The last release is shown, which lacks files.")
	check(t, os.Remove(filepath.Join(p.dir, "site", "_environment.yaml")))
	p.save("site/c.json", item(3, "Third", "Page", object{}))
	b.gone("#failure")
	b.visit("/site/items?sort=Name&sortAsc=true")
	b.same("td.name", "First", "Second", "Third")
}

// testBuilds: what each build changed, and the tag for one's own site.
func testBuilds(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/-/builds")
	b.says(".build-columns tbody tr", "built")
	p.save("site/article-01.json", item(1, "Article one", "Article", object{"title": "New"}))
	b.says(".build-detail li", "changed Article one site")
	b.says(".build-detail summary", "Addresses (")
	b.says(".build-detail", "/cda/rest/v1/site/contents/"+id(1))
	b.says(".build-detail summary", "Purge keys (")
	b.says(".build-detail h3", "Diagnostics") // Data.since has mixed kinds
	b.says(".build-detail .diagnostic", "Data.since")
	b.says(".tag-line", `<script src="`+p.base+`/-/live.js"></script>`)
	b.link("Article one")
	b.says("h1", "Article one")
}

// testDrafts: a visitor sees neither drafts nor what is published later; a look ahead does.
func testDrafts(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?searchByTemplateName=Article")
	b.says(".total", "26 items")
	b.says("#view", "drafts")
	b.click("#view .choice:has(#as-visitor)")
	b.says(".total", "23 items")
	b.switched()
	b.says("#view", "published by now")
	b.says(".side", "Article\n23")
	if body := string(p.get("/cda/rest/v1/site/contents?searchByTemplateName=Article&pageSize=1")); !strings.Contains(body, `"totalItems":23}`) {
		t.Errorf("the interface answers %s", body)
	}
	b.visit("/site/items/" + id(24))
	b.says(".empty", "This view has no such item")
	b.visit("/site/items?searchByTemplateName=Article")
	eval[bool](b, `document.querySelector("#as-of").value = "2031-01-01T00:00", true`)
	b.click("#as-of-set")
	b.says(".total", "24 items")
	b.switched()
	b.says("#view", "published by 2031-01-01 00:00 UTC")
	b.click("#view summary")
	b.click(`input[data-key="status-Draft"]`)
	b.says(".total", "26 items")
	b.switched()
	b.says("#view summary", "Published, Draft")
	b.enter("#other-status", "Retired\r")
	b.says("#view summary", "Published, Draft, Retired")
	b.says("#view label", "Retired")
	b.switched()
	b.click("#as-of-now")
	b.says(".total", "25 items")
	b.switched()
	b.click("#view .choice:has(#as-editor)")
	b.says(".total", "26 items")
}

// switched waits until the page has ended to switch the view.
func (b *tab) switched() {
	b.Helper()
	b.wait("end of the switch", `!document.querySelector("#view").hasAttribute("aria-busy")`)
}

// testViewOfBrokenContent: a switch that cannot be built does not claim that drafts are gone.
func testViewOfBrokenContent(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?searchByTemplateName=Article")
	p.save("site/broken.json", "{")
	b.says("#failure", "content/site/broken.json")
	b.click("#view .choice:has(#as-visitor)")
	b.says("#view .view-problem", "Not in effect until a build succeeds")
	b.says("#view .view-problem", "everything, drafts too")
	b.says(".total", "26 items")
	p.save("site/broken.json", item(99, "Mended", "Page", object{}))
	b.says(".total", "23 items")
	b.gone("#view strong")
}

// proxy passes connections on, until it is told to close them.
type proxy struct {
	net.Listener
	to   atomic.Value // string
	down atomic.Bool
	mu   sync.Mutex
	open []net.Conn
}

func (p *proxy) run() {
	for {
		from, err := p.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("tcp", p.to.Load().(string))
		if err != nil || p.down.Load() {
			from.Close()
			continue
		}
		p.mu.Lock()
		p.open = append(p.open, from, to)
		p.mu.Unlock()
		go func() { io.Copy(to, from); to.Close() }()
		go func() { io.Copy(from, to); from.Close() }()
	}
}

// proxyTo starts a proxy to a site.
func proxyTo(t *testing.T, base string) *proxy {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	t.Cleanup(func() { ln.Close() })
	p := &proxy{Listener: ln}
	p.pass(base)
	go p.run()
	t.Cleanup(p.cut)
	return p
}

func (p *proxy) base() string { return "http://" + p.Addr().String() }

// pass sends later connections to a site.
func (p *proxy) pass(base string) { p.to.Store(strings.TrimPrefix(base, "http://")) }

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.open {
		c.Close()
	}
	p.open = nil
}

// testReconnect: through a proxy that closes connections, the page misses nothing.
func testReconnect(t *testing.T, s *suite) {
	site := s.preview(t, bakery())
	p := proxyTo(t, site.base)
	b := s.open(t, p.base())
	b.visit("/site/items?searchByName=Article+01")
	b.says("#live-text", "live")
	p.down.Store(true)
	p.cut()
	b.says("#live-text", "reconnecting")
	site.save("site/article-01.json", item(1, "Article 01", "Article", object{}, "Status", "Draft"))
	until(t, "the build", func() bool {
		return strings.Contains(string(site.get("/cda/rest/v1/site/contents/"+id(1))), `"Draft"`)
	})
	p.down.Store(false)
	b.says("#live-text", "live")
	b.says("main tr", "Draft")
}

// testRestart: the failed build of a preview that was started again replaces the one before,
// although both have the same number.
func testRestart(t *testing.T, s *suite) {
	before, after := s.preview(t, map[string]string{"site/a.json": "{"}), s.preview(t, map[string]string{"site/b.json": "{"})
	p := proxyTo(t, before.base)
	b := s.open(t, p.base())
	b.visit("/site/items")
	b.says("#failure", "content/site/a.json:1:")
	p.pass(after.base)
	p.cut()
	b.says("#failure", "content/site/b.json:1:")
}

// testHidden: a page that nobody sees holds no connection, and knows everything when it is seen.
func testHidden(t *testing.T, s *suite) {
	p := s.preview(t, bakery())
	b := s.open(t, p.base)
	b.visit("/site/items?searchByName=Article+01")
	b.same("td.name", "Article 01")
	hide := func(hidden bool) {
		eval[bool](b, fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true }) && document.dispatchEvent(new Event("visibilitychange"))`, hidden))
	}
	hide(true)
	p.save("site/article-01.json", item(1, "Article 01", "Article", object{}, "Status", "Draft"))
	until(t, "the build", func() bool { return strings.Contains(string(p.get("/cda/rest/v1/site/contents/"+id(1))), `"Draft"`) })
	hide(false)
	b.says("main tr", "Draft")
	if n := b.asked("/-/api/state"); n != 1 {
		t.Errorf("the page read the state %d times, want once, when it was seen again", n)
	}
}

// testLiveScript: a page of another origin is loaded again after a build, and shows the first
// error of a failed one.
func testLiveScript(t *testing.T, s *suite) {
	p := s.preview(t, map[string]string{"site/a.json": item(1, "First", "Page", object{})})
	var loads atomic.Int64
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			return
		}
		loads.Add(1)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, `<!doctype html><title>Own</title><p>The site</p><script src="`+p.base+`/-/live.js"></script>`)
	}))
	t.Cleanup(own.Close)
	b := s.open(t, own.URL)
	b.also = p.base
	b.goTo(own.URL + "/")
	until(t, "the first event", func() bool { return b.told("state") == 1 })
	p.save("site/a.json", item(1, "Second", "Page", object{}))
	until(t, "a reload", func() bool { return loads.Load() == 2 })
	until(t, "the events of the new page", func() bool { return b.told("state") == 2 })
	p.save("site/a.json", "{\n \"Name\": \"<img src=x>\", nonsense }")
	overlay := `document.querySelector("contentedge-error")?.shadowRoot`
	b.wait("the error", overlay+`?.querySelector(".file").textContent.startsWith("content/site/a.json:2:")`)
	b.wait("the line", overlay+`.querySelector(".marked").textContent.includes("<img src=x>")`)
	b.wait("no markup of the content", overlay+`.querySelector("img") === null`)
	b.shoot("overlay")
	p.save("site/a.json", item(1, "Second", "Page", object{}))
	b.wait("the end of the error", `!document.querySelector("contentedge-error")`)
	p.save("site/a.json", item(1, "Third", "Page", object{}))
	until(t, "another reload", func() bool { return loads.Load() == 3 })
}
