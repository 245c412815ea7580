package answer_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/answer"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/wire/release"
)

// shop are the items of the environment shop, in the default order.
var shop = []string{
	`{"ContentID":"A","CreatedAt":"2021-01-04T00:00:00.000Z","Name":"red coat","TemplateName":"coat","Data":{"price":40}}`,
	`{"ContentID":"B","CreatedAt":"2021-01-03T00:00:00.000Z","Name":"blue coat","TemplateName":"coat","Data":{"price":60}}`,
	`{"ContentID":"C","CreatedAt":"2021-01-02T00:00:00.000Z","Name":"red shoe","TemplateName":"shoe","Data":{"price":20}}`,
}

// site is a release with that environment. The list of all items and a saved search have files.
func site(t testing.TB) *answer.Release {
	return answer.FromSnapshots(&release.Manifest{Build: "0123456789abcdef", Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{
		ID:       "shop",
		Lists:    []release.Family{{Sort: "CreatedAt", PageSize: 10, Values: []release.FamilyValue{{TotalItems: 3}}}},
		Searches: []release.Search{{Name: "coats", Body: json.RawMessage(`{"query":{"match":{"Name":"coat"}},"sort":["Data.price"],"size":1}`), TotalItems: 2, Files: 2}},
	}}}, map[string]*snapshot.Reader{"shop": searchtest.Named(t, "shop", shop)})
}

// TestAnswer shows the response to requests for the items of shop: its class, its file on nodes with
// files, whether it depends on the clock, and its body; or what is wrong with a request. Bodies are shown
// with line breaks and with A, B and C for the items; they are sent without.
func TestAnswer(t *testing.T) {
	v := site(t)
	for _, tt := range []struct {
		name, target string
		body         string
		is, want     string
	}{
		{
			"an item by its id", "/cda/rest/v1/shop/contents/B", ``, "item in cda/rest/v1/shop/contents/B.json", `
			{
			  "status": 200,
			  "data": B
			}`,
		},
		{
			"a list in the default order", "/cda/rest/v1/shop/contents", ``, "list in cda/rest/v1/shop/contents-list/sort-createdat-desc-10/page-1.json", `
			{
			  "status": 200,
			  "data": [A, B, C],
			  "totalItems": 3
			}`,
		},
		{
			"the same list by the name of its file", "/cda/rest/v1/shop/contents-list/sort-createdat-desc-10/page-2.json", ``, "list in cda/rest/v1/shop/contents-list/sort-createdat-desc-10/page-2.json", `
			{
			  "status": 200,
			  "data": [],
			  "totalItems": 3
			}`,
		},
		{
			"a filter, an order and a page, which no release has as a file", "/cda/rest/v1/shop/contents?searchByTemplateName=coat&sort=Name&sortAsc=true&pageSize=1&page=2", ``, "list", `
			{
			  "status": 200,
			  "data": [A],
			  "totalItems": 2
			}`,
		},
		{
			"a page of a saved search, by the body in the manifest", "/cda/rest/v1/shop/searches/coats.2.json", ``, "list in cda/rest/v1/shop/searches/coats.2.json", `
			{
			  "status": 200,
			  "data": [B],
			  "totalItems": 2
			}`,
		},
		{
			"a search by words", "/cda/es/v1/shop", `
			{
			  "query": {
			    "match": {"Name": "red"}
			  },
			  "sort": [{"Data.price": "asc"}]
			}`, "search", `
			{
			  "status": 200,
			  "data": [C, A],
			  "totalItems": 2,
			  "hits": [{"_id": "C", "_score": null, "sort": [20]}, {"_id": "A", "_score": null, "sort": [40]}]
			}`,
		},
		{
			"parameters beside a body", "/cda/es/v1/shop?TemplateName=coat&PageSize=1", `
			{
			  "_source": ["Name"]
			}`, "search", `
			{
			  "status": 200,
			  "data": [{"Name": "red coat"}],
			  "totalItems": 2
			}`,
		},
		{
			"an aggregation beside the items", "/cda/es/v1/shop", `
			{
			  "size": 0,
			  "aggs": {
			    "kinds": {
			      "terms": {"field": "TemplateName.keyword"},
			      "aggs": {"cheapest": {"min": {"field": "Data.price"}}}
			    }
			  }
			}`, "search", `
			{
			  "status": 200,
			  "data": [],
			  "totalItems": 3,
			  "aggregations": {
			    "kinds": {
			      "doc_count_error_upper_bound": 0,
			      "sum_other_doc_count": 0,
			      "buckets": [
			        {"key": "coat", "doc_count": 2, "cheapest": {"value": 40.0}},
			        {"key": "shoe", "doc_count": 1, "cheapest": {"value": 20.0}}
			      ]
			    }
			  }
			}`,
		},
		{
			"what hits show stands behind the items", "/cda/es/v1/shop", `
			{
			  "query": {
			    "term": {"Name": "blue"}
			  },
			  "highlight": {"fields": {"Name": {}}}
			}`, "search", `
			{
			  "status": 200,
			  "data": [B],
			  "totalItems": 1,
			  "hits": [{"_id": "B", "_score": 0.9808291, "highlight": {"Name": ["<em>blue</em> coat"]}}]
			}`,
		},
		{
			"a search that reads the clock", "/cda/es/v1/shop", `
			{
			  "query": {
			    "range": {"CreatedAt": {"gte": "now"}}
			  }
			}`, "search, timed", `
			{
			  "status": 200,
			  "data": [],
			  "totalItems": 0
			}`,
		},
		{
			"a search as Elasticsearch's clients send it", "/cda/es/v1/shop/_search?q=shoe", `
			{
			  "_source": ["Name"]
			}`, "search", `
			{
			  "took": 0,
			  "timed_out": false,
			  "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
			  "hits": {
			    "total": {"value": 1, "relation": "eq"},
			    "max_score": 0.9808291,
			    "hits": [{"_index": "shop", "_type": "_doc", "_id": "C", "_score": 0.9808291, "_source": {"Name": "red shoe"}}]
			  }
			}`,
		},
		{
			"the number of matches, as Elasticsearch's clients ask for it", "/cda/es/v1/shop/_count", `
			{
			  "query": {
			    "range": {"Data.price": {"gte": 40}}
			  }
			}`, "search", `
			{
			  "count": 2,
			  "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
			}`,
		},
		{
			"several searches, one of them without an index", "/cda/es/v1/shop/_msearch", "{}\n{\"size\":0}\n{\"index\":\"mall\"}\n{}\n", "search", `
			{
			  "took": 0,
			  "responses": [
			    {
			      "took": 0,
			      "timed_out": false,
			      "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
			      "hits": {"total": {"value": 3, "relation": "eq"}, "max_score": null, "hits": []},
			      "status": 200
			    },
			    {
			      "error": {
			        "root_cause": [{"type": "index_not_found_exception", "reason": "no such index [mall]", "resource.type": "index_or_alias", "resource.id": "mall", "index_uuid": "_na_", "index": "mall"}],
			        "type": "index_not_found_exception", "reason": "no such index [mall]", "resource.type": "index_or_alias", "resource.id": "mall", "index_uuid": "_na_", "index": "mall"
			      },
			      "status": 404
			    }
			  ]
			}`,
		},
		{
			"an item, as Elasticsearch's clients ask for it", "/cda/es/v1/shop/_doc/C/_source", ``, "item", `{"ContentID": "C", "CreatedAt": "2021-01-02T00:00:00.000Z", "Name": "red shoe", "TemplateName": "shoe", "Data": {"price": 20}}`,
		},
		{"an item that is not there", "/cda/rest/v1/shop/contents/Z", ``, `404 unknown_item`, ``},
		{"an environment that is not there", "/cda/rest/v1/mall/contents", ``, `404 unknown_environment`, ``},
		{"an index that is not there", "/cda/es/v1/mall/_search", ``, `404 unknown_environment in mall`, ``},
		{"a page behind the last one of a saved search", "/cda/rest/v1/shop/searches/coats.3.json", ``, `404 unknown_search`, ``},
		{"a page that is not a number", "/cda/rest/v1/shop/contents?page=two", ``, `400 bad_page in page`, ``},
		{"a query that does not exist", "/cda/es/v1/shop", `{"query":{"matches":{}}}`, `400 unknown_query in query.matches`, ``},
		{"too many steps", "/cda/es/v1/shop", costly, `400 too_costly`, ``},
		{"too many steps, with the status of Elasticsearch", "/cda/es/v1/shop/_search", costly, `429 too_costly`, ``},
		{"another path", "/cda/rest/v2/shop", ``, `404 unknown_route`, ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			response, problem, err := v.Respond(tt.target, []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			is, got := kind(&response), string(response.Body)
			if problem != nil {
				is = strings.TrimSuffix(strconv.Itoa(problem.Status)+" "+problem.Code+" in "+problem.Parameter, " in ")
			}
			if want := compact(tt.want); is != tt.is || got != want {
				t.Errorf("got %s\n%s\nwant %s\n%s", is, got, tt.is, want)
			}
		})
	}
}

// costly has so many values that parsing them needs too many steps.
var costly = `{"query":{"terms":{"Name":[` + strings.Repeat("0,", 1_250_000) + `0]}}}`

// kind says what a response is beside its body.
func kind(r *answer.Response) string {
	is := r.Class.String()
	if r.File != "" {
		is += " in " + r.File
	}
	if r.Timed {
		is += ", timed"
	}
	return is
}

// compact is an expectation as it is sent: without line breaks, with the items for their letters.
func compact(want string) string {
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	text := strings.NewReplacer(": ", ":", ", ", ",").Replace(strings.Join(lines, ""))
	for i, letter := range []string{"A", "B", "C"} {
		for _, before := range []string{"[", ",", `"data":`} {
			for _, after := range []string{"]", ",", "}"} {
				text = strings.ReplaceAll(text, before+letter+after, before+shop[i]+after)
			}
		}
	}
	return text
}
