package search_test

import (
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

// The words of a leaf count towards minimum_should_match where Elasticsearch makes them the clauses of the query: alone,
// on one field, whose boost only simple_query_string wraps around them.
func TestMinimumOfOneLeaf(t *testing.T) {
	r := snaptest.Open(t, snaptest.Env{Items: []string{
		`{"ContentID":"1","Data":{"t":"luka-por-sinac","k":"x"}}`,
		`{"ContentID":"2","Data":{"t":"luka por","k":"x"}}`,
		`{"ContentID":"3","Data":{"t":"sinac sinora","k":"y"}}`,
		`{"ContentID":"4","Data":{"t":"zoo por","k":"z"}}`,
	}, Analysis: snaptest.Analysis{Version: analysis.Version, Words: analysis.Terms}})
	const both, simple = "query_string", "simple_query_string"
	for _, c := range []struct{ parser, query, options, want string }{
		{both, `luka por`, `"fields":["Data.t^2"],"minimum_should_match":"100%"`, "1 2"},
		{both, `luka-por`, `"fields":["Data.t^0.5"],"minimum_should_match":2`, "1 2"},
		{both, `luka por`, `"fields":["Data.t^2"],"default_operator":"and","minimum_should_match":1`, ""},
		{both, `((luka-por)^3)`, `"fields":["Data.t^2"],"minimum_should_match":2`, "1 2"},
		{both, `luka por`, `"fields":["Data.t^2"],"type":"bool_prefix","minimum_should_match":2`, "1 2"},
		{both, `luka por`, `"fields":["Data.t^2"],"type":"cross_fields","minimum_should_match":2`, "1 2"},
		{both, `luka por`, `"fields":["Data.t^2","Data.k"],"minimum_should_match":2`, "1 2 4"},
		{both, `luka por +zoo`, `"fields":["Data.t^2"],"minimum_should_match":1`, "4"},
		{both, `luka-por zoo*`, `"fields":["Data.t^2"],"minimum_should_match":2`, "4"},
		{both, `luka-por-si*`, `"fields":["Data.t"],"analyze_wildcard":true,"minimum_should_match":"100%"`, "1"},
		{both, `(luka-por-si*)^2`, `"fields":["Data.t^2"],"analyze_wildcard":true,"minimum_should_match":2`, "1 2"},
		{both, `Data.t:luka-por-si*`, `"analyze_wildcard":true,"minimum_should_match":3`, "1"},
		{both, `luka-por-si*`, `"fields":["Data.t"],"analyze_wildcard":true,"default_operator":"and","minimum_should_match":1`, ""},
		{both, `luka-por-si*`, `"fields":["Data.t","Data.k"],"analyze_wildcard":true,"minimum_should_match":3`, "1 2 3 4"},
		{both, `luka-por-si*`, `"fields":["Data.t"],"analyze_wildcard":true`, "1 2 3 4"},
		{both, `+luka-por-si*`, `"fields":["Data.t"],"analyze_wildcard":true,"minimum_should_match":2`, ""},
		{simple, `luka-por-si*`, `"fields":["Data.t"],"analyze_wildcard":true,"minimum_should_match":2`, "1 2"},
		{simple, `+(luka-por-si*)`, `"fields":["Data.t"],"analyze_wildcard":true,"minimum_should_match":3`, "1"},
		{simple, `luka-por-si*`, `"fields":["Data.t^2"],"analyze_wildcard":true,"minimum_should_match":3`, "1 2 3 4"},
		{simple, `luka-por`, `"fields":["Data.t^2"],"minimum_should_match":2`, "1 2 4"},
	} {
		text := fmt.Sprintf(`{"query":{%q:{"query":%q,%s}},"sort":["ContentID"]}`, c.parser, c.query, c.options)
		b, err := body.Parse([]byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		res, err := search.Eval(t.Context(), r, b)
		if err != nil {
			t.Fatal(text, err)
		}
		var ids []string
		for _, doc := range res.Docs {
			ids = append(ids, fmt.Sprint(doc+1))
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%s finds %q, want %q", text, got, c.want)
		}
	}
}
