package encode

import (
	"encoding/json"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// TestEncode shows bodies and the members that are written for them: what a body may leave out is left out.
func TestEncode(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, `{}`},
		{`{"from":0,"size":10,"min_score":0.1,"terminate_after":5,"track_total_hits":true}`, `{"from":0,"min_score":0.1,"size":10,"terminate_after":5,"track_total_hits":true}`},
		{`{"track_total_hits":-1,"timeout":"1s"} // a comment`, `{"track_total_hits":false}`},
		{`{"search_after":[1.0,"a",null,true],"sort":["a",{"b":{"order":"desc","missing":"_first"}}]}`, `{"search_after":[1.0,"a",null,true],"sort":[{"a":{"order":"asc"}},{"b":{"missing":"_first","order":"desc"}}]}`},
		{`{"_source":"a","version":true}`, `{"_source":{"includes":["a"]},"version":true}`},
		{`{"stored_fields":"_none_"}`, `{"_source":false,"stored_fields":"_none_"}`},
		{`{"query":{"term":{"F":1e2}}}`, `{"query":{"term":{"F":{"value":100.0}}}}`},
		{`{"query":{"terms":{"F":["a",1],"boost":0.1,"_name":"n"}}}`, `{"query":{"terms":{"F":["a",1],"_name":"n","boost":0.1}}}`},
		{`{"query":{"range":{"F":{"from":"now-1d/d","include_lower":false,"to":5}}}}`, `{"query":{"range":{"F":{"gt":"now-1d/d","lte":5}}}}`},
		{`{"query":{"bool":{"must_not":{"match_all":{}},"adjust_pure_negative":false}}}`, `{"query":{"bool":{"adjust_pure_negative":false,"must_not":[{"match_all":{}}]}}}`},
		{`{"query":{"query_string":{"query":"a AND (","minimum_should_match":"2<75%","fields":["F^1","G"]}}}`, `{"query":{"query_string":{"fields":["F^1","G"],"minimum_should_match":"2<75%","query":"a AND ("}}}`},
		{`{"query":{"query_string":{"query":"a(b","escape":true}}}`, `{"query":{"query_string":{"query":"a\\(b"}}}`},
		{`{"query":{"simple_query_string":{"query":"a|b","flags":"OR|AND"}}}`, `{"query":{"simple_query_string":{"flags":5,"query":"a|b"}}}`},
		{`{"query":{"wrapper":{"query":"eyJtYXRjaF9hbGwiOnt9fQ=="}}}`, `{"query":{"match_all":{}}}`},
		{`{"query":{"function_score":{"gauss":{"F":{"origin":1,"scale":"2d"}}}}}`, `{"query":{"function_score":{"functions":[{"gauss":{"F":{"origin":1,"scale":"2d"}}}]}}}`},
		{`{"query":{"more_like_this":{"like":{"doc":{"a":{"b":["x",1.0]}}}}}}`, `{"query":{"more_like_this":{"like":[{"doc":{"a.b":["x","1.0"]}}]}}}`},
		{`{"query":{"span_near":{"clauses":[{"span_term":{"F":"a"}},{"span_gap":{"F":2}}],"in_order":false}}}`, `{"query":{"span_near":{"clauses":[{"span_term":{"F":{"value":"a"}}},{"span_gap":{"F":2}}],"in_order":false}}}`},
	} {
		b, err := body.Parse([]byte(c.in))
		if err != nil {
			t.Fatalf("%s: %v", c.in, err)
		}
		if got := written(t, b); got != c.want {
			t.Errorf("%s\n is written as %s\n        but wanted %s", c.in, got, c.want)
		}
	}
}

// written returns the members of a body as text.
func written(t *testing.T, b *query.Body) string {
	members, err := Body(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := out.Encode(members); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
