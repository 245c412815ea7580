package edgeserve

import (
	"net/http"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/openapi"
	"contentedge/edgeserve/engine/releasedir"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
)

// documentOf returns the document of OpenAPI that a node sends for a release in a directory.
func documentOf(t *testing.T, dir string, listed bool) string {
	t.Helper()
	m, _, err := releasedir.ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !listed {
		return string(openapi.Generic(m.Build).Append(nil))
	}
	d, err := openapi.New(m, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(d.Append(nil))
}

// TestDescription sends requests for the document of OpenAPI to both adapters, with and without a cache.
func TestDescription(t *testing.T) {
	dir := t.TempDir()
	site.write(t, dir)
	path := address.Description.Path()
	for _, start := range []func(*testing.T, func(*ServerConfig)) (*Server, string){startServer, startEngine} {
		for _, listed := range []bool{false, true} {
			for _, cache := range []int64{DefaultCacheBytes, 0} {
				s, addr := start(t, func(c *ServerConfig) { c.Public, c.CacheBytes, c.ListEnvironments = dir, cache, listed })
				if err := s.Reload(t.Context()); err != nil {
					t.Fatal(err)
				}
				d := describedNode{addr: addr, want: documentOf(t, dir, listed)}
				if strings.Contains(d.want, `"demo"`) != listed {
					t.Fatal("the document names the environment without permission, or lacks it")
				}
				for range 3 {
					d.checkWhole(t, path)
					d.checkParts(t, path)
				}
				if cache > 0 && !strings.Contains(string(s.metricsText()), `contentedge_cache_misses_total{source="computed"} 2`+"\n") {
					t.Errorf("listed %t: not computed once for each content coding", listed)
				}
				for query, status := range map[string]int{"?env=demo": 200, "?env=": 200, "?utm=1": 200, "?env=nope": 404, "?env=%": 400, "?env=a&env=b": 400} {
					if !listed {
						status = 200
					}
					if r, text := ask(t, addr, "GET", path+query, "", ""); r.StatusCode != status || status == 200 && query != "?env=demo" && text != d.want {
						t.Errorf("listed %t, %s: %d %.200s", listed, query, r.StatusCode, text)
					}
				}
				if cache == 0 {
					waitFor(t, "all memory is given back", func() bool { return s.resources.Memory.Left() == s.cfg.ResponseBytes })
				}
			}
		}
	}
}

// describedNode is a node whose document of OpenAPI is known.
type describedNode struct{ addr, want string }

func (d describedNode) checkWhole(t *testing.T, path string) {
	t.Helper()
	r, text := ask(t, d.addr, "GET", path, "", "")
	if r.StatusCode != 200 || text != d.want || r.Header.Get("Content-Type") != "application/json" || r.Header.Get("Cache-Control") == "no-store" || r.Header.Get("X-Release") == "" {
		t.Errorf("%d %v %.100s", r.StatusCode, r.Header, text)
	}
	tag := r.Header.Get("ETag")
	if tag != wantTag(false, d.want) {
		t.Errorf("ETag %s", tag)
	}
	if r, text := ask(t, d.addr, "GET", path, "If-None-Match: "+tag+"\r\n", ""); r.StatusCode != http.StatusNotModified || text != "" {
		t.Errorf("unchanged: %d", r.StatusCode)
	}
	if r, text := ask(t, d.addr, "HEAD", path, "", ""); r.StatusCode != 200 || text != "" || r.ContentLength != int64(len(d.want)) || r.Header.Get("ETag") != tag {
		t.Errorf("HEAD: %d %d %v", r.StatusCode, r.ContentLength, r.Header)
	}
	r, text = ask(t, d.addr, "GET", path, "Accept-Encoding: gzip\r\n", "")
	body, err := compression.Decode(contentcoding.Gzip, []byte(text), 1<<24)
	if err != nil || string(body) != d.want || r.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("gzip: %d %v %v", r.StatusCode, r.Header, err)
	}
}

func (d describedNode) checkParts(t *testing.T, path string) {
	t.Helper()
	if r, text := ask(t, d.addr, "GET", path, "Range: bytes=2-11\r\n", ""); r.StatusCode != http.StatusPartialContent || text != d.want[2:12] {
		t.Errorf("range: %d %q", r.StatusCode, text)
	}
	if r, _ := ask(t, d.addr, "GET", path, "X-Release: 0123456789abcdef\r\n", ""); r.StatusCode != http.StatusPreconditionFailed {
		t.Errorf("another release: %d", r.StatusCode)
	}
	for method, status := range map[string]int{"POST": 405, "DELETE": 405, "OPTIONS": 204} {
		if r, _ := ask(t, d.addr, method, path, "", ""); r.StatusCode != status || r.Header.Get("Allow") != address.AllowRead {
			t.Errorf("%s: %d, Allow %q", method, r.StatusCode, r.Header.Get("Allow"))
		}
	}
	for _, other := range []string{path + "/", path + ".gz", "/OpenAPI.json", "/openapi"} {
		if r, _ := ask(t, d.addr, "GET", other, "", ""); r.StatusCode != 404 {
			t.Errorf("%s: %d", other, r.StatusCode)
		}
	}
}
