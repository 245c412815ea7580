// This file tests Elasticsearch's endpoints over HTTP. Package elastic tests their bodies.

package edgeserve

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/contentcoding"
)

const elasticRoot = "/cda/es/v1"

func TestElastic(t *testing.T) {
	_, addr, _ := startSite(t, site)
	for _, c := range []struct {
		name, method, target, fields, body string
		status                             int
		want                               string // in the body
	}{
		{"node", "GET", elasticRoot + "/", "", "", 200, `"tagline":"You Know, for Search"`},
		{"node without a slash", "GET", elasticRoot, "", "", 200, `"number":"7.10.2"`},
		{"search", "GET", esRoot + "/_search", "", "", 200, `"hits":{"total":{"value":5,`},
		{"search, POST", "POST", esRoot + "/_search", "", `{"query":{"match":{"Name":"cat"}}}`, 200, `"value":1,`},
		{"search, GET with a body", "GET", esRoot + "/_search", "", `{"query":{"match":{"Name":"cat"}}}`, 200, `"value":1,`},
		{"search, form", "POST", esRoot + "/_search", "Content-Type: application/x-www-form-urlencoded\r\n", `{"size":0}`, 200, `"hits":[]`},
		{"count", "POST", esRoot + "/_count", "", `{"query":{"match":{"Name":"ape"}}}`, 200, `{"count":2,`},
		{"several", "POST", esRoot + "/_msearch", "Content-Type: application/x-ndjson\r\n", "{}\n{}\n{\"index\":\"demo\"}\n{\"size\":0}\n", 200, `"hits":[]},"status":200}]}`},
		{"several of the node", "POST", elasticRoot + "/_msearch", "", "{\"index\":\"demo\"}\n{\"size\":0}\n", 200, `"responses":[`},
		{"document", "GET", esRoot + "/_doc/Content_1", "", "", 200, `"found":true,"_source":` + string(site.fragment(1))},
		{"source", "GET", esRoot + "/_source/Content_1", "", "", 200, string(site.fragment(1))},
		{"source of a document", "GET", esRoot + "/_doc/Content_1/_source", "", "", 200, string(site.fragment(1))},
		{"explanation", "POST", esRoot + "/_explain/Content_1", "", `{"query":{"match_all":{"boost":2}}}`, 200, `"matched":true,"explanation":{"value":2.0,"description":"*:*^2.0","details":[]}`},
		{"explanation, GET with a body", "GET", esRoot + "/_explain/Content_1", "", `{"query":{"match_none":{}}}`, 200, `"matched":false`},
		{"explanation, GET", "GET", esRoot + "/_explain/Content_1?q=_exists_:Name", "", "", 200, `"matched":true`},
		{"explanation of nothing", "POST", esRoot + "/_explain/Content_1", "", "", 400, `"type":"action_request_validation_exception"`},
		{"explanation of no document", "POST", esRoot + "/_explain/none", "", `{"query":{"match_all":{}}}`, 404, `{"_index":"demo","_type":"_doc","_id":"none","matched":false}`},
		{"documents", "POST", esRoot + "/_mget", "", `{"ids":["Content_1","x"]}`, 200, `"_id":"x","found":false}]}`},
		{"documents of the node", "POST", elasticRoot + "/_mget", "", `{"docs":[{"_index":"demo","_id":"x"}]}`, 200, `"found":false`},
		{"mapping", "GET", esRoot + "/_mapping", "", "", 200, `{"demo":{"mappings":{"properties":{`},
		{"capabilities", "GET", esRoot + "/_field_caps?fields=Name", "", "", 200, `"Name":{"text":`},
		{"validation", "POST", esRoot + "/_validate/query", "", `{"query":{"nope":{}}}`, 200, `"valid":false`},
		{"analysis", "POST", esRoot + "/_analyze", "", `{"text":"a B"}`, 200, `"token":"b"`},

		{"no such document", "GET", esRoot + "/_doc/none", "", "", 404, `{"_index":"demo","_type":"_doc","_id":"none","found":false}`},
		{"no such index", "GET", elasticRoot + "/other/_search", "", "", 404, `"type":"index_not_found_exception","reason":"no such index [other]"`},
		{"no such endpoint", "POST", esRoot + "/_bulk", "", "{}", 404, `"type":"resource_not_found_exception"`},
		{"no such endpoint of the node", "GET", elasticRoot + "/_cat/indices", "", "", 404, `"reason":"no handler found for uri [/_cat/indices]: this node is not a cluster;`},
		{"scroll", "POST", elasticRoot + "/_search/scroll", "", "{}", 404, "page with [search_after]"},
		{"scroll of a search", "POST", esRoot + "/_search?scroll=1m", "", "{}", 400, "this node does not support [scroll]: it keeps no state"},
		{"point in time", "POST", esRoot + "/_pit?keep_alive=1m", "", "", 404, "this node has no points in time"},
		{"template", "POST", esRoot + "/_search/template", "", "{}", 404, "this node runs no templates"},
		{"no index", "POST", elasticRoot + "/_search", "", "{}", 404, "one index at a time"},
		{"writing", "PUT", esRoot + "/_doc/Content_1", "", "{}", 405, `"type":"method_not_allowed_exception"`},
		{"deleting", "DELETE", esRoot + "/_search", "", "", 405, `"status":405}`},
		{"another method", "PURGE", esRoot + "/_search", "", "", 405, `"status":405}`},
		{"bad query", "POST", esRoot + "/_search", "", `{"query":{"nope":{}}}`, 400, `"type":"parsing_exception"`},
		{"body in an unknown coding", "POST", esRoot + "/_search", "Content-Encoding: deflate\r\n", "{}", 415, `"type":"media_type_header_exception"`},
		{"body that is no gzip", "POST", esRoot + "/_search", "Content-Encoding: gzip\r\n", "{}", 400, `"status":400}`},
		{"another release", "GET", esRoot + "/_search", "X-Release: x\r\n", "", 412, `"status":412}`},

		{"the envelope's own", "POST", esRoot, "", `{"size":0}`, 200, `{"status":200,"data":[],"totalItems":5}`},
		{"the index", "GET", esRoot, "", "", 200, `"settings":{"index":{`},
		{"no such index to read", "GET", elasticRoot + "/other", "", "", 404, `"type":"index_not_found_exception"`},
		{"the envelope's methods", "PUT", esRoot, "", "", 405, `{"status":405,"error":{"code":"method_not_allowed"`},
		{"the envelope's neighbours", "POST", esRoot + "/x", "", "{}", 404, `{"status":404,"error":{"code":"unknown_route"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tag string
			for i := range 3 { // computed, cached and from the cache
				a, body := ask(t, addr, c.method, c.target, c.fields, c.body)
				if a.StatusCode != c.status || !strings.Contains(body, c.want) || !json.Valid([]byte(body)) {
					t.Fatalf("%d %s\nwant %d with %s", a.StatusCode, body, c.status, c.want)
				}
				like := address.LikeElastic(strings.Split(c.target, "?")[0]) || c.method == "GET"
				if product := a.Header.Get("X-Elastic-Product"); (product == "Elasticsearch") != like {
					t.Errorf("X-Elastic-Product is %q", product)
				}
				if got := a.Header.Get("Etag"); i > 0 && got != tag || (got != "") != (c.status == 200) {
					t.Errorf("ETag %q after %q", got, tag)
				}
				tag = a.Header.Get("Etag")
			}
			if c.status == 405 && !strings.Contains(strings.Join(ask405(t, addr, c.method, c.target), ","), "OPTIONS") {
				t.Errorf("no Allow")
			}
		})
	}
}

// ask405 is the Allow field of a response.
func ask405(t *testing.T, addr, method, target string) []string {
	t.Helper()
	a, _ := ask(t, addr, method, target, "", "")
	return a.Header.Values("Allow")
}

// Responses to GET and POST of one target do not take each other's place, with and without a
// body, however they come.
func TestElasticCacheKeys(t *testing.T) {
	_, addr, _ := startSite(t, site)
	type asked struct{ method, body string }
	wants := map[asked]string{
		{"GET", ""}: `"value":5`, {"POST", ""}: `"value":5`, {"GET", `{"query":{"match_none":{}}}`}: `"value":0`, {"POST", `{"query":{"match":{"Name":"ape"}}}`}: `"value":2`,
	}
	for round := range 4 {
		for request, want := range wants {
			if _, body := ask(t, addr, request.method, esRoot+"/_search", "", request.body); !strings.Contains(body, want) {
				t.Errorf("round %d: %s %s: %s", round, request.method, request.body, body)
			}
		}
		if a, _ := ask(t, addr, "POST", esRoot+"/_doc/Content_1", "", ""); a.StatusCode != 405 {
			t.Errorf("POST of a document: %d", a.StatusCode)
		}
		if a, _ := ask(t, addr, "GET", esRoot+"/_doc/Content_1", "", ""); a.StatusCode != 200 {
			t.Errorf("a document: %d", a.StatusCode)
		}
		if a, body := ask(t, addr, "GET", esRoot, "", ""); a.StatusCode != 200 || !strings.HasPrefix(body, `{"demo":{"aliases"`) {
			t.Errorf("GET of an index: %d %s", a.StatusCode, body)
		}
		if a, body := ask(t, addr, "POST", esRoot, "", ""); a.StatusCode != 200 || !strings.HasPrefix(body, `{"status":200,"data":[`) {
			t.Errorf("POST of the envelope: %d %s", a.StatusCode, body)
		}
	}
}

func TestElasticFields(t *testing.T) {
	_, addr, _ := startSite(t, site)
	for target, want := range map[string]string{
		esRoot + "/_search": "public, max-age=0, s-maxage=30", esRoot + "/_doc/Content_1": "public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400",
		esRoot + "/_doc/none": "public, max-age=10", esRoot + "/_search?size=x": "public, max-age=60",
	} {
		a, body := ask(t, addr, "GET", target, "", "")
		if got := a.Header.Get("Cache-Control"); got != want {
			t.Errorf("%s: Cache-Control %q", target, got)
		}
		head, none := ask(t, addr, "HEAD", target, "", "")
		if head.StatusCode != a.StatusCode || none != "" || head.ContentLength != int64(len(body)) {
			t.Errorf("HEAD %s: %d, %d bytes of %d", target, head.StatusCode, head.ContentLength, len(body))
		}
		if tag := a.Header.Get("Etag"); tag != "" {
			if again, _ := ask(t, addr, "GET", target, "If-None-Match: "+tag+"\r\n", ""); again.StatusCode != http.StatusNotModified || again.Header.Get("X-Elastic-Product") == "" {
				t.Errorf("%s again: %d %v", target, again.StatusCode, again.Header)
			}
		}
	}
	if a, _ := ask(t, addr, "OPTIONS", esRoot+"/_search", "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n", ""); a.StatusCode != 204 || a.Header.Get("Allow") != "GET, HEAD, POST, OPTIONS" {
		t.Errorf("preflight: %d %v", a.StatusCode, a.Header)
	}
}

func TestElasticGzip(t *testing.T) {
	_, addr, _ := startSite(t, site)
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	if _, err := w.Write([]byte(`{"query":{"match":{"Name":"ape"}}}`)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if a, body := ask(t, addr, "POST", esRoot+"/_search", "Content-Encoding: gzip\r\n", zipped.String()); a.StatusCode != 200 || !strings.Contains(body, `"value":2`) {
			t.Errorf("%d %s", a.StatusCode, body)
		}
	}
}

// An overload is told in Elasticsearch's words, for each request that would search. Items are
// not searched.
func TestElasticOverload(t *testing.T) {
	s, addr, permits := busySite(t, 20*time.Millisecond)
	for _, target := range []string{"/_search", "/_count", "/_msearch", "/_mapping", "/_mget", "/_analyze", "/_validate/query", "/_field_caps?fields=*"} {
		a, body := ask(t, addr, "GET", esRoot+target, "", "")
		if a.StatusCode != 503 || a.Header.Get("Retry-After") == "" || !strings.Contains(body, `"type":"es_rejected_execution_exception"`) {
			t.Errorf("%s: %d %s", target, a.StatusCode, body)
		}
	}
	for _, target := range []string{esRoot + "/_doc/Content_1", esRoot + "/_source/Content_1", elasticRoot + "/"} {
		if a, body := ask(t, addr, "GET", target, "", ""); a.StatusCode != 200 {
			t.Errorf("%s: %d %s", target, a.StatusCode, body)
		}
	}
	for _, permit := range permits {
		permit.Release()
	}
	ask(t, addr, "POST", esRoot+"/_msearch", "", strings.Repeat("{}\n{}\n", 16))
	if n := s.resources.Searches.Running(); n > 0 {
		t.Errorf("%d searches are left", n)
	}
}

// Several searches may wait for each other, which no event loop does.
func TestElasticSearchesLeaveTheLoop(t *testing.T) {
	s, _, _ := startSite(t, site)
	r := &fastpath.Request{Post: true, Target: []byte(esRoot + "/_msearch"), Body: []byte("{}\n{}\n")}
	if a, left := computeOnce(t, s, r); a.Status != 200 || !left {
		t.Errorf("%d, left the loop: %t", a.Status, left)
	}
	if n := s.resources.Searches.Running(); n > 0 {
		t.Errorf("%d searches are left", n)
	}
}

// Each status of a search is one of Elasticsearch's: its clients repeat what was too much.
func TestElasticTooCostly(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine computes for long")
	}
	_, addr, _ := startSite(t, site)
	body := `{"query":{"bool":{"should":[` + strings.TrimSuffix(strings.Repeat(`{"query_string":{"query":"/[a-z]*.*(a|b|c|d).*[^x]{1,50}y/ OR /.*(x|y|z)*.*[a-f]{1,60}/"}},`, 500), ",") + `]}}}`
	a, text := ask(t, addr, "POST", esRoot, "", body)
	if !strings.Contains(text, `"too_costly"`) {
		t.Fatalf("the search is %d %.200s", a.StatusCode, text)
	}
	if a, text := ask(t, addr, "POST", esRoot+"/_search", "", body); a.StatusCode != 429 || !strings.Contains(text, "es_rejected_execution_exception") || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v %s", a.StatusCode, a.Header, text)
	}
}

// What depends on the clock is computed for each request.
func TestElasticCachesWhatStays(t *testing.T) {
	s, addr, _ := startSite(t, site)
	for body, want := range map[string]bool{`{"size":1}`: true, `{"query":{"range":{"CreatedAt":{"lt":"now"}}}}`: false} {
		for range 3 {
			ask(t, addr, "POST", esRoot+"/_search", "", body)
		}
		entry := s.current.Served.Load().Cache.GetSearch([]byte(esRoot+"/_search"), []byte(body))
		if got := entry != nil && entry.Cached(new(contentcoding.Accept)) != nil; got != want {
			t.Errorf("%s is cached: %t", body, got)
		}
	}
}

// TestSearchByGET compares searches by GET with those by POST, on the fast path and, by the field Range, with Fiber.
func TestSearchByGET(t *testing.T) {
	_, addr, _ := startSiteWith(t, site, func(*ServerConfig) {})
	for _, query := range []string{"q=Name:*&size=2&sort=Name:asc", "Q=nothing", "size=0", "Name=Bee&pretty=1", "q=(", "from=10000&size=1", "PageSize=2&Page=0", "q=a&q=b", "q=*&limit=1"} {
		want, posted := ask(t, addr, "POST", esRoot+"?"+query, "", "")
		for i := range 3 {
			for _, fields := range []string{"", "Range: bytes=0-\r\n"} {
				got, body := ask(t, addr, "GET", esRoot+"?"+query, fields, "")
				if body != posted || got.StatusCode != want.StatusCode || got.Header.Get("Etag") != want.Header.Get("Etag") || got.Header.Get("Cache-Control") != want.Header.Get("Cache-Control") || got.Header.Get("X-Elastic-Product") != "" {
					t.Errorf("%s, request %d with %q: %d %v %s\nwant %d %s", query, i, fields, got.StatusCode, got.Header, body, want.StatusCode, posted)
				}
			}
			if head, body := ask(t, addr, "HEAD", esRoot+"?"+query, "", ""); head.StatusCode != want.StatusCode || body != "" {
				t.Errorf("HEAD %s: %d %s", query, head.StatusCode, body)
			}
		}
	}
}
