package edgeserve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"contentedge/edgeserve/serve/admission"
	"contentedge/edgeserve/serve/delivery"
	"contentedge/edgeserve/serve/generation"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

var site = fixture{env: "demo", names: []string{"Ape", "Bee", "Cat", "Ape", "Elk"}, note: "<first>"}

// startSite serves a release of f until the test ends.
func startSite(t *testing.T, f fixture) (s *Server, addr, dir string) {
	t.Helper()
	return startSiteWith(t, f, func(*ServerConfig) {})
}

// startSiteWith is startSite with a changed configuration.
func startSiteWith(t *testing.T, f fixture, change func(*ServerConfig)) (s *Server, addr, dir string) {
	t.Helper()
	dir = t.TempDir()
	f.write(t, dir)
	s, addr = startServer(t, func(c *ServerConfig) {
		c.Public = dir
		change(c)
	})
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s, addr, dir
}

// ask sends one request on a connection of its own and returns the answer with its body.
func ask(t *testing.T, addr, method, target, fields, body string) (*http.Response, string) {
	t.Helper()
	if body != "" || method == "POST" {
		fields += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	heard, _ := say(t, addr, method+" "+target+" HTTP/1.1\r\nHost: "+addr+"\r\n"+fields+"\r\n"+body) // an end by reset is an end
	r := bufio.NewReader(bytes.NewReader(heard))
	answer, err := http.ReadResponse(r, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%s %s: %v", method, target, err)
	}
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if rest, _ := io.ReadAll(r); len(rest) > 0 {
		t.Errorf("%s %s: %q behind the answer", method, target, rest)
	}
	return answer, string(text)
}

const (
	listRoot = "/cda/rest/v1/demo/contents"
	pageRoot = "/cda/rest/v1/demo/contents-list/"
	esRoot   = "/cda/es/v1/demo"
)

func TestContent(t *testing.T) {
	_, addr, _ := startSite(t, site)
	item, list, search := release.CacheControl(release.ClassItem), release.CacheControl(release.ClassList), release.CacheControl(release.ClassSearch)
	for _, c := range []struct {
		name, method, target, body string
		want, cache                string
		filed                      bool // some node may have it as a file
	}{
		{"item", "GET", listRoot + "/Content_1", "", site.item(1), item, true},
		{"item, query ignored", "GET", listRoot + "/Content_1?page=x", "", site.item(1), item, true},
		{"item by file name", "GET", listRoot + "/Content_1.json", "", site.item(1), item, true},
		{"item, absolute form", "GET", "http://b" + listRoot + "/Content_1", "", site.item(1), item, true},
		{"default list, a file", "GET", listRoot, "", site.list(5, 0, 1), list, true},
		{"default list, spelled out", "GET", listRoot + "?page=1&pageSize=2&sort=CreatedAt&sortAsc=false", "", site.list(5, 0, 1), list, true},
		{"default list by file name", "GET", pageRoot + "sort-createdat-desc-2/page-1.json", "", site.list(5, 0, 1), list, true},
		{"second page, no file", "GET", listRoot + "?page=2", "", site.list(5, 2, 3), list, true},
		{"second page by file name", "GET", pageRoot + "sort-createdat-desc-2/page-2.json", "", site.list(5, 2, 3), list, true},
		{"page past the end", "GET", listRoot + "?page=999", "", site.list(5), list, true},
		{"ascending", "GET", listRoot + "?sortAsc=true", "", site.list(5, 4, 3), list, false},
		{"by another field", "GET", listRoot + "?sort=Name&sortAsc=true&pageSize=3", "", site.list(5, 0, 3, 1), list, false},
		{"ascending, in upper case", "GET", listRoot + "?sortAsc=TRUE", "", site.list(5, 4, 3), list, false},
		{"by a path that no item has", "GET", listRoot + "?sort=Data.nope", "", site.list(5, 0, 1), list, false},
		{"by such a path, ascending", "GET", listRoot + "?sort=Data.nope&sortAsc=True&page=2", "", site.list(5, 2, 3), list, false},
		{"search, by such a path", "POST", esRoot + "?Sort=Data.nope", `{"size":2}`, site.list(5, 0, 1), search, false},
		{"filter", "GET", listRoot + "?searchByName=Ape", "", site.list(2, 0, 3), list, false},
		{"filter without matches", "GET", listRoot + "?searchByName=ape", "", site.list(0), list, false},
		{"search without a body", "POST", esRoot, "", site.list(5, 0, 1, 2, 3, 4), search, false},
		{"search, a window", "POST", esRoot, `{"from":1,"size":2}`, site.list(5, 1, 2), search, false},
		{"search for a word", "POST", esRoot, `{"query":{"match":{"Name":"APE"}}}`, site.list(2, 0, 3), search, false},
		{"search by parameter", "POST", esRoot + "?Name=Cat", "", site.list(1, 2), search, false},
		{"search by both", "POST", esRoot + "?Name=Cat", `{"query":{"match":{"Name":"ape"}}}`, site.list(0), search, false},
		{"search by a name in lower case", "POST", esRoot + "?name=Cat", "", site.list(1, 2), search, false},
		{"search by a name in upper case, another value", "POST", esRoot + "?NAME=Elk", "", site.list(1, 4), search, false},
		{"URI search", "POST", esRoot + "?q=Name:ape+OR+Name:cat&from=1&size=1&sort=Name:asc,ContentID:desc&_source=ContentID", "",
			`{"status":200,"data":[{"ContentID":"Content_0"}],"totalItems":3}`, search, false},
		{"URI search, the body wins", "POST", esRoot + "?q=elk&from=1&size=1&_source=false", `{"query":{"match":{"Name":"ape"}},"from":0,"size":5,"_source":true}`, site.list(2, 0, 3), search, false},
		{"null is no body", "POST", esRoot + "?PageSize=2", " null\n", site.list(5, 0, 1), search, false},
		{"neither is a byte order mark", "POST", esRoot + "?PageSize=2", "\ufeff", site.list(5, 0, 1), search, false},
		{"a body behind a byte order mark", "POST", esRoot, "\ufeff{\"size\":1}", site.list(5, 0), search, false},
		{"search, pages", "POST", esRoot + "?Page=2&PageSize=2", "", site.list(5, 2, 3), search, false},
		{"search, some members", "POST", esRoot, `{"size":1,"_source":"Name"}`, `{"status":200,"data":[{"Name":"Ape"}],"totalItems":5}`, search, false},
		{"search, no members", "POST", esRoot, `{"size":2,"_source":false}`, `{"status":200,"data":[{},{}],"totalItems":5}`, search, false},
		{"search with hits", "POST", esRoot, `{"size":2,"_source":"Name","query":{"ids":{"values":["Content_0","Content_2"],"_name":"n"}},"aggs":{"c":{"value_count":{"field":"_id"}}}}`,
			`{"status":200,"data":[{"Name":"Ape"},{"Name":"Cat"}],"totalItems":2,"aggregations":{"c":{"value":2}},"hits":[{"_id":"Content_0","_score":1.0,"matched_queries":["n"]},{"_id":"Content_2","_score":1.0,"matched_queries":["n"]}]}`, search, false},
		{"search with hits, sorted", "POST", esRoot, `{"size":1,"_source":"Name","query":{"match_all":{"_name":"n"}},"sort":[{"Name":"desc"}]}`,
			`{"status":200,"data":[{"Name":"Elk"}],"totalItems":5,"hits":[{"_id":"Content_4","_score":null,"matched_queries":["n"],"sort":["Elk"]}]}`, search, false},
		{"search with fields and hits inside", "POST", esRoot, `{"size":1,"_source":false,"fields":["Name"],"collapse":{"field":"Name.keyword","inner_hits":{"name":"i","size":1,"from":1,"_source":"Name"}}}`,
			`{"status":200,"data":[{}],"totalItems":5,"hits":[{"_id":"Content_0","_score":1.0,"fields":{"Name.keyword":["Ape"],"Name":["Ape"]},` +
				`"inner_hits":{"i":{"hits":{"total":{"value":2,"relation":"eq"},"max_score":0.0,"hits":[{"_id":"Content_3","_score":0.0,"_source":{"Name":"Ape"}}]}}}}]}`, search, false},
		{"search behind a hit", "POST", esRoot, `{"size":1,"_source":"Name","sort":["Name",{"ContentID":"desc"}],"search_after":["Ape","Content_3"]}`,
			`{"status":200,"data":[{"Name":"Ape"}],"totalItems":5,"hits":[{"_id":"Content_0","_score":null,"sort":["Ape","Content_0"]}]}`, search, false},
		{"search without ids", "POST", esRoot, `{"size":1,"stored_fields":"_none_"}`, `{"status":200,"data":[{}],"totalItems":5,"hits":[{"_score":1.0}]}`, search, false},
		{"search with versions, which _search shows", "POST", esRoot, `{"size":0,"version":true,"track_total_hits":1,"timeout":"1s"}`, site.list(5), search, false},
		{"search with hits, none", "POST", esRoot, `{"query":{"match_none":{"_name":"n"}}}`, `{"status":200,"data":[],"totalItems":0,"hits":[]}`, search, false},
		{"search, a name of no query of the search", "POST", esRoot, `{"size":0,"aggs":{"f":{"filter":{"match_all":{"_name":"n"}}}}}`,
			`{"status":200,"data":[],"totalItems":5,"aggregations":{"f":{"doc_count":5}}}`, search, false},
		{"search, as text", "POST", esRoot, ` {"size":0} `, site.list(5), search, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, body := ask(t, addr, c.method, c.target, "Content-Type: text/plain\r\n", c.body)
			if a.StatusCode != 200 || body != c.want {
				t.Errorf("%d %s\nwant %s", a.StatusCode, body, c.want)
			}
			tag := wantTag(c.filed, body)
			if a.Header.Get("Etag") != string(tag) || a.Header.Get("Cache-Control") != c.cache {
				t.Errorf("headers %v", a.Header)
			}
			checkCommon(t, a)
		})
	}
}

func TestContentErrors(t *testing.T) {
	_, addr, _ := startSite(t, site)
	for _, c := range []struct {
		name, method, target, fields, body string
		status                             int
		want                               string // in the body
	}{
		{"unknown item", "GET", listRoot + "/Content_9", "", "", 404, `"unknown_item"`},
		{"unknown environment, list", "GET", "/cda/rest/v1/other/contents", "", "", 404, `"unknown_environment"`},
		{"unknown environment, search", "POST", "/cda/es/v1/other", "", "", 404, `"unknown_environment"`},
		{"trailing slash", "GET", listRoot + "/", "", "", 404, `"unknown_route"`},
		{"escaped slash", "GET", listRoot + "%2fContent_1", "", "", 404, `"unknown_route"`},
		{"escaped dots", "GET", listRoot + "/..%2f..%2fmanifest", "", "", 404, `"unknown_route"`},
		{"manifest", "GET", "/manifest.json", "", "", 404, `"unknown_route"`},
		{"case", "GET", "/CDA/rest/v1/demo/contents", "", "", 404, `"unknown_route"`},
		{"bad page", "GET", listRoot + "?page=0", "", "", 400, `"parameter":"page"`},
		{"sort by Data", "GET", listRoot + "?sort=Data", "", "", 400, `"bad_sort"`},
		{"sort by no path of Data", "GET", listRoot + "?sort=Data.", "", "", 400, `"bad_sort"`},
		{"search sorted by no field", "POST", esRoot, "", `{"sort":"Nope"}`, 400, `"bad_sort"`},
		{"search sorted by Data", "POST", esRoot, "", `{"sort":"Data"}`, 400, `"bad_sort"`},
		{"page twice", "GET", listRoot + "?page=1&page=1", "", "", 400, `"duplicate_parameter"`},
		{"bad JSON", "POST", esRoot, "", `{"query":`, 400, `"status":400`},
		{"unknown member", "POST", esRoot, "", `{"script":1}`, 400, "script"},
		{"bad from", "POST", esRoot + "?from=x", "", "", 400, `"bad_from","message":"from must be an integer from -1, not \"x\"","parameter":"from"`},
		{"bad q", "POST", esRoot + "?q=(", "", "", 400, `"bad_query_string"`},
		{"bad sort of a URI search", "POST", esRoot + "?sort=Name:up,ContentID", "", "", 400, `"bad_sort"`},
		{"parameter twice in different case", "POST", esRoot + "?page=1&Page=1", "", "", 400, `"parameter":"Page"`},
		{"parameter twice", "POST", esRoot + "?Name=a&Name=a", "", "", 400, `"duplicate_parameter"`},
		{"form", "POST", esRoot, "Content-Type: multipart/form-data; boundary=x\r\n", `{`, 400, `"bad_json"`},
		{"body that is not coded as it says", "POST", esRoot, "Content-Encoding: gzip\r\n", `{}`, 400, `"bad_gzip"`},
		{"body in another coding", "POST", esRoot, "Content-Encoding: br\r\n", `{}`, 415, `"content_encoding"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, body := ask(t, addr, c.method, c.target, c.fields, c.body)
			if a.StatusCode != c.status || !strings.Contains(body, c.want) || !strings.HasPrefix(body, fmt.Sprintf(`{"status":%d,"error":{`, c.status)) {
				t.Errorf("%d %s\nwant %d with %s", a.StatusCode, body, c.status, c.want)
			}
			if want := release.CacheControl(release.ErrorClass(c.status)); a.Header.Get("Cache-Control") != want {
				t.Errorf("Cache-Control %q, want %q", a.Header.Get("Cache-Control"), want)
			}
			checkCommon(t, a)
		})
	}
}

func TestConditional(t *testing.T) {
	_, addr, _ := startSite(t, site)
	for _, target := range []string{listRoot, listRoot + "?page=2", listRoot + "/Content_0"} {
		for _, method := range []string{"GET", "HEAD"} {
			t.Run(method+" "+target, func(t *testing.T) {
				whole, body := ask(t, addr, "GET", target, "", "")
				tag := whole.Header.Get("Etag")
				a, text := ask(t, addr, method, target, "If-None-Match: W/"+tag+"\r\n", "")
				if a.StatusCode != 304 || text != "" || a.Header.Get("Etag") != tag || a.Header.Get("Cache-Control") != whole.Header.Get("Cache-Control") || a.Header.Get("Vary") == "" {
					t.Errorf("matching: %d %q %v", a.StatusCode, text, a.Header)
				}
				a, _ = ask(t, addr, method, target, "If-None-Match: \"x\"\r\nIf-None-Match: \"y\"\r\n", "")
				if a.StatusCode != 200 || a.ContentLength != int64(len(body)) {
					t.Errorf("not matching: %d, Content-Length %d of %d", a.StatusCode, a.ContentLength, len(body))
				}
			})
		}
	}
}

// The files are the truth, and where one is missing the snapshot has the same bytes.
func TestFileAndSnapshotAgree(t *testing.T) {
	_, addr, dir := startSite(t, site)
	targets := map[string]string{listRoot: "", listRoot + "/Content_2": address.ItemFile("demo", "Content_2")}
	l, err := address.ParseList("", address.Defaults{Sort: "CreatedAt", Size: 2})
	if err != nil {
		t.Fatal(err)
	}
	targets[listRoot], _ = l.File("demo")
	for target, file := range targets {
		t.Run(target, func(t *testing.T) {
			if err := os.Remove(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
				t.Fatal(err)
			}
			fresh, err := generation.Open(dir, nil)
			if err != nil {
				t.Fatal(err)
			}
			fresh.Release()
			_, body := ask(t, addr, "GET", target, "", "")
			want := site.item(2)
			if target == listRoot {
				want = site.list(5, 0, 1)
			}
			if body != want {
				t.Errorf("%s\nwant %s", body, want)
			}
		})
	}
}

// A release without any page files is one that was fetched without them: it gives the
// same answers, and nothing of it is missing.
func TestReleaseWithoutFiles(t *testing.T) {
	_, with, _ := startSite(t, site)
	dir := t.TempDir()
	site.write(t, dir)
	if err := os.RemoveAll(filepath.Join(dir, release.FilesLink)); err != nil {
		t.Fatal(err)
	}
	log := &logBuffer{}
	s, without := startServer(t, func(c *ServerConfig) {
		c.Public, c.PollInterval, c.Logger = dir, 0, slog.New(slog.NewTextHandler(log, nil))
	})
	if err := s.Reload(context.Background()); err != nil {
		t.Fatal(err)
	}
	files := s.current.Served.Load().Cache
	for _, target := range []string{listRoot, listRoot + "?page=2&pageSize=1", listRoot + "/Content_2", pageRoot + "sort-createdat-desc-2/page-1.json", listRoot + "/none"} {
		for i, method := range []string{"GET", "GET", "HEAD"} {
			a, x := ask(t, with, method, target, "", "")
			b, y := ask(t, without, method, target, "", "")
			a.Header.Del("Date")
			b.Header.Del("Date")
			if a.StatusCode >= 400 {
				a.Header.Del("X-Request-Id")
				b.Header.Del("X-Request-Id")
			}
			if x != y || a.StatusCode != b.StatusCode || !reflect.DeepEqual(a.Header, b.Header) {
				t.Errorf("%s %s: %d %v %s\n%d %v %s", method, target, a.StatusCode, a.Header, x, b.StatusCode, b.Header, y)
			}
			if known := files.GetTarget([]byte(target)) != nil; known != (i > 0 && a.StatusCode == 200) {
				t.Errorf("%s: kept %t", target, known)
			}
		}
	}
	if v := s.telemetry.delivery.Missing.Value() + s.telemetry.delivery.Unreadable.Value(); v > 0 {
		t.Errorf("%d files missed", v)
	}
	if strings.Contains(log.String(), "missing") {
		t.Error(log.String())
	}
}

// busySite serves a site whose searches all wait for permits to end, each for half of the
// timeout at most.
func busySite(t *testing.T, timeout time.Duration) (s *Server, addr string, permits []*admission.Permit) {
	t.Helper()
	s, addr, _ = startSiteWith(t, site, func(c *ServerConfig) { c.SearchTimeout = timeout })
	for full := false; !full; {
		since := time.Now().Add(min(timeout/4, 50*time.Millisecond) - timeout/2) // so that the last attempt does not wait for long
		if permit := s.resources.Searches.Enter(0, since, func() { full = true }); permit != nil {
			permits = append(permits, permit)
		}
	}
	return s, addr, permits
}

// computedTargets are a search and a list without a file.
var computedTargets = [][2]string{{"POST", esRoot}, {"GET", listRoot + "?pageSize=7"}}

func TestSearchOverload(t *testing.T) {
	_, addr, _ := busySite(t, 20*time.Millisecond)
	for _, q := range computedTargets {
		a, body := ask(t, addr, q[0], q[1], "", "")
		if a.StatusCode != 503 || a.Header.Get("Retry-After") == "" || !strings.Contains(body, `"overloaded"`) {
			t.Errorf("%s %s: %d %s %v", q[0], q[1], a.StatusCode, body, a.Header)
		}
	}
	if a, _ := ask(t, addr, "GET", listRoot, "", ""); a.StatusCode != 200 {
		t.Errorf("a file: %d", a.StatusCode)
	}
}

// Searches that come all at once are no overload, as long as each has its permit in time.
func TestSearchCrowd(t *testing.T) {
	s, addr, permits := busySite(t, time.Minute)
	const crowd = 200
	conns := make([]net.Conn, crowd)
	for i := range conns {
		q := computedTargets[i%len(computedTargets)]
		conns[i] = reader(t, addr, q[0], q[1])
		defer conns[i].Close()
	}
	waitFor(t, "a crowd that waits", func() bool { return s.resources.Searches.Waiting() == crowd })
	for _, permit := range permits {
		permit.Release()
	}
	for _, conn := range conns {
		a, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || a.StatusCode != 200 {
			t.Fatal("one of the crowd is answered", a, err)
		}
	}
}

// A handler that panics costs its own request a 500 and nobody else anything.
func TestPanic(t *testing.T) {
	s, addr, _ := startSite(t, site)
	g := s.current.Served.Load()
	s.current.Served.Store(&delivery.Served{Generation: g.Generation}) // without a cache each request panics
	a, body := ask(t, addr, "GET", listRoot, "", "")
	if a.StatusCode != 500 || !strings.Contains(body, `"internal"`) || strings.Contains(body, "nil") {
		t.Errorf("%d %s", a.StatusCode, body)
	}
	checkCommon(t, a)
	if a, _ := ask(t, addr, "GET", "/livez", "", ""); a.StatusCode != 200 {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
	s.current.Served.Store(g)
	// The client may have its response before the handler has released the generation.
	s.Swap(nil)
	waitFor(t, "every reference is released", func() bool {
		if !g.Generation.Acquire() {
			return true
		}
		g.Generation.Release()
		return false
	})
}

// What a handler wrote before it panicked is not sent.
func TestPanicHalfWay(t *testing.T) {
	cfg := Defaults()
	cfg.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	var ctx fasthttp.RequestCtx
	func() {
		defer s.fiber.recovered(&ctx)
		ctx.Response.Header.Set("ETag", `"x"`)
		ctx.SetBodyString("half")
		panic("secret")
	}()
	if body := string(ctx.Response.Body()); ctx.Response.StatusCode() != 500 || len(ctx.Response.Header.Peek("ETag")) > 0 || strings.Contains(body, "half") || strings.Contains(body, "secret") {
		t.Errorf("%d %s\n%s", ctx.Response.StatusCode(), ctx.Response.Header.String(), body)
	}
}

// A snapshot that is cut while it is mapped costs the release once a request needs it, not
// the process.
func TestSnapshotCutWhileServed(t *testing.T) {
	_, addr, dir := startSite(t, site)
	snaps, err := filepath.Glob(filepath.Join(dir, release.SnapshotDir, "*"))
	if err != nil || len(snaps) != 1 {
		t.Fatal(snaps, err)
	}
	for range 2 {
		ask(t, addr, "GET", listRoot+"/Content_1", "", "") // so that the cache has it
	}
	if err := os.Truncate(snaps[0], 0); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, target string
		status         int
	}{
		{"GET", listRoot + "/Content_1", 200}, {"GET", listRoot + "/Content_2", 503},
		{"GET", listRoot + "/Content_1", 503}, {"POST", esRoot, 503}, {"GET", "/readyz", 503}, {"GET", "/livez", 200},
	} {
		if a, body := ask(t, addr, c.method, c.target, "", ""); a.StatusCode != c.status {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.target, a.StatusCode, body, c.status)
		}
	}
}
