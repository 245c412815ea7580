// This file tests rich text and images of items: they are rendered in frames that run nothing and load nothing of
// other hosts before a click.

package page_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// stranger is a site that counts what it is asked for.
func stranger(t *testing.T) (base string, asked *atomic.Int32) {
	asked = new(atomic.Int32)
	image, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(pixel, "data:image/gif;base64,"))
	check(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "image/gif")
		w.Write(image)
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// richItem has a text in each form, which all try to reach a stranger or to run something.
func richItem(other string) map[string]string {
	hostile := `<script>top.hacked=1;fetch("` + other + `/script")</script><img src="` + other + `/a.gif" alt="A foreign image" onerror="top.hacked=1"><img src=x onerror="top.hacked=1">` +
		`<style>@import "` + other + `/style"; body{background:url(` + other + `/bg)}</style><iframe src="` + other + `/frame"></iframe><meta http-equiv="refresh" content="0;url=` + other + `/refresh">` +
		`<link rel=stylesheet href="` + other + `/link"><form action="` + other + `/form"><button>send</button></form><svg onload="top.hacked=1"></svg><a href="javascript:top.hacked=1">run</a><p style="color:red" onclick="top.hacked=1">A paragraph</p>` +
		`<base target="_top" href="` + other + `/"><object data="` + other + `/object"></object><video src="` + other + `/video" autoplay></video><img srcset="` + other + `/set 1x">`
	text := func(value string) object {
		return object{"nodeType": "text", "value": value, "marks": []object{{"type": "bold"}}}
	}
	dot, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(pixel, "data:image/gif;base64,"))
	return map[string]string{"site/dot.gif": string(dot), "site/a.json": item(1, "Rich", "Page", object{
		"html":  "<h2>A heading</h2>" + hostile + `<img src="` + pixel + `" alt="A dot">`,
		"body":  object{"nodeType": "document", "content": []object{{"nodeType": "paragraph", "content": []object{text("Bold words")}}, {"nodeType": "hyperlink", "data": object{"uri": "javascript:top.hacked=1"}, "content": []object{text("a link")}}}},
		"text":  "# A title\n\nSome *words*, ![an image](" + other + "/b.gif)\n\n" + hostile,
		"photo": object{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": other + "/photo.gif", "AltText": "A photo"},
		"title": "Plain words",
		"dot":   object{"Type": "Reference", "ReferenceType": "Media", "MediaUrl": "./dot.gif", "AltText": "A file beside the item"},
	})}
}

// frameOf is the frame in the row of a path.
func frameOf(path string) string { return rowOf(path) + `?.querySelector("iframe")` }

func testRich(t *testing.T, s *suite) {
	other, asked := stranger(t)
	p := s.preview(t, richItem(other))
	b := s.open(t, p.base)
	b.visit("/site/items/" + id(1))
	for _, path := range []string{"Data.html", "Data.body"} {
		b.wait("a frame at "+path, frameOf(path)+`?.sandbox.value === "allow-popups allow-popups-to-escape-sandbox"`)
		if eval[bool](b, frameOf(path)+`.contentDocument !== null`) {
			t.Errorf("the page reaches into the frame of %s", path)
		}
	}
	b.wait("one row for a structure", `!`+rowOf("Data.body.nodeType"))
	b.wait("Markdown as it is written", rowOf("Data.text")+`.innerText.includes("# A title") && !`+frameOf("Data.text"))
	b.wait("no frame for plain words", `!`+frameOf("Data.title"))
	b.focusOn(`button[data-key="rendered Data.text"]`)
	b.press(kb.Enter)
	b.wait("the Markdown in a frame", frameOf("Data.text"))
	b.focused("the button", `[data-key="rendered Data.text"][aria-pressed=true]`)
	b.click(`button[data-key="source Data.body"]`)
	b.wait("the JSON", rowOf("Data.body")+`.querySelector("pre.json").innerText.includes('"Bold words"')`)
	b.visit("/site/items")
	b.visit("/site/items/" + id(1))
	b.wait("the choice is kept", rowOf("Data.body")+`?.querySelector("pre.json") && `+frameOf("Data.text"))
	b.safe("an item with frames")
	b.wait("the image of the release", rowOf("Data.dot")+`.querySelector("img[src*='/cda/media/site/']").naturalWidth === 1`)
	b.shoot("rich")

	// Each document alone, as the frame loads it.
	for at, about := range map[string]struct{ as, text, heading string }{
		"/Data/html": {"", "A paragraph", "A heading"}, "/Data/body": {"", "Bold words", ""}, "/Data/text": {"markdown", "Some words", "A title"},
	} {
		b.goTo(p.base + "/-/frame/site/" + id(1) + "?" + url.Values{"at": {at}, "as": {about.as}, "theme": {"dark"}}.Encode())
		b.wait(at, `document.querySelector("main")?.innerText.includes(`+quote(about.text)+`)`)
		if got := eval[string](b, `document.querySelector("h1, h2")?.innerText ?? ""`); got != about.heading {
			t.Errorf("%s: the heading is %q", at, got)
		}
		if got := eval[string](b, `JSON.stringify([window.hacked ?? 0, window.origin, document.querySelectorAll("script, iframe, form, object, video, link, meta[http-equiv], base, [onclick], [onerror], main [style], a[href^=javascript]").length, getComputedStyle(document.documentElement).colorScheme, getComputedStyle(document.querySelector("main")).maxWidth !== "none"])`); got != `[0,"null",0,"dark",true]` {
			t.Errorf("%s: %s", at, got)
		}
	}
	b.goTo(p.base + "/-/frame/site/" + id(1) + "?at=/Data/dot&as=media")
	b.wait("the image of the release in a document", `document.images[0]?.naturalWidth === 1`)
	b.goTo(p.base + "/-/frame/site/" + id(1) + "?at=/Data/html")
	b.wait("the image of the text itself", `[...document.images].some((i) => i.alt === "A dot" && i.naturalWidth === 1)`)
	b.says(".bar", "1 image is not loaded, from "+strings.TrimPrefix(other, "http://"))
	b.visit("/site/items")
	if !eval[bool](b, `document.querySelector("#refused").hidden`) {
		t.Error("the page says that an origin was refused: ", b.texts("#refused"))
	}
	b.goTo(p.base + "/-/frame/site/" + id(1) + "?at=/Data/html")
	if n := asked.Load(); n != 0 {
		t.Fatalf("%d requests to a stranger without a click", n)
	}
	b.also = other
	b.click(".bar a")
	b.wait("the foreign image", `[...document.images].some((i) => i.alt === "A foreign image" && i.naturalWidth === 1)`)
	if n := asked.Load(); n != 1 {
		t.Errorf("%d requests for an image", n)
	}
	b.visit("/site/items/" + id(1))
	b.focusOn(`button[data-key="load /Data/photo"]`)
	b.press(kb.Enter)
	b.wait("the photo in a frame", frameOf("Data.photo"))
	waitFor(t, "the photo", func() bool { return asked.Load() == 2 })
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !is(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no %s", what)
		}
	}
}

// testFrames: documents of items are for the page alone, whoever asks.
func testFrames(t *testing.T, s *suite) {
	p := s.preview(t, richItem("http://media.example.org"))
	get := func(path string, fields ...string) (*http.Response, string) {
		t.Helper()
		r, _ := http.NewRequest("GET", p.base+path, nil)
		for i := 0; i < len(fields); i += 2 {
			r.Header.Set(fields[i], fields[i+1])
		}
		response, err := http.DefaultClient.Do(r)
		check(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		check(t, err)
		return response, string(body)
	}
	frame := "/-/frame/site/" + id(1) + "?at=/Data/"
	r, body := get(frame + "html")
	policy := r.Header.Get("Content-Security-Policy")
	for _, want := range []string{"sandbox allow-popups allow-popups-to-escape-sandbox;", "default-src 'none'", "img-src 'self' data:;", "frame-ancestors 'self'", "style-src 'sha256-"} {
		if !strings.Contains(policy, want) {
			t.Errorf("%q is not in %q", want, policy)
		}
	}
	if r.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" || r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Access-Control-Allow-Origin") != "" || strings.Contains(body, "<script") {
		t.Errorf("%v %s", r.Header, body)
	}
	if r, _ := get(frame + "html&images=all"); !strings.Contains(r.Header.Get("Content-Security-Policy"), "img-src 'self' data: http: https:;") {
		t.Error(r.Header.Get("Content-Security-Policy"))
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		frame + "gone":                     {404, "This value is not there any more."},
		"/-/frame/site/" + id(77):          {404, "This item is not there any more."},
		"/-/frame/nowhere/" + id(1):        {404, "This item is not there any more."},
		"/-/frame/site/..%2f..":            {404, "unknown_route"},
		"/-/frame/site/" + id(1) + "?at=%": {404, "unknown_route"},
		frame + "photo&as=media":           {200, "1 image is not loaded, from media.example.org."},
		frame + "title&as=media":           {200, "[image ()]"},
		frame + "title":                    {200, "The text is empty."},
		frame + "html&theme=%22%3E%3Cx":    {200, `<html lang="und"><head>`},
	} {
		if r, body := get(path); r.StatusCode != want.status || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d %s", path, r.StatusCode, body)
		}
	}
	if r, _ := get("/-/frame/site/"+id(1)+"?at=/Data/html", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); r.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("another origin may read it")
	}
}
