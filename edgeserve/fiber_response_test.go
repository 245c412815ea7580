package edgeserve

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

func TestRange(t *testing.T) {
	_, addr, _ := startSite(t, site)
	target, text := listRoot+"/Content_0", site.item(0)
	n := len(text)
	whole, _ := ask(t, addr, "GET", target, "", "")
	tag := whole.Header.Get("Etag")
	if whole.Header.Get("Accept-Ranges") != "bytes" {
		t.Errorf("headers %v", whole.Header)
	}
	for _, c := range []struct {
		method, fields   string
		status           int
		body, rangeField string
	}{
		{"GET", "Range: bytes=0-4\r\n", 206, text[:5], fmt.Sprintf("bytes 0-4/%d", n)},
		{"GET", "Range: bytes=-5\r\n", 206, text[n-5:], fmt.Sprintf("bytes %d-%d/%d", n-5, n-1, n)},
		{"GET", "Range: bytes=3-99999\r\n", 206, text[3:], fmt.Sprintf("bytes 3-%d/%d", n-1, n)},
		{"GET", "Range: bytes=99999-\r\n", 416, "", fmt.Sprintf("bytes */%d", n)},
		{"GET", "Range: bytes=0-1,3-4\r\n", 200, text, ""},
		{"GET", "Range: bytes=0-1\r\nRange: bytes=3-4\r\n", 200, text, ""},
		{"GET", "Range: bytes=0-4\r\nIf-Range: " + tag + "\r\n", 206, text[:5], fmt.Sprintf("bytes 0-4/%d", n)},
		{"GET", "Range: bytes=0-4\r\nIf-Range: W/" + tag + "\r\n", 200, text, ""},
		{"GET", "Range: bytes=0-4\r\nIf-Range: \"x\"\r\n", 200, text, ""},
		{"GET", "Range: bytes=0-4\r\nIf-Range: Thu, 01 Jan 2099 00:00:00 GMT\r\n", 200, text, ""},
		{"GET", "Range: bytes=99999-\r\nIf-Range: \"x\"\r\n", 200, text, ""},
		{"GET", "Range: bytes=0-4\r\nIf-None-Match: " + tag + "\r\n", 304, "", ""},
		{"HEAD", "Range: bytes=0-4\r\n", 200, "", ""},
	} {
		a, body := ask(t, addr, c.method, target, c.fields, "")
		if a.StatusCode != c.status || c.status != 416 && body != c.body || a.Header.Get("Content-Range") != c.rangeField {
			t.Errorf("%s %q: %d %q %q", c.method, c.fields, a.StatusCode, body, a.Header.Get("Content-Range"))
		}
		if c.status == 416 && (a.Header.Get("Etag") != "" || a.Header.Get("Cache-Control") != "no-store" || !strings.Contains(body, `"bad_range"`)) {
			t.Errorf("416 with %v %s", a.Header, body)
		}
		if c.status != 416 && a.Header.Get("Etag") != tag {
			t.Errorf("%q: tag %s of %s", c.fields, a.Header.Get("Etag"), tag)
		}
	}
}

// A client that accepts certain answers only gets no other, from wherever it comes, and no
// cache keeps the refusal.
func TestIfMatch(t *testing.T) {
	_, addr, _ := startSite(t, site)
	for _, c := range []struct{ method, target, body string }{
		{"GET", listRoot + "/Content_0", ""}, {"HEAD", listRoot, ""}, {"GET", listRoot + "?pageSize=1&page=2", ""}, {"POST", "/cda/es/v1/demo", "{}"},
	} {
		first, _ := ask(t, addr, c.method, c.target, "", c.body)
		tag := first.Header.Get("Etag")
		for fields, status := range map[string]int{
			"If-Match: " + tag: 200, "If-Match: *": 200, "If-Match: \"x\", " + tag: 200, "If-Match: \"x\"\r\nIf-Match: " + tag: 200,
			"If-Match: \"x\"": 412, "If-Match: W/" + tag: 412, "If-Match: \"x\"\r\nIf-None-Match: " + tag: 412,
			"If-Match: " + tag + "\r\nIf-None-Match: " + tag: 304,
		} {
			for range 3 { // read, then kept
				a, _ := ask(t, addr, c.method, c.target, fields+"\r\n", c.body)
				if a.StatusCode != status || a.Header.Get(httpfield.Release) == "" {
					t.Errorf("%s %s, %s: %d %v", c.method, c.target, fields, a.StatusCode, a.Header)
				}
				if refused := status == 412; refused != (a.Header.Get("Etag") == "") || refused && a.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s %s, %s: %v", c.method, c.target, fields, a.Header)
				}
			}
		}
	}
}

// A range is of the coded body when that is what is sent.
func TestRangeOfCoded(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	coded(t, dir, firstPage, contentcoding.Gzip)
	s := openSite(t, dir, nil)
	ctx := newRequest(t, "GET", listRoot, "Accept-Encoding: gzip", "Range: bytes=2-9")
	s.handle(ctx)
	want := compression.ForFiles.Encode(contentcoding.Gzip, nil, []byte(site.list(5, 0, 1)))[2:10]
	if ctx.Response.StatusCode() != 206 || string(ctx.Response.Body()) != string(want) || string(ctx.Response.Header.ContentEncoding()) != "gzip" {
		t.Errorf("%d %x, want %x", ctx.Response.StatusCode(), ctx.Response.Body(), want)
	}
}

// Bodies that no file holds are coded while the client waits, if they are long.
func TestCodedWhileWaiting(t *testing.T) {
	long := site
	long.note = strings.Repeat("long ", 300)
	_, addr, _ := startSite(t, long)
	for _, c := range []struct {
		method, target, plain string
		filed                 bool
	}{
		{"GET", listRoot + "?page=2", long.list(5, 2, 3), true},
		{"GET", listRoot + "?pageSize=3", long.list(5, 0, 1, 2), false},
		{"POST", esRoot, long.list(5, 0, 1, 2, 3, 4), false},
	} {
		tags := map[string]string{}
		// A file that is missing is looked for in every coding by the first request. That must not bind the later ones.
		for _, q := range []struct {
			accept string
			want   contentcoding.Coding
		}{{"gzip, br, zstd", contentcoding.Zstd}, {"", contentcoding.Identity}, {"gzip, br", contentcoding.Gzip}, {"br", contentcoding.Identity}, {"gzip;q=0", contentcoding.Identity}} {
			accept, want := q.accept, q.want
			a, body := ask(t, addr, c.method, c.target, "Accept-Encoding: "+accept+"\r\n", "")
			if body != string(compression.EncodeFast(want, nil, []byte(c.plain), nil)) || a.Header.Get("Etag") != wantTag(c.filed, body) {
				t.Errorf("%s with %q: %q %v", c.target, accept, body, a.Header)
			}
			if coding := a.Header.Get("Content-Encoding"); (coding == "") != (want == contentcoding.Identity) || coding != "" && coding != want.String() {
				t.Errorf("%s with %q: coding %q", c.target, accept, coding)
			}
			if old, twice := tags[a.Header.Get("Content-Encoding")]; twice && old != a.Header.Get("Etag") {
				t.Errorf("%s with %q: another tag", c.target, accept)
			}
			tags[a.Header.Get("Content-Encoding")] = a.Header.Get("Etag")
			again, rest := ask(t, addr, c.method, c.target, "Accept-Encoding: "+accept+"\r\nIf-None-Match: "+a.Header.Get("Etag")+"\r\n", "")
			if again.StatusCode != 304 || rest != "" || again.Header.Get("Content-Encoding") != "" || again.Header.Get("Content-Type") != "" || again.Header.Get("Vary") == "" {
				t.Errorf("%s with %q again: %d %v", c.target, accept, again.StatusCode, again.Header)
			}
		}
		if len(tags) != 3 || tags[""] == tags["gzip"] {
			t.Errorf("%s: tags %v", c.target, tags)
		}
	}
	if a, _ := ask(t, addr, "POST", esRoot, "Accept-Encoding: gzip\r\n", `{"size":0}`); a.Header.Get("Content-Encoding") != "" {
		t.Error("a short body is coded")
	}
}

func TestRelease(t *testing.T) {
	s, addr, dir := startSite(t, site)
	build := s.servedBuild()
	for _, target := range []string{listRoot, listRoot + "?page=2", listRoot + "/Content_1", listRoot + "/Content_9", "/cda/rest/v1/other/contents", listRoot + "?page=0"} {
		for range 2 {
			free, _ := ask(t, addr, "GET", target, "", "")
			pinned, _ := ask(t, addr, "GET", target, "X-Release: "+build+"\r\n", "")
			if free.Header.Get("X-Release") != build || pinned.StatusCode != free.StatusCode || fmt.Sprint(pinned.Header["Etag"]) != fmt.Sprint(free.Header["Etag"]) {
				t.Errorf("%s: %v, pinned %d %v", target, free.Header, pinned.StatusCode, pinned.Header)
			}
			other, body := ask(t, addr, "GET", target, "X-Release: 0123456789abcdef\r\n", "")
			if other.StatusCode != 412 || !strings.Contains(body, `"release_mismatch"`) || !strings.Contains(body, build) || other.Header.Get("X-Release") != build || other.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s of another release: %d %s %v", target, other.StatusCode, body, other.Header)
			}
		}
	}
	if a, _ := ask(t, addr, "POST", esRoot, "X-Release: x\r\n", ""); a.StatusCode != 412 {
		t.Errorf("a search of another release: %d", a.StatusCode)
	}
	// What comes from no release is not bound to one, and names the one that is served.
	for _, c := range []struct {
		method, target, fields string
		status                 int
	}{
		{"GET", "/livez", "", 200}, {"GET", "/nowhere", "", 404}, {"PUT", listRoot, "", 405}, {"OPTIONS", listRoot, "", 204}, {"GET", listRoot, "no field\r\n", 400},
	} {
		a, _ := ask(t, addr, c.method, c.target, "X-Release: x\r\n"+c.fields, "")
		if a.StatusCode != c.status || a.Header.Get("X-Release") != build {
			t.Errorf("%s %s: %d %v", c.method, c.target, a.StatusCode, a.Header)
		}
	}
	second := site
	second.note = "second"
	second.write(t, dir)
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	if a, _ := ask(t, addr, "GET", listRoot, "X-Release: "+build+"\r\n", ""); a.StatusCode != 412 || a.Header.Get("X-Release") == build {
		t.Errorf("after the swap: %d %v", a.StatusCode, a.Header)
	}
}

// A problem names the release that it comes from, though another one is served by now.
func TestProblemOfOldRelease(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	s, ctx := openSite(t, dir, nil), newRequest(t, "GET", listRoot)
	ctx.Response.Header.Set(httpfield.Release, "0123456789abcdef")
	s.respond.fail(ctx, problem.Of(problem.UnknownItem))
	if got := string(ctx.Response.Header.Peek(httpfield.Release)); got != "0123456789abcdef" {
		t.Errorf("it names %s", got)
	}
}

func TestOrigins(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public, c.Origins = dir, []string{"https://a.example", "http://b:8080"} })
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	for origin, want := range map[string]string{"http://b:8080": "GET, HEAD, OPTIONS", "https://evil.example": "", "null": ""} {
		a, _ := ask(t, addr, "OPTIONS", listRoot, "Origin: "+origin+"\r\nAccess-Control-Request-Method: GET\r\n", "")
		if h := a.Header; h.Get("Access-Control-Allow-Methods") != want || (h.Get("Access-Control-Allow-Headers") != "") != (want != "") {
			t.Errorf("preflight from %q: %v", origin, h)
		}
	}
	for _, target := range []string{listRoot, listRoot + "?page=2", listRoot + "/Content_9", "/livez"} {
		for origin, want := range map[string]string{"https://a.example": "https://a.example", "http://b:8080": "http://b:8080", "https://A.example": "", "null": "", "https://a.example.evil": "", "": ""} {
			a, _ := ask(t, addr, "GET", target, "Origin: "+origin+"\r\n", "")
			h := a.Header
			if h.Get("Access-Control-Allow-Origin") != want || h.Get("Vary") != "Accept-Encoding, Origin" || h.Get("Access-Control-Allow-Credentials") != "" || (h.Get("Access-Control-Expose-Headers") != "") != (want != "") {
				t.Errorf("%s from %q: %v", target, origin, h)
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public, c.Cache = dir, release.NoStore() })
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{listRoot, listRoot + "?page=2", listRoot + "/Content_1", listRoot + "/Content_9", listRoot + "?page=x"} {
		if a, _ := ask(t, addr, "GET", target, "", ""); a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %s", target, a.Header.Get("Cache-Control"))
		}
	}
	if a, _ := ask(t, addr, "POST", esRoot, "", ""); a.StatusCode != http.StatusOK || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a search: %s", a.Header.Get("Cache-Control"))
	}
}
