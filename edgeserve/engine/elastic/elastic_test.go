// This file tests the bodies of responses over a small site.

package elastic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/elastic"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/problem"
)

var update = flag.Bool("update", false, "rewrite testdata/responses.txt")

func items() []string {
	return []string{
		`{"ContentID":"a","Name":"Fox one","CreatedAt":"2021-01-02T00:00:00.000Z","Data":{"t":"The quick fox","n":3,"f":1.1,"b":true,"o":{"p":"x"}}}`,
		`{"ContentID":"b","Name":"Dog","CreatedAt":"2021-01-01T00:00:00.000Z","Data":{"t":"lazy dog","n":1}}`,
		`{"ContentID":"c","Name":"Fox <two>","CreatedAt":"2020-01-01T00:00:00.000Z","Data":{"t":"fox fox"}}`,
	}
}

// indices are environments that have the items of a snapshot.
func indices(r *snapshot.Reader, names ...string) map[string]*elastic.Index {
	all := map[string]*elastic.Index{}
	for _, name := range names {
		all[name] = &elastic.Index{Items: search.Snapshot{Reader: r}, Fields: fields.Resolver{Reader: r}}
	}
	return all
}

// caller answers calls of a site with one environment.
type caller struct {
	reader *snapshot.Reader
	nexts  int // searches admitted beside the first of each request
	counts int
}

// problemOf turns errors into problems as package answer does.
func problemOf(err error) *problem.Problem {
	var bad *query.Error
	var missing *elastic.NotFound
	switch {
	case errors.As(err, &bad):
		return &problem.Problem{Status: problem.Of(bad.Code).Status, Code: bad.Code, Message: bad.Message, Parameter: bad.Parameter, Position: bad.Position, Evaluated: bad.Evaluated}
	case errors.As(err, &missing):
		return &problem.Problem{Status: 404, Code: missing.Code, Message: missing.Message, Parameter: missing.Name, Position: -1}
	}
	return &problem.Problem{Status: 500, Code: "internal", Message: err.Error(), Position: -1}
}

// answer is the status and the body of a response to a target below the node.
func (c *caller) answer(t *testing.T, target, body string) (status int, out string) {
	t.Helper()
	path, query, _ := strings.Cut("/cda/es/v1"+target, "?")
	route, ok := address.ParsePath(path)
	route = route.ForGET(query)
	if !ok || !route.Kind.IsElastic() {
		t.Fatalf("%s is no endpoint", target)
	}
	call := elastic.Call{
		Route: route, Query: query, Body: []byte(body), Release: "r1", Work: scorer.NewWorkLimit(t.Context()), Problem: problemOf, Count: c.count,
		Indices: indices(c.reader, "site", c.reader.Env()),
		Next: func() (*scorer.WorkLimit, *problem.Problem) {
			c.nexts++
			return scorer.NewWorkLimit(t.Context()), nil
		},
	}
	response, err := call.Respond()
	if err != nil {
		p := problemOf(err)
		return elastic.StatusOf(p), string(elastic.AppendError(nil, p, route))
	}
	written, err := response.Write([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	out, _ = strings.CutPrefix(string(written), "before")
	if size := len(out); response.Size < size || response.Size > 2*size+1024 && !strings.Contains(query, "filter_path") && !strings.Contains(query, "pretty") {
		t.Errorf("%s: a body of %d bytes was announced with %d", target, size, response.Size)
	}
	return 200, out
}

func (c *caller) count(query.Node) { c.counts++ }

// TestElastic compares responses of Elasticsearch's endpoints with testdata/responses.txt. A response has
// two lines there: the target, a tab and the body; then the response.
func TestElastic(t *testing.T) {
	const name = "testdata/responses.txt"
	file, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &caller{reader: searchtest.Snaptest(t, items())}
	var rewritten strings.Builder
	lines := strings.Split(strings.TrimSuffix(string(file), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if lines[i] == "" || strings.HasPrefix(lines[i], "#") {
			rewritten.WriteString(lines[i] + "\n")
			continue
		}
		target, body, _ := strings.Cut(lines[i], "\t")
		status, got := c.answer(t, target, strings.ReplaceAll(body, `⏎`, "\n"))
		if status != 200 {
			got = "!" + got
		}
		rewritten.WriteString(lines[i] + "\n  " + got + "\n")
		if !*update {
			i++
			if want := strings.TrimPrefix(lines[i], "  "); got != want {
				t.Errorf("%s\t%s\n got %s\nwant %s", target, body, got, want)
			}
		} else if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
			i++
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(rewritten.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Each search of several is admitted and counted by itself.
func TestMultiSearchAdmitsEach(t *testing.T) {
	c := &caller{reader: searchtest.Snaptest(t, items())}
	c.answer(t, "/site/_msearch", "{}\n{}\n{\"index\":\"none\"}\n{}\n{}\n{}\n")
	if c.nexts != 2 || c.counts != 2 {
		t.Errorf("%d admitted, %d counted", c.nexts, c.counts)
	}
}

func TestMultiSearchLimits(t *testing.T) {
	c := &caller{reader: searchtest.Snaptest(t, items())}
	ofSize := func(size int) string { return fmt.Sprintf("{}\n{\"size\":%d}\n", size) }
	for _, test := range []struct {
		body   string
		n      int
		status int
	}{
		{"{}\n{}\n", 16, 200}, {"{}\n{}\n", 17, 400},
		{ofSize(address.MaxSize / 2), 2, 200}, {ofSize(address.MaxSize/2 + 1), 2, 400},
	} {
		if status, got := c.answer(t, "/site/_msearch", strings.Repeat(test.body, test.n)); status != test.status {
			t.Errorf("%d of %q: %d %s", test.n, test.body, status, got)
		}
	}
}

// A response that depends on the clock, or on the load, is not for later.
func TestFixed(t *testing.T) {
	r := searchtest.Snaptest(t, items())
	const now = `{"query":{"range":{"CreatedAt":{"lt":"now"}}}}`
	for _, test := range []struct {
		target, body string
		want         bool
	}{
		{"/site/_search", `{}`, true}, {"/site/_search", now, false}, {"/site/_count", now, false}, {"/site/_validate/query", now, false},
		{"/site/_msearch", "{}\n{}\n", true}, {"/site/_msearch", "{}\n{}\n{}\n" + now + "\n", false}, {"/site/_doc/a", "", true},
	} {
		path := "/cda/es/v1" + test.target
		route, _ := address.ParsePath(path)
		call := elastic.Call{Route: route, Body: []byte(test.body), Work: scorer.NewWorkLimit(t.Context()), Problem: problemOf, Count: func(query.Node) {},
			Indices: indices(r, "site"),
			Next:    func() (*scorer.WorkLimit, *problem.Problem) { return scorer.NewWorkLimit(t.Context()), nil }}
		if response, err := call.Respond(); err != nil || response.Fixed != test.want {
			t.Errorf("%s %s: %+v, %v", test.target, test.body, response, err)
		}
	}
}

// A path that is no endpoint says why, and an error that it has is that error.
func TestUnknown(t *testing.T) {
	for path, want := range map[string]string{
		"/site/_bulk": "no handler found for uri [/site/_bulk]: this node is read-only", "/_cat/indices": "this node is not a cluster",
		"/_search/scroll": "this node does not scroll", "/site/_search/template": "runs no templates", "/_search": "one index at a time",
		"/site,events/_search": "one index at a time", "/site/_search/": "does not end with a slash",
		"/site/_catalog": `"reason":"no handler found for uri [/site/_catalog]"`, "/site/_x<y>": `[/site/_x\u003cy\u003e]`,
	} {
		p := &problem.Problem{Status: 404, Code: "unknown_route", Message: "no such address", Position: -1}
		got := string(elastic.AppendUnknown(nil, p, "/cda/es/v1"+path))
		if !strings.Contains(got, want) || !strings.Contains(got, `"type":"resource_not_found_exception"`) || !strings.HasSuffix(got, `"status":404}`) {
			t.Errorf("%s: %s", path, got)
		}
	}
	p := &problem.Problem{Status: 503, Code: "overloaded", Message: "later", Position: -1}
	if got := string(elastic.AppendUnknown(nil, p, "/cda/es/v1/_cat")); !strings.Contains(got, `"reason":"later"`) {
		t.Errorf("%s", got)
	}
}

// A response for people has a line for each value, however deep its items are, within its announced size.
func TestPretty(t *testing.T) {
	deep := strings.Repeat("[", 100) + "1" + strings.Repeat("]", 100)
	c := &caller{reader: searchtest.Snaptest(t, append(items(), `{"ContentID":"d","Name":"d","CreatedAt":"2019-01-01T00:00:00.000Z","Data":{"x":`+deep+`}}`))}
	for target, want := range map[string]string{
		"/site/_count?pretty": "{\n  \"count\" : 4,\n  \"_shards\" : {\n    \"total\" : 1,\n    \"successful\" : 1,\n    \"skipped\" : 0,\n    \"failed\" : 0\n  }\n}\n",
		"/site/_search?q=%22a%20dog%22&df=Data.t&pretty=true&filter_path=hits.hits": "{\n  \"hits\" : {\n    \"hits\" : [ ]\n  }\n}\n",
		"/site/_doc/a?pretty&_source=Data.o,Name&filter_path=_source":               "{\n  \"_source\" : {\n    \"Name\" : \"Fox one\",\n    \"Data\" : {\n      \"o\" : {\n        \"p\" : \"x\"\n      }\n    }\n  }\n}\n",
		"/site/_count?pretty=false&filter_path=count":                               `{"count":4}`,
	} {
		if _, got := c.answer(t, target, ""); got != want {
			t.Errorf("%s: %q, want %q", target, got, want)
		}
	}
	_, compact := c.answer(t, "/site/_doc/d", "")
	_, got := c.answer(t, "/site/_doc/d?pretty", "")
	var same bytes.Buffer
	if err := json.Compact(&same, []byte(got)); err != nil || same.String() != compact {
		t.Errorf("%v: %s", err, got)
	}
	if status, got := c.answer(t, "/site/_doc/d?pretty=x", ""); status != 400 {
		t.Errorf("%d %s", status, got)
	}
}
