// This file tests the page's API over a running preview.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestPageRoutes: each route answers in its form.
func TestPageRoutes(t *testing.T) {
	s := startSite(t, small())
	const apiError = `^\{"error":\{"code":"%","message":"[^"]+"`
	failure := func(code string) string { return strings.ReplaceAll(apiError, "%", code) }
	for _, c := range []struct {
		method, target, body string
		status               int
		kind, want           string // Content-Type, a pattern of the body
	}{
		{"GET", "/", "", 200, "text/html; charset=utf-8", `^<!doctype html>`},
		{"GET", "/?x=1", "", 200, "text/html; charset=utf-8", `^<!doctype html>`},
		{"HEAD", "/", "", 200, "text/html; charset=utf-8", `^$`},
		{"GET", "/-/assets/index.html", "", 200, "text/html; charset=utf-8", `^<!doctype html>`},
		{"GET", "/-/assets/live.js", "", 200, "text/javascript; charset=utf-8", `.`},
		{"GET", "/-/assets/", "", 404, "json", failure("unknown_file")},
		{"GET", "/-/assets/../page.go", "", 404, "json", failure("unknown_file")},
		{"GET", "/-/assets/%69ndex.html", "", 404, "json", failure("unknown_file")},
		{"GET", "/-/live.js", "", 200, "text/javascript; charset=utf-8", `.`},
		{"GET", "/-/", "", 404, "json", failure("unknown_route")},
		{"GET", "/-/api/nothing", "", 404, "json", failure("unknown_route")},
		{"GET", "/-/api/state/", "", 404, "json", failure("unknown_route")},
		{"DELETE", "/-/api/state", "", 405, "json", failure("method_not_allowed")},
		{"POST", "/-/api/state", "{}", 405, "json", failure("method_not_allowed")},
		{"GET", "/-/api/view", "", 405, "json", failure("method_not_allowed")},
		{"OPTIONS", "/-/api/view", "", 405, "json", failure("method_not_allowed")},
		{"GET", "/-/api/state", "", 200, "json", `^\{"view":\{"as":"editor","statuses":\["Published"\],"at":null\},"clock":"20[^"]+Z","building":(true|false),"ready":true,"served":\{"as":"editor"[^}]+\},"build":\{"number":1,"phase":"built","at":"[^"]+Z","tookMillis":\d+,"build":"[0-9a-f]{16}","unchanged":false,"view":\{[^}]+\},"items":3,"files":\d+,"bytes":\d+,"release":"whole","errors":0,"leftOut":\[\],"leftOutTotal":0,"diagnostics":\[.*\],"diagnosticsTotal":\d,"changes":\{"items":\[\],"itemsTotal":0,"addresses":\[\],"addressesTotal":0,"purgeKeys":\[\]\}\},` +
			`"environments":\[\{"id":"shop","items":1,"templates":\[\{"name":"Page","items":1,"statuses":\{"Published":1\}\}\],"leftOut":\{"exclude":\[\],"include":\[\]\}\},\{"id":"site","items":2,"templates":\[\{"name":"Page","items":2,"statuses":\{"Draft":1,"Published":1\}\}\],"leftOut":\{"exclude":\[\],"include":\[\]\}\}\],"memory":\{"process":\d+,"kept":\d+\},"content":"[^"]+content","refusedOrigins":\[\],"sequence":"\w+-\d+"\}$`},
		{"GET", "/-/api/site/fields", "", 200, "json", `\{"path":"Data.size","kind":"text","subFields":\["keyword"[^\]]*\],"items":2,"mixed":\[\{"kind":"\w+","items":1,"file":"[^"]+json","line":1,"column":\d+,"id":"Content_[^"]+"\},\{[^}]+\}\]\},\{"path":"Data.title","kind":"text","subFields":\["keyword"\],"items":2,"mixed":\[\]\}`},
		{"GET", "/-/api/none/fields", "", 404, "json", failure("unknown_environment")},
		{"GET", "/-/api/site/nothing", "", 404, "json", failure("unknown_route")},
		{"GET", "/-/api/site/items/" + firstID, "", 200, "json", `^\{"id":"` + firstID + `","name":"Item 1","template":"Page","status":"Published","file":"[^"]+content/site/one.json","line":1,"references":\[\{"path":"Data.next","id":"` + secondID + `","name":"Item 2","template":"Page","exists":true\}\],"texts":\[\],"referredBy":\[\],"referredByTotal":0\}$`},
		{"GET", "/-/api/site/items/" + secondID, "", 200, "json", `"references":\[\],"texts":\[\],"referredBy":\[\{"path":"Data.next","id":"` + firstID + `","name":"Item 1","template":"Page"\}\],"referredByTotal":1\}$`},
		{"GET", "/-/api/shop/items/" + secondID, "", 404, "json", failure("unknown_item")},
		{"GET", "/-/api/site/items/a%2Fb", "", 404, "json", failure("unknown_route")},
		{"GET", "/-/api/site/hints?pagesize=1&page=1", "", 200, "json", `^\{"ignored":\[\{"name":"pagesize","meant":"pageSize"\}\],"unknownFields":\[\]\}$`},
		{"GET", "/-/api/site/hints?sort=Data.titel", "", 200, "json", `^\{"ignored":\[\],"unknownFields":\[\{"name":"Data.titel","meant":"Data.title"\}\]\}$`},
		{"POST", "/-/api/site/hints", `{"query":{"term":{"Data.titel":1}}}`, 200, "json", `^\{"unknownFields":\[\{"name":"Data.titel","meant":"Data.title"\}\]\}$`},
		{"POST", "/-/api/site/hints", `{"query":{"term":{"Data.titel":1}}}` + strings.Repeat(" ", 200<<10), 200, "json", `^\{"unknownFields":\[\{`}, // as long as searches may be
		{"POST", "/-/api/site/hints", `{"query":{"term":{"Data.title":1}}}`, 200, "json", `^\{"unknownFields":\[\]\}$`},
		{"POST", "/-/api/site/hints", `no search`, 200, "json", `^\{"unknownFields":\[\]\}$`},
		{"GET", "/-/api/builds", "", 200, "json", `^\[\{"number":1,.*\}\]$`},
		{"GET", "/-/api/builds/1", "", 200, "json", `^\{"number":1,.*\}$`},
		{"GET", "/-/api/builds/99", "", 404, "json", failure("unknown_build")},
		{"GET", "/-/api/builds/x", "", 404, "json", failure("unknown_route")},
		{"POST", "/-/api/view", `{`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"nobody"}`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"visitor","statuses":[""]}`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"visitor","at":"yesterday"}`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"visitor","drafts":true}`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"editor"}{}`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"editor"}]`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"visitor","at":"0001-01-01T00:00:00Z"}`, 422, "json", failure("bad_view")},
		{"POST", "/-/api/view", `{"as":"visitor","statuses":["` + strings.Repeat("a", 600) + `","` + strings.Repeat("b", 600) + `"]}`, 422, "json", failure("bad_view")},
	} {
		kind := c.kind
		if kind == "json" {
			kind = "application/json; charset=utf-8"
		}
		send := s.do
		if c.method == "POST" {
			send = func(_, target, body string, _ ...string) (*http.Response, string) { return s.post(target, body) }
		}
		a, body := send(c.method, c.target, c.body)
		if a.StatusCode != c.status || a.Header.Get("Content-Type") != kind || !regexp.MustCompile(c.want).MatchString(body) {
			t.Errorf("%s %s: %d %s\n%s\nwant %d %s\n%s", c.method, c.target, a.StatusCode, a.Header.Get("Content-Type"), body, c.status, kind, c.want)
		}
		checkSafeHeaders(t, c.target, a)
	}
}

// checkSafeHeaders checks the fields that all answers of the page have.
func checkSafeHeaders(t *testing.T, target string, a *http.Response) {
	t.Helper()
	cache, from := "no-store", "same-origin"
	if strings.HasPrefix(target, "/-/assets/") && a.StatusCode == 200 {
		cache = "no-cache"
	}
	if target == "/-/live.js" {
		from = "cross-origin"
	}
	for name, want := range map[string]string{
		"Cache-Control": cache, "Cross-Origin-Resource-Policy": from, "X-Content-Type-Options": "nosniff",
		"Referrer-Policy": "no-referrer", "X-Preview-View": "editor", "Access-Control-Allow-Origin": "",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %s: %q, want %q", target, name, got, want)
		}
	}
	policy := a.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: %s", target, policy)
	}
}

// TestAssetsAreKept: a browser that has a file is told so.
func TestAssetsAreKept(t *testing.T) {
	s := startSite(t, small())
	a, _ := s.do("GET", "/-/assets/live.js", "")
	again, body := s.do("GET", "/-/assets/live.js", "", "If-None-Match: "+a.Header.Get("ETag"))
	if again.StatusCode != 304 || body != "" || again.Header.Get("ETag") != a.Header.Get("ETag") {
		t.Errorf("%d %v", again.StatusCode, again.Header)
	}
}

// TestPageRefusals: other sites can neither read drafts nor change what is served.
func TestPageRefusals(t *testing.T) {
	s := startSite(t, small(), "--cors-origin", "https://site.example")
	own := "Origin: " + s.base
	const isJSON = "Content-Type: application/json"
	for _, c := range []struct {
		request, body string
		fields        []string
		want          int
	}{
		{"POST /-/api/view", `{"as":"editor"}`, []string{own, isJSON}, 200},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own, isJSON + "; charset=utf-8", "Sec-Fetch-Site: same-origin"}, 200},
		{"POST /-/api/view", `{"as":"editor"}`, []string{isJSON}, 403},
		{"POST /-/api/view", `{"as":"editor"}`, []string{"Origin: null", isJSON}, 403},
		{"POST /-/api/view", `{"as":"editor"}`, []string{"Origin: http://localhost:3000", isJSON}, 403},
		{"POST /-/api/view", `{"as":"editor"}`, []string{"Origin: https://site.example", isJSON}, 403},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own + "0", isJSON}, 403},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own, isJSON, "Sec-Fetch-Site: same-site"}, 403},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own, isJSON, "Sec-Fetch-Site: cross-site"}, 403},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own}, 415},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own, "Content-Type: text/plain"}, 415},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own, "Content-Type: text/plain; application/json"}, 415},
		{"POST /-/api/view", `{"as":"editor"}`, []string{own, "Content-Type: application/x-www-form-urlencoded"}, 415},
		{"POST /-/api/view", strings.Repeat(" ", 64<<10), []string{own, isJSON}, 422},
		{"POST /-/api/view", strings.Repeat(" ", 64<<10+1), []string{own, isJSON}, 413},
		{"POST /-/api/view", strings.Repeat(" ", 1<<20), []string{own, isJSON}, 413},
		{"POST /-/api/site/hints", `{}`, []string{own, isJSON}, 200},
		{"POST /-/api/site/hints", `{}`, []string{"Origin: https://evil.example", isJSON}, 403},

		{"GET /-/api/state", "", []string{"Sec-Fetch-Site: none"}, 200},
		{"GET /-/api/state", "", []string{"Sec-Fetch-Site: same-origin"}, 200},
		{"GET /-/api/state", "", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"GET /-/api/state", "", []string{"Origin: http://localhost:3000"}, 403},
		{"GET /-/api/state", "", []string{own}, 200},
		{"GET /", "", []string{"Sec-Fetch-Site: cross-site"}, 200},
		{"GET /-/live.js", "", []string{"Sec-Fetch-Site: cross-site"}, 200},
		{"HEAD /-/events", "", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"HEAD /-/events", "", []string{"Origin: https://evil.example"}, 403},
		{"HEAD /-/events", "", []string{"Origin: http://localhost.evil.example"}, 403},
		{"HEAD /-/events", "", []string{"Origin: http://localhost:1/x"}, 403},
		{"HEAD /-/events", "", []string{"Origin: null"}, 403},
		{"HEAD /-/events", "", []string{"Origin: http://localhost:3000", "Sec-Fetch-Site: cross-site"}, 200},
		{"HEAD /-/events", "", []string{"Origin: http://127.0.0.1:5173"}, 200},
		{"HEAD /-/events", "", []string{"Origin: http://[::1]:5173"}, 200},
		{"HEAD /-/events", "", []string{"Origin: https://site.example", "Sec-Fetch-Site: cross-site"}, 200},
		{"HEAD /-/events", "", []string{own}, 200},

		{"GET /", "", []string{"Host: evil.example"}, 421},
		{"GET /-/api/state", "", []string{"Host: evil.example"}, 421},
		{"GET /-/events", "", []string{"Host: evil.example"}, 421},
		{"GET /-/live.js", "", []string{"Host: evil.example"}, 421},
		{"POST /-/api/view", `{"as":"editor"}`, []string{"Host: evil.example", "Origin: http://evil.example", isJSON}, 421},
		{"POST /-/api/view", `{"as":"editor"}`, []string{"Host: localhost:7", "Origin: http://localhost:7", isJSON}, 200},
	} {
		method, target, _ := strings.Cut(c.request, " ")
		a, body := s.do(method, target, c.body, c.fields...)
		if a.StatusCode != c.want {
			t.Errorf("%s %q %d bytes: %d %s, want %d", c.request, c.fields, len(c.body), a.StatusCode, body, c.want)
		}
		origin, _ := strings.CutPrefix(c.fields[0], "Origin: ")
		if allowed := a.Header.Get("Access-Control-Allow-Origin"); target == "/-/events" && c.want == 200 != (allowed == origin) || allowed != "" && allowed != s.base && c.want != 200 {
			t.Errorf("%s %q: may be read by %q", c.request, c.fields, allowed)
		}
		if a.StatusCode == 421 && a.Header.Get("X-Preview-View") != "" {
			t.Errorf("%s %q: tells the view", c.request, c.fields)
		}
	}
}

// TestChangesOfBuilds: a build says what it changed, and a failed one what is wrong, with the
// lines around it.
func TestChangesOfBuilds(t *testing.T) {
	s := startSite(t, small())
	s.write("site/two.json", anItem("2", `,"Data":{"title":"Pepper"}`))
	b := s.until("changes an item", func(b siteBuild) bool { return b.Changes.ItemsTotal > 0 })
	item := "/cda/rest/v1/site/contents/" + secondID
	if c := b.Changes; len(c.Items) != 1 || c.Items[0].ID != secondID || c.Items[0].Change != "changed" || c.Items[0].Name != "Item 2" || c.Items[0].Environment != "site" ||
		!slices.Equal(c.Addresses, []string{"/cda/rest/v1/site/contents", item + ".json", item}) || !slices.Equal(c.PurgeKeys, []string{"lists-site", "item-" + secondID}) {
		t.Errorf("%+v", c)
	}
	if err := os.RemoveAll(filepath.Join(s.dir, "content", "shop")); err != nil {
		t.Fatal(err)
	}
	b = s.until("removes an environment", func(b siteBuild) bool { return b.Changes.ItemsTotal > 0 })
	if c := b.Changes; c.Items[0].Change != "removed" || !slices.Equal(c.PurgeKeys, []string{"env-shop", "lists-shop", "item-" + firstID}) {
		t.Errorf("%+v", c)
	}
	s.write("site/two.json", "{\n  \"ContentID\": \"x\",\n  \"Name: \"Two\"\n}\n")
	b = s.until("fails", func(b siteBuild) bool { return b.Phase == "failed" })
	if d := b.Diagnostics[0]; !strings.HasSuffix(d.File, "content/site/two.json") || d.Line != 3 || len(d.Source) != 4 || !d.Source[2].Marked || d.Source[2].Text != `  "Name: "Two"` {
		t.Errorf("%+v", d)
	}
	if st := s.state(); !st.Ready || st.Build.Phase != "failed" || len(st.Environments) != 1 {
		t.Errorf("%+v", st)
	}
	var builds []siteBuild
	s.read("/-/api/builds", &builds)
	if !slices.IsSortedFunc(builds, func(a, b siteBuild) int { return b.Number - a.Number }) || len(builds) != 4 {
		t.Errorf("%+v", builds)
	}
	var one siteBuild
	s.read("/-/api/builds/1", &one)
	if one.Number != 1 || one.Phase != "built" {
		t.Errorf("%+v", one)
	}
}

// total asks for the number of items, and for the view of the answer.
func (s *site) total(env string) (n int, view string) {
	s.t.Helper()
	a, body := s.do("GET", "/cda/rest/v1/"+env+"/contents", "")
	var list struct{ TotalItems int }
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		s.t.Fatalf("%s: %v", body, err)
	}
	return list.TotalItems, a.Header.Get("X-Preview-View")
}

// TestViews: the switch changes what the interface answers, at once and without a rebuild of the
// sources, and every answer says so.
func TestViews(t *testing.T) {
	files := small()
	files["site/three.json"] = anItem("3", `,"PublishedAt":"2026-06-01T00:00:00Z","Status":"Review"`)
	files["site/four.json"] = anItem("4", `,"PublishedAt":"2999-01-01T00:00:00Z"`)
	s := startSite(t, files, "--as", "visitor", "--status", "Published", "--status", "Review")
	if n, view := s.total("site"); n != 2 || view != "visitor; statuses=Published,Review; at=now" {
		t.Errorf("%d, %s", n, view)
	}
	for _, c := range []struct {
		body string
		want int
		view string
	}{
		{`{"as":"editor"}`, 4, "editor"},
		{`{"as":"visitor"}`, 2, "visitor; statuses=Published,Review; at=now"},
		{`{"as":"visitor","statuses":["Published"],"at":null}`, 1, "visitor; statuses=Published; at=now"},
		{`{"as":"visitor","at":"2026-05-01T02:00:00+02:00"}`, 1, "visitor; statuses=Published,Review; at=2026-05-01T00:00:00Z"},
		{`{"as":"visitor","statuses":["Dra,ft é","Draft"]}`, 1, "visitor; statuses=Dra%2Cft%20%C3%A9,Draft; at=now"},
		{`{"as":"visitor","at":"2999-01-01T00:00:00Z"}`, 3, "visitor; statuses=Published,Review; at=2999-01-01T00:00:00Z"},
		{`{"as":"visitor","statuses":["None"]}`, 0, "visitor; statuses=None; at=now"},
	} {
		a, body := s.post("/-/api/view", c.body)
		n, view := s.total("site")
		if a.StatusCode != 200 || n != c.want || view != c.view || a.Header.Get("X-Preview-View") != c.view {
			t.Errorf("%s: %d, %d items, %q, then %q\n%s", c.body, a.StatusCode, n, a.Header.Get("X-Preview-View"), view, body)
		}
		for name, data := s.event(); name != "view"; name, data = s.event() {
			if name != "building" && name != "built" {
				t.Errorf("%s: the event %s %s", c.body, name, data)
			}
		}
	}
}

// TestHiddenItems: an item that the view does not show is explained by the rule that hides it.
func TestHiddenItems(t *testing.T) {
	content := small()
	content["site/later.json"] = anItem("3", `,"PublishedAt":"2031-06-01T00:00:00Z"`)
	s := startSite(t, content)
	const third = "Content_00000000-0000-4000-8000-000000000003"
	s.post("/-/api/view", `{"as":"visitor","at":"2030-01-01T00:00:00Z"}`)
	for id, want := range map[string]string{
		secondID: "left out by its Status Draft: --status all delivers it; ", third: "appears at its PublishedAt, 2031-06-01T00:00:00Z; ", firstID[:len(firstID)-1] + "9": "it is not in the content either",
	} {
		if a, text := s.do("GET", "/-/api/site/items/"+id, ""); a.StatusCode != 404 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", id, a.StatusCode, text)
		}
	}
	s.post("/-/api/view", `{"as":"visitor","at":"2031-06-01T00:00:00Z"}`)
	if a, text := s.do("GET", "/-/api/site/items/"+third, ""); a.StatusCode != 200 {
		t.Errorf("%d %s", a.StatusCode, text)
	}
}

// TestViewOfBrokenContent: while the content cannot be built, the state says that another view is
// still served.
func TestViewOfBrokenContent(t *testing.T) {
	s := startSite(t, small())
	check := func(as, served string, items int) {
		t.Helper()
		st := s.state()
		if n, view := s.total("site"); st.View.As != as || st.Served.As != served || n != items || !strings.HasPrefix(view, served) {
			t.Errorf("view %s, served %s, %d items of %s; want %s, %s, %d", st.View.As, st.Served.As, n, view, as, served, items)
		}
	}
	check("editor", "editor", 2)
	s.write("site/three.json", "{")
	s.until("fails", func(b siteBuild) bool { return b.Phase == "failed" })
	if a, body := s.post("/-/api/view", `{"as":"visitor"}`); a.StatusCode != 200 {
		t.Error(a.Status, body)
	}
	check("visitor", "editor", 2)
	s.write("site/three.json", anItem("3", `,"Status":"Draft"`))
	s.until("succeeds", func(b siteBuild) bool { return b.Phase == "built" })
	check("visitor", "visitor", 1)
}

// TestClock: an item appears when its time comes, and goes when it expires, without an edit.
func TestClock(t *testing.T) {
	for _, tt := range []struct {
		member, change string
		before, after  int
	}{{"PublishedAt", "added", 1, 2}, {"ExpiresAt", "removed", 2, 1}} {
		t.Run(tt.member, func(t *testing.T) {
			files := small()
			soon := time.Now().Add(1500 * time.Millisecond)
			files["site/soon.json"] = anItem("9", fmt.Sprintf(`,%q:%q`, tt.member, soon.UTC().Format("2006-01-02T15:04:05.000Z")))
			s := startSite(t, files, "--as", "visitor")
			if n, _ := s.total("site"); n != tt.before && time.Now().Before(soon) {
				t.Errorf("%d items before the time", n)
			}
			b := s.until("changes an item", func(b siteBuild) bool { return b.Changes.ItemsTotal > 0 })
			if n, _ := s.total("site"); n != tt.after || b.Changes.Items[0].Change != tt.change || time.Now().Before(soon) {
				t.Errorf("%d items; %+v", n, b.Changes)
			}
		})
	}
}

// TestStopEndsStreams: the end of preview ends the streams in order; they are not cut off after
// the time for requests in flight.
func TestStopEndsStreams(t *testing.T) {
	s := startSite(t, small())
	s.stop()
	if _, err := io.Copy(io.Discard, s.follows); err != nil {
		t.Error(err)
	}
}
