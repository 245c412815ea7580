package search_test

import (
	"fmt"
	"testing"

	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
)

// TestAutoDatesAtTheLimit has dates in as many seconds as one bucket may have, and in one more: then a
// longer interval is chosen, also if the seconds between have none.
func TestAutoDatesAtTheLimit(t *testing.T) {
	all := make([]int, 31)
	for i := range all {
		all[i] = 30 - i
	}
	for _, c := range []struct {
		name    string
		seconds []int
		want    string
	}{
		{"thirty", all[1:], `{"buckets":[{"key_as_string":"2021-01-01T10:00:00.000Z","key":1609495200000,"doc_count":30}],"interval":"30s"}`},
		{"one more", all, `{"buckets":[{"key_as_string":"2021-01-01T10:00:00.000Z","key":1609495200000,"doc_count":31}],"interval":"1m"}`},
		{"the first and the last of them", []int{30, 0}, `{"buckets":[{"key_as_string":"2021-01-01T10:00:00.000Z","key":1609495200000,"doc_count":2}],"interval":"1m"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var items []string
			for i, s := range c.seconds {
				items = append(items, fmt.Sprintf(`{"ContentID":"%02d","D":"2021-01-01T10:00:%02dZ"}`, i, s))
			}
			body, err := body.Parse([]byte(`{"size":0,"aggs":{"a":{"auto_date_histogram":{"field":"D","buckets":1}}}}`))
			if err != nil {
				t.Fatal(err)
			}
			result, err := search.Eval(t.Context(), searchtest.Snaptest(t, items), body)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(result.Aggregations); got != `{"a":`+c.want+`}` {
				t.Errorf("got %s", got)
			}
		})
	}
}
