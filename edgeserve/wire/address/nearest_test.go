package address

import (
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	for path, want := range map[string]string{
		"/cda/rest/v1/site":                    "/cda/rest/v1/site/contents",
		"/cda/rest/v1/site/":                   "/cda/rest/v1/site/contents",
		"/cda/rest/v1":                         "/cda/rest/v1/{environment}/contents",
		"/cda/rest/v1/site/content":            "/cda/rest/v1/site/contents",
		"/cda/rest/v1/site/contents/":          "/cda/rest/v1/site/contents",
		"/cda/rest/v1/site/Contents":           "/cda/rest/v1/site/contents",
		"/CDA/REST/V1/Site/CONTENTS/a_1":       "/cda/rest/v1/Site/contents/a_1",
		"/cda/rest/v1/site/content/a-1":        "/cda/rest/v1/site/contents/a-1",
		"//cda//rest/v1/site/contents/a":       "/cda/rest/v1/site/contents/a",
		"/cda/rest/v2/site/contents":           "/cda/rest/v1/site/contents",
		"/cda/rest/v1/site/contents/a/used-in": "/cda/rest/v1/site/contents/a/used-in.json",
		"/cda/rest/v1/<b>":                     "/cda/rest/v1/{environment}/contents",
		"/cda/rest/v1/<b>/contents":            "/cda/rest/v1/{environment}/contents",
		"/cda/rest/v1/site/search":             "/cda/rest/v1/site/searches/{name}.json",
		"/cda/es/v1/site/":                     "/cda/es/v1/site",
		"/cda/es/v1/site/x":                    "/cda/es/v1/site",
		"/livez/":                              "/livez",
		"/openapi.html":                        "", "/": "", "": "", "/docs": "", "/index.html": "", "/a/b/c/d/e": "", "/wp-admin/setup.php": "", "/.env": "", "/readyz/x/y/z/a/b": "",
		"/cda/" + strings.Repeat("a/", 300): "", strings.Repeat("/", 512): "",
	} {
		if got := Nearest(path); got != want {
			t.Errorf("%.60q: %q, want %q", path, got, want)
		}
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("/cda/rest/v1/site/{x}")
	f.Add("/cda/%2e/\x00<script>")
	f.Fuzz(func(t *testing.T, path string) {
		if got := Nearest(path); strings.ContainsFunc(got, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>&%\`, r) }) {
			t.Errorf("%q: %q", path, got)
		}
	})
}
