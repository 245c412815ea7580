package translate

import (
	"strings"
	"testing"

	"contentedge/edgeserve/wire/release"
)

func TestTranslate(t *testing.T) {
	fields := NewFields([]release.Field{{Path: "Name", Type: "text", SubFields: []string{"keyword", "double"}}, {Path: "Data.n", Type: "long", SubFields: []string{"keyword", "long"}},
		{Path: "Data.both", Type: "text", SubFields: []string{"keyword"}}, {Path: "Data.both.x", Type: "text", SubFields: []string{"keyword"}}, {Path: "Data.date", Type: "date"}, {Path: "Data.ok", Type: "boolean", SubFields: []string{"keyword"}}})
	const keyword, double, long = "_sub.Data.n.keyword·", "_sub.Name.double·", "_sub.Data.n.long·"
	tests := []struct {
		body, want string
		refused    bool
	}{
		{`{"query":{"wildcard":{"Name":"A*"}}}`, `"query":{"wildcard":{"Name.keyword":{"case_insensitive":true,"value":"A*"}}}`, false},
		{`{"query":{"wildcard":{"Name.keyword":"A*"}}}`, `"query":{"wildcard":{"Name.keyword":"A*"}}`, false},
		{`{"query":{"wildcard":{"Name":"?\\É.k*"}}}`, `"query":{"regexp":{"Name.keyword":{"flags":"NONE","value":".(É|é)\\.(k|K|K).*"}}}`, false},
		{`{"query":{"wildcard":{"Name.keyword":{"value":"É","case_insensitive":true}}}}`, `"wildcard":{"Name.keyword"`, false},
		{`{"query":{"match":{"Data.n":{"query":"1","fuzziness":1}}}}`, `"match":{"` + keyword + `":`, false},
		{`{"query":{"match":{"Data.n":{"query":"1","fuzziness":1,"lenient":true}}}}`, `"match":{"Data.n":`, false},
		{`{"query":{"prefix":{"Data.n":"1"}}}`, `"query":{"prefix":{"` + keyword + `":"1"}}`, false},
		{`{"query":{"prefix":{"Name":"1"}}}`, `"query":{"prefix":{"Name":"1"}}`, false},
		{`{"query":{"match_phrase_prefix":{"Data.n":"1"}}}`, `"query":{"constant_score":{"filter":{"prefix":{"_sub.Data.n.words·":{"value":"1"}}}}}`, false},
		{`{"aggs":{"a":{"significant_terms":{"field":"Data.n"}}}}`, `"significant_terms":{"field":"Data.n",`, false},
		{`{"sort":["Name",{"Data.n":"asc"}]}`, `"sort":["Name.keyword",{"_sub.Data.n.own·":"asc"}]`, false},
		{`{"sort":"Data.nope"}`, `"sort":[{"Data.nope":{"unmapped_type":"keyword"}}]`, false},
		{`{"sort":[{"Data.n.keyword":"asc"}]}`, `"sort":[{"` + keyword + `":"asc"}]`, false},
		{`{"query":{"term":{"Data.both":"x"}}}`, `{"Data.both·":"x"}`, false},
		{`{"query":{"exists":{"field":"Data.both"}}}`, `{"constant_score":{"filter":{"bool":{"should":[{"exists":{"field":"Data.both·"}},{"exists":{"field":"Data.both.*"}}]}}}}`, false},
		{`{"query":{"term":{"Data.both.keyword":"x"}}}`, `{"Data.both·.keyword":"x"}`, false},
		{`{"query":{"term":{"Data.both.x":"x"}}}`, `{"Data.both.x":"x"}`, false},
		{`{"query":{"terms":{"Data.n":{"index":"e","id":"1","path":"Data.both"}}}}`, `{"id":"1","index":"e-1","path":"Data.both·"}`, false},
		{`{"query":{"query_string":{"query":"a AND -Data.n.keyword:1 _exists_:Name.double","default_field":"Name"}}}`, `"a AND -` + keyword + `:1 _exists_:` + double + `"`, false},
		{`{"query":{"range":{"Data.both":{"boost":2,"gt":null}}}}`, `{"constant_score":{"boost":2,"filter":{"bool":{"should":[{"exists":{"field":"Data.both·"}},{"exists":{"field":"Data.both.*"}}]}}}}`, false},
		{`{"query":{"range":{"Data.both":{"gt":"a"}}}}`, `{"range":{"Data.both·":{"gt":"a"}}}`, false},
		{`{"query":{"query_string":{"query":"[* TO d]Data.n.keyword:1\u3000Data.n.long:[1 TO 2]"}}}`, `"[* TO d]` + keyword + `:1　` + long + `:[1 TO 2]"`, false},
		{`{"query":{"query_string":{"query":"Data.n:2*"}}}`, `"` + keyword + `:2*"`, false},
		{`{"query":{"query_string":{"query":"Data.n:2* Data.n:a~1","lenient":true}}}`, `"Data.n:2* Data.n:a~1"`, false},
		{`{"query":{"query_string":{"query":"Data.n:* Data.n:2"}}}`, `"Data.n:* Data.n:2"`, false},
		{`{"query":{"query_string":{"query":"Data.n.keyword:1","escape":true}}}`, `"Data.n.keyword:1"`, false},
		{`{"query":{"query_string":{"query":"Data.\\*.long:1 *:2"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"-*","default_field":"Data.both"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"a (*)","fields":["Name","Data.both^2"]}}}`, ``, true},
		{`{"query":{"query_string":{"query":"a _exists_:Data.both"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"Data.both:*"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"Data.both:(a *)^2"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"Data.both:(a b*) * _exists_:Data.both.x"}}}`, `"Data.both·:(a b*) * _exists_:Data.both.x"`, false},
		{`{"query":{"query_string":{"query":"a*","fields":["Data.both"]}}}`, `["Data.both·"]`, false},
		{`{"query":{"query_string":{"query":"Data.\\*.keyword:1"}}}`, `"query":"Data.\\*.keyword:1"`, false}, {`{"query":{"query_string":{"query":"Data.\\*.long:1"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"a","default_field":"*.long"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"a","fields":["*type^2","*a"]}}}`, `"fields":["_none^2","*a"]`, false},
		{`{"query":{"query_string":{"query":"\"a\"","fields":["Data.n"],"quote_field_suffix":".keyword"}}}`, ``, true},
		{`{"query":{"query_string":{"query":"\"a\"","fields":["Name"],"quote_field_suffix":".keyword"}}}`, `".keyword"`, false},
		{`{"query":{"multi_match":{"query":"a","fields":["*.keyword^2","Data.n.long^3"]}}}`, `["*.keyword^2","` + long + `^3"]`, false},
		{`{"query":{"exists":{"field":"*.long"}}}`, `{"field":"_sub.*.long·"}`, false},
		{`{"query":{"exists":{"field":"*.keyword"}}}`, `{"exists":{"field":"*.keyword"}}`, false}, {`{"query":{"exists":{"field":"*e.long"}}}`, `_sub.*e.long·`, false},
		{`{"query":{"field_masking_span":{"field":"Data.*.long","query":{"span_term":{"Data.*.long":"1"}}}}}`, `"field":"Data.*.long"`, false},
		{`{"sort":["Name.double"]}`, `"sort":["` + double + `"]`, false},
		{`{"fields":["Data.n.long",{"field":"*.double","format":"x"}]}`, `"fields":["` + long + `",{"field":"*.double","format":"x"},{"field":"_sub.*.double·","format":"x"}]`, true},
		{`{"query":{"match":{"Data.n.long":{"query":"Data.n.long"}}}}`, `{"` + long + `":{"query":"Data.n.long"}}`, false},
		{`{"query":{"term":{"Data.ok":{"value":"true","case_insensitive":true}}}}`, `"term":{"Data.ok":`, false},
		{`{"query":{"term":{"Data.ok":{"value":"True","case_insensitive":true}}}}`, `"term":{"_sub.Data.ok.keyword·":`, false},
		{`{"query":{"prefix":{"Data.n":"1"}},"highlight":{"fields":{"Data.n.keyword":{}}}}`, ``, true},
		{`{"query":{"prefix":{"Data.n":"1"}},"highlight":{"fields":{"Data.n":{}}}}`, `"highlight":{"fields":{"Data.n":{}}`, false},
		{`{"query":{"multi_match":{"query":"a","fields":["Name^2","Na*"]}}}`, `["Name^2","Na*"]`, false},
		{`{"query":{"multi_match":{"query":"a","fields":["Name^2","_*e","*e"]}}}`, `"Name^2"`, false},
		{`{"query":{"multi_match":{"query":"a","fields":["Name^2","*e^3"]}}}`, ``, true},
		{`{"highlight":{"fields":{"*":{}}},"aggs":{"a":{"top_hits":{"highlight":{"fields":{"Data.n.keyword":{}}}}}}}`, ``, true},
		{`{"highlight":{"fields":{"Name":{}}},"aggs":{"a":{"top_hits":{"highlight":{"fields":{"Data.n.keyword":{}}}}}}}`, `"Name"`, false},
	}
	for _, test := range tests {
		var members object
		if err := decode([]byte(test.body), &members); err != nil {
			t.Fatal(err)
		}
		q, err := (&Index{Env: "e", Name: "e-1", Shards: 1, Fields: fields}).Search(members)
		if !strings.Contains(string(q.Body), test.want) || (err != nil) != test.refused {
			t.Errorf("%s: %s %q", test.body, q.Body, err)
		}
	}
}

// Of a response's fields those stay that a release has, or that the body names.
func TestRestore(t *testing.T) {
	fields := NewFields([]release.Field{{Path: "Data.n", Type: "long", SubFields: []string{"keyword", "long"}}})
	var members object
	if err := decode([]byte(`{"fields":["Data.n.long"],"query":{"term":{"Data.n.keyword":"1"}},"highlight":{"fields":{"*":{}}}}`), &members); err != nil {
		t.Fatal(err)
	}
	q, err := (&Index{Env: "e", Fields: fields, Compared: true}).Search(members)
	if err != nil {
		t.Fatal(err)
	}
	for response, want := range map[string]string{
		`{"fields":{"_sub.Data.n.long·":[1.50],"_sub.Data.n.keyword·":["1"],"Data.n":[1]}}`:                                                                             `{"fields":{"Data.n.long":[1.50],"Data.n":[1]}}`,
		`{"fields":{"_sub.Data.n.keyword·":["1"]},"highlight":{"_sub.Data.n.keyword·":["1"]}}`:                                                                          `{}`,
		`{"fields":{},"highlight":{"Name":["a·b"]}}`:                                                                                                                    `{"fields":{},"highlight":{"Name":["a·b"]}}`,
		`{"_explanation":{"value":1.0,"description":"weight(_sub.Data.n.keyword·:1 in 0) \"x\"","details":[{"description":"a·b"}]}}`:                                    `{"_explanation":{"value":1.0,"description":"weight(Data.n.keyword:1 in 0) \"x\"","details":[{"description":"a·b"}]}}`,
		`{"hits":{"hits":[{"_index":"e-1","_id":"a","_source":{"_sub":{ "rank·":1}},"_ignored":["x"]}]}}`:                                                               `{"hits":{"hits":[{"_id":"a","_source":{"_sub":{ "rank·":1}}}]}}`,
		`{"aggregations":{"_index":{"doc_count":1,"fields":{"_sub.Data.n.keyword·":{}},"h":{"hits":{"hits":[{"_index":"x","fields":{"_sub.Data.n.keyword·":[1]}}]}}}}}`: `{"aggregations":{"_index":{"doc_count":1,"fields":{"_sub.Data.n.keyword·":{}},"h":{"hits":{"hits":[{}]}}}}}`,
		`[{"_shard":"[a][0]","_node":"n","_index":"a","highlight":{"_sub.Data.n.keyword·":["1"]},"sort":[1]}]`:                                                          `[{"sort":[1]}]`,
		` [1 , {"_node":2}] `: `[1,{"_node":2}]`,
	} {
		if got, err := q.Restore(nil, []byte(response)); err != nil || string(got) != want {
			t.Errorf("%s: %s %v", response, got, err)
		}
	}
}
