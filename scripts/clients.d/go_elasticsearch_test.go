// This file asks with go-elasticsearch.

package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/elastic/go-elasticsearch/v7"
	"github.com/elastic/go-elasticsearch/v7/esapi"
	"github.com/elastic/go-elasticsearch/v7/esutil"
)

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
			Key   any
			Count int `json:"doc_count"`
			First struct{ Value float64 }
		}
		Value int
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
		Settings struct {
			Index struct {
				Name string `json:"provided_name"`
			}
		}
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
	const index = "site"
	var out strings.Builder
	print := func(values ...any) { fmt.Fprintln(&out, values...) }

	_, r := read(es.Info())
	pinged, _ := read(es.Ping())
	print("info", r.Version.Number, !pinged.IsError())
	_, r = read(es.Search(es.Search.WithIndex(index), es.Search.WithBody(esutil.NewJSONReader(map[string]any{
		"query": json.RawMessage(hours), "_source": []string{"Name"}, "aggs": map[string]any{"t": map[string]any{"terms": map[string]any{"field": "TemplateName.keyword"}}},
	}))))
	bucket := r.Aggregations["t"].Buckets[0]
	print("search", r.Hits.Total.Value, r.ids(), r.Hits.Hits[0].Source.Name, r.Hits.MaxScore != nil, fmt.Sprintf("%s:%d", bucket.Key, bucket.Count))
	_, r = read(es.Search(es.Search.WithIndex(index), es.Search.WithBody(strings.NewReader(typed))))
	bucket = r.Aggregations["templates"].Buckets[0]
	month := r.Aggregations["months"].Buckets[0]
	print("typed", r.Hits.Total.Value, r.ids(), fmt.Sprintf("%s:%d:%.0f", bucket.Key, bucket.Count, bucket.First.Value), fmt.Sprintf("%.0f:%d", month.Key, month.Count), r.Aggregations["names"].Value)
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
	a, _ = read(es.ExistsSource(index, "Content_01", es.ExistsSource.WithDocumentType("_doc")))
	b, _ = read(es.ExistsSource(index, "none", es.ExistsSource.WithDocumentType("_doc")))
	print("exists source", !a.IsError(), !b.IsError())
	_, r = read(es.GetSource(index, "Content_01"))
	print("source", r.Name)
	_, r = read(es.Mget(strings.NewReader(`{"ids":["Content_01","none"]}`), es.Mget.WithIndex(index)))
	print("mget", fmt.Sprintf("%t,%t", r.Docs[0].Found, r.Docs[1].Found))
	_, r = read(es.Msearch(strings.NewReader("{}\n{\"query\":{\"match\":{\"Data.content\":\"hours\"}}}\n{\"index\":\"none\"}\n{}\n"), es.Msearch.WithIndex(index)))
	print("msearch", r.Responses[0].Hits.Total.Value, r.Responses[1].Status)
	_, r = read(es.Msearch(strings.NewReader("{\"index\":\"site\"}\n{\"query\":{\"match\":{\"Data.content\":\"hours\"}}}\n")))
	print("node msearch", r.Responses[0].Hits.Total.Value)
	a, _ = read(es.Indices.Exists([]string{index}))
	b, _ = read(es.Indices.Exists([]string{"none"}))
	print("index", !a.IsError(), !b.IsError())
	_, r = read(es.Indices.Get([]string{index}))
	print("described", r.Site.Settings.Index.Name)
	_, r = read(es.Indices.GetMapping(es.Indices.GetMapping.WithIndex(index)))
	print("mapping", r.Site.Mappings.Properties.Name.Fields.Keyword.Type)
	_, r = read(es.FieldCaps(es.FieldCaps.WithIndex(index), es.FieldCaps.WithFields("Name*")))
	print("caps", names(r.Fields, "Name", "Name.keyword"))
	nope := func() io.Reader { return strings.NewReader(`{"query":{"nope":{}}}`) }
	_, r = read(es.Indices.ValidateQuery(es.Indices.ValidateQuery.WithIndex(index), es.Indices.ValidateQuery.WithBody(nope())))
	print("validate", r.Valid)
	_, r = read(es.Indices.Analyze(es.Indices.Analyze.WithIndex(index), es.Indices.Analyze.WithBody(strings.NewReader(`{"text":"Hello, World"}`))))
	print("analyze", r.Tokens[0].Token+","+r.Tokens[1].Token)
	a, r = read(es.Search(es.Search.WithIndex(index), es.Search.WithBody(nope())))
	print("bad", a.StatusCode, r.Error.Type)
	a, r = read(es.Search(es.Search.WithIndex("none")))
	print("no index", a.StatusCode, r.Error.Type)
	for _, c := range []struct {
		name string
		ask  func() (*esapi.Response, error)
	}{
		{"no index to describe", func() (*esapi.Response, error) { return es.Indices.Get([]string{"none"}) }},
		{"scroll", func() (*esapi.Response, error) {
			return es.Search(es.Search.WithIndex(index), es.Search.WithScroll(time.Minute))
		}},
		{"next", func() (*esapi.Response, error) {
			return es.Scroll(es.Scroll.WithScrollID("x"), es.Scroll.WithScroll(time.Minute))
		}},
		{"point in time", func() (*esapi.Response, error) { return es.OpenPointInTime([]string{index}, "1m") }},
		{"template", func() (*esapi.Response, error) {
			return es.SearchTemplate(strings.NewReader(`{"id":"x"}`), es.SearchTemplate.WithIndex(index))
		}},
		{"cat", func() (*esapi.Response, error) { return es.Cat.Indices() }},
		{"health", func() (*esapi.Response, error) { return es.Cluster.Health() }},
	} {
		a, r := read(c.ask())
		print(c.name, a.StatusCode, r.Error.Type)
	}
	a, r = read(es.Index(index, strings.NewReader("{}"), es.Index.WithDocumentID("x")))
	print("write", a.StatusCode, r.Error.Type)
	a, r = read(es.Bulk(strings.NewReader("{\"index\":{}}\n{}\n"), es.Bulk.WithIndex(index)))
	print("bulk", a.StatusCode, r.Error.Type)
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
