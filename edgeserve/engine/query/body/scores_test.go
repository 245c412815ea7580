// This file tests the parsing of queries about scores and spans.

package body

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

func TestScoreQueries(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"function_score":{}}`, `{"function_score":{}}`},
		{`{"function_score":{"weight":2,"query":{"match_all":{}},"boost":3}}`, `{"function_score":{"query":{"match_all":{}},"functions":[{"weight":2}],"boost":3}}`},
		{`{"function_score":{"functions":[{"filter":{"match_all":{}},"weight":2},{"random_score":{"seed":7,"field":"F"},"weight":0.5},{"random_score":{}}],"score_mode":"SUM","boost_mode":"replace","max_boost":3,"min_score":"0.5"}}`,
			`{"function_score":{"functions":[{"filter":{"match_all":{}},"weight":2},{"weight":0.5,"random_score":{"field":"F","seed":7}},{"random_score":{}}],"score_mode":"sum","boost_mode":"replace","max_boost":3,"min_score":0.5}}`},
		{`{"function_score":{"field_value_factor":{"field":"F","factor":2,"modifier":"LOG1P","missing":-1}}}`, `{"function_score":{"functions":[{"field_value_factor":{"field":"F","factor":2,"modifier":"log1p","missing":-1}}]}}`},
		{`{"function_score":{"gauss":{"F":{"origin":"now","scale":"10d","offset":"1d","decay":0.3},"multi_value_mode":"avg"}}}`,
			`{"function_score":{"functions":[{"gauss":{"F":{"origin":"now","scale":"10d","offset":"1d","decay":0.3},"multi_value_mode":"avg"}}]}}`},
		{`{"function_score":{"exp":{"F":{"origin":1,"scale":2}}}}`, `{"function_score":{"functions":[{"exp":{"F":{"origin":1,"scale":2}}}]}}`},
		{`{"distance_feature":{"field":"F","origin":"now","pivot":"7d","boost":2}}`, `{"distance_feature":{"field":"F","origin":"now","pivot":"604800000ms","boost":2}}`},
		{`{"wrapper":{"query":"eyJtYXRjaF9hbGwiOnt9fQ=="}}`, `{"match_all":{}}`},
		{`{"more_like_this":{"fields":["F"],"like":"a b"}}`, `{"more_like_this":{"fields":["F"],"like":["a b"]}}`},
		{`{"more_like_this":{"like":[{"_id":"x","_index":"i"},{"doc":{"a":{"b":[1,null,{"c":"x"}]}},"fields":["G"]}],"unlike":{"_id":"y"},"min_term_freq":1,"max_query_terms":9,"min_doc_freq":1,"max_doc_freq":7,"min_word_length":2,"max_word_length":8,"stop_words":["the"],"minimum_should_match":2,"boost_terms":1.5,"include":true,"fail_on_unsupported_field":false,"analyzer":"standard"}}`,
			`{"more_like_this":{"like":[{"_id":"x"},{"doc":{"":[{"a.b":"1"},{"a.b.c":"x"}]},"fields":["G"]}],"unlike":[{"_id":"y"}],"min_term_freq":1,"max_query_terms":9,"min_doc_freq":1,"max_doc_freq":7,"min_word_length":2,"max_word_length":8,"stop_words":["the"],"minimum_should_match":"2","boost_terms":1.5,"include":true,"fail_on_unsupported_field":false}}`},
		{`{"span_term":{"F":"a"}}`, `{"span_term":{"F":{"value":"a"}}}`},
		{`{"intervals":{"F":{"match":{"query":"a","max_gaps":3,"ordered":true,"analyzer":"standard","use_field":"G","filter":{"Before":{"prefix":{"prefix":"b"}}}},"boost":2}}}`,
			`{"intervals":{"F":{"match":{"query":"a","use_field":"G","max_gaps":3,"ordered":true,"filter":{"before":{"prefix":{"prefix":"b"}}}},"boost":2}}}`},
		{`{"intervals":{"F":{"all_of":{"intervals":[{"wildcard":{"pattern":"a*"}},{"any_of":{"intervals":{"fuzzy":{"term":"b","fuzziness":1,"prefix_length":1,"transpositions":false}}}}]}}}}`,
			`{"intervals":{"F":{"all_of":{"intervals":[{"wildcard":{"pattern":"a*"}},{"any_of":{"intervals":[{"fuzzy":{"term":"b","fuzziness":"1","prefix_length":1,"transpositions":false}}]}}]}}}}`},
		{`{"span_near":{"clauses":[{"span_term":{"F":{"term":"a"}}},{"span_gap":{"F":2}},{"span_term":{"F":1}}],"slop":"3","in_order":false,"boost":2}}`,
			`{"span_near":{"clauses":[{"span_term":{"F":{"value":"a"}}},{"span_gap":{"F":2}},{"span_term":{"F":{"value":"1"}}}],"slop":3,"in_order":false,"boost":2}}`},
		{`{"span_or":{"clauses":[{"span_multi":{"match":{"prefix":{"F":"a"}}}}]}}`, `{"span_or":{"clauses":[{"span_multi":{"match":{"prefix":{"F":{"value":"a"}}}}}]}}`},
		{`{"span_not":{"include":{"span_term":{"F":"a"}},"exclude":{"span_first":{"match":{"span_term":{"F":"a"}},"end":3}},"dist":2}}`,
			`{"span_not":{"include":{"span_term":{"F":{"value":"a"}}},"exclude":{"span_first":{"match":{"span_term":{"F":{"value":"a"}}},"end":3}},"pre":2,"post":2}}`},
		{`{"span_within":{"big":{"span_term":{"F":"a"}},"little":{"field_masking_span":{"query":{"span_term":{"G":"a"}},"field":"F"}}}}`,
			`{"span_within":{"big":{"span_term":{"F":{"value":"a"}}},"little":{"field_masking_span":{"query":{"span_term":{"G":{"value":"a"}}},"field":"F"}}}}`},
	} {
		checkBody(t, `{"query":`+c.in+`}`, `{"query":`+c.want+`}`)
	}
}

func TestScoreQueryErrors(t *testing.T) {
	const a = `{"span_term":{"F":"a"}}`
	for _, c := range []struct{ in, code, want string }{
		{`{"function_score":{"weight":1,"functions":[]}}`, problem.BadQuery, `query.function_score has more than one function: list them in "functions"`},
		{`{"function_score":{"weight":1,"random_score":{}}}`, problem.BadQuery, `more than one function`},
		{`{"function_score":{"functions":[{"filter":{"match_all":{}}}]}}`, problem.BadQuery, `query.function_score.functions[0] has no function; known functions: weight, field_value_factor, random_score, linear, exp, gauss`},
		{`{"function_score":{"functions":[{"exp":{"F":{"scale":1}},"gauss":{"F":{"scale":1}}}]}}`, problem.BadQuery, `has two functions, exp and gauss`},
		{`{"function_score":{"functions":[{"foo":1}]}}`, problem.UnknownOption, `unknown function "foo"; known functions: weight,`},
		{`{"function_score":{"script_score":{"script":"1"}}}`, problem.UnknownOption, `scripts are not supported: use field_value_factor`},
		{`{"function_score":{"functions":[{"script_score":{}}]}}`, problem.UnknownOption, `scripts are not supported`},
		{`{"function_score":{"weight":-1}}`, problem.BadQuery, `must be a number from 0, not -1`},
		{`{"function_score":{"weight":1,"score_mode":"most"}}`, problem.BadQuery, `must be one of multiply, sum, avg, first, max, min, not "most"`},
		{`{"function_score":{"exp":{"F":{"scale":1,"decay":1}}}}`, problem.BadQuery, `must be a number above 0 and below 1, not 1`},
		{`{"function_score":{"exp":{"F":{"origin":1}}}}`, problem.BadQuery, `query.function_score.exp.F needs "scale"`},
		{`{"function_score":{"exp":{}}}`, problem.BadQuery, `must name one field`},
		{`{"function_score":{"random_score":{"seed":1.5}}}`, problem.BadQuery, `must be an integer or a string, not 1.5`},
		{`{"function_score":{"field_value_factor":{}}}`, problem.BadQuery, `needs "field"`},
		{`{"distance_feature":{"field":"F","origin":1}}`, problem.BadQuery, `needs "pivot"`},
		{`{"distance_feature":{"field":"F","origin":1,"pivot":"0d"}}`, problem.BadQuery, `must be a duration above 0 like "7d", not "0d"`},
		{`{"wrapper":{"query":"!"}}`, problem.BadQuery, `query.wrapper.query must be a query in base64, not "!"`},
		{`{"wrapper":{"query":"eyJmb28iOnt9fQ=="}}`, problem.UnknownQuery, `query.wrapper.query, decoded: unknown query "foo"`},
		{`{"wrapper":{"query":"e30sInhcIjoie30="}}`, problem.BadJSON, `decoded:`},
		{`{"wrapper":{"query":"eyJtYXRjaF9hbGwiOnt9fSwieCI6MQ=="}}`, problem.BadQuery, `one query in base64`},
		{`{"script_score":{}}`, problem.UnknownQuery, `scripts do not run here, so use function_score with field_value_factor`},
		{`{"intervals":{"F":{"boost":2}}}`, problem.BadQuery, `query.intervals.F needs a rule: one of match, prefix,`},
		{`{"intervals":{"F":"a"}}`, problem.BadQuery, `query.intervals.F must be an object like {"match":{"query":"…"}}`},
		{`{"intervals":{"F":{"match":{"query":"a"},"prefix":{"prefix":"b"}}}}`, problem.BadQuery, `has two rules, match and prefix: combine them by all_of or any_of`},
		{`{"intervals":{"F":{"none_of":{}}}}`, problem.UnknownOption, `unknown option "none_of" of intervals; known options: match,`},
		{`{"intervals":{"F":{"match":{}}}}`, problem.BadQuery, `query.intervals.F.match needs "query"`},
		{`{"intervals":{"F":{"match":{"query":"a","pattern":"b"}}}}`, problem.UnknownOption, `unknown option "pattern" of the rule match; known options: query, max_gaps,`},
		{`{"intervals":{"F":{"match":{"query":"a","analyzer":"english"}}}}`, problem.BadQuery, `must be standard: nothing else is supported`},
		{`{"intervals":{"F":{"any_of":{"intervals":[{"match":{"query":"a"}},{"maybe":{}}]}}}}`, problem.UnknownOption, `unknown rule "maybe" of intervals; known rules: match,`},
		{`{"intervals":{"F":{"any_of":{"intervals":["a"]}}}}`, problem.BadQuery, `query.intervals.F.any_of.intervals[0] must be an object with one rule`},
		{`{"intervals":{"F":{"match":{"query":"a","filter":{"script":{"source":"true"}}}}}}`, problem.UnknownOption, `the filter script is not supported: scripts do not run here, so limit the words between by max_gaps`},
		{`{"intervals":{"F":{"match":{"query":"a","filter":{"near":{}}}}}}`, problem.UnknownOption, `unknown filter "near" of intervals; known filters: after,`},
		{`{"intervals":{"F":{"match":{"query":"a","filter":{}}}}}`, problem.BadQuery, `must be an object with one filter`},
		{`{"rank_feature":{"field":"F"}}`, problem.UnknownQuery, `use distance_feature, or function_score`},
		{`{"more_like_this":{"fields":[],"like":"a"}}`, problem.BadQuery, `must be an array of at least one field`},
		{`{"more_like_this":{"fields":["F"]}}`, problem.BadQuery, `needs "like"`},
		{`{"more_like_this":{"fields":["F"],"like":[]}}`, problem.BadQuery, `needs a text or an item in "like"`},
		{`{"more_like_this":{"like":"a"}}`, problem.BadQuery, `has a text, but no "fields"`},
		{`{"more_like_this":{"fields":["F"],"like":{}}}`, problem.BadQuery, `needs _id or doc`},
		{`{"more_like_this":{"fields":["F"],"like":{"id":1}}}`, problem.UnknownOption, `unknown option "id" of an item; known options: _id, doc,`},
		{`{"more_like_this":{"fields":["F"],"like":"a","max_query_terms":0}}`, problem.BadQuery, `must be an integer from 1, not 0`},
		{`{"more_like_this":{"fields":["F"],"like":"a","max_query_terms":1025}}`, problem.TooManyClauses, `at most 1024`},
		{`{"more_like_this":{"fields":["F"],"like":[` + strings.Repeat(`"a",`, maxExamples) + `"a"]}}`, problem.TooManyClauses, `at most 100`},
		{`{"span_near":{"clauses":[]}}`, problem.BadQuery, `needs at least one span query in clauses`},
		{`{"span_near":{"clauses":[{"span_gap":{"F":1}}]}}`, problem.BadQuery, `has only gaps`},
		{`{"span_or":{"clauses":[{"span_gap":{"F":1}}]}}`, problem.UnknownQuery, `unknown query "span_gap"`},
		{`{"span_near":{"clauses":[{"match":{"F":"a"}}]}}`, problem.BadQuery, `query.span_near.clauses[0] must be a span query: one of span_term,`},
		{`{"span_or":{"clauses":[{"span_term":{"F":{"value":"a","boost":2}}}]}}`, problem.BadQuery, `has a boost, which only the outermost span query may have`},
		{`{"span_first":{"match":` + a + `}}`, problem.BadQuery, `query.span_first needs "end"`},
		{`{"span_first":{"match":` + a + `,"end":-1}}`, problem.BadQuery, `must be an integer from 0, not -1`},
		{`{"span_not":{"include":` + a + `,"exclude":` + a + `,"dist":1,"pre":1}}`, problem.BadQuery, `has dist, which means pre and post, together with pre or post`},
		{`{"span_multi":{"match":{"term":{"F":"a"}}}}`, problem.BadQuery, `must be a prefix, wildcard, range, fuzzy or regexp query, not term`},
		{`{"span_term":{"F":{}}}`, problem.BadQuery, `needs "value"`},
		{`{"field_masking_span":{"query":` + a + `}}`, problem.BadQuery, `needs "field"`},
		{`{"span_within":{"big":` + a + `,"slop":1}}`, problem.UnknownOption, `unknown option "slop" of span_within; known options: big, little, boost, _name`},
	} {
		_, err := Parse([]byte(`{"query":` + c.in + `}`))
		var e *query.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s\n got %v\nwant %s: %s", c.in, err, c.code, c.want)
		}
	}
}

func TestParseDuration(t *testing.T) {
	for text, want := range map[string]int64{"10d": 864000000, "2h": 7200000, "5m": 300000, "7s": 7000, "3ms": 3, "1500micros": 1, "0": 0, " 1D ": 86400000, "2000000nanos": 2} {
		if got, err := query.ParseDuration(text); got != want || err != nil {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "10", "1M", "1w", "1.5d", "-1d", "d", "99999999999999d"} {
		if ms, err := query.ParseDuration(text); err == nil {
			t.Errorf("%q: %d", text, ms)
		}
	}
}
