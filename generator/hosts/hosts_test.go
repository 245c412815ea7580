package hosts

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/release"
)

// rules are a file's lines without comments.
func rules(b []byte) string {
	var out []string
	for line := range strings.Lines(string(b)) {
		if !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

const wantHeaders = `/*
  X-Content-Type-Options: nosniff
  Vary: Accept-Encoding
  Access-Control-Allow-Origin: *
  Access-Control-Expose-Headers: ETag, Content-Length, Content-Range, Link, Retry-After, Allow, X-Release, X-Request-Id, X-Approximate
/manifest.json
  Cache-Control: no-cache
/current.json
  Cache-Control: no-cache
/cda/rest/v1/:env/contents/*
  Cache-Control: public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400
/cda/rest/v1/:env/contents-list/*
  Cache-Control: public, max-age=30, s-maxage=30, stale-if-error=86400
/cda/rest/v1/:env/searches/*
  Cache-Control: public, max-age=30, s-maxage=30, stale-if-error=86400
/cda/media/:env/*
  Cache-Control: public, max-age=31536000, immutable
  Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; sandbox
`

const wantNoFile = `{"status":404,"error":{"code":"no_file","message":"this host has files only, and none for this request; manifest.json names the lists that have files"}}`

// TestHosts shows the rules for hosts of static sites, alone and in front of an edge server. Other tests run
// the configurations of servers and functions.
func TestHosts(t *testing.T) {
	tests := []struct {
		host, edge string
		want       map[string]string
	}{
		{"netlify", "", map[string]string{"_headers": wantHeaders, "404.json": wantNoFile, "_redirects": `/cda/rest/v1/:env/contents/:id select=:value /404.json 404
/cda/rest/v1/:env/contents/:id include=:value /404.json 404
/cda/rest/v1/:env/contents/:id /cda/rest/v1/:env/contents/:id.json 200
/* /404.json 404
`}},
		{"netlify", "https://e.example", map[string]string{"_headers": wantHeaders, "404.json": wantNoFile, "_redirects": `/cda/es/* https://e.example/cda/es/:splat 200
/cda/rest/v1/:env/contents https://e.example/cda/rest/v1/:env/contents 200
/cda/rest/v1/:env/contents/:id select=:select include=:include https://e.example/cda/rest/v1/:env/contents/:id?select=:select&include=:include 200
/cda/rest/v1/:env/contents/:id select=:value https://e.example/cda/rest/v1/:env/contents/:id?select=:value 200
/cda/rest/v1/:env/contents/:id include=:value https://e.example/cda/rest/v1/:env/contents/:id?include=:value 200
/cda/rest/v1/:env/contents/:id /cda/rest/v1/:env/contents/:id.json 200
/cda/* https://e.example/cda/:splat 200
/* /404.json 404
`}},
		{"cloudflare-pages", "", map[string]string{"_headers": wantHeaders + "/404\n  Content-Type: application/json\n", "404.html": wantNoFile}},
		{"cloudflare-pages", "https://e.example", map[string]string{"_headers": wantHeaders + "/404\n  Content-Type: application/json\n", "404.html": wantNoFile,
			"_redirects": `/cda/rest/v1/:env/contents https://e.example/cda/rest/v1/:env/contents 307
/cda/es/* https://e.example/cda/es/:splat 307
`}},
	}
	for _, tt := range tests {
		t.Run(tt.host+map[bool]string{true: " alone", false: " in front of an edge server"}[tt.edge == ""], func(t *testing.T) {
			files, err := Generate(tt.host, Deployment{Manifest: &release.Manifest{}, Edge: tt.edge})
			if err != nil || len(files) != len(tt.want) {
				t.Fatalf("%d files, %v", len(files), err)
			}
			for _, f := range files {
				if got := rules(f.Body); got != tt.want[f.Name] {
					t.Errorf("%s:\n%s\nwant\n%s", f.Name, got, tt.want[f.Name])
				}
			}
		})
	}
}

// TestClassesDifferInCacheControlOnly: the configurations give all files the fields of one class, and each
// class its Cache-Control.
func TestClassesDifferInCacheControlOnly(t *testing.T) {
	policy := release.Standard()
	for c := range release.Classes {
		want := append(fixedHeaders(), header{httpfield.CacheControl, release.CacheControl(c)})
		got := headersOf(append(policy.Fields(c, release.Vary), release.OriginFields(release.AnyOrigin)...))
		slices.SortFunc(want, byName)
		slices.SortFunc(got, byName)
		if !slices.Equal(got, want) {
			t.Errorf("responses of class %s have the fields %v, files of the configurations %v", c, got, want)
		}
	}
}

func byName(a, b header) int { return cmp.Compare(a.Name, b.Name) }
