// This file asks with opensearch-go.

package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/opensearch-project/opensearch-go/v4"
	"github.com/opensearch-project/opensearch-go/v4/opensearchapi"
)

func openSearchGo(t *testing.T, url string) string {
	es, err := opensearchapi.NewClient(opensearchapi.Config{Client: opensearch.Config{Addresses: []string{url}, DisableRetry: true}})
	no := must{t}
	no.error(err)
	ctx := t.Context()
	const index = "site"
	var out strings.Builder
	print := func(values ...any) { fmt.Fprintln(&out, values...) }
	ids := func(hits []opensearchapi.SearchHit) string {
		var ids []string
		for _, h := range hits {
			ids = append(ids, h.ID)
		}
		return strings.Join(ids, ",")
	}
	failure := func(err error) string {
		var structured *opensearch.StructError
		if errors.As(err, &structured) {
			return fmt.Sprint(structured.Status, " ", structured.Err.Type)
		}
		return fmt.Sprint(err)
	}
	// exists tells what a HEAD answers: the client takes 404 for an error.
	exists := func(r *opensearch.Response, err error) bool {
		if r == nil || r.StatusCode != 404 {
			no.error(err)
		}
		return !r.IsError()
	}
	search := func(body string) (*opensearchapi.SearchResp, *response) {
		r, err := es.Search(ctx, &opensearchapi.SearchReq{Indices: []string{index}, Body: strings.NewReader(body)})
		no.error(err)
		aggregations := &response{}
		no.error(json.Unmarshal([]byte(`{"aggregations":`+string(r.Aggregations)+`}`), aggregations))
		return r, aggregations
	}
	var item struct{ Name string }

	info, err := es.Info(ctx, nil)
	no.error(err)
	pinged, err := es.Ping(ctx, nil)
	no.error(err)
	print("info", info.Version.Number, !pinged.IsError())
	r, a := search(`{"query":` + hours + `,"_source":["Name"],"aggs":{"t":{"terms":{"field":"TemplateName.keyword"}}}}`)
	bucket := a.Aggregations["t"].Buckets[0]
	no.error(json.Unmarshal(r.Hits.Hits[0].Source, &item))
	print("search", r.Hits.Total.Value, ids(r.Hits.Hits), item.Name, r.Hits.Hits[0].Score == *r.Hits.MaxScore, fmt.Sprintf("%s:%d", bucket.Key, bucket.Count))
	r, a = search(typed)
	bucket = a.Aggregations["templates"].Buckets[0]
	month := a.Aggregations["months"].Buckets[0]
	print("typed", r.Hits.Total.Value, ids(r.Hits.Hits), fmt.Sprintf("%s:%d:%.0f", bucket.Key, bucket.Count, bucket.First.Value), fmt.Sprintf("%.0f:%d", month.Key, month.Count), a.Aggregations["names"].Value)
	one := 1
	r, err = es.Search(ctx, &opensearchapi.SearchReq{Indices: []string{index}, Params: opensearchapi.SearchParams{Query: "TemplateName:News", Sort: []string{"CreatedAt:desc"}, Size: &one}})
	no.error(err)
	print("uri", r.Hits.Total.Value, ids(r.Hits.Hits), fmt.Sprintf("%.0f", r.Hits.Hits[0].Sort[0]))
	count, err := es.Indices.Count(ctx, &opensearchapi.IndicesCountReq{Indices: []string{index}, Body: strings.NewReader(`{"query":{"match_all":{}}}`)})
	no.error(err)
	print("count", count.Count)
	got, err := es.Document.Get(ctx, opensearchapi.DocumentGetReq{Index: index, DocumentID: "Content_01"})
	no.error(err)
	no.error(json.Unmarshal(got.Source, &item))
	print("get", item.Name)
	got, err = es.Document.Get(ctx, opensearchapi.DocumentGetReq{Index: index, DocumentID: "none"})
	if err == nil || got == nil {
		t.Fatalf("a missing document: %v", err)
	}
	print("missing", got.Inspect().Response.StatusCode, got.Found)
	print("exists", exists(es.Document.Exists(ctx, opensearchapi.DocumentExistsReq{Index: index, DocumentID: "Content_01"})),
		exists(es.Document.Exists(ctx, opensearchapi.DocumentExistsReq{Index: index, DocumentID: "none"})))
	print("exists source", exists(es.Document.ExistsSource(ctx, opensearchapi.DocumentExistsSourceReq{Index: index, DocumentID: "Content_01"})),
		exists(es.Document.ExistsSource(ctx, opensearchapi.DocumentExistsSourceReq{Index: index, DocumentID: "none"})))
	source, err := es.Document.Source(ctx, opensearchapi.DocumentSourceReq{Index: index, DocumentID: "Content_01"})
	no.error(err)
	no.error(json.Unmarshal(source.Source, &item))
	print("source", item.Name)
	docs, err := es.MGet(ctx, opensearchapi.MGetReq{Index: index, Body: strings.NewReader(`{"ids":["Content_01","none"]}`)})
	no.error(err)
	print("mget", fmt.Sprintf("%t,%t", docs.Docs[0].Found, docs.Docs[1].Found))
	several, err := es.MSearch(ctx, opensearchapi.MSearchReq{Indices: []string{index}, Body: strings.NewReader("{}\n{\"query\":" + hours + "}\n{\"index\":\"none\"}\n{}\n")})
	no.error(err)
	print("msearch", several.Responses[0].Hits.Total.Value, several.Responses[1].Status)
	several, err = es.MSearch(ctx, opensearchapi.MSearchReq{Body: strings.NewReader("{\"index\":\"site\"}\n{\"query\":" + hours + "}\n")})
	no.error(err)
	print("node msearch", several.Responses[0].Hits.Total.Value)
	print("index", exists(es.Indices.Exists(ctx, opensearchapi.IndicesExistsReq{Indices: []string{index}})), exists(es.Indices.Exists(ctx, opensearchapi.IndicesExistsReq{Indices: []string{"none"}})))
	described, err := es.Indices.Get(ctx, opensearchapi.IndicesGetReq{Indices: []string{index}})
	no.error(err)
	var settings struct {
		Index struct {
			Name string `json:"provided_name"`
		}
	}
	no.error(json.Unmarshal(described.Indices[index].Settings, &settings))
	print("described", settings.Index.Name)
	mapping, err := es.Indices.Mapping.Get(ctx, &opensearchapi.MappingGetReq{Indices: []string{index}})
	no.error(err)
	var m response
	no.error(json.Unmarshal([]byte(`{"Site":{"mappings":`+string(mapping.Indices[index].Mappings)+`}}`), &m))
	print("mapping", m.Site.Mappings.Properties.Name.Fields.Keyword.Type)
	caps, err := es.Indices.FieldCaps(ctx, opensearchapi.IndicesFieldCapsReq{Indices: []string{index}, Params: opensearchapi.IndicesFieldCapsParams{Fields: []string{"Name*"}}})
	no.error(err)
	print("caps", names(caps.Fields, "Name", "Name.keyword"))
	valid, err := es.Indices.ValidateQuery(ctx, opensearchapi.IndicesValidateQueryReq{Indices: []string{index}, Body: strings.NewReader(`{"query":{"nope":{}}}`)})
	no.error(err)
	print("validate", valid.Valid)
	tokens, err := es.Indices.Analyze(ctx, opensearchapi.IndicesAnalyzeReq{Index: index, Body: opensearchapi.IndicesAnalyzeBody{Text: []string{"Hello, World"}}})
	no.error(err)
	print("analyze", tokens.Tokens[0].Token+","+tokens.Tokens[1].Token)
	_, err = es.Search(ctx, &opensearchapi.SearchReq{Indices: []string{index}, Body: strings.NewReader(`{"query":{"nope":{}}}`)})
	print("bad", failure(err))
	_, err = es.Search(ctx, &opensearchapi.SearchReq{Indices: []string{"none"}})
	print("no index", failure(err))
	_, err = es.Indices.Get(ctx, opensearchapi.IndicesGetReq{Indices: []string{"none"}})
	print("no index to describe", failure(err))
	_, err = es.Search(ctx, &opensearchapi.SearchReq{Indices: []string{index}, Params: opensearchapi.SearchParams{Scroll: time.Minute}})
	print("scroll", failure(err))
	_, err = es.Scroll.Get(ctx, opensearchapi.ScrollGetReq{ScrollID: "x"})
	print("next", failure(err))
	_, err = es.PointInTime.Create(ctx, opensearchapi.PointInTimeCreateReq{Indices: []string{index}, Params: opensearchapi.PointInTimeCreateParams{KeepAlive: time.Minute}})
	print("point in time", failure(err))
	_, err = es.SearchTemplate(ctx, opensearchapi.SearchTemplateReq{Indices: []string{index}, Body: strings.NewReader(`{"id":"x"}`)})
	print("template", failure(err))
	_, err = es.Cat.Indices(ctx, nil)
	print("cat", failure(err))
	_, err = es.Cluster.Health(ctx, nil)
	print("health", failure(err))
	_, err = es.Index(ctx, opensearchapi.IndexReq{Index: index, DocumentID: "x", Body: strings.NewReader("{}")})
	print("write", failure(err))
	_, err = es.Bulk(ctx, opensearchapi.BulkReq{Index: index, Body: strings.NewReader("{\"index\":{}}\n{}\n")})
	print("bulk", failure(err))
	return out.String()
}
