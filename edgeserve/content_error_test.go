package edgeserve

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// broken is an error with two places.
var broken = &ContentError{Code: "content_error", Message: "the content has 2 errors", Diagnostics: []problem.Diagnostic{
	{File: "content/site/é.ndjson", Line: 17, Column: 40, Message: "the name ends\r\nX-Evil: 100%", Hint: "close it"},
	{Message: "and more"},
}}

const (
	brokenValue = "content/site/%C3%A9.ndjson:17:40: the name ends%0D%0AX-Evil: 100%25"
	brokenError = `{"code":"content_error","message":"the content has 2 errors","diagnostics":[` +
		`{"file":"content/site/é.ndjson","line":17,"column":40,"message":"the name ends\r\nX-Evil: 100%","hint":"close it"},{"message":"and more"}]}`
)

// servers starts a server on each path that answers take: Fiber alone, and with prepared
// responses before it. They have a release if site says so.
func servers(t *testing.T, released bool) map[string]func() (*Server, string) {
	start := func(start func(*testing.T, func(*ServerConfig)) (*Server, string)) func() (*Server, string) {
		return func() (*Server, string) {
			dir := t.TempDir()
			if released {
				site.write(t, dir)
			}
			s, addr := start(t, func(c *ServerConfig) { c.Public = dir })
			if err := s.Reload(context.Background()); released && err != nil {
				t.Fatal(err)
			}
			return s, addr
		}
	}
	return map[string]func() (*Server, string){"fast path": start(startServer), "Fiber": start(startEngine)}
}

// TestContentErrorIsOnEveryResponse: the header comes with the error and goes with it,
// whatever is asked for, and changes nothing else.
func TestContentErrorIsOnEveryResponse(t *testing.T) {
	for name, start := range servers(t, true) {
		s, addr := start()
		first, _ := ask(t, addr, "GET", listRoot, "", "")
		tag := first.Header.Get("Etag")
		for _, c := range []struct {
			method, target, fields, body string
			status                       int
		}{
			{"GET", listRoot + "/Content_0", "", "", 200}, // a file
			{"HEAD", listRoot, "", "", 200},
			{"GET", listRoot + "?pageSize=1", "", "", 200}, // from the snapshot
			{"POST", esRoot, "", `{"size":1}`, 200},
			{"GET", listRoot, "If-None-Match: " + tag + "\r\n", "", 304},
			{"GET", listRoot, "Range: bytes=0-4\r\n", "", 206},
			{"GET", listRoot, "X-Release: other\r\n", "", 412},
			{"GET", listRoot + "?page=x", "", "", 400},
			{"GET", listRoot + "/nobody", "", "", 404},
			{"GET", "/nowhere", "", "", 404},
			{"PUT", listRoot, "", "", 405},
			{"BREW", listRoot, "", "", 405},
			{"OPTIONS", listRoot, "", "", 204},
			{"GET", address.Live.Path(), "", "", 200},
			{"GET", listRoot, "Bad Name: x\r\n", "", 400}, // what is not understood
			{"GET", listRoot, "X-Long: " + strings.Repeat("x", address.DefaultHeadLimit) + "\r\n", "", 431},
		} {
			told := func(want string) (text string) {
				for range 3 { // read, then kept
					var a *http.Response
					a, text = ask(t, addr, c.method, c.target, c.fields, c.body)
					if got := a.Header.Get(httpfield.ContentError); got != want || a.StatusCode != c.status {
						t.Errorf("%s: %s %s %q: %d %q, want %d %q", name, c.method, c.target, c.fields, a.StatusCode, got, c.status, want)
					}
					exposed := strings.Contains(a.Header.Get("Access-Control-Expose-Headers"), httpfield.ContentError)
					if exposed != (want != "") || a.Header.Get("X-Evil") != "" {
						t.Errorf("%s: %s %s: %v", name, c.method, c.target, a.Header)
					}
				}
				return text
			}
			before := told("")
			s.SetContentError(broken)
			if text := told(brokenValue); text != before && c.status < 400 {
				t.Errorf("%s: %s %s: %s, before %s", name, c.method, c.target, text, before)
			}
			s.SetContentError(nil)
			told("")
		}
	}
}

// TestContentErrorWithoutRelease: what is asked for content is answered with the error
// while there is none.
func TestContentErrorWithoutRelease(t *testing.T) {
	for name, start := range servers(t, false) {
		s, addr := start()
		for _, shown := range []bool{false, true, false} {
			want := `{"status":503,"error":{"code":"not_ready","message":"no release is loaded yet; try again"}}`
			s.SetContentError(nil)
			if shown {
				want = `{"status":503,"error":` + brokenError + `}`
				s.SetContentError(broken)
			}
			for _, c := range [][3]string{{"GET", listRoot}, {"GET", listRoot + "/Content_0"}, {"POST", esRoot, "{}"}, {"GET", address.Ready.Path()}} {
				a, text := ask(t, addr, c[0], c[1], "", c[2])
				if a.StatusCode != 503 || text != want || a.Header.Get("Retry-After") == "" || a.Header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s: %s %s: %d %v %s, want %s", name, c[0], c[1], a.StatusCode, a.Header, text, want)
				}
			}
		}
	}
}

// TestContentErrorAndReadiness: a server with a release is ready, and says what is wrong.
func TestContentErrorAndReadiness(t *testing.T) {
	for name, start := range servers(t, true) {
		s, addr := start()
		s.SetContentError(broken)
		a, text := ask(t, addr, "GET", address.Ready.Path(), "", "")
		if want := `{"status":200,"data":"ready","error":` + brokenError + `}`; a.StatusCode != 200 || text != want {
			t.Errorf("%s: %d %s, want %s", name, a.StatusCode, text, want)
		}
		s.SetContentError(nil)
		if _, text := ask(t, addr, "GET", address.Ready.Path(), "", ""); text != `{"status":200,"data":"ready"}` {
			t.Errorf("%s: mended: %s", name, text)
		}
	}
}

// TestContentErrorIsExposedToItsOriginsOnly: who may not read other headers does not read
// this one.
func TestContentErrorIsExposedToItsOriginsOnly(t *testing.T) {
	s, addr, _ := startSiteWith(t, site, func(c *ServerConfig) { c.Origins = []string{"https://a.example"} })
	s.SetContentError(broken)
	for origin, want := range map[string]string{"https://a.example": release.ExposeHeaders + ", " + httpfield.ContentError, "https://b.example": ""} {
		a, _ := ask(t, addr, "GET", listRoot, "Origin: "+origin+"\r\n", "")
		if got := a.Header.Get("Access-Control-Expose-Headers"); got != want {
			t.Errorf("%s: %q, want %q", origin, got, want)
		}
	}
}

func TestFirstOfAContentError(t *testing.T) {
	for want, e := range map[string]ContentError{
		"the build failed":        {Message: "the build failed\n  hint: make room"},
		"content: is missing":     {Message: "m", Diagnostics: []problem.Diagnostic{{File: "content", Message: "is missing"}}},
		"a.json:1:2: m":           {Message: "m", Diagnostics: []problem.Diagnostic{{File: "a.json", Line: 1, Column: 2, Message: "m"}, {Message: "n"}}},
		"no item has that status": {Message: "m", Diagnostics: []problem.Diagnostic{{Message: "no item has that status"}}},
	} {
		if got := e.first(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
