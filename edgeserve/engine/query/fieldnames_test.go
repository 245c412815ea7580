package query

import (
	"strings"
	"testing"
)

// Every clause, sort key and aggregation names its field.
func TestFieldNames(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                                 "",
		`{"query":{"match_all":{}}}`:         "",
		`{"query":{"ids":{"values":["a"]}}}`: "",
		`{"query":{"term":{"a":1}}}`:         "a",
		`{"query":{"terms":{"a":[1]}}}`:      "a",
		`{"query":{"terms":{"a":{"index":"e","id":"x","path":"b"}}}}`:                     "a b",
		`{"query":{"terms_set":{"a":{"terms":["x"],"minimum_should_match_field":"b"}}}}`:  "a b",
		`{"query":{"prefix":{"a":"x"}}}`:                                                  "a",
		`{"query":{"wildcard":{"a":"x*"}}}`:                                               "a",
		`{"query":{"range":{"a":{"gt":1}}}}`:                                              "a",
		`{"query":{"exists":{"field":"a.*"}}}`:                                            "a.*",
		`{"query":{"match":{"a":"x"}}}`:                                                   "a",
		`{"query":{"match_phrase":{"a":"x y"}}}`:                                          "a",
		`{"query":{"match_phrase_prefix":{"a":"x"}}}`:                                     "a",
		`{"query":{"multi_match":{"query":"x","fields":["b^2","a"]}}}`:                    "a b",
		`{"query":{"simple_query_string":{"query":"x","fields":["a"]}}}`:                  "a",
		`{"query":{"query_string":{"query":"x","default_field":"a"}}}`:                    "a",
		`{"query":{"query_string":{"query":"x b:(y OR c:z) _exists_:d","fields":["a"]}}}`: "a b c d",
		`{"query":{"query_string":{"query":"b:"}}}`:                                       "",
		`{"query":{"bool":{"must":[{"term":{"a":1}}],"filter":{"term":{"b":1}},"should":{"term":{"c":1}},"must_not":{"term":{"d":1}}}}}`:                               "a b c d",
		`{"query":{"constant_score":{"filter":{"term":{"a":1}}}}}`:                                                                                                     "a",
		`{"query":{"dis_max":{"queries":[{"fuzzy":{"a":"x"}},{"regexp":{"b":"x"}},{"match_bool_prefix":{"c":"x"}}]}}}`:                                                 "a b c",
		`{"query":{"boosting":{"positive":{"term":{"a":1}},"negative":{"term":{"b":1}},"negative_boost":1}}}`:                                                          "a b",
		`{"sort":[{"b":"asc"},"_score","a","a"]}`:                                                                                                                      "_score a b",
		`{"aggs":{"x":{"terms":{"field":"a"},"aggs":{"y":{"max":{"field":"b"}}}},"z":{"filter":{"term":{"c":1}}},"u":{"filters":{"filters":{"v":{"term":{"d":1}}}}}}}`: "a b c d",
		`{"collapse":{"field":"a","inner_hits":{"name":"n","sort":"b","collapse":{"field":"c"},"highlight":{"fields":{"d":{}}}}}}`:                                     "a b c d",
		`{"aggs":{"x":{"terms":{"field":"a"},"aggs":{"y":{"top_hits":{"sort":"b","highlight":{"fields":{"c":{"highlight_query":{"term":{"d":1}}}}}}}}}}}`:              "a b c d",
	} {
		b, err := Parse([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got := strings.Join(b.FieldNames(), " "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
