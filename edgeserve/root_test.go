package edgeserve

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/respond"
)

// TestRoot: / says what answers here, and names environments only where the operator says so.
func TestRoot(t *testing.T) {
	for _, listed := range []bool{false, true} {
		_, addr, _ := startSiteWith(t, site, func(c *ServerConfig) { c.ListEnvironments = listed })
		a, text := ask(t, addr, "GET", "/", "Accept: */*\r\n", "")
		var got struct {
			Status int
			Data   struct {
				Release       string
				Documentation string
				Endpoints     []struct{ Methods, Address string }
				Environments  []string
			}
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil || a.StatusCode != 200 || a.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%d %s: %v in %s", a.StatusCode, a.Header.Get("Content-Type"), err, text)
		}
		if d := got.Data; d.Release != a.Header.Get("X-Release") || d.Release == "" || d.Documentation == "" || (len(d.Environments) > 0) != listed {
			t.Errorf("listed %t: %s", listed, text)
		}
		page, html := ask(t, addr, "GET", "/", "Accept: text/html,application/xhtml+xml\r\n", "")
		if page.StatusCode != 200 || !strings.HasPrefix(page.Header.Get("Content-Type"), "text/html") || strings.Contains(html, "<script") || page.Header.Get("Content-Security-Policy") != respond.HomePolicy {
			t.Errorf("%d %v\n%s", page.StatusCode, page.Header, html)
		}
		for _, e := range got.Data.Endpoints {
			if !strings.Contains(html, "<td>"+e.Methods+"<td><code>"+e.Address+"</code>") {
				t.Errorf("the page lacks %s", e.Address)
			}
			path := strings.NewReplacer("{environment}", "demo", "{content_id}", "a", "{name}", "x", "{filters}", "sort-createdat-desc-2", "{number}", "1", "{digest}/{file}", strings.Repeat("0a", 16)+"/a.png").Replace(e.Address)
			if r, body := ask(t, addr, "OPTIONS", path, "", ""); r.StatusCode != 204 || r.Header.Get("Allow") != e.Methods+", OPTIONS" {
				t.Errorf("%s: %d, Allow %q %s", path, r.StatusCode, r.Header.Get("Allow"), body)
			}
		}
		if strings.Contains(html, "demo") != listed || strings.Contains(text, "demo") != listed {
			t.Errorf("listed %t: %s\n%s", listed, text, html)
		}
	}
}

var hrefs = regexp.MustCompile(`<a href="([^"]+)">`)

// TestExamples follows every link of the page at /. Names of items may hold markup, syntax of query strings, or no word.
func TestExamples(t *testing.T) {
	for name, word := range map[string]string{
		"Ada": "ada", "<b>Ada</b>": "ada", "x \"' Ö&lt;": "lt", "AND": "and", "Straße 12": "straße", "a:b +12": "12", "it's d'Or e.g. Bo": "bo", "!": "", "a b c": "", "日本語": "",
		strings.Repeat("w", maxExampleName): strings.Repeat("w", 255), strings.Repeat("w ", maxExampleName): "",
	} {
		for _, start := range []func(*testing.T, func(*ServerConfig)) (*Server, string){startServer, startEngine} {
			dir := t.TempDir()
			fixture{env: "demo", names: []string{name, "Bo"}}.write(t, dir)
			s, addr := start(t, func(c *ServerConfig) { c.Public, c.ListEnvironments = dir, true })
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			want := []string{"/openapi.json", listRoot, listRoot + "/Content_0"}
			if word != "" {
				want = append(want, esRoot+"?q="+url.QueryEscape(word))
			}
			var got []string
			_, page := ask(t, addr, "GET", "/", "Accept: text/html\r\n", "")
			for _, link := range hrefs.FindAllStringSubmatch(page, -1) {
				target := html.UnescapeString(link[1])
				got = append(got, target)
				if r, text := ask(t, addr, "GET", target, "", ""); r.StatusCode != 200 {
					t.Errorf("%.40q: %s: %d %.200s", name, target, r.StatusCode, text)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%.40q: %q, want %q", name, got, want)
			}
		}
	}
}

// TestNoExamples expects that a page with too long items, or without permission, has no link to one.
func TestNoExamples(t *testing.T) {
	long := site
	long.note = strings.Repeat("x", maxExample)
	for _, c := range []struct {
		site   fixture
		listed bool
		want   []string
	}{
		{long, true, []string{"/openapi.json", listRoot}},
		{site, false, []string{"/openapi.json"}},
	} {
		_, addr, _ := startSiteWith(t, c.site, func(s *ServerConfig) { s.ListEnvironments = c.listed })
		_, page := ask(t, addr, "GET", "/", "Accept: text/html\r\n", "")
		var got []string
		for _, link := range hrefs.FindAllStringSubmatch(page, -1) {
			got = append(got, link[1])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestStrictParameters sends parameters that mean nothing, and misspelt ones, which are always refused.
func TestStrictParameters(t *testing.T) {
	for _, strict := range []bool{false, true} {
		_, addr, _ := startSiteWith(t, site, func(c *ServerConfig) { c.StrictParameters = strict })
		for _, target := range []string{listRoot + "?utm_source=1", listRoot + "?pagesize=1", "/cda/es/v1/demo?utm_source=1", "/cda/es/v1/demo?pages=1"} {
			method := "GET"
			if strings.Contains(target, "/es/") {
				method = "POST"
			}
			for range 3 { // also from the cache
				a, text := ask(t, addr, method, target, "", "")
				if refused := a.StatusCode == 400 && strings.Contains(text, `"code":"unknown_parameter"`); refused != (strict || !strings.Contains(target, "utm")) || !refused && a.StatusCode != 200 {
					t.Errorf("strict %t, %s: %d %s", strict, target, a.StatusCode, text)
				}
			}
		}
	}
}

func TestDocumentation(t *testing.T) {
	for text, valid := range map[string]bool{
		"https://docs.example/content?a=1&b='2'": true, "http://[::1]:8/": true, "": false, "docs": false, "//docs.example": false, "ftp://a/": false, "https://": false, "https://a:b@c/": false,
		`https://a/"`: false, "https://a/<b>": false, "https://a/ b": false, "https://a/\\": false, "https://é/": false, "https://a/" + strings.Repeat("a", 2048): false,
	} {
		if got := respond.ValidDocumentation(text); got != valid {
			t.Errorf("%.50s: %t", text, got)
		}
	}
	_, addr, _ := startSiteWith(t, site, func(c *ServerConfig) { c.Documentation = "https://docs.example/content?a=1&b=2" })
	if _, text := ask(t, addr, "GET", "/", "", ""); !strings.Contains(text, `"documentation":"https://docs.example/content?a=1&b=2","endpoints"`) {
		t.Error(text)
	}
	if _, text := ask(t, addr, "GET", "/", "Accept: text/html\r\n", ""); !strings.Contains(text, `<a href="https://docs.example/content?a=1&amp;b=2">https://docs.example/content?a=1&amp;b=2</a>`) {
		t.Error(text)
	}
}

// TestUnknownRoutes expects that a 404 says where to look.
func TestUnknownRoutes(t *testing.T) {
	_, addr, _ := startSiteWith(t, site, func(*ServerConfig) {})
	for target, want := range map[string]string{
		"/cda/rest/v1/demo?page=2": "; / lists the addresses, and /cda/rest/v1/demo/contents is the nearest", "/cda/rest/v1/demo/contents/": "/cda/rest/v1/demo/contents is the nearest",
		"/docs": "without a slash; / lists the addresses\"}",
	} {
		for _, method := range []string{"GET", "POST", "PURGE", "OPTIONS"} {
			if a, text := ask(t, addr, method, target, "", ""); a.StatusCode != 404 || !strings.Contains(text, want) || !strings.Contains(text, `"unknown_route"`) {
				t.Errorf("%s %s: %d %s", method, target, a.StatusCode, text)
			}
		}
	}
}
