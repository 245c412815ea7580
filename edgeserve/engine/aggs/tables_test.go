// This file is what the tables share. Expectations are worked out by hand from what Elasticsearch 7.10.2 documents.

package aggs_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"contentedge/edgeserve/engine/searchtest"
)

// noOthers begins the response of terms that are all shown.
const noOthers = `"doc_count_error_upper_bound":0,"sum_other_doc_count":0,`

// aggCase is an aggregation and its response.
type aggCase struct {
	name  string
	query string // all items if empty
	aggs  string // members of the body's aggs
	want  string // members of the response's aggregations
}

// checkTable compares aggregations over items with their responses: each byte, except white space in want. data has
// the Data of the items, one JSON value after the other.
func checkTable(t *testing.T, data string, cases []aggCase) {
	t.Helper()
	r := searchtest.Snaptest(t, searchtest.DataItems(t, data))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var want bytes.Buffer
			if err := json.Compact(&want, []byte("{"+c.want+"}")); err != nil {
				t.Fatalf("%v: %s", err, c.want)
			}
			if c.query == "" {
				c.query = `{"match_all":{}}`
			}
			got, err := searchtest.Aggregations(t, r, `{"size":0,"query":`+c.query+`,"aggs":{`+c.aggs+`}}`)
			if err != nil || got != want.String() {
				t.Errorf("got  %s, %v\nwant %s", got, err, want.String())
			}
		})
	}
}
