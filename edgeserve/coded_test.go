package edgeserve

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/compression"
	"contentedge/edgeserve/wire/contentcoding"
)

// gzipOf is text in gzip.
func gzipOf(text string) string {
	return string(compression.ForFiles.Encode(contentcoding.Gzip, nil, []byte(text)))
}

// A body in gzip is the body that it holds, whichever way the request goes, and the
// connection goes on.
func TestCodedBody(t *testing.T) {
	const limit = 4096
	dir := t.TempDir()
	site.write(t, dir)
	serve := func(start func(*testing.T, func(*ServerConfig)) (*Server, string), cache int64) string {
		s, addr := start(t, func(c *ServerConfig) { c.Public, c.BodyLimit, c.CacheBytes, c.PollInterval = dir, limit, cache, 0 })
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		return addr
	}
	servers := map[string]string{"fast path": serve(startServer, 1<<20), "engine": serve(startEngine, 1<<20), "without a cache": serve(startServer, 0)}
	const body = `{"size":1,"from":2}`
	padded := body + strings.Repeat(" ", limit-len(body))
	hit := site.list(5, 2)
	for _, c := range []struct {
		name, coding, body string
		status             int
		want               string
	}{
		{"gzip", "gzip", gzipOf(body), 200, hit},
		{"the body as it is", "", body, 200, hit},
		{"an old name", "X-GZip", gzipOf(body), 200, hit},
		{"identity", "Identity", body, 200, hit},
		{"identity and gzip", "identity, gzip", gzipOf(body), 200, hit},
		{"two members", "gzip", gzipOf(body[:5]) + gzipOf(body[5:]), 200, hit},
		{"nothing in gzip", "gzip", gzipOf(""), 200, site.list(5, 0, 1, 2, 3, 4)},
		{"nothing", "gzip", "", 200, site.list(5, 0, 1, 2, 3, 4)},
		{"a byte order mark in gzip", "gzip", gzipOf("\ufeff" + body), 200, hit},
		{"at the limit", "gzip", gzipOf(padded), 200, hit},
		{"beyond the limit", "gzip", gzipOf(padded + " "), 413, `"body_too_large"`},
		{"beyond the limit in two members", "gzip", gzipOf(padded) + gzipOf(" "), 413, `"body_too_large"`},
		{"a bomb", "gzip", gzipOf(strings.Repeat(" ", 1<<20)), 413, `"body_too_large"`},
		{"no gzip", "gzip", body, 400, `"bad_gzip"`},
		{"gzip that is not said", "", gzipOf(body), 400, `"bad_json"`},
		{"a cut stream", "gzip", gzipOf(body)[:20], 400, `"bad_gzip"`},
		{"bytes behind", "gzip", gzipOf(body) + "x", 400, `"bad_gzip"`},
		{"bad JSON in gzip", "gzip", gzipOf("{"), 400, `"bad_json"`},
		{"gzip twice", "gzip, gzip", gzipOf(gzipOf(body)), 415, `"content_encoding"`},
		{"another coding", "br", body, 415, `"content_encoding"`},
		{"another coding below", "deflate, gzip", gzipOf(body), 415, `"content_encoding"`},
	} {
		fields := ""
		if c.coding != "" {
			fields = "Content-Encoding: " + c.coding + "\r\n"
		}
		whole := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\n%sContent-Length: %d\r\n\r\n%s", esRoot, fields, len(c.body), c.body)
		chunked := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: a\r\n%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", esRoot, fields, len(c.body), c.body)
		if c.body == "" {
			chunked = whole
		}
		lastChunked := strings.Replace(chunked, "Host: a\r\n", "Host: a\r\nConnection: close\r\n", 1)
		for server, addr := range servers {
			t.Run(c.name+", "+server, func(t *testing.T) {
				answers, _ := exchangeAll(t, addr, whole+whole+whole+lastChunked, 4)
				if want := slices.Repeat([]int{c.status}, 4); !slices.Equal(statuses(answers), want) {
					t.Fatalf("answered %v, want %v", statuses(answers), want)
				}
				for i, a := range answers {
					got, err := io.ReadAll(a.Body)
					if err != nil || c.status == 200 && string(got) != c.want || !strings.Contains(string(got), c.want) {
						t.Errorf("answer %d: %s, %v\nwant %s", i, got, err, c.want)
					}
					if got := a.Header.Get("Accept-Encoding"); (got == "gzip, identity") != (c.status == http.StatusUnsupportedMediaType) {
						t.Errorf("Accept-Encoding: %q", got)
					}
				}
			})
		}
	}
}
