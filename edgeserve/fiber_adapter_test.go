package edgeserve

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// Without a release the server is alive and says why it answers nothing.
func TestWithoutRelease(t *testing.T) {
	_, addr := startServer(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/livez", 200, ""},
		{"GET", "/livez?x", 200, ""},
		{"GET", "/livez/", 404, ""},
		{"GET", "/LIVEZ", 404, ""},
		{"GET", "/readyz", 503, ""},
		{"POST", "/livez", 405, address.AllowRead},
		{"OPTIONS", "/readyz", 204, address.AllowRead},
		{"OPTIONS", "*", 204, address.AllowSearch},
		{"GET", "*", 400, ""},
		{"PUT", "*", 400, ""},
		{"FOO", "*", 400, ""},
		{"GET", "/", 200, ""},
		{"POST", "/", 405, address.AllowRead},
		{"FOO", "/", 405, address.AllowRead},
		{"OPTIONS", "/", 204, address.AllowRead},
		{"GET", "/cda/rest/v1/demo/contents", 503, ""},
		{"HEAD", "/cda/rest/v1/demo/contents", 503, ""},
		{"POST", "/cda/es/v1/demo", 503, ""},
		{"GET", "/cda/es/v1/demo", 503, ""},
		{"PUT", "/cda/es/v1/demo", 405, address.AllowSearch},
		{"OPTIONS", "/cda/es/v1/demo", 204, address.AllowSearch},
		{"PUT", "/cda/rest/v1/demo/contents/a", 405, address.AllowRead},
		{"TRACE", "/cda/rest/v1/demo/contents/a", 405, address.AllowRead},
		{"FOO", "/cda/rest/v1/demo/contents/a", 405, address.AllowRead},
		{"HEA", "/cda/rest/v1/demo/contents/a", 405, address.AllowRead},
		{"get", "/cda/rest/v1/demo/contents/a", 405, address.AllowRead},
		{"FOO", "/nowhere", 404, ""},
	} {
		t.Run(c.method+" "+c.path, func(t *testing.T) {
			t.Parallel()
			answers, _ := exchange(t, addr, c.method+" "+c.path+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
			if len(answers) != 1 {
				t.Fatalf("%d answers", len(answers))
			}
			a := answers[0]
			if a.StatusCode != c.status || a.Header.Get("Allow") != c.allow {
				t.Errorf("%d, Allow %q; want %d, %q", a.StatusCode, a.Header.Get("Allow"), c.status, c.allow)
			}
			if c.status == http.StatusNoContent {
				if v := a.Header.Get("Vary"); v != release.PreflightVary(release.Vary) {
					t.Errorf("Vary: %q", v)
				}
				a.Header.Set("Vary", release.Vary)
			}
			if c.path == "/" && c.status == http.StatusOK {
				if v := a.Header.Get("Vary"); v != release.Vary+", Accept" {
					t.Errorf("Vary: %q", v)
				}
				a.Header.Set("Vary", release.Vary)
			}
			checkCommon(t, a)
		})
	}
}

// checkCommon checks what every answer says.
func checkCommon(t *testing.T, a *http.Response) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options":      "nosniff",
		"Vary":                        "Accept-Encoding",
		"Access-Control-Allow-Origin": "*",
		"Server":                      "",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if a.StatusCode != http.StatusNoContent && a.Header.Get("Content-Type") != release.ContentType {
		t.Errorf("Content-Type: %q", a.Header.Get("Content-Type"))
	}
	if a.Header.Get("Cache-Control") == "" || a.Header.Get("Date") == "" {
		t.Errorf("no Cache-Control or Date: %v", a.Header)
	}
}

func TestPreflight(t *testing.T) {
	_, fastAddr := startServer(t, nil)
	_, engine := startEngine(t, nil)
	_, origins := startServer(t, func(c *ServerConfig) { c.Origins = []string{"https://b"} })
	const asked = httpfield.RequestHeaders + ": "
	for _, c := range []struct{ name, fields, want string }{
		{"nothing", "", "*, Authorization"},
		{"one header", asked + "content-type\r\n", "*, Authorization, content-type"},
		{"several", asked + "authorization,content-type ,\tx-a\r\n", "*, Authorization, authorization, content-type, x-a"},
		{"on two lines", asked + "x-a\r\n" + asked + "x-b, x-c\r\n", "*, Authorization, x-a, x-b, x-c"},
		{"what is no name", asked + "x-a,, x b,x:c,<d>,\"e\",\xe9, *\r\n", "*, Authorization, x-a, *"},
		{"as long as it may be", asked + strings.Repeat("a", 1000) + "\r\n", "*, Authorization, " + strings.Repeat("a", 1000)},
		{"too long", asked + "x-a," + strings.Repeat("a", 997) + "\r\n", "*, Authorization"},
		{"too long with spaces", asked + strings.Repeat("a,", 400) + "\r\n", "*, Authorization"},
		{"too long together", asked + strings.Repeat("a", 500) + "\r\n" + asked + strings.Repeat("b", 500) + "\r\n", "*, Authorization"},
	} {
		for server, addr := range map[string]string{"fast path": fastAddr, "engine": engine, "origins": origins} {
			t.Run(c.name+", "+server, func(t *testing.T) {
				answers, _ := exchange(t, addr, "OPTIONS /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\nAccess-Control-Request-Method: POST\r\n"+c.fields+"\r\n")
				if len(answers) != 1 || answers[0].StatusCode != http.StatusNoContent {
					t.Fatalf("answered %v", statuses(answers))
				}
				h := answers[0].Header
				if h.Get("Access-Control-Allow-Methods") != address.AllowSearch || h.Get("Access-Control-Allow-Headers") != c.want || h.Get("Access-Control-Allow-Credentials") != "" {
					t.Errorf("preflight answered %v", h)
				}
				vary := "Accept-Encoding, Access-Control-Request-Headers"
				if server == "origins" {
					vary = "Accept-Encoding, Origin, Access-Control-Request-Headers"
				}
				if h.Get("Vary") != vary {
					t.Errorf("Vary: %q", h.Get("Vary"))
				}
			})
		}
	}
}

func TestExpect(t *testing.T) {
	_, addr := startServer(t, func(c *ServerConfig) { c.BodyLimit = 10 })
	ask := func(length string) []int {
		answers, _ := exchange(t, addr, "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "+length+"\r\n\r\n")
		return statuses(answers)
	}
	if got := ask("10"); len(got) != 1 || got[0] != 100 {
		t.Errorf("a body at the limit: %v", got)
	}
	if got := ask("11"); len(got) != 1 || got[0] != 413 {
		t.Errorf("a body above the limit: %v", got)
	}
}

func TestBodyLimit(t *testing.T) {
	_, addr := startServer(t, func(c *ServerConfig) { c.BodyLimit = 10 })
	for _, c := range []struct {
		name, fields, body string
		status             int
	}{
		{"at the limit", "Content-Length: 10\r\n", "0123456789", 503},
		{"above", "Content-Length: 11\r\n", "0123456789a", 413},
		{"far above, not sent", "Content-Length: 10000000000\r\n", "", 413},
		{"chunked above", "Transfer-Encoding: chunked\r\n", "b\r\n0123456789a\r\n0\r\n\r\n", 413},
		{"length beyond 64 bits", "Content-Length: 99999999999999999999\r\n", "", 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, _ := exchange(t, addr, "POST /cda/es/v1/demo HTTP/1.1\r\nHost: a\r\n"+c.fields+"\r\n"+c.body)
			if len(answers) != 1 || answers[0].StatusCode != c.status {
				t.Errorf("answered %v, want %d", statuses(answers), c.status)
			}
		})
	}
}

func TestHeadHasNoBody(t *testing.T) {
	_, addr := startServer(t, nil)
	answers, _ := exchange(t, addr, "HEAD /livez HTTP/1.1\r\nHost: a\r\n\r\n")
	if len(answers) != 1 || answers[0].ContentLength <= 0 {
		t.Fatalf("answered %v", answers)
	}
	if b, _ := io.ReadAll(answers[0].Body); len(b) > 0 {
		t.Errorf("body %q", b)
	}
}
