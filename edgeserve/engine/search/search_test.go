package search_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// TestSearch shows what a search finds among three items: the page of hits, the number of all matches, and the
// aggregations of all matches. Each case is a body and its result.
func TestSearch(t *testing.T) {
	r := searchtest.Snaptest(t, []string{
		`{"ContentID":"A","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"Red coat","Data":{"price":30,"tags":["warm","wool"]}}`,
		`{"ContentID":"B","CreatedAt":"2021-01-02T00:00:00.000Z","Name":"Blue coat","Data":{"price":20,"tags":["warm"]}}`,
		`{"ContentID":"C","CreatedAt":"2021-01-03T00:00:00.000Z","Name":"Red hat","Data":{"price":10}}`,
	})
	for _, tt := range []struct{ name, body, want string }{
		{
			"a body without a query finds all items in the order of the release", `
			{}`, `A B C of 3`,
		},
		{
			"a query without a sort ranks its matches by score", `
			{
			  "query": {
			    "match": {"Name": "blue coat"}
			  }
			}`, `B A of 2`,
		},
		{
			"a sort orders the matches", `
			{
			  "query": {
			    "match": {"Name": "red"}
			  },
			  "sort": [{"Data.price": "desc"}]
			}`, `A C of 2`,
		},
		{
			"from and size select a page, and the total counts all matches", `
			{
			  "sort": ["Data.price"],
			  "from": 1,
			  "size": 1
			}`, `B of 3`,
		},
		{
			"search_after begins a page behind the sort values of a hit", `
			{
			  "sort": ["Data.price"],
			  "search_after": [20]
			}`, `A of 3`,
		},
		{
			"a filter limits the matches without a score", `
			{
			  "query": {
			    "bool": {
			      "filter": {
			        "range": {"Data.price": {"gte": 20}}
			      }
			    }
			  }
			}`, `A B of 2`,
		},
		{
			"aggregations read all matches, not only the page", `
			{
			  "size": 0,
			  "aggs": {
			    "tags": {
			      "terms": {"field": "Data.tags.keyword"}
			    },
			    "dearest": {
			      "max": {"field": "Data.price"}
			    }
			  }
			}`, ` of 3
			{
			  "tags": {
			    "doc_count_error_upper_bound": 0,
			    "sum_other_doc_count": 0,
			    "buckets": [
			      {"key": "warm", "doc_count": 2},
			      {"key": "wool", "doc_count": 1}
			    ]
			  },
			  "dearest": {"value": 30.0}
			}`,
		},
		{
			"a post_filter selects hits, and aggregations do not see it", `
			{
			  "post_filter": {
			    "term": {"Data.tags.keyword": "wool"}
			  },
			  "aggs": {
			    "items": {
			      "value_count": {"field": "Data.price"}
			    }
			  }
			}`, `A of 1
			{
			  "items": {"value": 3}
			}`,
		},
		{
			"collapse keeps the first match of each value", `
			{
			  "sort": ["Data.price"],
			  "collapse": {"field": "Data.tags.keyword"},
			  "query": {
			    "ids": {"values": ["B", "C"]}
			  }
			}`, `C B of 2`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := evaluate(t, r, tt.body)
			var ids []string
			for _, d := range res.Docs {
				var item struct{ ContentID string }
				if err := json.Unmarshal(r.Fragment(d), &item); err != nil {
					t.Fatal(err)
				}
				ids = append(ids, item.ContentID)
			}
			got := fmt.Sprintf("%s of %d%s", strings.Join(ids, " "), res.Total, res.Aggregations)
			if spaceless(got) != spaceless(tt.want) {
				t.Errorf("got %s", got)
			}
		})
	}
}

// spaceless drops the white space of a text.
func spaceless(s string) string { return strings.Join(strings.Fields(s), "") }
