// This file compares scores with those of Elasticsearch 7.10.2, which answered the same queries over
// the same items in an index named lit.

package search_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/pattern"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/search"
	"contentedge/edgeserve/engine/snapshot"
	"contentedge/edgeserve/engine/snapshot/snaptest"
)

func openLit(t *testing.T) *snapshot.Reader {
	return snaptest.Open(t, snaptest.Env{Name: "lit", Sort: "ContentID", Asc: true, Items: []string{
		`{"ContentID":"a","Name":"quick brown fox","CreatedAt":"2021-04-23T00:00:00.000Z","Data":{"n":[3,9],"f":1.5,"t":"the quick brown fox jumps over the lazy dog"}}`,
		`{"ContentID":"b","Name":"lazy dog","CreatedAt":"2021-05-01T12:00:00.000Z","Data":{"n":[12],"t":"a lazy dog and a quick fox"}}`,
		`{"ContentID":"c","Name":"brown bread","CreatedAt":"2020-01-01T00:00:00.000Z","Data":{"f":0.25,"t":"fox quick fox brown quick"}}`,
		`{"ContentID":"d","Name":"fox","Data":{"t":["the end of the fox","dog days"]}}`,
	}, Analysis: snaptest.Analysis{
		Version: analysis.Version, Words: analysis.Terms, Length: analysis.EncodeLength, Factors: analysis.LengthFactors,
		Date: analysis.ReadDate, IsDate: analysis.IsDate, Fold: pattern.FoldRune,
	}})
}

func TestScoresOfElasticsearch(t *testing.T) {
	r := openLit(t)
	for _, c := range []struct{ query, want string }{
		{`{"function_score":{"weight":2,"query":{"match":{"Name":"fox"}},"boost":3}}`, `d 5.22831 a 3.45266`},
		{`{"function_score":{"query":{"match":{"Data.t":"fox"}},"field_value_factor":{"field":"Data.n","factor":1.2,"modifier":"log1p","missing":1}}}`, `b 0.125118 a 0.0625209 c 0.0539416 d 0.0360778`},
		{`{"function_score":{"query":{"match":{"Data.t":"fox"}},"field_value_factor":{"field":"Data.f","modifier":"reciprocal","missing":4},"boost_mode":"sum"}}`, `c 4.15753 a 0.761001 b 0.355361 d 0.355361`},
		{`{"function_score":{"functions":[{"filter":{"match":{"Name":"fox"}},"weight":3},{"field_value_factor":{"field":"Data.n","modifier":"sqrt","missing":2},"weight":0.5}],"score_mode":"avg","boost_mode":"replace"}}`, `b 3.4641 c 1.41421 a 1.10458 d 1.05917`},
		{`{"function_score":{"functions":[{"filter":{"match":{"Name":"dog"}},"weight":3},{"filter":{"match":{"Name":"fox"}},"weight":5}],"score_mode":"first"}}`, `a 5 d 5 b 3 c 1`},
		{`{"function_score":{"query":{"match":{"Data.t":"dog"}},"functions":[{"weight":3},{"weight":5}],"score_mode":"min","max_boost":2.5,"boost_mode":"avg"}}`, `b 1.42834 d 1.42834 a 1.40967`},
		{`{"function_score":{"gauss":{"Data.n":{"origin":5,"scale":3,"offset":1},"multi_value_mode":"avg"}}}`, `c 1 d 1 a 0.734867 b 0.0625`},
		{`{"function_score":{"exp":{"Data.n":{"origin":5,"scale":3,"decay":0.3},"multi_value_mode":"max"}}}`, `c 1 d 1 a 0.20083 b 0.060249`},
		{`{"function_score":{"linear":{"CreatedAt":{"origin":"2021-05-01","scale":"10d","offset":"12h"}}}}`, `b 1 d 1 a 0.625 c 0`},
		{`{"function_score":{"linear":{"CreatedAt":{"origin":"2021-05-01","scale":"10d"}},"min_score":0.7}}`, `d 1 b 0.975`},
		{`{"function_score":{"linear":{"CreatedAt":{"origin":"2021-05-01","scale":"10d"}},"min_score":0.7,"boost":0}}`, `b 0 d 0`},
		{`{"bool":{"filter":{"function_score":{"weight":2,"boost":3.7,"min_score":4}}}}`, ``},
		{`{"bool":{"filter":{"function_score":{"weight":2,"boost":0.1,"min_score":1}}}}`, `a 0 b 0 c 0 d 0`},
		{`{"bool":{"must":{"match_all":{}},"filter":[{"function_score":{"weight":2,"boost":0.1,"min_score":1}},{"match_all":{}}]}}`, `a 1 b 1 c 1 d 1`},
		{`{"bool":{"filter":{"bool":{"must":{"function_score":{"weight":2,"boost":3.7,"min_score":4}},"boost":2}}}}`, ``},
		{`{"bool":{"must":{"bool":{"filter":{"function_score":{"weight":2,"boost":3.7,"min_score":4}},"boost":2}}}}`, ``},
		{`{"bool":{"filter":{"dis_max":{"queries":[{"function_score":{"weight":2,"boost":3.7,"min_score":4}}]}}}}`, ``},
		{`{"bool":{"filter":[{"function_score":{"weight":2,"boost":3.7,"min_score":4}},{"exists":{"field":"Name"}}]}}`, `a 0 b 0 c 0 d 0`},
		{`{"bool":{"must_not":{"term":{"Name":"none"}},"filter":{"function_score":{"weight":2,"boost":3.7,"min_score":4}}}}`, `a 0 b 0 c 0 d 0`},
		{`{"constant_score":{"filter":{"function_score":{"weight":2,"boost":3.7,"min_score":4}}}}`, ``},
		{`{"function_score":{"weight":3,"boost_mode":"sum","boost":0}}`, `a 0 b 0 c 0 d 0`},
		{`{"bool":{"must":{"function_score":{"weight":3,"boost_mode":"sum"}},"boost":2}}`, `a 5 b 5 c 5 d 5`},
		{`{"boosting":{"positive":{"function_score":{"weight":3,"boost_mode":"sum"}},"negative":{"match":{"Name":"dog"}},"negative_boost":0.5,"boost":2}}`, `a 8 c 8 d 8 b 4`},
		{`{"boosting":{"positive":{"function_score":{"weight":3,"boost_mode":"sum","min_score":5}},"negative":{"match_none":{}},"negative_boost":0.5,"boost":2}}`, ``},
		{`{"function_score":{"functions":[{"filter":{"bool":{"minimum_should_match":-1}},"weight":0}],"score_mode":"avg"}}`, `a 0 b 0 c 0 d 0`},
		{`{"function_score":{"functions":[{"filter":{"ids":{"values":["a","b","c","d"]}},"weight":0}],"score_mode":"avg"}}`, `a 1 b 1 c 1 d 1`},
		{`{"function_score":{"random_score":{"seed":42,"field":"ContentID.keyword"}}}`, `a 0.507215 b 0.483464 c 0.35064 d 0.231943`},
		{`{"function_score":{"random_score":{"seed":"x","field":"Data.n"}}}`, `a 0.413074 c 0.321925 d 0.321925 b 0.0937781`},
		{`{"function_score":{"random_score":{"seed":5000000000,"field":"Data.f"}}}`, `c 0.977505 b 0.643046 d 0.643046 a 0.282932`},
		{`{"function_score":{"random_score":{"seed":7,"field":"_seq_no"}}}`, `a 0.644122 b 0.263936 d 0.116038 c 0.00140589`},
		{`{"function_score":{"random_score":{"seed":7}}}`, `a 0.720383 c 0.520381 d 0.152593 b 0.037486`},
		{`{"distance_feature":{"field":"CreatedAt","origin":"2021-05-01","pivot":"5d","boost":2}}`, `b 1.81818 a 0.714286 c 0.0203252`},
		{`{"more_like_this":{"fields":["Data.t"],"like":"the lazy dog","min_term_freq":1,"min_doc_freq":1}}`, `a 1.82214 d 1.30975 b 1.04982`},
		{`{"more_like_this":{"fields":["Data.t","Name"],"like":{"_id":"b"},"min_term_freq":1,"min_doc_freq":1,"max_query_terms":3,"boost_terms":1}}`, `a 0.620609`},
		{`{"more_like_this":{"fields":["Data.t"],"like":"the end of the fox a lazy dog and quick brown days jumps over","min_term_freq":1,"min_doc_freq":1,"max_query_terms":4,"minimum_should_match":1}}`, `a 3.03814 b 1.65546 d 0.953077`},
		{`{"intervals":{"Data.t":{"match":{"query":"fox quick"},"boost":2}}}`, `c 1.42857 b 1 a 0.666667`},
		{`{"intervals":{"Data.t":{"match":{"query":"quick fox","ordered":true,"max_gaps":0}}}}`, `b 0.5 c 0.5`},
		{`{"intervals":{"Data.t":{"match":{"query":"quick quick"}}}}`, `c 0.2`},
		{`{"intervals":{"Data.t":{"all_of":{"intervals":[{"prefix":{"prefix":"Qu"}},{"any_of":{"intervals":[{"match":{"query":"fox"}},{"wildcard":{"pattern":"d?g"}}]}}],"max_gaps":1}}}}`, `c 0.714286 b 0.5 a 0.333333`},
		{`{"intervals":{"Data.t":{"match":{"query":"quick fox","filter":{"containing":{"fuzzy":{"term":"brwon"}}}}}}}`, `a 0.333333 c 0.333333`},
		{`{"intervals":{"Data.t":{"match":{"query":"fox","filter":{"after":{"match":{"query":"the"}}}}}}}`, `a 0.5 d 0.5`},
		{`{"intervals":{"Name":{"match":{"query":"quick","use_field":"Data.t"}}}}`, `c 0.666667 a 0.5 b 0.5`},
		{`{"span_near":{"clauses":[{"span_term":{"Data.t":"quick"}},{"span_term":{"Data.t":"fox"}}],"slop":1,"in_order":false}}`, `c 0.501081 b 0.220973 a 0.148857`},
		{`{"span_near":{"clauses":[{"span_term":{"Data.t":"fox"}},{"span_term":{"Data.t":"quick"}},{"span_term":{"Data.t":"fox"}}],"slop":9,"in_order":false}}`, `c 0.562161 b 0.220973 a 0.148857`},
		{`{"span_near":{"clauses":[{"span_or":{"clauses":[{"span_term":{"Data.t":"fox"}},{"span_term":{"Data.t":"dog"}}]}},{"span_term":{"Data.t":"quick"}}],"slop":5,"in_order":true}}`, `c 1.10598 b 0.391557`},
		{`{"span_near":{"clauses":[{"span_term":{"Data.t":"the"}},{"span_gap":{"Data.t":2}},{"span_term":{"Data.t":"fox"}}],"slop":0}}`, `a 0.714943`},
		{`{"span_near":{"clauses":[{"span_term":{"Data.t":"fox"}},{"span_term":{"Data.t":"dog"}}],"slop":101}}`, `a 0.122678 d 0.00831819`},
		{`{"span_not":{"include":{"span_term":{"Data.t":"fox"}},"exclude":{"span_term":{"Data.t":"brown"}},"pre":1,"post":1}}`, `c 0.119305 b 0.105361 d 0.105361`},
		{`{"span_first":{"match":{"span_term":{"Data.t":"fox"}},"end":3}}`, `c 0.157529`},
		{`{"span_containing":{"big":{"span_near":{"clauses":[{"span_term":{"Data.t":"quick"}},{"span_term":{"Data.t":"fox"}}],"slop":3}},"little":{"span_term":{"Data.t":"brown"}}}}`, `a 0.649263`},
		{`{"span_within":{"big":{"span_near":{"clauses":[{"span_term":{"Data.t":"fox"}},{"span_term":{"Data.t":"quick"}}],"slop":3,"in_order":false}},"little":{"span_term":{"Data.t":"quick"}}}}`, `c 0.69081 b 0.462035 a 0.413683`},
		{`{"span_multi":{"match":{"fuzzy":{"Data.t":{"value":"dag"}}}}}`, `b 0.356675 d 0.356675 a 0.319348`},
		{`{"span_near":{"clauses":[{"span_multi":{"match":{"prefix":{"Data.t":"qu"}}}},{"span_multi":{"match":{"regexp":{"Data.t":"f.x"}}}}],"slop":1}}`, `c 0.523187 b 0.462035 a 0.259684`},
		{`{"span_near":{"clauses":[{"field_masking_span":{"query":{"span_term":{"Name":"brown"}},"field":"Data.t"}},{"span_term":{"Data.t":"quick"}}],"slop":3,"in_order":false}}`, `c 0.603256 a 0.590046`},
	} {
		res := evalHits(t, r, []byte(`{"query":`+c.query+`}`), 0, 10, nil)
		want := strings.Fields(c.want)
		ok := 2*len(res.Docs) == len(want)
		var got []string
		for i, d := range res.Docs {
			id, score := string("abcd"[d]), float64(res.Scores.Of[i])
			got = append(got, id, fmt.Sprintf("%.6g", score))
			if ok {
				var theirs float64
				fmt.Sscan(want[2*i+1], &theirs)
				ok = id == want[2*i] && math.Abs(score-theirs) <= 1e-5*math.Max(1, theirs)
			}
		}
		if !ok {
			t.Errorf("%s\n got %s\nwant %s", c.query, strings.Join(got, " "), c.want)
		}
	}
}

// What Elasticsearch refuses, or what cannot be answered here, is an error of the body.
func TestScoreErrors(t *testing.T) {
	r := openLit(t)
	for _, c := range []struct{ query, want string }{
		{`{"function_score":{"field_value_factor":{"field":"Data.n"}}}`, `an item has no value at "Data.n": set "missing"`},
		{`{"function_score":{"field_value_factor":{"field":"Data.x"}}}`, `no item has a value at "Data.x": set "missing"`},
		{`{"function_score":{"field_value_factor":{"field":"Name","missing":1}}}`, `"Name" holds text, not numbers or dates: name a sub-field such as "Name.double"`},
		{`{"function_score":{"field_value_factor":{"field":"Data.f","missing":1,"modifier":"ln"}}}`, `ln of the value 0.25 of "Data.f" is below 0, as no score may be: use ln1p or ln2p`},
		{`{"function_score":{"weight":1,"max_boost":-3}}`, `a score that is negative or no number`},
		{`{"function_score":{"gauss":{"Data.n":{"scale":1}}}}`, `set "origin"`},
		{`{"function_score":{"gauss":{"Data.n":{"origin":1,"scale":0}}}}`, `scale must be above 0`},
		{`{"function_score":{"gauss":{"Data.n":{"origin":1,"scale":1,"offset":-1}}}}`, `offset must be at least 0`},
		{`{"function_score":{"gauss":{"Data.n":{"origin":"x","scale":1}}}}`, `origin must be a number, not "x"`},
		{`{"function_score":{"gauss":{"CreatedAt":{"scale":"1M"}}}}`, `scale: "1M" is not a duration like 10d`},
		{`{"function_score":{"gauss":{"CreatedAt":{"origin":"x","scale":"1d"}}}}`, `origin must be a date like 2021-04-23 or now, not "x"`},
		{`{"function_score":{"gauss":{"Data.x":{"origin":1,"scale":1}}}}`, `no item has a value at "Data.x"`},
		{`{"function_score":{"random_score":{"seed":1,"field":"Name"}}}`, `use "Name.keyword"`},
		{`{"distance_feature":{"field":"Data.n","origin":1,"pivot":"1d"}}`, `Data.n holds no dates, which distance_feature needs`},
		{`{"distance_feature":{"field":"CreatedAt","origin":"x","pivot":"1d"}}`, `CreatedAt holds dates, not "x"`},
		{`{"more_like_this":{"fields":["Data.n"],"like":"a"}}`, `Data.n holds no text, which more_like_this needs`},
		{`{"intervals":{"Data.n":{"match":{"query":"1"}}}}`, `intervals: "Data.n" holds no analyzed text, which intervals need`},
		{`{"intervals":{"Data.t":{"all_of":{"intervals":[` + strings.Repeat(`{"any_of":{"intervals":[{"match":{"query":"a b"}},{"match":{"query":"a c"}},{"match":{"query":"b c"}}]}},{"match":{"query":"x"}},`, 7) + `{"match":{"query":"x y"}}],"ordered":true,"max_gaps":9}}}}`, `combine in more than 1024 ways`},
		{`{"span_term":{"Data.n":1}}`, `"Data.n" holds no analyzed text`},
		{`{"span_or":{"clauses":[{"span_term":{"Data.t":"a"}},{"span_term":{"Name":"a"}}]}}`, `all clauses must have the same field, not "Data.t" and "Name"`},
		{`{"span_not":{"include":{"span_term":{"Data.t":"a"}},"exclude":{"span_term":{"Name":"a"}}}}`, `both span queries must have the same field`},
		{`{"span_near":{"clauses":[{"span_term":{"Data.t":"a"}},{"span_gap":{"Data.t":1}}],"in_order":false}}`, `a span_gap needs in_order`},
		{`{"span_multi":{"match":{"range":{"Data.t":{}}}}}`, `the range needs a bound`},
		{`{"span_multi":{"match":{"prefix":{"Name.keyword":"a"}}}}`, `"Name.keyword" holds no analyzed text`},
	} {
		b, err := body.Parse([]byte(`{"query":` + c.query + `}`))
		if err == nil {
			_, err = search.Eval(t.Context(), r, b)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.query, err, c.want)
		}
	}
}

// A random_score without a seed depends on the clock, hence is not kept.
func TestTimedScores(t *testing.T) {
	r := openLit(t)
	for q, want := range map[string]bool{
		`{"function_score":{"random_score":{}}}`:                                                                 true,
		`{"function_score":{"random_score":{"seed":1}}}`:                                                         false,
		`{"function_score":{"exp":{"CreatedAt":{"scale":"1d"}}}}`:                                                true,
		`{"function_score":{"exp":{"CreatedAt":{"origin":"2021","scale":"1d"}}}}`:                                false,
		`{"distance_feature":{"field":"CreatedAt","origin":"now","pivot":"1d"}}`:                                 true,
		`{"span_near":{"clauses":[{"span_term":{"Data.t":"a"}},{"span_term":{"Data.t":"b"}}],"in_order":false}}`: false,
	} {
		if got := evaluate(t, r, `{"query":`+q+`}`).Timed; got != want {
			t.Errorf("%s: %v", q, got)
		}
	}
}
