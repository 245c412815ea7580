// This file tests results that show how a product was rounded, and numbers that no integer holds,
// with the values of Elasticsearch 7.10.2.

package search_test

import (
	"context"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
)

func TestRounding(t *testing.T) {
	r := searchtest.Snaptest(t, []string{`{"ContentID":"C000","Data":{"x":5.2,"d":"2020-01-01"}}`})
	defer r.Close()
	for _, c := range []struct{ aggs, want string }{
		{`{"histogram":{"field":"Data.x","interval":0.7,"offset":0.1}}`, `{"buckets":[{"key":4.999999999999999,"doc_count":1}]}`},
		{`{"date_range":{"field":"Data.d","format":"epoch_millis","ranges":[{"to":"9223372036854775807"},{"from":"9223372036854775806"}]}}`,
			`{"buckets":[{"key":"*-9223372036854775807","to":9.223372036854776E18,"to_as_string":"9223372036854775807","doc_count":1},{"key":"9223372036854775807-*","from":9.223372036854776E18,"from_as_string":"9223372036854775807","doc_count":0}]}`},
	} {
		body, err := body.Parse([]byte(`{"size":0,"aggs":{"a":` + c.aggs + `}}`))
		if err != nil {
			t.Fatal(err)
		}
		found, err := search.Eval(context.Background(), r, body)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(found.Aggregations), `{"a":`+c.want+`}`; got != want {
			t.Errorf("%s\ngot  %s\nwant %s", c.aggs, got, want)
		}
	}
}
