package translate

import (
	"encoding/json"
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

// TestDigests asks for exact percentiles where there are few: not inside of buckets, and not where people compare them.
func TestDigests(t *testing.T) {
	fields := NewFields([]release.Field{{Path: "Data.n", Type: "long"}})
	for body, exact := range map[string]bool{
		`{"p":{"percentiles":{"field":"Data.n"}}}`:                                            true,
		`{"p":{"percentile_ranks":{"field":"Data.n","values":[1]}}}`:                          true,
		`{"a":{"terms":{"field":"Data.n"},"aggs":{}},"p":{"percentiles":{"field":"Data.n"}}}`: true,
		`{"p":{"percentiles":{"field":"Data.n","hdr":{}}}}`:                                   false,
		`{"t":{"terms":{"field":"Data.n"},"aggs":{"p":{"percentiles":{"field":"Data.n"}}}}}`:  false,
	} {
		for _, compared := range []bool{false, true} {
			var members object
			if err := json.Unmarshal([]byte(`{"aggs":`+body+`}`), &members); err != nil {
				t.Fatal(err)
			}
			q, err := (&Index{Env: "e", Name: "e-1", Shards: 1, Fields: fields, Compared: compared}).Search(members)
			if err != nil || strings.Contains(string(q.Body), `"tdigest":{"compression":1000}`) != (exact && !compared) {
				t.Errorf("%s, compared %v: %s %v", body, compared, q.Body, err)
			}
		}
	}
}
