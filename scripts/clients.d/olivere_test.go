// This file asks with olivere/elastic.

package clients

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/olivere/elastic/v7"
)

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
	r, err = es.Search(index).Query(elastic.NewBoolQuery().Must(elastic.NewMultiMatchQuery("library", "Data.title", "Data.content")).
		Filter(elastic.NewRangeQuery("CreatedAt").Gte("2024-03-01").Lt("2024-04-01")).MustNot(elastic.NewTermQuery("Name.keyword", "none"))).
		Sort("CreatedAt", false).From(0).Size(2).FetchSourceContext(elastic.NewFetchSourceContext(true).Include("Name")).
		Aggregation("templates", elastic.NewTermsAggregation().Field("TemplateName.keyword").SubAggregation("first", elastic.NewMinAggregation().Field("CreatedAt"))).
		Aggregation("months", elastic.NewDateHistogramAggregation().Field("CreatedAt").CalendarInterval("month")).
		Aggregation("names", elastic.NewCardinalityAggregation().Field("Name.keyword")).Do(ctx)
	no.error(err)
	buckets, _ = r.Aggregations.Terms("templates")
	first, _ := buckets.Buckets[0].Min("first")
	months, _ := r.Aggregations.DateHistogram("months")
	distinct, _ := r.Aggregations.Cardinality("names")
	print("typed", r.TotalHits(), ids(r.Hits.Hits), fmt.Sprintf("%v:%d:%.0f", buckets.Buckets[0].Key, buckets.Buckets[0].DocCount, *first.Value), fmt.Sprintf("%.0f:%d", months.Buckets[0].Key, months.Buckets[0].DocCount), *distinct.Value)
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
	sources := func(id string) bool {
		_, err := es.PerformRequest(ctx, elastic.PerformRequestOptions{Method: "HEAD", Path: "/site/_source/" + id})
		return err == nil
	}
	print("exists source", sources("Content_01"), sources("none"))
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
	there, err = es.IndexExists(index).Do(ctx)
	no.error(err)
	gone, err = es.IndexExists("none").Do(ctx)
	no.error(err)
	print("index", there, gone)
	described, err := es.IndexGet(index).Do(ctx)
	no.error(err)
	print("described", described[index].Settings["index"].(map[string]any)["provided_name"])
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
	_, err = es.IndexGet("none").Do(ctx)
	print("no index to describe", failure(err))
	_, err = es.Scroll(index).Do(ctx)
	print("scroll", failure(err))
	_, err = es.Scroll().ScrollId("x").Do(ctx)
	print("next", failure(err))
	_, err = es.OpenPointInTime(index).KeepAlive("1m").Do(ctx)
	print("point in time", failure(err))
	_, err = es.PerformRequest(ctx, elastic.PerformRequestOptions{Method: "POST", Path: "/site/_search/template", Body: `{"id":"x"}`})
	print("template", failure(err))
	_, err = es.CatIndices().Do(ctx)
	print("cat", failure(err))
	_, err = es.ClusterHealth().Do(ctx)
	print("health", failure(err))
	_, err = es.Index().Index(index).Id("x").BodyString("{}").Do(ctx)
	print("write", failure(err))
	_, err = es.Bulk().Add(elastic.NewBulkIndexRequest().Index(index).Id("x").Doc("{}")).Do(ctx)
	print("bulk", failure(err))
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
