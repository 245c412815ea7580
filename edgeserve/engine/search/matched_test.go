// This file tests named queries, terms of an item, and the errors of both.

package search_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/hits"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/searchtest"
	"contentedge/edgeserve/engine/snapshot"
)

var namedItems = []string{
	`{"ContentID":"A","CreatedAt":"2021-01-03T00:00:00.000Z","Name":"red fox","Data":{"tags":["red","fox","red"],"n":[7,2],"own":["A","C"]}}`,
	`{"ContentID":"B","CreatedAt":"2021-01-02T00:00:00.000Z","Name":"red hen","Data":{"tags":["hen"],"n":1}}`,
	`{"ContentID":"C","CreatedAt":"2021-01-01T00:00:00.000Z","Name":"fox","Data":{"tags":["fox","hen"],"n":2.5}}`,
}

// matched are the ids that a query finds, each with the names of the queries that match it.
func matched(t *testing.T, text string) (string, error) {
	t.Helper()
	b, err := body.Parse([]byte(`{"query":` + text + `,"sort":["ContentID"]}`))
	if err != nil {
		return "", err
	}
	r := searchtest.Snaptest(t, namedItems)
	res, err := search.EvalHits(scorer.NewWorkLimit(t.Context()), r, b)
	if err != nil {
		return "", err
	}
	var out []string
	names := namesOf(t, r, b, res)
	for i, d := range res.Docs {
		out = append(out, fmt.Sprint(string("ABC"[d]), names[i]))
	}
	return strings.Join(out, " "), nil
}

// namesOf are the matched_queries of the hits of a page.
func namesOf(t *testing.T, r *snapshot.Reader, b *query.Body, res *search.Result) (names [][]string) {
	t.Helper()
	text, err := hits.NewWriterWithoutSource(b).AppendAll(nil, &res.Page, scorer.NewWorkLimit(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	var page []struct {
		Names []string `json:"matched_queries"`
	}
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	for _, h := range page {
		names = append(names, h.Names)
	}
	return names
}

func TestMatched(t *testing.T) {
	var many []string
	for _, name := range strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi") {
		many = append(many, `{"ids":{"values":["A"],"_name":"`+name+`"}}`)
	}
	for _, c := range []struct{ body, want string }{
		{`{"match_all":{}}`, `A[] B[] C[]`},
		// Of queries with one name the last one counts, also if it matches nothing; filters come last.
		{`{"dis_max":{"queries":[{"bool":{"_name":"a"}},{"match_none":{"_name":"a"}}]}}`, `A[] B[] C[]`},
		{`{"dis_max":{"queries":[{"match_none":{"_name":"a"}},{"bool":{"_name":"a"}}]}}`, `A[a] B[a] C[a]`},
		{`{"bool":{"filter":[{"match_all":{"_name":"a"}}],"should":[{"match_none":{"_name":"a"}}],"must_not":[{"ids":{"values":[],"_name":"a"}}]}}`, `A[a] B[a] C[a]`},
		{`{"bool":{"must":[{"match_all":{"_name":"a"}}],"must_not":[{"ids":{"values":["C"],"_name":"a"}}]}}`, `A[] B[]`},
		{`{"bool":{"should":[{"match_all":{"_name":"a"}},{"bool":{"_name":"b","must":[{"term":{"nope":{"value":"x","_name":"a"}}}]}}]}}`, `A[] B[] C[]`},
		{`{"bool":{"should":[{"match_all":{"_name":"a"}},{"bool":{"_name":"b","should":[{"term":{"nope":{"value":"x","_name":"a"}}}]}}]}}`, `A[a] B[a] C[a]`},
		{`{"function_score":{"query":{"match_all":{"_name":"a"}},"functions":[{"filter":{"ids":{"values":["A"],"_name":"a"}},"weight":2}]}}`, `A[a] B[a] C[a]`},
		{`{"bool":{"_name":"both","should":[{"match":{"Name":{"query":"red","_name":"one"}}},{"match":{"Name":{"query":"fox","_name":"two"}}}]}}`, `A[one two both] B[one both] C[two both]`},
		{`{"bool":{"must_not":{"match":{"Name":{"query":"hen","_name":"no"}}},"filter":{"exists":{"field":"Name","_name":"e"}}}}`, `A[e] C[e]`},
		{`{"bool":{"should":[{"term":{"Name":{"value":"red","_name":"x"}}},{"term":{"Name":{"value":"fox","_name":"x"}}},{"match_all":{}}]}}`, `A[x] B[] C[x]`},
		{`{"bool":{"should":[{"bool":{"must":[{"match_none":{}},{"match_all":{"_name":"lost"}}]}},{"match_all":{}}]}}`, `A[] B[] C[]`},
		{`{"bool":{"should":[{"bool":{"must":[{"range":{"CreatedAt":{"lt":"2021"}}},{"match_all":{"_name":"lost"}}]}},{"match_all":{}}]}}`, `A[] B[] C[]`},
		{`{"bool":{"should":[{"bool":{"must":[{"range":{"CreatedAt":{"gt":"2021-01-02","lt":"2021-01-02"}}},{"match_all":{"_name":"kept"}}]}},{"match_all":{}}]}}`, `A[kept] B[kept] C[kept]`},
		{`{"bool":{"should":[{"bool":{"must":[{"distance_feature":{"field":"Data.nope","origin":"2021","pivot":"1d"}},{"match_all":{"_name":"kept"}}]}},{"match_all":{}}]}}`, `A[kept] B[kept] C[kept]`},
		{`{"function_score":{"functions":[{"filter":{"bool":{"_name":"lost"}},"weight":2},{"filter":{"match_all":{"_name":"lost"}},"weight":2},{"filter":{"match":{"Name":{"query":"hen","_name":"f"}}},"weight":2}]}}`, `A[] B[f] C[]`},
		{`{"bool":{"_name":"all"}}`, `A[all] B[all] C[all]`},
		{`{"constant_score":{"_name":"c","filter":{"bool":{"_name":"b","should":[{"term":{"Data.nope":"x"}},{"bool":{}}]}}}}`, `A[b c] B[b c] C[b c]`},
		{`{"terms_set":{"Data.tags":{"terms":["red","fox","hen"],"minimum_should_match_field":"Data.n","_name":"t"}}}`, `A[t] B[t] C[t]`},
		{`{"span_near":{"_name":"all","slop":0,"clauses":[{"span_term":{"Name":{"value":"red","_name":"one"}}},{"span_term":{"Name":{"value":"fox"}}}]}}`, `A[all one]`},
		{`{"span_not":{"include":{"span_term":{"Name":{"value":"red","_name":"in"}}},"exclude":{"span_term":{"Name":{"value":"fox","_name":"ex"}}}}}`, `A[ex in] B[in]`},
		{`{"span_multi":{"_name":"all","match":{"prefix":{"Name":{"value":"re","_name":"lost"}}}}}`, `A[all] B[all]`},
		{`{"bool":{"should":[` + strings.Join(many, ",") + `]}}`, `A[MANY]`},

		{`{"terms":{"Data.tags":{"index":"demo","id":"A","path":"Data.tags"}}}`, `A[] C[]`},
		{`{"terms":{"ContentID.keyword":{"index":"demo","id":"A","path":"Data.own"}}}`, `A[] C[]`},
		{`{"terms":{"Data.n":{"index":"demo","id":"A","path":"Data.n"}}}`, `A[]`},
		{`{"terms":{"Data.tags":{"index":"demo","id":"none","path":"Data.tags"}}}`, ``},
		{`{"terms":{"Data.tags":{"index":"demo","id":"A","path":"Data.none"}}}`, ``},
		{`{"terms_set":{"Data.tags":{"terms":["red","hen"],"minimum_should_match_field":"Data.n"}}}`, `B[]`},
	} {
		want := strings.Replace(c.want, "MANY", manyNames, 1)
		if got, err := matched(t, c.body); err != nil || got != want {
			t.Errorf("%s\ngot  %s %v\nwant %s", c.body, got, err, want)
		}
	}
}

// What stands beside a query that can match nothing has no errors, as in Elasticsearch.
func TestHiddenErrors(t *testing.T) {
	for _, c := range []struct {
		beside string
		hidden bool
	}{
		{`{"range":{"CreatedAt":{"gte":"2022"}}}`, true},
		{`{"bool":{"must":{"constant_score":{"filter":{"ids":{"values":[]}}}}}}`, true},
		{`{"boosting":{"positive":{"exists":{"field":"Data.nope"}},"negative":{"match_all":{}},"negative_boost":1}}`, true},
		{`{"function_score":{"query":{"term":{"Data.nope":"x"}},"weight":2}}`, true},
		{`{"dis_max":{"queries":[{"match_none":{}}]}}`, false},
		{`{"match":{"Data.nope":"x"}}`, false},
		{`{"distance_feature":{"field":"Data.nope","origin":"2021","pivot":"1d"}}`, false},
		{`{"intervals":{"Data.nope":{"match":{"query":"x"}}}}`, false},
	} {
		got, err := matched(t, `{"bool":{"filter":[`+c.beside+`,{"regexp":{"Name":"("}}]}}`)
		if (err == nil) != c.hidden || got != "" {
			t.Errorf("%s: %s %v", c.beside, got, err)
		}
	}
}

func TestLookupErrors(t *testing.T) {
	for body, want := range map[string]string{
		`{"bool":{"must":[{"match_none":{}},{"terms":{"Name":{"index":"other","id":"A","path":"Name"}}}]}}`: `terms can be looked up in the environment that is searched only, "demo", not in "other": write the terms themselves`,
		`{"terms_set":{"Name":{"terms":["a"],"minimum_should_match_field":"Name"}}}`:                        `"Name" holds no numbers, of which terms_set needs one for each item`,
		`{"terms_set":{"Name":{"terms":["a"],"minimum_should_match_field":"Data.nope"}}}`:                   `"Data.nope" holds no numbers, of which terms_set needs one for each item`,
	} {
		_, err := matched(t, body)
		var e *query.Error
		if !errors.As(err, &e) || e.Message != want {
			t.Errorf("%s\ngot  %v\nwant %s", body, err, want)
		}
	}
}

// manyNames is the order in which Elasticsearch 7.10.2 tells these names.
const manyNames = "zeta iota nu delta mu theta epsilon xi lambda eta alpha kappa beta gamma"

// A post_filter has names too.
func TestMatchedPostFilter(t *testing.T) {
	b, err := body.Parse([]byte(`{"query":{"match":{"Name":{"query":"red","_name":"q"}}},"post_filter":{"term":{"Data.tags":{"value":"hen","_name":"p"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	r := searchtest.Snaptest(t, namedItems)
	res, err := search.EvalHits(scorer.NewWorkLimit(t.Context()), r, b)
	if err != nil || len(res.Docs) != 1 {
		t.Fatalf("%v %v", res, err)
	}
	if names := fmt.Sprint(namesOf(t, r, b, res)); names != "[[q p]]" && names != "[[p q]]" {
		t.Error(names)
	}
}
