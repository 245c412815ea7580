package translate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/query/encode"
	"contentedge/edgeserve/wire/release"
)

var longFields = []release.Field{
	{Path: "Data.long", Type: "text", SubFields: []string{"keyword"}},
	{Path: "Data.mixed", Type: "text", SubFields: []string{"keyword", "long"}},
	{Path: "Data.n", Type: "long", SubFields: []string{"keyword", "long"}},
	{Path: "Name", Type: "text", SubFields: []string{"keyword"}},
}

// TestLong: what reads whole texts that an index lacks is told, with any number of shards; words and sorts are not.
func TestLong(t *testing.T) {
	f := NewFields(longFields, "Data.long", "Data.n")
	cut := strings.Repeat("x", layout.MaxStart)
	for text, told := range map[string]bool{
		`{}`:                                         false,
		`{"query":{"match":{"Data.long":"a"}}}`:      false,
		`{"query":{"prefix":{"Data.long":"a"}}}`:     false,
		`{"query":{"prefix":{"Name.keyword":"a"}}}`:  false,
		`{"query":{"wildcard":{"Name":"a*"}}}`:       false,
		`{"query":{"exists":{"field":"Data.long"}}}`: false,
		`{"query":{"query_string":{"query":"a","fields":["Data.long","Name*"]}}}`:                               false,
		`{"query":{"multi_match":{"query":"a","fields":["Data.long"]}}}`:                                        false,
		`{"sort":["Data.long",{"Data.long.keyword":"desc"}]}`:                                                   false,
		`{"aggs":{"a":{"top_hits":{"sort":["Data.long.keyword"]}}}}`:                                            false,
		`{"sort":["Data.long"],"search_after":["x"]}`:                                                           false,
		`{"sort":["Name"],"search_after":["` + cut + `"]}`:                                                      false,
		`{"sort":["Data.long"],"search_after":["` + cut + `"]}`:                                                 true,
		`{"query":{"term":{"Data.long.keyword":"a"}}}`:                                                          true,
		`{"query":{"bool":{"filter":[{"prefix":{"Data.long.keyword":"a"}}]}}}`:                                  true,
		`{"query":{"wildcard":{"Data.long":"a*"}}}`:                                                             true,
		`{"query":{"prefix":{"Data.n":"1"}}}`:                                                                   true,
		`{"post_filter":{"exists":{"field":"Data.long.keyword"}}}`:                                              true,
		`{"query":{"exists":{"field":"Data.lo*"}}}`:                                                             true,
		`{"query":{"query_string":{"query":"a"}}}`:                                                              true,
		`{"query":{"query_string":{"query":"Data.long.keyword:a","fields":["Name"]}}}`:                          true,
		`{"query":{"query_string":{"query":"_exists_:Data.long.keyword","fields":["Name"]}}}`:                   true,
		`{"query":{"query_string":{"query":"\"a\"","fields":["Name"],"quote_field_suffix":".x"}}}`:              true,
		`{"query":{"simple_query_string":{"query":"a"}}}`:                                                       true,
		`{"query":{"multi_match":{"query":"a","fields":["Data.*"]}}}`:                                           true,
		`{"aggs":{"a":{"terms":{"field":"Data.long.keyword"}}}}`:                                                true,
		`{"aggs":{"a":{"filter":{"match_all":{}},"aggs":{"b":{"cardinality":{"field":"Data.long.keyword"}}}}}}`: true,
		`{"aggs":{"a":{"composite":{"sources":[{"s":{"terms":{"field":"Data.long.keyword"}}}]}}}}`:              true,
		`{"collapse":{"field":"Data.long.keyword"}}`:                                                            true,
		`{"docvalue_fields":["Data.long.keyword"]}`:                                                             true,
		`{"fields":["*.keyword"]}`:                                                                              true,
		`{"highlight":{"fields":{"Data.long.keyword":{}}}}`:                                                     true,
		`{"suggest":{"s":{"text":"a","term":{"field":"Data.long.keyword"}}}}`:                                   true,
	} {
		b, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatalf("%.200s: %v", text, err)
		}
		for _, shards := range []int{1, 3} {
			if got := slices.Contains(Approximate(b, f, shards, 5), LongTexts); got != told {
				t.Errorf("%.200s, %d shards: told %t", text, shards, got)
			}
		}
		if slices.Contains(Approximate(b, NewFields(longFields), 1, 5), LongTexts) {
			t.Errorf("%.200s: told without long texts", text)
		}
	}
	for text, told := range map[string]bool{"a": false, strings.Repeat("é", layout.MaxKeyword): false, strings.Repeat("é", layout.MaxKeyword+1): true} {
		b := &query.Body{Query: &compile.KeywordTerm{Field: "Data.long", Text: text}}
		if got := slices.Contains(Approximate(b, f, 1, 5), LongTexts); got != told {
			t.Errorf("a list with a value of %d bytes: told %t", len(text), got)
		}
	}
}

// Lists and searches are sorted by the beginnings of long texts.
func TestLongSort(t *testing.T) {
	x := &Index{Env: "site", Name: "site-1", Shards: 1, Fields: NewFields(longFields, "Data.long", "Data.mixed")}
	for text, want := range map[string]string{
		`["Data.long"]`:                  `"sort":["_sub.Data.long.start·"]`,
		`[{"Data.long.keyword":"desc"}]`: `"sort":[{"_sub.Data.long.start·":"desc"}]`,
		`["Data.mixed","Name"]`:          `"sort":["_sub.Data.mixed.start·","Name.keyword"]`,
	} {
		q, err := x.Search(decoded(t, `{"sort":`+text+`}`))
		if err != nil || !strings.Contains(string(q.Body), want) {
			t.Errorf("%s: %s %v", text, q.Body, err)
		}
	}
	for field, want := range map[string]string{"Data.long": "_sub.Data.long.start·", "Data.mixed": "_sub.Data.mixed.order·", "Name": "Name.keyword"} {
		key := query.SortKey{Field: field, Asc: true, Exact: true}
		members, _ := x.Other(&encode.ExactKey{Key: key})
		if got, err := json.Marshal(members); err != nil || string(got) != `{"`+want+`":{"order":"asc"}}` || x.Fields.Cut(&key) != (field != "Name") {
			t.Errorf("%s: %s %v", field, got, err)
		}
	}
	members, _ := x.Other(&compile.ElementNamed{Name: "long"})
	if got, _ := json.Marshal(members); !strings.Contains(string(got), `{"exists":{"field":"_sub.Data.long.start·"}}`) {
		t.Errorf("%s", got)
	}
}
