package body

import (
	"bytes"
	"encoding/json"
	"testing"
)

// example is a text and the printed tree that it becomes.
type example struct{ in, want string }

// TestBody shows which tree a search body becomes. Each row has a body and its tree, printed as a body without the
// options that have their default. TestQueries and TestAggregations show more trees, TestBodyErrors shows the bodies that
// are refused.
func TestBody(t *testing.T) {
	for _, section := range []struct {
		name     string
		examples []example
	}{
		{"a blank body, null and comments ask for all items", []example{
			{``, `{}`},
			{" \n", `{}`},
			{`null`, `{}`},
			{" null /* c */\n", `{}`},
			{"\ufeff", `{}`},
			{"\ufeff \n", `{}`},
			{"\ufeffnull", `{}`},
			{"\ufeff{\"size\":3}", `{"size":3}`},
			{`{}`, `{}`},
			{"/* c */ // d\n{/**/}//", `{}`},
		}},
		{"the page and the total: numbers may be strings, and lose their fraction", []example{
			{`{"from":5,"size":0}`, `{"from":5,"size":0}`},
			{`{"from":"7","size":"1e3"}`, `{"from":7,"size":1000}`},
			{`{"from":1.9,"size":-0}`, `{"from":1,"size":0}`},
			{`{"from":-1,"size":-1}`, `{}`},
			{`{"from":9990}`, `{"from":9990}`},
			{`{"size":` + window(0) + `}`, `{"size":` + window(0) + `}`},
			{`{"track_total_hits":true}`, `{"track_total_hits":2147483647}`},
			{`{"track_total_hits":100}`, `{"track_total_hits":100}`},
			{`{"track_total_hits":"false"}`, `{"track_total_hits":-1}`},
		}},
		{"keys of a sort have an order, or the default", []example{
			{`{"sort":"Name"}`, `{"sort":[{"Name":"asc"}]}`},
			{`{"sort":"_score"}`, `{"sort":[{"_score":"desc"}]}`},
			{`{"sort":{"Name":"DESC"}}`, `{"sort":[{"Name":"desc"}]}`},
			{`{"sort":{"Name":{},"_score":{"order":"asc"}}}`, `{"sort":[{"Name":"asc"},{"_score":"asc"}]}`},
			{`{"sort":[{"Name":{"order":"desc","missing":"_last"}},"A"]}`, `{"sort":[{"Name":"desc"},{"A":"asc"}]}`},
			{`{"sort":[]}`, `{}`},
			{`{"sort":[{"F":{"missing":null,"mode":"MIN","numeric_type":"Long"}}]}`, `{"sort":[{"F":{"order":"asc","mode":"min","numeric_type":"long"}}]}`},
			{`
				{
				  "sort": [{"F": {"missing": "_first", "unmapped_type": "any"}}],
				  "track_scores": true
				}`, `
				{
				  "sort": [
				    {
				      "F": {
				        "order": "asc",
				        "missing": "_first",
				        "unmapped_type": "any"
				      }
				    }
				  ],
				  "track_scores": true
				}`},
			{`{"search_after":[null,1,"a",true,2.5],"sort":"F"}`, `{"sort":[{"F":"asc"}],"search_after":[null,1,"a",true,2.5]}`},
		}},
		{"_source selects members of items", []example{
			{`{"_source":true}`, `{}`},
			{`{"_source":false}`, `{"_source":false}`},
			{`{"_source":"Name"}`, `{"_source":{"includes":["Name"]}}`},
			{`{"_source":["b","a.*","b"]}`, `{"_source":{"includes":["a.*","b"]}}`},
			{`{"_source":[]}`, `{}`},
			{`{"_source":{"includes":"a","excludes":["b"]}}`, `{"_source":{"includes":["a"],"excludes":["b"]}}`},
		}},
		{"a query is an object under the name of its type, with a short form for one value", []example{
			{`{"query":{"match":{"F":"a b"}}}`, `{"query":{"match":{"F":{"query":"a b"}}}}`},
			{`{"query":{"match":{"F":{"query":"a b","operator":"AND"}}}}`, `{"query":{"match":{"F":{"query":"a b","operator":"and"}}}}`},
		}},
		{"an aggregation has a name and a type", []example{
			{`{"aggs":{}}`, `{}`},
			{`{"aggs":{"x":{"terms":{"field":"F"}}}}`, `{"aggs":{"x":{"terms":{"field":"F"}}}}`},
		}},
	} {
		t.Run(section.name, func(t *testing.T) {
			for _, c := range section.examples {
				checkBody(t, c.in, compact(t, c.want))
			}
		})
	}
}

// compact drops the white space of a JSON text.
func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
