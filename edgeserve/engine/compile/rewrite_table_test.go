package compile_test

import (
	"testing"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
)

// nothing is the text of a query that can match nothing.
const nothing = `MatchNoDocsQuery("User requested "match_none" query.")`

// TestRewrite prints queries as Lucene does after the rewrite: + is a must, # a filter, - a must_not.
func TestRewrite(t *testing.T) {
	x := newIndex(t, animals...)
	const (
		red, none = `{"term":{"Data.t":"red"}}`, `{"match_none":{}}`
		nope      = `{"term":{"Data.nope":"red"}}`
		all       = `{"match_all":{}}`
	)
	for _, row := range []struct{ query, want string }{
		{red, "Data.t:red"},
		{`{"term":{"Data.t":{"value":"red","boost":2}}}`, "(Data.t:red)^2.0"},
		{`{"bool":{}}`, "*:*"},
		{`{"bool":{"boost":2}}`, "(*:*)^2.0"},
		{`{"bool":{"must":` + red + `}}`, "+Data.t:red"},
		{`{"bool":{"must":` + red + `,"should":` + none + `}}`, "+Data.t:red " + nothing},
		{`{"bool":{"must":[` + red + `,` + none + `]}}`, nothing},
		{`{"bool":{"filter":` + nope + `,"must":` + red + `}}`, nothing},
		{`{"bool":{"should":[` + none + `,` + nope + `]}}`, nothing},
		{`{"bool":{"should":[` + none + `,` + red + `]}}`, nothing + " Data.t:red"},
		{`{"bool":{"must_not":` + none + `}}`, "-" + nothing},
		{`{"bool":{"must_not":` + red + `,"filter":` + all + `}}`, "-Data.t:red #*:*"},
		{`{"bool":{"must":{"bool":{"must":` + none + `}}}}`, nothing},
		{`{"bool":{"must":{"bool":{}},"filter":` + red + `}}`, "+*:* #Data.t:red"},
		{`{"constant_score":{"filter":` + none + `}}`, nothing},
		{`{"constant_score":{"filter":` + red + `,"boost":2}}`, "(ConstantScore(Data.t:red))^2.0"},
		{`{"dis_max":{"queries":[` + none + `,` + red + `]}}`, "dis_max"},
		{`{"dis_max":{"queries":[` + none + `]}}`, "dis_max"},
		{`{"boosting":{"positive":` + none + `,"negative":` + red + `,"negative_boost":0.5}}`, nothing},
		{`{"boosting":{"positive":` + red + `,"negative":` + none + `,"negative_boost":0.5}}`, "boosting"},
		{`{"function_score":{"query":` + none + `,"weight":2}}`, nothing},
		{`{"function_score":{"query":` + red + `,"functions":[{"filter":` + all + `,"weight":2},{"filter":` + none + `,"weight":3}]}}`, "function_score"},
		{nope, nothing},
		{`{"term":{"_index":"demo"}}`, "_index:demo"},
		{`{"term":{"_index":"other"}}`, nothing},
		{`{"term":{"_index":{"value":"OTHER","case_insensitive":true}}}`, "_index:OTHER"},
		{`{"terms":{"_index":["other","demo"]}}`, "terms"},
		{`{"terms":{"_index":["other"]}}`, nothing},
		{`{"terms":{"Data.t":[]}}`, nothing},
		{`{"terms":{"Data.nope":["a"]}}`, nothing},
		{`{"prefix":{"_index":"de"}}`, "_index:de*"},
		{`{"prefix":{"_index":"ot"}}`, nothing},
		{`{"prefix":{"Data.nope":"a"}}`, nothing},
		{`{"wildcard":{"Data.nope":"a*"}}`, nothing},
		{`{"fuzzy":{"Data.nope":"a"}}`, nothing},
		{`{"range":{"Data.nope":{"gt":1}}}`, nothing},
		{`{"range":{"Data.d":{"gt":"2021-01-04"}}}`, nothing},
		{`{"range":{"Data.d":{"lt":"2020-12-31"}}}`, nothing},
		{`{"range":{"Data.d":{"gte":"2021-01-04"}}}`, "Data.d:[1609718400000 TO 9223372036854775807]"},
		{`{"range":{"Data.n":{"gt":1000}}}`, "Data.n:[1001 TO 9223372036854775807]"},
		{`{"exists":{"field":"Data.nope"}}`, nothing},
		{`{"exists":{"field":"Data.t"}}`, "ConstantScore(NormsFieldExistsQuery [field=Data.t])"},
		{`{"ids":{"values":[]}}`, nothing},
		{`{"ids":{"values":["a"]}}`, "ids"},
		{`{"match":{"Data.t":"Red fox"}}`, "Data.t:red Data.t:fox"},
		{`{"bool":{"must":{"match":{"Data.t":"Red fox"}},"should":{"match":{"Data.t":"Hen"}}}}`, "+(Data.t:red Data.t:fox) Data.t:hen"},
		{`{"bool":{"must":{"bool":{"must":` + red + `}},"minimum_should_match":"0"}}`, "+(+Data.t:red)~0"},
		{`{"match":{"Data.k.keyword":"New York"}}`, "Data.k.keyword:New York"},
		{`{"term":{"Data.b":true}}`, "Data.b:T"},
		{`{"range":{"Data.n":{"gte":1.5}}}`, "Data.n:[1.5 TO 9223372036854775807]"},
		{`{"range":{"Data.n":{"gt":1,"lt":9}}}`, "Data.n:[2 TO 8]"},
		{`{"range":{"Data.n":{"lte":9}}}`, "Data.n:[-9223372036854775808 TO 9]"},
		{`{"range":{"Data.t":{"gt":"a","lt":"c"}}}`, "Data.t:{a TO c}"},
		{`{"range":{"Data.t":{"gte":"a"}}}`, "Data.t:[a TO *]"},
		{`{"range":{"Data.t":{"lte":"c"}}}`, "Data.t:[* TO c]"},
		{`{"match":{"Data.nope":"a"}}`, "Data.nope:a"},
	} {
		b, err := body.Parse([]byte(`{"query":` + row.query + `}`))
		if err != nil {
			t.Fatalf("%s: %v", row.query, err)
		}
		got, err := compile.QueryText(scorer.NewWorkLimit(t.Context()), x.r, b)
		ok, _, _ := compile.CanMatch(scorer.NewWorkLimit(t.Context()), x.r, b)
		if err != nil || got != row.want || ok != (row.want != nothing) {
			t.Errorf("%s becomes %s (%v), which can match: %t, want %s", row.query, got, err, ok, row.want)
		}
	}
}

// TestRewriteDropsFilters drops the filters of functions that match everything, without a change to the query itself.
func TestRewriteDropsFilters(t *testing.T) {
	x := newIndex(t, animals...)
	b, err := body.Parse([]byte(`{"query":{"function_score":{"functions":[
		{"filter":{"term":{"Data.t":"red"}},"weight":1},{"filter":{"match_all":{}},"weight":2},{"filter":{"bool":{}},"weight":3}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	x.request(false, func(r *scorer.Request) {
		c := &compile.Compiler{}
		c.Open(r, fields.Resolver{Reader: x.r, Spend: r.Work.Charge})
		out := c.Rewrite(b.Query).(*query.FunctionScore).Functions
		if out[0].Filter == nil || out[1].Filter != nil || out[2].Filter != nil {
			t.Errorf("the filters are %v, %v and %v", out[0].Filter, out[1].Filter, out[2].Filter)
		}
	})
	if before := b.Query.(*query.FunctionScore).Functions; before[1].Filter == nil || before[2].Filter == nil {
		t.Error("the query itself has lost a filter")
	}
}

// TestRewriteKeepsNames has the name of a query, and of the query that takes its place.
func TestRewriteKeepsNames(t *testing.T) {
	x := newIndex(t, animals...)
	none := &query.MatchNone{}
	named := &query.Bool{Must: []query.Node{none}, Boost: 1}
	unnamed := &query.Bool{Boost: 1}
	x.request(false, func(r *scorer.Request) {
		c := &compile.Compiler{Names: map[query.Node]string{named: "outer", none: "inner", unnamed: "all"}}
		c.Open(r, fields.Resolver{Reader: x.r, Spend: r.Work.Charge})
		if out := c.Rewrite(named); out != none || c.Names[out] != "inner" {
			t.Errorf("the query in a bool is named %q", c.Names[out])
		}
		if out := c.Rewrite(unnamed); out.Type() != "match_all" || c.Names[out] != "all" {
			t.Errorf("what a bool without clauses becomes is named %q", c.Names[out])
		}
	})
}
