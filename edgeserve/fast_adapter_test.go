package edgeserve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"contentedge/edgeserve/prometheus"
	"contentedge/edgeserve/serve/fastpath"
	"contentedge/edgeserve/serve/logs"
	"contentedge/edgeserve/wire/contentcoding"
)

// say sends all that a client has to say on a connection of its own, and returns what it
// hears, and how that ended.
func say(t *testing.T, addr, raw string) ([]byte, error) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, raw); err != nil {
		t.Fatal(err)
	}
	_ = conn.(*net.TCPConn).CloseWrite()
	return io.ReadAll(conn)
}

// wholeResponse sends one request that ends its connection's stream and returns the bytes
// of the answer without its date.
func wholeResponse(t *testing.T, addr, raw string) string {
	t.Helper()
	b, err := say(t, addr, raw)
	if err != nil {
		t.Fatal(err)
	}
	dates := dateLine.FindAll(b, -1)
	if len(dates) != len(statusLine.FindAll(b, -1)) {
		t.Errorf("%q has %d dates", b, len(dates))
	}
	return string(newID.ReplaceAll(dateLine.ReplaceAll(b, nil), nil))
}

// newID is the id of a request whose own could not be read.
var newID = regexp.MustCompile(`X-Request-Id: [0-9a-f]{12}-\w+\r\n`)

var statusLine = regexp.MustCompile(`HTTP/1\.1 \d{3} `)

var dateLine = regexp.MustCompile(`Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n`)

// startEngine serves by the engine alone, as on systems without a fast path.
func startEngine(t *testing.T, change func(*ServerConfig)) (*Server, string) {
	t.Helper()
	s, ln := newServer(t, change)
	done := make(chan error, 1)
	go func() { done <- s.fiber.app.Listener(ln) }()
	t.Cleanup(func() {
		if err := errors.Join(s.fiber.app.Shutdown(), <-done); err != nil {
			t.Error(err)
		}
		s.Swap(nil)
	})
	return s, ln.Addr().String()
}

// origin is where an answer comes from.
type origin uint8

const (
	ofEngine   origin = iota // Fiber answers each time
	ofFile                   // the fast path reads the file, and the cache keeps the response
	ofSnapshot               // the fast path computes it, and the cache keeps it
	ofRefusal                // the fast path refuses it each time
)

// What is answered on the wire, from memory or made for the request, is what the engine
// answers alone.
func TestFastPathSendsWhatFiberSends(t *testing.T) {
	f := fixture{env: "demo", names: []string{"Ada", "Bo", "Cy"}, note: strings.Repeat("x", contentcoding.MinBody)}
	dir := t.TempDir()
	build := f.write(t, dir)
	writeFile(t, dir+"/cda/rest/v1/demo/contents/Content_1.json.gz", []byte("not really gzip"))
	serve := func(start func(*testing.T, func(*ServerConfig)) (*Server, string), cache int64, origins ...string) (*Server, string) {
		s, addr := start(t, func(c *ServerConfig) {
			c.Public, c.CacheBytes = dir, cache
			if len(origins) > 0 {
				c.Origins = origins
			}
		})
		if err := s.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s, addr
	}
	s, fastAddr := serve(startServer, 1<<20)
	computing, computingAddr := serve(startServer, 0)
	_, engine := serve(startEngine, 0)
	_, fastOrigins := serve(startServer, 1<<20, "https://a.example")
	_, engineOrigins := serve(startEngine, 0, "https://a.example")

	const item, coded, page = "/cda/rest/v1/demo/contents/Content_0", "/cda/rest/v1/demo/contents/Content_1", "/cda/rest/v1/demo/contents"
	const search = "/cda/es/v1/demo"
	tag := regexp.MustCompile(`"[^"]+"`).FindString(wholeResponse(t, engine, "HEAD "+item+" HTTP/1.1\r\nHost: a\r\n\r\n"))
	for _, c := range []struct {
		name, method, target, fields string
		of                           origin
	}{
		{"item", "GET", item, "", ofFile},
		{"item's file", "GET", item + ".json", "", ofFile},
		{"HEAD", "HEAD", item, "", ofFile},
		{"list", "GET", page, "", ofFile},
		{"list with a query", "GET", page + "?utm=1", "", ofFile},
		{"coded", "GET", coded, "Accept-Encoding: gzip\r\n", ofFile},
		{"coded, HEAD", "HEAD", coded, "Accept-Encoding: gzip\r\n", ofFile},
		{"no such coding", "GET", item, "Accept-Encoding: gzip, br\r\n", ofFile},
		{"coding refused", "GET", coded, "Accept-Encoding: gzip;q=0\r\n", ofFile},
		{"no coding", "GET", coded, "Accept-Encoding:\r\n", ofFile},
		{"unchanged", "GET", item, "If-None-Match: " + tag + "\r\n", ofFile},
		{"unchanged, HEAD", "HEAD", item, "If-None-Match: W/" + tag + "\r\n", ofFile},
		{"any tag", "GET", item, "If-None-Match: *\r\n", ofFile},
		{"another tag", "GET", item, "If-None-Match: \"x\"\r\n", ofFile},
		{"no tag", "GET", item, "If-None-Match:\r\n", ofFile},
		{"pinned", "GET", item, "X-Release: " + build + "\r\n", ofFile},
		{"pinned elsewhere", "GET", item, "X-Release: 0123456789abcdef\r\n", ofFile},
		{"range", "GET", item, "Range: bytes=0-3\r\n", ofFile},
		{"precondition", "GET", item, "If-Match: \"x\"\r\n", ofFile},
		{"range of a tag", "GET", item, "Range: bytes=0-3\r\nIf-Range: \"x\"\r\n", ofFile},
		{"origin", "GET", item, "Origin: https://a.example\r\n", ofFile},
		{"two codings", "GET", coded, "Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n", ofFile},
		{"close", "GET", item, "Connection: close\r\n", ofFile},
		{"body", "GET", item, "Content-Length: 2\r\n", ofFile},
		{"missing item", "GET", page + "/Content_9", "", ofRefusal},
		{"list without a file", "GET", page + "?pageSize=1", "", ofSnapshot},
		{"list that cannot be a file", "GET", page + "?searchByName=" + strings.Repeat("n", 300), "", ofSnapshot},
		{"list by a path, with select", "GET", page + "?Data.note=x&select=Name", "", ofSnapshot},
		{"item with others", "GET", item + "?include=1", "", ofSnapshot},
		{"list with others", "GET", page + "?pageSize=1&include=2", "", ofSnapshot},
		{"part of an item", "GET", item + "?select=Name", "", ofSnapshot},
		{"part of an item, coded, HEAD", "HEAD", coded + "?select=*", "Accept-Encoding: gzip\r\n", ofSnapshot},
		{"page behind the last", "GET", page + "?pageSize=1&page=9", "", ofSnapshot},
		{"range of a list without a file", "GET", page + "?pageSize=2", "Range: bytes=0-3\r\n", ofFile},
		{"list without a file, coded", "GET", page + "?pageSize=1&page=2", "Accept-Encoding: gzip\r\n", ofSnapshot},
		{"list without a file, coded otherwise", "GET", page + "?pageSize=1&page=2", "Accept-Encoding: br, zstd;q=0.9\r\n", ofSnapshot},
		{"list without a file, HEAD", "HEAD", page + "?pageSize=1&page=3", "", ofSnapshot},
		{"list without a file, unchanged", "GET", page + "?pageSize=2&page=2", "If-None-Match: *\r\n", ofFile},
		{"target that no path is", "GET", page + "?pageSize=1&a=#b", "", ofEngine},
		{"target with a control byte", "GET", page + "?pageSize=1&a=\x01", "", ofEngine},
		{"target with a tab", "GET", page + "?pageSize=1\t", "", ofEngine},
		{"target with a delete", "POST", search + "?a=\x7f", "Content-Length: 2\r\n", ofEngine},
		{"bad list", "GET", page + "?page=0", "", ofRefusal},
		{"search", "POST", search, "Content-Length: 2\r\n", ofSnapshot},
		{"search, coded", "POST", search, "Accept-Encoding: gzip\r\nContent-Length: 2\r\n", ofSnapshot},
		{"search, unchanged", "POST", search, "If-None-Match: *\r\nContent-Length: 2\r\n", ofSnapshot},
		{"search, range", "POST", search, "Range: bytes=0-3\r\nContent-Length: 2\r\n", ofSnapshot},
		{"search of a coded body", "POST", search, "Content-Encoding: gzip\r\nContent-Length: 2\r\n", ofSnapshot},
		{"search of a body in another coding", "POST", search, "Content-Encoding: deflate\r\nContent-Length: 2\r\n", ofSnapshot},
		{"search of a body in no coding", "POST", search, "Content-Encoding: identity\r\nContent-Length: 2\r\n", ofSnapshot},
		{"search with parameters in another case", "POST", search + "?name=Ada&PAGESIZE=1", "Content-Length: 2\r\n", ofSnapshot},
		{"search with other values of the same parameters", "POST", search + "?NAME=Bo&pagesize=1", "Content-Length: 2\r\n", ofSnapshot},
		{"URI search", "POST", search + "?q=ada&size=1&sort=Name:asc&_source=Name", "Content-Length: 2\r\n", ofSnapshot},
		{"bad URI search", "POST", search + "?from=x", "Content-Length: 2\r\n", ofRefusal},
		{"parameter twice in different case", "POST", search + "?page=1&Page=1", "Content-Length: 2\r\n", ofRefusal},
		{"list in an order in upper case", "GET", page + "?sortAsc=TRUE&pageSize=1", "", ofSnapshot},
		{"list by a path that no item has", "GET", page + "?sort=Data.nope", "", ofSnapshot},
		{"preflight", "OPTIONS", search, "Access-Control-Request-Headers: x-a\r\n", ofEngine},
		{"search with parameters", "POST", search + "?Name=Ada", "Content-Length: 2\r\n", ofSnapshot},
		{"search without a body", "POST", search + "?Name=Bo", "Content-Length: 0\r\n", ofSnapshot},
		{"search of another environment", "POST", search + "x", "Content-Length: 2\r\n", ofRefusal},
		{"bad search", "POST", search + "?Page=0", "Content-Length: 2\r\n", ofRefusal},
		{"index", "GET", search, "", ofSnapshot},
		{"index, HEAD", "HEAD", search, "", ofSnapshot},
		{"index, bad", "GET", search + "?nope=1", "", ofRefusal},
		{"index that there is not", "GET", search + "x", "", ofRefusal},
		{"search with another method", "PUT", search, "", ofEngine},
		{"probe", "GET", "/readyz", "", ofEngine},
		{"Elasticsearch's search", "GET", search + "/_search?q=ada&sort=Name.keyword", "", ofSnapshot},
		{"Elasticsearch's search, coded", "GET", search + "/_search?size=2", "Accept-Encoding: gzip\r\n", ofSnapshot},
		{"Elasticsearch's search, HEAD", "HEAD", search + "/_search?size=1", "", ofSnapshot},
		{"Elasticsearch's search, POST", "POST", search + "/_search", "Content-Length: 2\r\n", ofSnapshot},
		{"Elasticsearch's search, POST without a body", "POST", search + "/_search?size=0", "Content-Length: 0\r\n", ofSnapshot},
		{"Elasticsearch's search, unchanged", "GET", search + "/_search?from=1", "If-None-Match: *\r\n", ofSnapshot},
		{"Elasticsearch's search, bad", "GET", search + "/_search?size=x", "", ofRefusal},
		{"Elasticsearch's search of another environment", "GET", search + "x/_search", "", ofRefusal},
		{"Elasticsearch's several searches, bad", "POST", search + "/_msearch", "Content-Length: 2\r\n", ofRefusal},
		{"Elasticsearch's document", "GET", search + "/_doc/Content_0", "", ofSnapshot},
		{"Elasticsearch's document, HEAD", "HEAD", search + "/_doc/Content_1", "", ofSnapshot},
		{"Elasticsearch's document, none", "GET", search + "/_doc/Content_9", "", ofRefusal},
		{"Elasticsearch's document, none, HEAD", "HEAD", search + "/_doc/Content_9", "", ofRefusal},
		{"Elasticsearch's document, POST", "POST", search + "/_doc/Content_0", "Content-Length: 2\r\n", ofEngine},
		{"Elasticsearch's document, source", "GET", search + "/_source/Content_2", "", ofSnapshot},
		{"Elasticsearch's mapping", "GET", search + "/_mapping", "", ofSnapshot},
		{"Elasticsearch's node", "GET", "/cda/es/v1/", "", ofFile},
		{"Elasticsearch's node, HEAD", "HEAD", "/cda/es/v1", "", ofFile},
		{"Elasticsearch's node, POST", "POST", "/cda/es/v1/", "Content-Length: 0\r\n", ofEngine},
		{"Elasticsearch's endpoint that there is not", "POST", search + "/_bulk", "Content-Length: 2\r\n", ofEngine},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\nX-Request-Id: t\r\n%s\r\n", c.method, c.target, c.fields)
			if bytes.Contains([]byte(c.fields), []byte("Content-Length: 2")) {
				raw += "{}"
			}
			want, wantOrigins := wholeResponse(t, engine, raw), wholeResponse(t, engineOrigins, raw)
			for i := range 3 {
				for _, addr := range []string{fastAddr, computingAddr} {
					if got := wholeResponse(t, addr, raw); got != want {
						t.Fatalf("answer %d is\n%s\nwant\n%s", i, got, want)
					}
				}
				if got := wholeResponse(t, fastOrigins, raw); got != wantOrigins {
					t.Fatalf("with a list of origins answer %d is\n%s\nwant\n%s", i, got, wantOrigins)
				}
			}
			if c.method != "GET" && c.method != "HEAD" && c.method != "POST" {
				return // the fast path has no Request of it
			}
			line, _, _ := strings.Cut(c.fields, "\r\n")
			coding, _ := strings.CutPrefix(line, "Accept-Encoding: ")
			r := fastpath.Request{Post: c.method == "POST", Target: []byte(c.target), AcceptEncoding: []byte(coding)}
			if strings.Contains(c.fields, "Length: 2") {
				r.Body = []byte("{}")
			}
			if _, ok := s.fast.lookup(&r); ok != (c.of == ofFile || c.of == ofSnapshot) {
				t.Errorf("has a plain answer: %v", ok)
			}
			if _, ok := computing.fast.compute(&r, time.Now(), func() {}); ok != (c.of != ofEngine) {
				t.Errorf("its answer is made on the wire: %v", ok)
			}
		})
	}
}

func TestLookupAllocatesNothing(t *testing.T) {
	f := fixture{env: "demo", names: []string{"Ada", "Bo"}}
	dir := t.TempDir()
	f.write(t, dir)
	s, addr := startServer(t, func(c *ServerConfig) { c.Public = dir })
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	const target = "/cda/rest/v1/demo/contents/Content_0"
	wholeResponse(t, addr, "GET "+target+" HTTP/1.1\r\nHost: a\r\n\r\n")
	r := &fastpath.Request{Target: []byte(target), AcceptEncoding: []byte("gzip, br;q=0.5"), IfNoneMatch: []byte(`"x"`)}
	wholeResponse(t, addr, "GET "+target+" HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip, br\r\n\r\n")
	n := testing.AllocsPerRun(100, func() {
		if _, ok := s.fast.lookup(r); !ok {
			t.Fatal("no plain answer")
		}
	})
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Responses of the fast path are counted and logged like those of Fiber: the same request three times gives
// the same line three times, but for its id, its peer, its time and the cache.
func TestFastPathIsLoggedAndCounted(t *testing.T) {
	dir := t.TempDir()
	fixture{env: "demo", names: []string{"Ada", "Bo"}}.write(t, dir)
	writeFile(t, dir+"/cda/rest/v1/demo/contents/Content_1.json.gz", []byte("not really gzip"))
	log := &logBuffer{}
	s, addr := startServer(t, func(c *ServerConfig) {
		c.Public = dir
		c.AccessLog = logs.NewAccess(log, logs.JSON)
		t.Cleanup(func() { _ = c.AccessLog.Close(t.Context()) })
	})
	if err := s.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	const item = "/cda/rest/v1/demo/contents/Content_1"
	requests := []string{
		"GET " + item + " HTTP/1.1\r\n", "HEAD " + item + " HTTP/1.1\r\n", "GET /cda/rest/v1/demo/contents HTTP/1.1\r\n",
		"GET " + item + " HTTP/1.1\r\nAccept-Encoding: gzip\r\n", "GET " + item + " HTTP/1.1\r\nIf-None-Match: *\r\n",
		"GET /cda/rest/v1/demo/contents?pageSize=1 HTTP/1.1\r\n", "POST /cda/es/v1/demo HTTP/1.1\r\nContent-Length: 0\r\n",
		"GET " + item + " HTTP/1.1\r\nX-Request-Id: mine\r\n",
	}
	const times = 3
	for _, raw := range requests {
		for range times {
			wholeResponse(t, addr, raw+"Host: a\r\n\r\n")
		}
	}
	log.waitFor(t, `(?s)("id":"mine".*){3}\n`)
	lines := strings.Split(strings.TrimSpace(regexp.MustCompile(`"(time|id|duration_us|peer|cache)":("[^"]*"|[^,]*),?`).ReplaceAllString(log.String(), "")), "\n")
	if len(lines) != times*len(requests) {
		t.Fatalf("%d lines for %d requests", len(lines), times*len(requests))
	}
	for i, line := range lines {
		if first := lines[i-i%times]; line != first {
			t.Errorf("%q is logged as\n%s\nand then as\n%s", requests[i/times], first, line)
		}
	}
	var text prometheus.Text
	waitFor(t, "no request is in flight", func() bool {
		text = prometheus.Text{}
		s.telemetry.requests.Write(&text)
		return bytes.Contains(text.Bytes(), []byte("in_flight 0"))
	})
	for _, want := range []string{`requests_total{route="item",code="200"} 12`, `requests_total{route="item",code="304"} 3`, `requests_total{route="list",code="200"} 6`, `requests_total{route="search",code="200"} 3`} {
		if !bytes.Contains(text.Bytes(), []byte(want)) {
			t.Errorf("the metrics lack %s:\n%s", want, text.Bytes())
		}
	}
}

func BenchmarkComputed(b *testing.B) {
	dir := b.TempDir()
	site.write(b, dir)
	s := openSite(b, dir, func(c *ServerConfig) { c.CacheBytes = 0 })
	for _, r := range []fastpath.Request{
		{Target: []byte(listRoot + "?pageSize=1")},
		{Post: true, Target: []byte(esRoot), Body: []byte(`{"query":{"ids":{"values":["Content_1"]}}}`)},
	} {
		b.Run(string(r.Target), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				a, ok := s.fast.compute(&r, time.Now(), func() {})
				if !ok {
					b.Fatal("not made")
				}
				if a.Done != nil {
					a.Done()
				}
			}
		})
	}
}
