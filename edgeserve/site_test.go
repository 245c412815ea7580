package edgeserve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/respond"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/httpfield"
	"contentedge/edgeserve/wire/problem"
	"contentedge/edgeserve/wire/release"
)

// requestFields are the fields of a request that a test sends.
type requestFields http.Header

func (f requestFields) Peek(name string) []byte { return []byte(http.Header(f).Get(name)) }

func (f requestFields) PeekAll(name string) (values [][]byte) {
	for _, v := range http.Header(f).Values(name) {
		values = append(values, []byte(v))
	}
	return values
}

// withoutServer answers a request by packages answer and respond alone.
func withoutServer(t *testing.T, site *respond.Site, content *answer.Release, method, target string, fields requestFields, body string) respond.Response {
	t.Helper()
	return site.Respond(respond.Request{Method: []byte(method), Target: []byte(target), Fields: fields}, func(route address.Route, query string) (respond.Result, *problem.Problem) {
		r, p, err := content.RespondTo(route, query, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return respond.Result{Body: r.Body, Class: r.Class, InFile: r.File != "", Link: r.Link}, p
	})
}

// TestResponsesWithoutAServer: both adapters of a node send the responses that packages answer and respond
// make without a server, but for Date, X-Request-Id and the fields of the connection.
func TestResponsesWithoutAServer(t *testing.T) {
	f := fixture{env: "demo", names: []string{"Ada", "Bo", "Cy"}}
	dir := t.TempDir()
	build := f.write(t, dir)
	const allowed, item, list, search = "https://a.example", "/cda/rest/v1/demo/contents/Content_0", "/cda/rest/v1/demo/contents", "/cda/es/v1/demo"
	tag := release.ETag([]byte(f.item(0)))
	for _, origins := range [][]string{{release.AnyOrigin}, {allowed}} {
		configure := func(c *ServerConfig) { c.Public, c.Origins = dir, origins }
		fast, fastAddr := startServer(t, configure)
		fiber, fiberAddr := startEngine(t, configure)
		for _, s := range []*Server{fast, fiber} {
			if err := s.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		served := fiber.current.Acquire()
		defer served.Generation.Release()
		content := answer.FromSnapshots(served.Generation.Dir.Manifest, served.Generation.Dir.Readers)
		site := respond.NewSite(build, release.Standard(), origins)
		for _, c := range []struct {
			name, method, target, fields, body string
			status                             int
		}{
			{"item", "GET", item, "", "", 200},
			{"file of an item", "GET", item + ".json", "", "", 200},
			{"HEAD of an item", "HEAD", item, "", "", 200},
			{"list in a file", "GET", list, "", "", 200},
			{"list without a file", "GET", list + "?pageSize=1&page=2", "", "", 200},
			{"list by a path", "GET", list + "?Data.note=x&select=Name,Data", "", "", 200},
			{"list by an unknown path", "GET", list + "?Data.nope=x", "", "", 200},
			{"list by a path twice", "GET", list + "?Data.note=x&Data.note=x", "", "", 400},
			{"item with others", "GET", item + "?include=1", "", "", 200},
			{"list with others", "GET", list + "?pageSize=2&include=3&select=Name,Data", "", "", 200},
			{"more levels than there may be", "GET", list + "?include=4", "", "", 400},
			{"items that refer to one", "GET", item + "/used-in.json", "", "", 404},
			{"part of an item", "GET", item + "?select=Name,Data.*", "", "", 200},
			{"part of an item, spelled otherwise", "HEAD", item + "?utm=1&%73elect=Data.*,,Name", "", "", 200},
			{"range of a part of an item", "GET", item + "?select=ContentID", "Range: bytes=1-9\r\n", "", 206},
			{"part of an item that does not exist", "GET", list + "/nope?select=Name", "", "", 404},
			{"select of a file", "GET", item + ".json?select=Name", "", "", 200},
			{"HEAD of a list", "HEAD", list + "?pageSize=1", "", "", 200},
			{"search", "POST", search, "", `{"query":{"match":{"Name":"ada"}}}`, 200},
			{"search with a range", "POST", search, "Range: bytes=1-2\r\n", "{}", 200},
			{"Elasticsearch's search", "POST", search + "/_search", "", `{"size":1}`, 200},
			{"Elasticsearch's document", "GET", search + "/_doc/Content_1", "", "", 200},
			{"index", "GET", search, "", "", 200},
			{"unchanged", "GET", item, "If-None-Match: " + tag + "\r\n", "", 304},
			{"unchanged list", "GET", list, "If-None-Match: *\r\n", "", 304},
			{"unchanged search", "POST", search, "If-None-Match: *\r\n", "{}", 304},
			{"range", "GET", item, "Range: bytes=2-9\r\n", "", 206},
			{"range of a list", "GET", list + "?pageSize=1", "Range: bytes=-5\r\n", "", 206},
			{"range of another tag", "GET", item, "Range: bytes=2-9\r\nIf-Range: \"x\"\r\n", "", 200},
			{"HEAD with a range", "HEAD", item, "Range: bytes=2-9\r\n", "", 200},
			{"no precondition", "GET", item, "If-Match: " + tag + "\r\n", "", 200},
			{"precondition failed", "GET", item, "If-Match: \"x\"\r\n", "", 412},
			{"precondition of a search failed", "POST", search + "/_search", "If-Match: \"x\"\r\n", "{}", 412},
			{"release named", "GET", item, "X-Release: " + build + "\r\n", "", 200},
			{"another release named", "GET", item, "X-Release: 0123456789abcdef\r\n", "", 412},
			{"range behind the end", "GET", item, "Range: bytes=9999-\r\n", "", 416},
			{"no such item", "GET", list + "/Content_9", "", "", 404},
			{"no such item, HEAD", "HEAD", list + "/Content_9", "", "", 404},
			{"no such path", "GET", "/cda/rest/v2/demo", "", "", 404},
			{"no such environment", "GET", "/cda/rest/v1/none/contents", "", "", 404},
			{"no such environment of Elasticsearch's", "POST", "/cda/es/v1/none/_search", "", "{}", 404},
			{"no such document of Elasticsearch's", "GET", search + "/_doc/Content_9", "", "", 404},
			{"no such endpoint of Elasticsearch's", "POST", search + "/_bulk", "", "{}", 404},
			{"bad parameter", "GET", list + "?page=0", "", "", 400},
			{"bad search", "POST", search, "", `{"query":{"none":{}}}`, 400},
			{"method of a list", "DELETE", list, "", "", 405},
			{"method of a search", "PUT", search, "", "", 405},
			{"method of a document", "POST", search + "/_doc/Content_0", "", "{}", 405},
			{"OPTIONS", "OPTIONS", list, "", "", 204},
			{"preflight", "OPTIONS", search, "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type, x-a\r\n", "", 204},
		} {
			for _, origin := range []string{"", allowed, "https://b.example"} {
				t.Run(fmt.Sprintf("%s/%s/%s", c.name, origins[0], origin), func(t *testing.T) {
					fields := c.fields
					if origin != "" {
						fields += "Origin: " + origin + "\r\n"
					}
					raw := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\n%s", c.method, c.target, fields)
					if c.body != "" || c.method == "POST" {
						raw += fmt.Sprintf("Content-Length: %d\r\n", len(c.body))
					}
					raw += "\r\n" + c.body
					sent, err := http.ReadRequest(bufio.NewReader(strings.NewReader(raw)))
					if err != nil {
						t.Fatal(err)
					}
					got := withoutServer(t, site, content, c.method, c.target, requestFields(sent.Header), c.body)
					if got.Status != c.status {
						t.Errorf("status %d, want %d", got.Status, c.status)
					}
					for name, addr := range map[string]string{"fast path": fastAddr, "Fiber": fiberAddr} {
						want := wholeResponse(t, addr, raw)
						if d := difference(t, got, c.method, want); d != "" {
							t.Errorf("%s: %s\nwithout a server: %d\n%s%s\nwith it: %s", name, d, got.Status, got.Fields, got.Body, want)
						}
					}
				})
			}
		}
	}
}

// ofConnection are the fields of a response that are not a Site's.
var ofConnection = []string{httpfield.Date, httpfield.RequestID, httpfield.Connection, "Server"}

// difference compares a response with one that a node sent; "" if they are the same.
func difference(t *testing.T, got respond.Response, method, sent string) string {
	t.Helper()
	want, err := http.ReadResponse(bufio.NewReader(strings.NewReader(sent)), &http.Request{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(want.Body)
	if err != nil {
		t.Fatal(err)
	}
	have := http.Header{}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(got.Fields), "\r\n"), "\r\n") {
		name, value, _ := strings.Cut(line, ": ")
		have.Add(name, value)
	}
	for _, name := range ofConnection {
		want.Header.Del(name)
	}
	switch {
	case got.Status != want.StatusCode:
		return fmt.Sprintf("status %d", want.StatusCode)
	case !bytes.Equal(got.Body, body):
		return "another body"
	case !maps.EqualFunc(have, want.Header, slices.Equal):
		return fmt.Sprintf("other fields\n%v\n%v", have, want.Header)
	}
	return ""
}
