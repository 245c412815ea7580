// Package clients lets Elasticsearch's own clients, unmodified, ask a real edge server. They
// stand in a module of their own, so that nobody downloads them who does not run these tests.
package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v7"
	"github.com/elastic/go-elasticsearch/v7/esapi"
	"github.com/elastic/go-elasticsearch/v7/esutil"
	"github.com/olivere/elastic/v7"
)

// want is what each client prints.
const want = `info 7.10.2 true
search 2 Content_02,Content_01 hours true Page:2
uri 1 Content_03 1709424000000
count 3
get welcome
missing 404 false
exists true false
source welcome
mget true,false
msearch 2 404
node msearch 2
mapping keyword
caps Name,Name.keyword
validate false
analyze hello,world
bad 400 parsing_exception
no index 404 index_not_found_exception
write 405 method_not_allowed_exception
`

var hours = map[string]any{"match": map[string]any{"Data.content": "hours"}}

// node is the URL that clients are configured with.
func node(t *testing.T, fastPath string) string {
	t.Helper()
	dir := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", cmd, err, out)
		}
	}
	run("go", "build", "-C", "../..", "-o", dir+"/", "./cmd/generator", "./cmd/edgeserve")
	public := filepath.Join(dir, "public")
	run(filepath.Join(dir, "generator"), "build", "--content", "testdata/content", "--out", public)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	edge := exec.Command(filepath.Join(dir, "edgeserve"), "--public", public, "--addr", addr, "--fast-path", fastPath)
	edge.Stdout, edge.Stderr = &log, &log
	if err := edge.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = edge.Process.Signal(os.Interrupt)
		if err := edge.Wait(); err != nil {
			t.Errorf("edgeserve: %v\n%s", err, log.String())
		}
	})
	ready := &http.Client{Timeout: time.Second}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		answer, err := ready.Get("http://" + addr + "/readyz")
		if err == nil {
			_ = answer.Body.Close()
		}
		if err == nil && answer.StatusCode == http.StatusOK {
			return "http://" + addr + "/cda/es/v1"
		}
		if time.Now().After(end) {
			t.Fatalf("edgeserve is not ready: %v", err)
		}
	}
}

func TestClients(t *testing.T) {
	for _, fastPath := range []string{"auto", "off"} {
		url := node(t, fastPath)
		for _, c := range []struct {
			name string
			ask  func(t *testing.T, url string) string
		}{
			{"go-elasticsearch", goElasticsearch}, {"olivere", olivere}, {"javascript", javascript}, {"python", python},
		} {
			t.Run(fastPath+"/"+c.name, func(t *testing.T) {
				for range 3 { // computed, then from the cache
					if got := c.ask(t, url); got != want {
						t.Fatalf("it printed\n%s\nwant\n%s", got, want)
					}
				}
			})
		}
	}
}

// javascript asks with @elastic/elasticsearch.
func javascript(t *testing.T, url string) string {
	modules := os.Getenv("CONTENTEDGE_NODE_CLIENTS")
	if modules == "" {
		modules = installed(t, "npm", "install", "--silent", "--no-audit", "--no-fund", "@elastic/elasticsearch@7.17", "--prefix")
	}
	cmd := exec.Command("node", "testdata/client.mjs", url)
	cmd.Env = append(os.Environ(), "NODE_PATH="+filepath.Join(modules, "node_modules"))
	return output(t, cmd)
}

// python asks with elasticsearch.
func python(t *testing.T, url string) string {
	packages := os.Getenv("CONTENTEDGE_PYTHON_CLIENTS")
	if packages == "" {
		packages = installed(t, "python3", "-m", "pip", "install", "--quiet", "elasticsearch>=7,<8", "--target")
	}
	cmd := exec.Command("python3", "testdata/client.py", url)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+packages)
	return output(t, cmd)
}

// folders are where packages are installed, for all tests.
var folders = map[string]string{}

// installed installs packages with a command to which a folder is added. It skips the test where
// that fails.
func installed(t *testing.T, command ...string) string {
	t.Helper()
	if dir := folders[command[0]]; dir != "" {
		return dir
	}
	dir, err := os.MkdirTemp("", "clients-")
	if err != nil {
		t.Fatal(err)
	}
	removed = append(removed, dir)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, command[0], append(command[1:], dir)...).CombinedOutput(); err != nil {
		t.Skipf("%s cannot install the client: %v\n%s", command[0], err, out)
	}
	folders[command[0]] = dir
	return dir
}

// removed are folders that end with the tests.
var removed []string

func TestMain(m *testing.M) {
	code := m.Run()
	for _, dir := range removed {
		_ = os.RemoveAll(dir)
	}
	os.Exit(code)
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", cmd, err, out, errs.String())
	}
	return string(out)
}

// response are the members of responses that are printed.
type response struct {
	Hits struct {
		Total    struct{ Value int }
		MaxScore *float64 `json:"max_score"`
		Hits     []struct {
			ID     string `json:"_id"`
			Score  *float64
			Source struct{ Name string } `json:"_source"`
			Sort   []any
		}
	}
	Aggregations map[string]struct {
		Buckets []struct {
			Key   string
			Count int `json:"doc_count"`
		}
	}
	Version   struct{ Number string }
	Count     int
	Source    struct{ Name string } `json:"_source"`
	Name      string
	Docs      []struct{ Found bool }
	Responses []struct {
		Status int
		Hits   struct{ Total struct{ Value int } }
	}
	Fields map[string]any
	Valid  bool
	Tokens []struct{ Token string }
	Found  *bool
	Error  struct{ Type string }
	Site   struct {
		Mappings struct {
			Properties struct {
				Name struct {
					Fields struct{ Keyword struct{ Type string } }
				}
			}
		}
	}
}

func (r *response) ids() string {
	var ids []string
	for _, h := range r.Hits.Hits {
		ids = append(ids, h.ID)
	}
	return strings.Join(ids, ",")
}

// goElasticsearch asks with go-elasticsearch.
func goElasticsearch(t *testing.T, url string) string {
	es, err := elasticsearch.NewClient(elasticsearch.Config{Addresses: []string{url}, DisableRetry: true})
	if err != nil {
		t.Fatal(err)
	}
	read := func(a *esapi.Response, err error) (*esapi.Response, *response) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = a.Body.Close() }()
		raw, err := io.ReadAll(a.Body)
		r := &response{}
		if err == nil && len(raw) > 0 {
			err = json.Unmarshal(raw, r)
		}
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return a, r
	}
	body := func(v any) io.Reader { return esutil.NewJSONReader(v) }
	const index = "site"
	var out strings.Builder
	print := func(values ...any) { fmt.Fprintln(&out, values...) }

	_, r := read(es.Info())
	pinged, _ := read(es.Ping())
	print("info", r.Version.Number, !pinged.IsError())
	_, r = read(es.Search(es.Search.WithIndex(index), es.Search.WithBody(body(map[string]any{
		"query": hours, "_source": []string{"Name"}, "aggs": map[string]any{"t": map[string]any{"terms": map[string]any{"field": "TemplateName.keyword"}}},
	}))))
	bucket := r.Aggregations["t"].Buckets[0]
	print("search", r.Hits.Total.Value, r.ids(), r.Hits.Hits[0].Source.Name, r.Hits.MaxScore != nil, fmt.Sprintf("%s:%d", bucket.Key, bucket.Count))
	_, r = read(es.Search(es.Search.WithIndex(index), es.Search.WithQuery("TemplateName:News"), es.Search.WithSort("CreatedAt:desc"), es.Search.WithSize(1)))
	print("uri", r.Hits.Total.Value, r.ids(), fmt.Sprintf("%.0f", r.Hits.Hits[0].Sort[0]))
	_, r = read(es.Count(es.Count.WithIndex(index), es.Count.WithBody(strings.NewReader(`{"query":{"match_all":{}}}`))))
	print("count", r.Count)
	_, r = read(es.Get(index, "Content_01"))
	print("get", r.Source.Name)
	a, r := read(es.Get(index, "none"))
	print("missing", a.StatusCode, *r.Found)
	a, _ = read(es.Exists(index, "Content_01"))
	b, _ := read(es.Exists(index, "none"))
	print("exists", !a.IsError(), !b.IsError())
	_, r = read(es.GetSource(index, "Content_01"))
	print("source", r.Name)
	_, r = read(es.Mget(strings.NewReader(`{"ids":["Content_01","none"]}`), es.Mget.WithIndex(index)))
	print("mget", fmt.Sprintf("%t,%t", r.Docs[0].Found, r.Docs[1].Found))
	_, r = read(es.Msearch(strings.NewReader("{}\n{\"query\":{\"match\":{\"Data.content\":\"hours\"}}}\n{\"index\":\"none\"}\n{}\n"), es.Msearch.WithIndex(index)))
	print("msearch", r.Responses[0].Hits.Total.Value, r.Responses[1].Status)
	_, r = read(es.Msearch(strings.NewReader("{\"index\":\"site\"}\n{\"query\":{\"match\":{\"Data.content\":\"hours\"}}}\n")))
	print("node msearch", r.Responses[0].Hits.Total.Value)
	_, r = read(es.Indices.GetMapping(es.Indices.GetMapping.WithIndex(index)))
	print("mapping", r.Site.Mappings.Properties.Name.Fields.Keyword.Type)
	_, r = read(es.FieldCaps(es.FieldCaps.WithIndex(index), es.FieldCaps.WithFields("Name*")))
	print("caps", names(r.Fields, "Name", "Name.keyword"))
	nope := map[string]any{"query": map[string]any{"nope": map[string]any{}}}
	_, r = read(es.Indices.ValidateQuery(es.Indices.ValidateQuery.WithIndex(index), es.Indices.ValidateQuery.WithBody(body(nope))))
	print("validate", r.Valid)
	_, r = read(es.Indices.Analyze(es.Indices.Analyze.WithIndex(index), es.Indices.Analyze.WithBody(strings.NewReader(`{"text":"Hello, World"}`))))
	print("analyze", r.Tokens[0].Token+","+r.Tokens[1].Token)
	a, r = read(es.Search(es.Search.WithIndex(index), es.Search.WithBody(body(nope))))
	print("bad", a.StatusCode, r.Error.Type)
	a, r = read(es.Search(es.Search.WithIndex("none")))
	print("no index", a.StatusCode, r.Error.Type)
	a, r = read(es.Index(index, strings.NewReader("{}"), es.Index.WithDocumentID("x")))
	print("write", a.StatusCode, r.Error.Type)
	return out.String()
}

// names lists these names if they are all that a map has.
func names[V any](m map[string]V, names ...string) string {
	for _, name := range names {
		if _, ok := m[name]; !ok {
			return "no " + name
		}
	}
	if len(m) != len(names) {
		return fmt.Sprint(m)
	}
	return strings.Join(names, ",")
}

// olivere asks with olivere/elastic.
func olivere(t *testing.T, url string) string {
	es, err := elastic.NewClient(elastic.SetURL(url), elastic.SetSniff(false))
	if err != nil {
		t.Fatal(err)
	}
	defer es.Stop()
	ctx, no := t.Context(), must{t}
	const index = "site"
	var out strings.Builder
	print := func(values ...any) { fmt.Fprintln(&out, values...) }
	ids := func(hits []*elastic.SearchHit) string {
		var ids []string
		for _, h := range hits {
			ids = append(ids, h.Id)
		}
		return strings.Join(ids, ",")
	}
	failure := func(err error) string {
		var e *elastic.Error
		if !errors.As(err, &e) {
			return fmt.Sprint(err)
		}
		if e.Details == nil {
			return fmt.Sprint(e.Status, false)
		}
		return fmt.Sprint(e.Status, " ", e.Details.Type)
	}
	query := elastic.NewMatchQuery("Data.content", "hours")

	info, code, err := es.Ping(url).Do(ctx)
	no.error(err)
	print("info", info.Version.Number, code == http.StatusOK)
	r, err := es.Search(index).Query(query).FetchSourceContext(elastic.NewFetchSourceContext(true).Include("Name")).Aggregation("t", elastic.NewTermsAggregation().Field("TemplateName.keyword")).Do(ctx)
	no.error(err)
	buckets, _ := r.Aggregations.Terms("t")
	var item struct{ Name string }
	no.error(json.Unmarshal(r.Hits.Hits[0].Source, &item))
	print("search", r.TotalHits(), ids(r.Hits.Hits), item.Name, *r.Hits.Hits[0].Score == *r.Hits.MaxScore, fmt.Sprintf("%v:%d", buckets.Buckets[0].Key, buckets.Buckets[0].DocCount))
	r, err = es.Search(index).Query(elastic.NewQueryStringQuery("TemplateName:News")).Sort("CreatedAt", false).Size(1).Do(ctx)
	no.error(err)
	print("uri", r.TotalHits(), ids(r.Hits.Hits), fmt.Sprintf("%.0f", r.Hits.Hits[0].Sort[0]))
	count, err := es.Count(index).Query(elastic.NewMatchAllQuery()).Do(ctx)
	no.error(err)
	print("count", count)
	got, err := es.Get().Index(index).Id("Content_01").Do(ctx)
	no.error(err)
	no.error(json.Unmarshal(got.Source, &item))
	print("get", item.Name)
	_, err = es.Get().Index(index).Id("none").Do(ctx)
	print("missing", failure(err))
	there, err := es.Exists().Index(index).Id("Content_01").Do(ctx)
	no.error(err)
	gone, err := es.Exists().Index(index).Id("none").Do(ctx)
	no.error(err)
	print("exists", there, gone)
	raw, err := es.PerformRequest(ctx, elastic.PerformRequestOptions{Method: "GET", Path: "/site/_source/Content_01"})
	no.error(err)
	no.error(json.Unmarshal(raw.Body, &item))
	print("source", item.Name)
	docs, err := es.Mget().Add(elastic.NewMultiGetItem().Index(index).Id("Content_01"), elastic.NewMultiGetItem().Index(index).Id("none")).Do(ctx)
	no.error(err)
	print("mget", fmt.Sprintf("%t,%t", docs.Docs[0].Found, docs.Docs[1].Found))
	several, err := es.MultiSearch().Index(index).Add(elastic.NewSearchRequest().Query(query), elastic.NewSearchRequest().Index("none")).Do(ctx)
	no.error(err)
	print("msearch", several.Responses[0].TotalHits(), several.Responses[1].Status)
	several, err = es.MultiSearch().Add(elastic.NewSearchRequest().Index(index).Query(query)).Do(ctx)
	no.error(err)
	print("node msearch", several.Responses[0].TotalHits())
	raw, err = es.PerformRequest(ctx, elastic.PerformRequestOptions{Method: "GET", Path: "/site/_mapping"})
	no.error(err)
	var mapping response
	no.error(json.Unmarshal(raw.Body, &mapping))
	print("mapping", mapping.Site.Mappings.Properties.Name.Fields.Keyword.Type)
	caps, err := es.FieldCaps(index).Fields("Name*").Do(ctx)
	no.error(err)
	print("caps", names(caps.Fields, "Name", "Name.keyword"))
	valid, err := es.Validate(index).Query(elastic.NewRawStringQuery(`{"nope":{}}`)).Do(ctx)
	no.error(err)
	print("validate", valid.Valid)
	tokens, err := es.IndexAnalyze().Index(index).Text("Hello, World").Do(ctx)
	no.error(err)
	print("analyze", tokens.Tokens[0].Token+","+tokens.Tokens[1].Token)
	_, err = es.Search(index).Query(elastic.NewRawStringQuery(`{"nope":{}}`)).Do(ctx)
	print("bad", failure(err))
	_, err = es.Search("none").Do(ctx)
	print("no index", failure(err))
	_, err = es.Index().Index(index).Id("x").BodyString("{}").Do(ctx)
	print("write", failure(err))
	return out.String()
}

// must ends a test that has an error.
type must struct{ *testing.T }

func (m must) error(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}
