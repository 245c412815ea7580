package translate

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/encode"
	"contentedge/edgeserve/wire/release"
)

// forwarded are fields of all types.
var forwarded = NewFields([]release.Field{
	{Path: "ContentID", Type: "text", SubFields: []string{"keyword"}},
	{Path: "CreatedAt", Type: "date", SubFields: []string{"keyword", "date"}},
	{Path: "Data.both", Type: "text", SubFields: []string{"keyword"}},
	{Path: "Data.both.x", Type: "text", SubFields: []string{"keyword"}},
	{Path: "Data.mixed", Type: "text", SubFields: []string{"keyword", "long"}},
	{Path: "Data.n", Type: "long", SubFields: []string{"keyword", "long"}},
	{Path: "Data.ok", Type: "boolean", SubFields: []string{"keyword", "boolean"}},
	{Path: "Data.price", Type: "float", SubFields: []string{"keyword", "double"}},
	{Path: "Data.when", Type: "date", SubFields: []string{"keyword", "date"}},
	{Path: "Name", Type: "text", SubFields: []string{"keyword"}},
})

func forward(shards int) *Index {
	return &Index{Env: "site", Name: "site-0123", Shards: shards, Fields: forwarded}
}

// A forwarder has the values of a release: ids and names that all items share, numbers once, letters of numbers.
func TestForward(t *testing.T) {
	for body, want := range map[string]string{
		`"query":{"term":{"_index":"site"}}`:                                                 `"query":{"match_all":{}}`,
		`"query":{"term":{"_index":{"value":"site-0123","boost":2}}}`:                        `"query":{"match_none":{"boost":2}}`,
		`"query":{"terms":{"_type":["x","_doc"],"_name":"a"}}`:                               `"query":{"match_all":{"_name":"a"}}`,
		`"query":{"exists":{"field":"_index"}}`:                                              `"query":{"match_all":{}}`,
		`"query":{"prefix":{"_index":"s"}}`:                                                  "! _index",
		`"aggs":{"a":{"terms":{"field":"_index"}}}`:                                          `"terms":{"field":"_sub.none·","missing":"site"}`,
		`"sort":["_type"]`:                                                                   `"sort":[{"_sub.none·":{"missing":"_doc"}}]`,
		`"sort":[{"_index":{"order":"desc"}}],"search_after":["a"]`:                          "! hits after a value of _index",
		`"query":{"term":{"_id":"a"}}`:                                                       `{"term":{"_id":"a"}}`,
		`"query":{"term":{"_id":{"value":"a","case_insensitive":true,"boost":2}}}`:           `{"constant_score":{"boost":2,"filter":{"term":{"ContentID.keyword":{"case_insensitive":true,"value":"a"}}}}}`,
		`"query":{"range":{"_id":{"gt":"a"}}}`:                                               `{"range":{"ContentID.keyword":{"gt":"a"}}}`,
		`"query":{"ids":{"values":["Data.n.keyword"]}}`:                                      `{"ids":{"values":["Data.n.keyword"]}}`,
		`"sort":[{"Status":{"order":"asc"}},"Status"]`:                                       `"sort":[{"Status":{"order":"asc","unmapped_type":"keyword"}},{"Status":{"unmapped_type":"keyword"}}]`,
		`"sort":["_id","_doc",{"_seq_no":"desc"}]`:                                           `"sort":["ContentID.keyword","_sub.rank·",{"_sub.rank·":"desc"}]`,
		`"query":{"range":{"_seq_no":{"gt":3}}}`:                                             `{"range":{"_sub.rank·":{"gt":3}}}`,
		`"query":{"terms":{"Name":{"index":"site","id":"a","path":"Data.both"}}}`:            `{"terms":{"Name":{"id":"a","index":"site-0123","path":"Data.both·"}}}`,
		`"query":{"terms":{"Name":{"index":"site","id":"a","path":"Data"},"boost":2}}`:       `{"match_none":{"boost":2}}`,
		`"query":{"exists":{"field":"Data.n"}}`:                                              `{"exists":{"field":"_sub.Data.n.keyword·"}}`,
		`"query":{"exists":{"field":"Data.n.keyword"}}`:                                      `{"match_none":{}}`,
		`"query":{"range":{"Data.n":{"boost":3}}}`:                                           `{"exists":{"boost":3,"field":"_sub.Data.n.keyword·"}}`,
		`"query":{"match_phrase":{"Data.when":"2024-01-01"}}`:                                `{"match_phrase":{"Data.when":"2024-01-01"}}`,
		`"query":{"match_phrase":{"Data.when":"now-1d/d"}}`:                                  `{"match_phrase":{"Data.when":"now-1d/d"}}`,
		`"query":{"match_phrase":{"Data.when":{"query":"2024 01","boost":2}}}`:               `{"constant_score":{"boost":2,"filter":{"match_phrase":{"_sub.Data.when.words·":{"query":"2024 01"}}}}}`,
		`"query":{"match_phrase":{"Data.when":{"query":"2024 01","slop":100}}}`:              "! slop",
		`"query":{"match_phrase_prefix":{"Data.n":{"query":"1 2","max_expansions":1}}}`:      `{"match_phrase_prefix":{"_sub.Data.n.words·":{"max_expansions":16384,"query":"1 2"}}}`,
		`"query":{"prefix":{"Data.mixed.long":"1"}}`:                                         "! letters or words of a sub-field",
		`"query":{"term":{"Name.keyword":{"value":"","case_insensitive":true}}}`:             `{"term":{"Name.keyword":{"value":""}}}`,
		`"query":{"function_score":{"random_score":{"seed":7}}}`:                             `"random_score":{"field":"ContentID.keyword","seed":` + string(seedOf(json.Number("7"), "site", "site-0123")) + `}`,
		`"query":{"function_score":{"functions":[{"gauss":{"Data.n":{"scale":1}}}]}}`:        `{"gauss":{"_sub.Data.n.own·":{"scale":1}}}`,
		`"query":{"more_like_this":{"fields":["Na*","Data.both"],"like":"Name"}}`:            `"fields":["Na*","Data.both·"],"like":"Name"`,
		`"query":{"wrong":{"Name":"a"}}`:                                                     "! a query wrong",
		`"query":{"terms":{"Name":["Data.n.keyword"]}}`:                                      `{"terms":{"Name":["Data.n.keyword"]}}`,
		`"query":{"query_string":{"query":"Data.n:2*","default_field":"Name"}}`:              `"_sub.Data.n.keyword·:2*"`,
		`"query":{"query_string":{"query":"_exists_:Data.n"}}`:                               `"_exists_:_sub.Data.n.keyword·"`,
		`"query":{"query_string":{"query":"_exists_:Data.n.keyword"}}`:                       `"_exists_:_none"`,
		`"aggs":{"Data.n.keyword":{"meta":{"Data.n.keyword":1},"avg":{"field":"Data.n"}}}`:   `{"Data.n.keyword":{"avg":{"field":"_sub.Data.n.own·"},"meta":{"Data.n.keyword":1}}}`,
		`"aggs":{"a":{"filters":{"filters":{"Data.n.keyword":{"term":{"Data.both":"x"}}}}}}`: `{"Data.n.keyword":{"term":{"Data.both·":"x"}}}`,
		`"aggs":{"a":{"composite":{"sources":[{"Name":{"terms":{"field":"Data.n"}}}]}}}`:     `[{"Name":{"terms":{"field":"_sub.Data.n.own·"}}}]`,
		`"aggs":{"a":{"min":{"field":"CreatedAt"}}}`:                                         `{"min":{"field":"CreatedAt"}}`,
		`"suggest":{"text":"Name","Data.n.keyword":{"term":{"field":"Data.n.keyword"}}}`:     `"suggest":{"Data.n.keyword":{"term":{"field":"_sub.Data.n.keyword·"}},"text":"Name"}`,
		`"collapse":{"field":"Data.n","inner_hits":{"name":"Data.n","sort":["Data.n"]}}`:     `{"field":"Data.n","inner_hits":{"name":"Data.n","sort":["_sub.Data.n.own·"]}}`,
		`"docvalue_fields":["Data.n"]`:                                                       `"docvalue_fields":["Data.n"]`,
		`"docvalue_fields":["Data.n.long"]`:                                                  "! once each",
		`"highlight":{"fields":{"Data.n.long":{}}}`:                                          "! once each",
		`"track_total_hits":5`:                                                               `"track_total_hits":true`,
	} {
		q, err := forward(1).Search(decoded(t, "{"+body+"}"))
		if refused, ok := strings.CutPrefix(want, "! "); ok {
			if err == nil || !strings.Contains(err.Error(), refused) {
				t.Errorf("%s: %s %v", body, q.Body, err)
			}
			continue
		}
		if err != nil || !strings.Contains(string(q.Body), want) {
			t.Errorf("%s: %s %v\nwant %s", body, q.Body, err, want)
		}
		if q.Query.Encode() != "allow_partial_search_results=false" {
			t.Errorf("%s: %s", body, q.Query.Encode())
		}
	}
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var members object
	if err := decode([]byte(text), &members); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return members
}

// With several shards the rank decides ties, in hits of buckets and inside of hits, too.
func TestTies(t *testing.T) {
	const rank = `{"_sub.rank·":"asc"}`
	for body, want := range map[string]string{
		``:                                      `"sort":["_score",` + rank + `],"track_scores":true`,
		`"size":0`:                              `{"_source":false,"size":0,"track_total_hits":true}`,
		`"sort":["Name"],"search_after":["a"]`:  `"search_after":["a",4611686018427387904],"sort":["Name.keyword",` + rank + `]`,
		`"sort":["_doc"]`:                       `"sort":["_sub.rank·"]`,
		`"sort":[{"_seq_no":{"order":"desc"}}]`: `"sort":[{"_sub.rank·":{"order":"desc"}}]`,
		`"size":0,"aggs":{"a":{"top_hits":{"sort":["Name"]}}}`:                                       `{"top_hits":{"sort":["Name.keyword",` + rank + `]}}`,
		`"size":0,"aggs":{"a":{"top_hits":{}}}`:                                                      `{"top_hits":{"sort":["_score",` + rank + `],"track_scores":true}}`,
		`"collapse":{"field":"Name.keyword","inner_hits":[{"name":"i"}]},"sort":["Name"]`:            `"inner_hits":[{"name":"i","sort":["_score",` + rank + `],"track_scores":true}]`,
		`"rescore":{"query":{"rescore_query":{"term":{"Data.both":"x"}}}}`:                           `{"_source":false,"rescore":{"query":{"rescore_query":{"term":{"Data.both·":"x"}}}},"track_total_hits":true}`,
		`"size":0,"aggs":{"a":{"terms":{"field":"Name.keyword","size":9000}}}`:                       `"shard_size":18000`,
		`"size":0,"aggs":{"a":{"terms":{"field":"Name.keyword"}}}`:                                   `"shard_size":16384`,
		`"size":0,"aggs":{"a":{"composite":{"sources":[{"s":{"terms":{"field":"Name.keyword"}}}]}}}`: `[{"s":{"terms":{"field":"Name.keyword"}}}]`,
	} {
		q, err := forward(3).Search(decoded(t, "{"+body+"}"))
		if err != nil || !strings.Contains(string(q.Body), want) {
			t.Errorf("%s: %s %v\nwant %s", body, q.Body, err, want)
		}
		if q.Query.Get("search_type") != "dfs_query_then_fetch" {
			t.Errorf("%s: %v", body, q.Query)
		}
		if one, err := forward(1).Search(decoded(t, "{"+body+"}")); err != nil || strings.Contains(string(one.Body), rank) || one.Query.Has("search_type") {
			t.Errorf("one shard: %s: %s %v", body, one.Body, err)
		}
	}
}

// What only lists and parameters ask is written with the names of the index.
func TestOther(t *testing.T) {
	x := forward(1)
	word := &query.Match{Field: "Data.n", Text: query.Value{Text: "5"}, Lenient: true, And: true, Boost: 1}
	word.MaxExpansions = query.DefaultExpansions
	for i, tt := range []struct {
		n    query.Node
		want string
	}{
		{&compile.KeywordTerm{Field: "Name", Text: "a"}, `{"constant_score":{"filter":{"term":{"Name.keyword":{"value":"a"}}}}}`},
		{&compile.KeywordTerm{Field: "Data.n", Text: "5"}, `{"constant_score":{"filter":{"term":{"_sub.Data.n.keyword·":{"value":"5"}}}}}`},
		{&compile.KeywordTerm{Field: "Data.both", Text: "5"}, `{"constant_score":{"filter":{"term":{"Data.both·.keyword":{"value":"5"}}}}}`},
		{&compile.KeywordTerm{Field: "Data.none", Text: "5"}, `{"match_none":{}}`},
		{&compile.TypedOnly{Match: word}, `{"match":{"Data.n":{"lenient":true,"operator":"and","query":"5"}}}`},
		{&compile.TypedOnly{Match: &query.Match{Field: "Name"}}, `{"match_none":{}}`},
		{&compile.WordBelow{Prefix: "Data.", Word: "a"}, `{"dis_max":{"queries":[{"term":{"Data.both·":{"value":"a"}}},{"term":{"Data.both.x":{"value":"a"}}},{"term":{"Data.mixed":{"value":"a"}}}]}}`},
		{&compile.WordBelow{Prefix: "Data.n", Word: "5"}, `{"dis_max":{"queries":[{"term":{"_sub.Data.n.words·":{"value":"5"}}}]}}`},
		{&compile.WordBelow{Prefix: "Data.ok", Word: "true"}, `{"dis_max":{"queries":[{"term":{"_sub.Data.ok.words·":{"value":"true"}}}]}}`},
		{&compile.WordBelow{Prefix: "Data.ok", Word: "5"}, `{"match_none":{}}`},
		{&compile.ElementNamed{Name: "n"}, `{"constant_score":{"filter":{"bool":{"should":[{"exists":{"field":"Data.n"}},{"exists":{"field":"_sub.Data.n.keyword·"}}]}}}}`},
		{&compile.ElementNamed{Name: "m"}, `{"match_none":{}}`},
		{&encode.ExactKey{Key: query.SortKey{Field: "Name", Asc: true}}, `{"Name.keyword":{"order":"asc"}}`},
		{&encode.ExactKey{Key: query.SortKey{Field: "Data.mixed"}}, `{"_sub.Data.mixed.order·":{"order":"desc"}}`},
		{&encode.ExactKey{Key: query.SortKey{Field: "Data.price"}}, `{"_sub.Data.price.double·":{"order":"desc"}}`},
		{&encode.ExactKey{Key: query.SortKey{Field: "Data.n"}}, `{"Data.n":{"order":"desc"}}`},
		{&encode.ExactKey{Key: query.SortKey{Field: "Data.none"}}, `{"_sub.none·":{"order":"desc"}}`},
		{&encode.ExactKey{Key: query.SortKey{Field: "Data.n.keyword"}}, `{"_sub.none·":{"order":"desc"}}`},
		{&query.MatchAll{}, `null`},
	} {
		members, _ := x.Other(tt.n)
		if got, err := json.Marshal(members); err != nil || string(got) != tt.want {
			t.Errorf("%d %T: %s %v\nwant %s", i, tt.n, got, err, tt.want)
		}
	}
	var many []release.Field
	for i := range maxClauses + 1 {
		many = append(many, release.Field{Path: "Data.f" + strings.Repeat("x", i), Type: "text", SubFields: []string{"keyword"}})
	}
	x.Fields = NewFields(many)
	if _, ok := x.Other(&compile.WordBelow{Prefix: "Data.", Word: "a"}); ok {
		t.Error("more clauses than an engine takes")
	}
}

// An index mixes its own name into a seed; the changed seed is mixed into what a release has.
func TestSeed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		seed := json.Number(big(r))
		changed := seedOf(seed, "site", "site-0123")
		v := func(n json.Number) *query.Value { return &query.Value{Kind: query.Number, Text: string(n)} }
		if a, b := compile.RandomSeed(v(seed))^compile.RandomSalt("site"), compile.RandomSeed(v(changed))^compile.RandomSalt("site-0123"); a != b {
			t.Fatalf("%s becomes %s: %d %d", seed, changed, a, b)
		}
	}
	if seedOf("a", "site", "x") == seedOf(json.Number("1"), "site", "x") {
		t.Error("texts are no seeds")
	}
}

func big(r *rand.Rand) string {
	text, _ := json.Marshal(r.Int64() >> r.IntN(60))
	return string(text)
}

// FuzzSearch translates bodies of any form, and twice the same text.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{`{"query":{"bool":{"must":[{"term":{"Data.n":1}}]}},"sort":["Name",1,{"Data.n":5}]}`, `{"aggs":{"a":{"composite":{"sources":[{"x":{"terms":{"field":"Data.n"}}}]}}}}`,
		`{"collapse":{"field":"Name","inner_hits":[1,{"highlight":{"fields":[{"Name":1}]}}]},"rescore":[1]}`, `{"query":{"query_string":{"query":"Data.n:a* \\","fields":[1,"*^2"]}},"suggest":{"a":{"phrase":{"direct_generator":[1]}}}}`,
		`{"query":{"function_score":{"functions":[1,{"filter":5}],"random_score":{"seed":"x"}}},"size":0,"docvalue_fields":["*",{"field":"Da*"}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, x := range []*Index{forward(1), forward(3), {Env: "site", Name: "site", Shards: 1, Fields: forwarded, Compared: true}} {
			var bodies []string
			for range 2 {
				var members object
				if decode(text, &members) != nil || members == nil {
					return
				}
				q, err := x.Search(members)
				if q == nil {
					t.Fatalf("%s: %v", text, err)
				}
				if err == nil {
					bodies = append(bodies, string(q.Body))
				}
			}
			if len(slices.Compact(bodies)) > 1 {
				t.Fatalf("%s: %s", text, bodies)
			}
		}
	})
}

// FuzzRestore copies responses of any form to JSON.
func FuzzRestore(f *testing.F) {
	for _, seed := range []string{`{"hits":{"hits":[{"_index":"a","fields":{"_sub.Data.n.long·":[1]},"highlight":{}}]}}`, `{"_explanation":{"description":"_sub.Data.n.long·:\"\\u00e9·\""}}`, `[{"_index":"x"}]`, ` "a"`, `{"fields":[]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		q := &Question{fields: forwarded}
		got, err := q.Restore([]byte("x"), text)
		if (err == nil) != json.Valid(text) || err == nil && !json.Valid(got[1:]) {
			t.Fatalf("%q: %q %v", text, got, err)
		}
	})
}
