// This file tests dis_max, boosting and queries about one word or pattern.

package body

import (
	"testing"

	"contentedge/edgeserve/engine/query"
)

func TestWordQueries(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"dis_max":{"queries":[{"match_all":{}},{"match_none":{}}],"tie_breaker":"0.5","boost":2,"_name":"d"}}`, `{"dis_max":{"queries":[{"match_all":{}},{"match_none":{}}],"tie_breaker":0.5,"boost":2}}`},
		{`{"dis_max":{"queries":{"match_all":{}}}}`, `{"dis_max":{"queries":[{"match_all":{}}]}}`},
		{`{"boosting":{"positive":{"match_all":{}},"negative":{"match_none":{}},"negative_boost":0.2}}`, `{"boosting":{"positive":{"match_all":{}},"negative":{"match_none":{}},"negative_boost":0.2}}`},
		{`{"fuzzy":{"F":"x"}}`, `{"fuzzy":{"F":{"value":"x"}}}`},
		{`{"fuzzy":{"F":{"value":7,"fuzziness":1,"prefix_length":2,"max_expansions":3,"transpositions":false,"rewrite":"top_terms_5","boost":2}}}`,
			`{"fuzzy":{"F":{"value":7,"fuzziness":"1","prefix_length":2,"max_expansions":3,"transpositions":false,"rewrite":"top_terms_5","boost":2}}}`},
		{`{"fuzzy":{"F":{"value":"x","fuzziness":"auto","rewrite":null}}}`, `{"fuzzy":{"F":{"value":"x"}}}`},
		{`{"regexp":{"F":"a.*"}}`, `{"regexp":{"F":{"value":"a.*"}}}`},
		{`{"regexp":{"F":{"value":7,"flags":"intersection|COMPLEMENT|","case_insensitive":true,"max_determinized_states":200,"rewrite":"scoring_boolean"}}}`,
			`{"regexp":{"F":{"value":"7","flags_value":3,"case_insensitive":true,"rewrite":"scoring_boolean"}}}`},
		{`{"regexp":{"F":{"value":"x","flags":""}}}`, `{"regexp":{"F":{"value":"x"}}}`},
		{`{"regexp":{"F":{"value":"x","flags":"NONE"}}}`, `{"regexp":{"F":{"value":"x","flags_value":0}}}`},
		{`{"regexp":{"F":{"value":"x","flags":"NONE|ALL"}}}`, `{"regexp":{"F":{"value":"x"}}}`},
		{`{"regexp":{"F":{"value":"x","flags_value":65535}}}`, `{"regexp":{"F":{"value":"x"}}}`},
		{`{"regexp":{"F":{"value":"x","flags_value":-1}}}`, `{"regexp":{"F":{"value":"x"}}}`},
		{`{"terms":{"F":{"index":"e","id":"7","path":"G","routing":"x"},"boost":2}}`, `{"terms":{"F":{"index":"e","id":"7","path":"G"},"boost":2}}`},
		{`{"terms_set":{"F":{"terms":["a",1],"minimum_should_match_field":"G","_name":"n"}}}`, `{"terms_set":{"F":{"terms":["a",1],"minimum_should_match_field":"G"}}}`},
		{`{"match_bool_prefix":{"F":"a b"}}`, `{"match_bool_prefix":{"F":{"query":"a b"}}}`},
		{`{"match_bool_prefix":{"F":{"query":"a","operator":"and","minimum_should_match":2,"fuzziness":"AUTO","fuzzy_transpositions":false,"fuzzy_rewrite":"constant_score_boolean","analyzer":"standard"}}}`,
			`{"match_bool_prefix":{"F":{"query":"a","operator":"and","minimum_should_match":"2","fuzziness":"AUTO","fuzzy_transpositions":false,"fuzzy_rewrite":"constant_score"}}}`},
		{`{"match":{"F":{"query":"a","fuzziness":1,"fuzzy_rewrite":"top_terms_boost_5000"}}}`, `{"match":{"F":{"query":"a","fuzziness":"1","fuzzy_rewrite":"top_terms_boost_1024"}}}`},
		{`{"prefix":{"F":{"value":"x","rewrite":"top_terms_blended_freqs_2"}}}`, `{"prefix":{"F":{"value":"x","rewrite":"top_terms_blended_freqs_2"}}}`},
	} {
		checkBody(t, `{"query":`+c.in+`}`, `{"query":`+c.want+`}`)
	}
}

func TestWordQueryErrors(t *testing.T) {
	const rewrites = `must be constant_score, constant_score_boolean, scoring_boolean, top_terms_N, top_terms_boost_N or top_terms_blended_freqs_N, not `
	for _, c := range []struct{ in, want string }{
		{`{"dis_max":{"queries":[]}}`, `query.dis_max needs "queries" with at least one query`},
		{`{"dis_max":{}}`, `query.dis_max needs "queries" with at least one query`},
		{`{"dis_max":{"queries":[{"match_all":{}}],"tie_breaker":2}}`, `query.dis_max.tie_breaker must be a number from 0 to 1, not 2`},
		{`{"dis_max":{"queries":[{"match_all":{}}],"x":2}}`, `unknown option "x" of dis_max; known options: queries, tie_breaker, boost, _name`},
		{`{"boosting":{"positive":{"match_all":{}},"negative":{"match_all":{}}}}`, `query.boosting needs "negative_boost"`},
		{`{"boosting":{"negative":{"match_all":{}},"negative_boost":1}}`, `query.boosting needs "positive"`},
		{`{"boosting":{"positive":{"match_all":{}},"negative":{"match_all":{}},"negative_boost":-1}}`, `query.boosting.negative_boost must be a number from 0, not -1`},
		{`{"fuzzy":{"F":{"value":"x","fuzziness":"lots"}}}`, `query.fuzzy.F.fuzziness must be AUTO, AUTO:low,high, 0, 1 or 2, not "lots"`},
		{`{"fuzzy":{"F":{"value":"x","rewrite":"top_terms_0"}}}`, `query.fuzzy.F.rewrite ` + rewrites + `"top_terms_0"`},
		{`{"fuzzy":{"F":{"value":"x","rewrite":"top_terms"}}}`, `query.fuzzy.F.rewrite ` + rewrites + `"top_terms"`},
		{`{"fuzzy":{"F":{"value":"x","rewrite":"scoring_boolean_2"}}}`, `query.fuzzy.F.rewrite ` + rewrites + `"scoring_boolean_2"`},
		{`{"regexp":{"F":{"value":"x","flags":"SOME"}}}`, `query.regexp.F.flags must be flags like INTERSECTION|COMPLEMENT, of INTERSECTION, COMPLEMENT, EMPTY, ANYSTRING, INTERVAL, NONE and ALL, not "SOME"`},
		{`{"regexp":{"F":{"value":"x","max_determinized_states":5}}}`, `query.regexp.F.max_determinized_states must be an integer from 100, not 5`},
		{`{"terms":{"F":{"id":"a","path":"G"}}}`, `query.terms.F needs "index"`},
		{`{"terms":{"F":{"index":"e","type":"_doc","id":"a","path":"G"}}}`, `unknown option "type" of a terms lookup; known options: index, id, path, routing`},
		{`{"terms":{"F":{"index":"e","id":7,"path":"G"}}}`, `query.terms.F.id must be a text in quotes, not 7`},
		{`{"terms":{"F":{"index":"e","id":"a","path":7}}}`, `query.terms.F.path must be a text in quotes, not 7`},
		{`{"terms":{"F":{"index":"e","id":"a","path":""}}}`, `query.terms.F.path must be the name of a field, not ""`},
		{`{"terms":{"F":{"index":"e","id":"a","path":"G","routing":null}}}`, `query.terms.F.routing must be a text in quotes, not null`},
		{`{"terms":{"F":["a"],"G":{"index":"e","id":"a","path":"G"}}}`, `query.terms names two fields, "F" and "G": give only one`},
		{`{"terms_set":{"F":{"terms":["a"]}}}`, `query.terms_set.F needs "minimum_should_match_field"`},
		{`{"terms_set":{"F":{"terms":"a","minimum_should_match_field":"G"}}}`, `query.terms_set.F.terms must be an array of values, not "a"`},
		{`{"terms_set":{"F":{"terms":["a"],"minimum_should_match_script":{}}}}`, `scripts do not run here: name the field that holds the number in minimum_should_match_field`},
		{`{"nested":{"path":"a","query":{"match_all":{}}}}`, `the query "nested" is not supported here: objects are not indexed apart from their item, so name their members by path, like Data.author.name`},
		{`{"script_score":{}}`, `the query "script_score" is not supported here: scripts do not run here, so use function_score with field_value_factor or a decay`},
		{`{"match_bool_prefix":{"F":{"query":"x","slop":1}}}`, `unknown option "slop" of match_bool_prefix; known options: query, operator, minimum_should_match, fuzziness, prefix_length, max_expansions, fuzzy_transpositions, fuzzy_rewrite, analyzer, boost, _name`},
	} {
		_, err := Parse([]byte(`{"query":` + c.in + `}`))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\ngot  %v\nwant %s", c.in, err, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	b, err := Parse([]byte(`{"query":{"bool":{"_name":"all","should":[{"match":{"F":{"query":"x","_name":"m"}}},{"term":{"F":"x"}},{"match_none":{"_name":"none"}}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	root := b.Query.(*query.Bool)
	if len(b.Names) != 3 || b.Names[root] != "all" || b.Names[root.Should[0]] != "m" || b.Names[root.Should[2]] != "none" {
		t.Errorf("names %v", b.Names)
	}
}
