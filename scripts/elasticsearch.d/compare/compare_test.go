package compare

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// response reads a response in Elasticsearch's form.
func response(t *testing.T, text string) *Response {
	t.Helper()
	a, err := readSearch(200, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestDifference(t *testing.T) {
	const page = `{"hits":{"total":{"value":3},"hits":[{"_index":"x","_id":"a","_score":2.5},{"_id":"b","_score":1.5}]},"aggregations":{"n":{"value":10.5}}}`
	tests := []struct{ name, change, to, want string }{
		{"the same", "", "", ""},
		{"another index", `"_index":"x"`, `"_index":"y"`, ""},
		{"a score within the error", `2.5`, `2.500001`, ""},
		{"a score beyond it", `2.5`, `2.501`, "_score"},
		{"a total", `"value":3`, `"value":4`, "total 4"},
		{"an item", `"a"`, `"c"`, "hit 0: c"},
		{"an item twice", `"b"`, `"a"`, "hit 1: a"},
		{"a number", `10.5`, `10.50001`, "aggregations.n.value"},
		{"a number within the error", `10.5`, `10.500000000001`, ""},
		{"a member", `"value":10.5`, `"value":10.5,"x":1`, `member "x"`},
		{"no aggregations", `,"aggregations":{"n":{"value":10.5}}`, ``, "aggregations"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := difference(response(t, strings.Replace(page, test.change, test.to, 1)), response(t, page), func() *Response { return nil })
			if test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// Items that tie come in any order, also where the page cuts the tie.
func TestTies(t *testing.T) {
	const all = `{"hits":{"total":{"value":3},"hits":[{"_id":"a","_score":1},{"_id":"b","_score":1},{"_id":"c","_score":1},{"_id":"d","_score":0.5}]}}`
	page := func(first, second string) *Response {
		return response(t, `{"hits":{"total":{"value":3},"hits":[{"_id":"`+first+`","_score":1},{"_id":"`+second+`","_score":1}]}}`)
	}
	more := func() *Response { return response(t, all) }
	if diff := difference(page("b", "c"), page("a", "b"), more); diff != "" {
		t.Error(diff)
	}
	if diff := difference(page("a", "d"), page("a", "b"), more); diff == "" {
		t.Error("an item that does not tie is taken")
	}
}

// The parts of an explanation come in any order, and the texts of queries may differ.
func TestExplanations(t *testing.T) {
	const page = `{"hits":{"total":{"value":1},"hits":[{"_id":"a","_explanation":{"value":3.0,"description":"sum of:","details":[
		{"value":1.0,"description":"F:a*","details":[]},
		{"value":2.0,"description":"weight(F:b in 3) [PerFieldSimilarity], result of:","details":[{"value":2.2,"description":"boost","details":[]}]}]}}]}}`
	for _, test := range []struct{ change, to, want string }{
		{"F:a*", "F:[a TO b]", textDiffers},
		{"F:b in 3", "F:c in 4", textDiffers},
		{"sum of:", "max of:", "sum of"},
		{`"boost"`, `"weight"`, "boost"},
		{`1.0,"description":"F:a*"`, `9.0,"description":"F:a*"`, "value 9"},
		{`{"value":2.2,"description":"boost","details":[]}`, "", "theirs"},
		{`1.0,"description":"F:a*"`, `1.000001,"description":"F:a*"`, ""},
	} {
		got := difference(response(t, strings.Replace(page, test.change, test.to, 1)), response(t, page), func() *Response { return nil })
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.to, got, test.want)
		}
	}
}

// So do hits inside of hits.
func TestInnerTies(t *testing.T) {
	const page = `{"hits":{"total":{"value":3},"hits":[{"_id":"x","_score":1,"inner_hits":{"i":{"hits":{"hits":[{"_id":"a","_score":2},{"_id":"b","_score":1},{"_id":"c","_score":1}]}}}}]}}`
	for _, test := range []struct{ change, to, want string }{
		{`"b","_score":1},{"_id":"c"`, `"c","_score":1},{"_id":"b"`, ""},
		{`"c"`, `"d"`, ""},
		{`"a","_score":2},{"_id":"b","_score":1`, `"b","_score":1},{"_id":"a","_score":2`, "hits[0]."},
		{`"a"`, `"b"`, "hits[0]."},
	} {
		got := difference(response(t, strings.Replace(page, test.change, test.to, 1)), response(t, page), func() *Response { return nil })
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.to, got, test.want)
		}
	}
}

// Significant terms that tie come in any order.
func TestSignificant(t *testing.T) {
	const page = `{"hits":{"total":{"value":3},"hits":[]},"aggregations":{"s":{"buckets":[{"key":"a","score":2.5,"bg_count":1},{"key":"b","score":1.5,"bg_count":1},{"key":"c","score":1.5,"bg_count":2}]}}}`
	for _, test := range []struct{ change, to, want string }{
		{`"b","score":1.5,"bg_count":1},{"key":"c","score":1.5,"bg_count":2`, `"c","score":1.5,"bg_count":2},{"key":"b","score":1.5,"bg_count":1`, ""},
		{`"c"`, `"d"`, ""},
		{`"a"`, `"d"`, "key"},
		{`"a","score":2.5,"bg_count":1`, `"a","score":2.5,"bg_count":2`, "bg_count"},
		{`,{"key":"c","score":1.5,"bg_count":2}`, ``, "2 values"},
	} {
		got := difference(response(t, strings.Replace(page, test.change, test.to, 1)), response(t, page), func() *Response { return nil })
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.to, got, test.want)
		}
	}
}

// So do phrase suggestions, but not words, whose frequencies decide.
func TestSuggestions(t *testing.T) {
	const page = `{"hits":{"total":{"value":3},"hits":[]},"suggest":{"s":[{"options":[{"text":"a","score":0.5},{"text":"b","score":0.25},{"text":"c","score":0.25},{"text":"d","score":0.1}]}]}}`
	for _, test := range []struct{ from, change, to, want string }{
		{page, `{"text":"b","score":0.25},{"text":"c","score":0.25}`, `{"text":"c","score":0.25},{"text":"b","score":0.25}`, ""},
		{page, `{"text":"a","score":0.5},{"text":"b","score":0.25}`, `{"text":"b","score":0.5},{"text":"a","score":0.25}`, "text"},
		{page, `"c"`, `"e"`, "text"},
		{strings.ReplaceAll(page, `25}`, `25,"freq":2}`), `"b"`, `"e"`, "text"},
		{strings.ReplaceAll(page, `25}`, `25,"freq":2}`), `"text":"b","score":0.25,"freq":2},{"text":"c"`, `"text":"c","score":0.25,"freq":2},{"text":"b"`, "text"},
	} {
		got := difference(response(t, strings.Replace(test.from, test.change, test.to, 1)), response(t, test.from), func() *Response { return nil })
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.to, got, test.want)
		}
	}
}

// A reason is no excuse for another difference.
func TestReasons(t *testing.T) {
	refused := &Response{Status: 400, Error: `Can only use wildcard queries on keyword, text and wildcard fields - not on [Data.n] which is of type [long]`}
	found := &Response{Status: 200}
	tests := []struct {
		seen
		excused bool
	}{
		{seen{`{}`, ``, found, refused, "status", false, false}, true},
		{seen{`{}`, ``, refused, found, "status", false, false}, false},
		{seen{`{"match":{"Data.n":"x"}}`, ``, found, &Response{Status: 400, Error: `For input string: \"x\"`}, "status", false, false}, false},
		{seen{`{"match_phrase":{"Data.n":"x"}}`, ``, found, &Response{Status: 400, Error: `For input string: \"x\"`}, "status", false, false}, true},
		{seen{`{"match":{"Name":{"query":"a b","fuzziness":1}}}`, ``, found, found, "hit 0, a: ._score: 1, theirs 2", false, false}, true},
		{seen{`{"match":{"Name":{"query":"a b"}}}`, ``, found, found, "hit 0, a: ._score: 1, theirs 2", false, false}, false},
		{seen{`{"multi_match":{"type":"cross_fields"}}`, ``, found, found, "hit 0, a: ._score: 0.0, theirs 2.5", false, false}, false},
		{seen{`{"multi_match":{"type":"cross_fields"}}`, ``, found, &Response{Status: 200, Hits: []Hit{{Rest: object{"_score": json.Number("-2.5")}}}}, "hit 0, a: ._score: 0.0, theirs -2.5", false, false}, true},
		{seen{`{"multi_match":{"type":"cross_fields"}},"min_score":0`, ``, &Response{Status: 200, Total: 3}, found, "total 3, theirs 0", false, false}, true},
		{seen{`{"multi_match":{"type":"cross_fields"}},"min_score":0`, ``, found, &Response{Status: 200, Total: 3}, "total 0, theirs 3", false, false}, false},
		{seen{`{"cardinality":{}}`, ``, found, found, "aggregations.a.value: 1000, theirs 1001", false, false}, true},
		{seen{`{"cardinality":{}}`, ``, found, found, "aggregations.a.value: 1000, theirs 1101", false, false}, false},
		{seen{`{"max":{}}`, ``, found, found, "aggregations.a.value: 1000, theirs 1001", false, false}, false},
		{seen{`{"max":{"field":"a"}},"terminate_after":1`, ``, found, found, `aggregations.a.value_as_string: "2021", theirs "2022"`, false, false}, true},
		{seen{`{"max":{"field":"a"}},"terminate_after":1`, ``, found, found, "aggregations.a.doc_count: 1, theirs 2", false, false}, false},
		{seen{`{"match_phrase":{"PublishedAt":"2021||/2M"}}`, ``, found, &Response{Status: 400, Error: "rounding `/` can only be used on single unit types"}, "status", false, false}, true},
		{seen{``, `{"min_score":1,"sort":[{"CreatedAt":"asc"}],"track_total_hits":10}`, &Response{Status: 200, Total: 3}, found, "total 3, theirs 0", false, false}, true},
		{seen{``, `{"min_score":1,"sort":[{"CreatedAt":"asc"}],"track_total_hits":true}`, &Response{Status: 200, Total: 3}, found, "total 3, theirs 0", false, false}, false},
		{seen{``, `{"min_score":1,"track_total_hits":10}`, &Response{Status: 200, Total: 3}, found, "total 3, theirs 0", false, false}, false},
		{seen{`{}`, `{"range":{"Data.n.keyword":{}}}`, found, &Response{Status: 400}, "status", false, false}, true},
		{seen{`{}`, `{"range":{"Data.n.keyword":{}}}`, &Response{Status: 200, Total: 1}, &Response{Status: 400}, "status", false, false}, false},
		{seen{``, ``, &Response{Status: 400, Error: `Data.rank holds integers, not \"abc\"`}, found, "status", false, false}, true},
		{seen{``, ``, &Response{Status: 400, Error: `Data.rank holds integers, not \"abc\"`}, &Response{Status: 200, Total: 1}, "status", false, false}, false},
		{seen{`{}`, ``, found, found, "total 1, theirs 2", false, false}, false},
		{seen{`{"stats":{}}`, ``, found, found, "aggregations.a.sum: 5.0, theirs 9.0", false, false}, true},
		{seen{`{"stats":{}}`, ``, found, found, "aggregations.a.max: 5.0, theirs 9.0", false, false}, false},
		{seen{`{}`, `{"range":{"Data.n.keyword":{}}}`, found, &Response{Status: 200, Total: 1}, "total", false, false}, true},
		{seen{`{}`, `{"range":{"Data.n.keyword":{"gt":"1"}}}`, found, &Response{Status: 200, Total: 1}, "total", false, false}, false},
		{seen{`{}`, ``, found, found, "total 1, theirs 0", true, false}, true},
		{seen{`{"composite":{}}`, ``, found, found, "aggregations.a.buckets[0].doc_count: 2, theirs 3", false, false}, true},
		{seen{`{"composite":{}}`, ``, found, found, "aggregations.a.buckets[0].doc_count: 3, theirs 2", false, false}, false},
		{seen{`{"composite":{}}`, ``, found, found, "aggregations.a.buckets[0].key.s0: 2, theirs 3", false, false}, false},
		{seen{`{"terms":{}}`, ``, found, found, "aggregations.a.buckets[0].doc_count: 2, theirs 3", false, false}, false},
		{seen{`{"value":-0}`, ``, found, found, "total 1, theirs 0", false, false}, true},
		{seen{`{"value":-0.5}`, ``, found, found, "total 1, theirs 0", false, false}, false},
		{seen{`{"exists":{"field":"Data.big"}}`, ``, found, &Response{Status: 200, Total: 9}, "total", false, false}, true},
		{seen{`{"exists":{"field":"Data.n"}}`, ``, found, &Response{Status: 200, Total: 9}, "total", false, false}, false},
		{seen{`{"fields":["Data.n.date"]}`, ``, found, found, `hit 4, a: : member "fields": {"Data.n.date":["x"]}, theirs null`, false, false}, true},
		{seen{`{"date_histogram":{}}`, ``, found, found, "aggregations.a.buckets[2].key: 4611686016376800000, theirs 9223372035439200000", false, false}, true},
		{seen{`{"top_hits":{},"rescore":{}}`, ``, found, found, `hit 0, a: _explanation: "max of:", theirs "product of:"`, false, false}, true},
		{seen{`{"stats":{}}`, ``, found, found, "aggregations.a.sum: 5.0, theirs 9.0", false, true}, false},
		{seen{`{"percentiles":{}}`, ``, found, found, "aggregations.a.values.50.0: 5.0, theirs 9.0", false, true}, true},
		{seen{`{"exists":{"field":"Data.big"}}`, ``, found, &Response{Status: 200, Total: 9}, "total", false, true}, false},
		{seen{`{"rescore":{}}`, ``, found, found, `hit 0, a: _explanation: "max of:", theirs "product of:"`, false, false}, false},
	}
	for _, test := range tests {
		if got := reason(test.seen); (got != "") != test.excused {
			t.Errorf("%+v: %q", test.seen, got)
		}
	}
}

// The page of differences lists the same reasons.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "edgeserve", "engine", "search", "DIFFERENCES.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "for one of these reasons:\n\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var want []string
	for _, r := range reasons {
		want = append(want, "- "+r.name)
	}
	if len(want) > 10 || list != strings.Join(want, "\n") {
		t.Errorf("%d reasons; the page lists\n%s\nwant\n%s", len(want), list, strings.Join(want, "\n"))
	}
}

func TestOnlyID(t *testing.T) {
	for body, want := range map[string]string{`{"size":1}`: `"ContentID"`, `{"_source":false}`: `false`} {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(onlyID([]byte(body)), &members); err != nil || string(members["_source"]) != want {
			t.Errorf("%s: %s %v", body, members, err)
		}
	}
	if got := onlyID([]byte("null")); string(got) != "null" {
		t.Errorf("%s", got)
	}
}
