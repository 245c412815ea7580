package answer_test

import (
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

// TestAnswer shows the body of the response to requests for the items of shop, or what is wrong with a
// request. Bodies are shown with line breaks and with A, B and C for the items; they are sent without.
func TestAnswer(t *testing.T) {
	site := answer.FromSnapshots(
		&release.Manifest{Defaults: release.Defaults{Sort: "CreatedAt", PageSize: 10}, Environments: []release.Environment{{ID: "shop"}}},
		map[string]*snapshot.Reader{"shop": searchtest.Named(t, "shop", shop)})
	for _, tt := range []struct {
		name, target string
		body         string
		want         string
	}{
		{
			"an item by its id", "/cda/rest/v1/shop/contents/B", ``, `
			{
			  "status": 200,
			  "data": B
			}`,
		},
		{
			"a list in the default order", "/cda/rest/v1/shop/contents", ``, `
			{
			  "status": 200,
			  "data": [A, B, C],
			  "totalItems": 3
			}`,
		},
		{
			"a filter, an order and a page", "/cda/rest/v1/shop/contents?searchByTemplateName=coat&sort=Name&sortAsc=true&pageSize=1&page=2", ``, `
			{
			  "status": 200,
			  "data": [A],
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
			}`, `
			{
			  "status": 200,
			  "data": [C, A],
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
			}`, `
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
			"the number of matches, as Elasticsearch's clients ask for it", "/cda/es/v1/shop/_count", `
			{
			  "query": {
			    "range": {"Data.price": {"gte": 40}}
			  }
			}`, `
			{
			  "count": 2,
			  "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0}
			}`,
		},
		{"an item that is not there", "/cda/rest/v1/shop/contents/Z", ``, `404 unknown_item`},
		{"an environment that is not there", "/cda/rest/v1/mall/contents", ``, `404 unknown_environment`},
		{"a page that is no number", "/cda/rest/v1/shop/contents?page=two", ``, `400 bad_page in page`},
		{"a query that does not exist", "/cda/es/v1/shop", `{"query":{"matches":{}}}`, `400 unknown_query in query.matches`},
		{"another path", "/cda/rest/v2/shop", ``, `404 unknown_route`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			response, problem, err := site.Respond(tt.target, []byte(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			got := string(response.Body)
			if problem != nil {
				got = strings.TrimSuffix(strconv.Itoa(problem.Status)+" "+problem.Code+" in "+problem.Parameter, " in ")
			}
			if want := compact(tt.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// compact is an expectation as it is sent: without line breaks, with the items for their letters.
func compact(want string) string {
	lines := strings.Split(strings.TrimSpace(want), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	if len(lines) == 1 {
		return want
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
