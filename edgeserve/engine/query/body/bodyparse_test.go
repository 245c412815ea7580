// This file tests queries, which it prints without defaults, and the error messages of bodies, word for word.

package body

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/wire/problem"
)

// queries holds queries and their printed form. checkBody embeds them in a body.
var queries = []struct{ in, want string }{
	{`{"match_all":{}}`, `{"match_all":{}}`},
	{`{"match_all":{"boost":"1.5","_name":"x"}}`, `{"match_all":{"boost":1.5}}`},
	{`{"match_none":{"boost":2}}`, `{"match_none":{}}`},
	{`{"constant_score":{"filter":{"match_none":{}},"boost":3}}`, `{"constant_score":{"filter":{"match_none":{}},"boost":3}}`},

	{`{"bool":{}}`, `{"bool":{}}`},
	{`{"bool":{"must":{"match_all":{}},"filter":[],"should":null,"must_not":[{"match_none":{}},{"match_all":{}}],"adjust_pure_negative":true}}`,
		`{"bool":{"must":[{"match_all":{}}],"must_not":[{"match_none":{}},{"match_all":{}}]}}`},
	{`{"bool":{"should":{"match_all":{}},"minimum_should_match":1,"boost":0}}`, `{"bool":{"should":[{"match_all":{}}],"minimum_should_match":"1","boost":0}}`},
	{`{"bool":{"minimum_should_match":"2<-25% 9<3"}}`, `{"bool":{"minimum_should_match":"2<-25% 9<3"}}`},

	{`{"term":{"F":"x"}}`, `{"term":{"F":{"value":"x"}}}`},
	{`{"term":{"F":1.0}}`, `{"term":{"F":{"value":1.0}}}`},
	{`{"term":{"F":{"value":true,"case_insensitive":"true","boost":2,"_name":"n"}}}`, `{"term":{"F":{"value":true,"case_insensitive":true,"boost":2}}}`},
	{`{"terms":{"F":["x",1,true],"boost":2,"_name":"n"}}`, `{"terms":{"F":["x",1,true],"boost":2}}`},
	{`{"terms":{"boost":1,"F":[]}}`, `{"terms":{"F":[]}}`},
	{`{"prefix":{"F":"x"}}`, `{"prefix":{"F":{"value":"x"}}}`},
	{`{"prefix":{"F":{"value":7,"case_insensitive":false,"rewrite":"constant_score"}}}`, `{"prefix":{"F":{"value":"7","rewrite":"constant_score"}}}`},
	{`{"wildcard":{"F":"a*\\?"}}`, `{"wildcard":{"F":{"value":"a*\\?"}}}`},
	{`{"wildcard":{"F":{"wildcard":"a?","case_insensitive":false}}}`, `{"wildcard":{"F":{"value":"a?","case_insensitive":false}}}`},
	{`{"range":{"F":{}}}`, `{"range":{"F":{}}}`},
	{`{"range":{"F":{"gte":"0","lt":1e3,"boost":2}}}`, `{"range":{"F":{"gte":"0","lt":1000.0,"boost":2}}}`}, // as Java writes it
	{`{"range":{"F":{"gt":1,"lte":null,"time_zone":"UTC","format":"yyyy"}}}`, `{"range":{"F":{"gt":1,"format":"yyyy","time_zone":"UTC"}}}`},
	{`{"range":{"F":{"gt":1,"gte":2,"lte":3,"lt":4}}}`, `{"range":{"F":{"gte":2,"lt":4}}}`},
	{`{"range":{"F":{"from":1,"to":2,"include_lower":false}}}`, `{"range":{"F":{"gt":1,"lte":2}}}`},
	{`{"range":{"F":{"gt":1,"from":2,"lt":3,"to":4}}}`, `{"range":{"F":{"gt":2,"lt":4}}}`},
	{`{"range":{"F":{"include_upper":false,"to":2}}}`, `{"range":{"F":{"lt":2}}}`},
	{`{"exists":{"field":"Data.*"}}`, `{"exists":{"field":"Data.*"}}`},
	{`{"ids":{"values":"a"}}`, `{"ids":{"values":["a"]}}`},
	{`{"ids":{"values":["a","b"],"boost":2}}`, `{"ids":{"values":["a","b"],"boost":2}}`},
	{`{"ids":{}}`, `{"ids":{"values":[]}}`},

	{`{"match":{"F":"a b"}}`, `{"match":{"F":{"query":"a b"}}}`},
	{`{"match":{"F":7}}`, `{"match":{"F":{"query":7}}}`},
	{`{"match":{"F":{"query":"a","operator":"AND","fuzziness":"auto","prefix_length":1,"max_expansions":9,"lenient":true,"zero_terms_query":"ALL","analyzer":"standard"}}}`,
		`{"match":{"F":{"query":"a","operator":"and","fuzziness":"AUTO","prefix_length":1,"max_expansions":9,"lenient":true,"zero_terms_query":"all"}}}`},
	{`{"match":{"F":{"query":"a","operator":"or","fuzziness":7,"minimum_should_match":-1}}}`, `{"match":{"F":{"query":"a","minimum_should_match":"-1","fuzziness":"2"}}}`},
	{`{"match":{"F":{"query":"a","fuzziness":"auto:2,4"}}}`, `{"match":{"F":{"query":"a","fuzziness":"AUTO:2,4"}}}`},
	{`{"match_phrase":{"F":{"query":"a","slop":"2"}}}`, `{"match_phrase":{"F":{"query":"a","slop":2}}}`},
	{`{"match_phrase":{"F":"a"}}`, `{"match_phrase":{"F":{"query":"a"}}}`},
	{`{"match_phrase_prefix":{"F":{"query":"a","slop":1,"max_expansions":1,"zero_terms_query":"none"}}}`, `{"match_phrase_prefix":{"F":{"query":"a","slop":1,"max_expansions":1}}}`},
	{`{"match_phrase_prefix":{"F":"a"}}`, `{"match_phrase_prefix":{"F":{"query":"a"}}}`},
	{`{"multi_match":{"query":"a"}}`, `{"multi_match":{"query":"a"}}`},
	{`{"multi_match":{"query":"a","fields":"F^2"}}`, `{"multi_match":{"query":"a","fields":["F^2"]}}`},
	{`{"multi_match":{"query":"a","fields":["F^1","G"],"type":"best_fields","tie_breaker":0.3,"lenient":false,"operator":"and","slop":3}}`,
		`{"multi_match":{"query":"a","fields":["F^1","G"],"operator":"and","slop":3,"tie_breaker":0.3,"lenient":false}}`},

	{`{"multi_match":{"query":"a","type":"most_fields","tie_breaker":1}}`, `{"multi_match":{"query":"a","type":"most_fields"}}`},
	{`{"multi_match":{"query":"a","type":"phrase_prefix","slop":2,"max_expansions":3}}`, `{"multi_match":{"query":"a","type":"phrase_prefix","slop":2,"max_expansions":3}}`},
	{`{"multi_match":{"query":"a","type":"crossFields","minimum_should_match":2}}`, `{"multi_match":{"query":"a","type":"cross_fields","minimum_should_match":"2"}}`},
	{`{"bool":{"must_not":{"match_all":{}},"adjust_pure_negative":false}}`, `{"bool":{"filter":[{"dis_max":{"queries":[{"match_none":{}}]}}],"must_not":[{"match_all":{}}]}}`},
	{`{"query_string":{"query":"a/b","escape":true,"fuzzy_rewrite":"top_terms_1"}}`, `{"query_string":{"query":"a\\u002fb"}}`},
	{`{"query_string":{"query":"a","type":"phrase","minimum_should_match":"2","tie_breaker":0.5,"rewrite":"scoring_boolean","quote_field_suffix":".k","analyze_wildcard":true,"allow_leading_wildcard":false,"fuzzy_prefix_length":1,"fuzzy_max_expansions":3,"fuzzy_transpositions":false,"quote_analyzer":"standard","max_determinized_states":500}}`,
		`{"query_string":{"query":"a","type":"phrase","minimum_should_match":"2","tie_breaker":0.5,"fuzzy_prefix_length":1,"fuzzy_max_expansions":3,"fuzzy_transpositions":false,"rewrite":"scoring_boolean","quote_field_suffix":".k","analyze_wildcard":true,"allow_leading_wildcard":false}}`},
	{`{"simple_query_string":{"query":"a","flags":"OR|AND","quote_field_suffix":".k","analyze_wildcard":true,"fuzzy_max_expansions":3}}`,
		`{"simple_query_string":{"query":"a","fuzzy_max_expansions":3,"quote_field_suffix":".k","analyze_wildcard":true}}`},
	{`{"query_string":{"query":"a  AND b"}}`, `{"query_string":{"query":"a AND b"}}`},
	{`{"query_string":{"query":2021}}`, `{"query_string":{"query":"2021"}}`},
	{`{"query_string":{"query":"a","fields":["F^2.0"],"default_operator":"And","phrase_slop":2,"lenient":true,"fuzziness":1,"analyze_wildcard":true,"boost":2,"fuzzy_max_expansions":50}}`,
		`{"query_string":{"query":"a","fields":["F^2"],"default_operator":"and","phrase_slop":2,"lenient":true,"fuzziness":"1","analyze_wildcard":true,"boost":2}}`},
	{`{"query_string":{"query":"a","default_field":"F","fields":[]}}`, `{"query_string":{"query":"a","default_field":"F"}}`},
	{`{"query_string":{"query":"a AND"}}`, `{"query_string":{"query":"a AND"}}`},
	{`{"query_string":{"query":" "}}`, `{"query_string":{"query":""}}`},
	{`{"simple_query_string":{"query":"a + b","fields":["F"],"default_operator":"and","minimum_should_match":"50%","flags":"all","lenient":true}}`,
		`{"simple_query_string":{"query":"a + b","fields":["F"],"default_operator":"and","lenient":true,"minimum_should_match":"50%"}}`},
}

// TestQueries shows which tree a query becomes, printed as TestBody prints bodies.
func TestQueries(t *testing.T) {
	for _, c := range queries {
		checkBody(t, `{"query":`+c.in+`}`, `{"query":`+c.want+`}`)
	}
}

// checkBody parses in, expects the printed form want, and parses that again.
func checkBody(t *testing.T, in, want string) {
	t.Helper()
	b, err := Parse([]byte(in))
	if err != nil {
		t.Errorf("%s: %v", in, err)
		return
	}
	if got := printBody(b); got != want {
		t.Errorf("%s\n got %s\nwant %s", in, got, want)
		return
	}
	again, err := Parse([]byte(want))
	if err != nil || printBody(again) != want {
		t.Errorf("%s does not read back: %v, %v", want, again, err)
	}
}

// window is the largest from + size, and some more or less.
func window(more int) string { return strconv.Itoa(query.MaxWindow + more) }

func TestBodyDefaults(t *testing.T) {
	for _, in := range []string{``, `{}`, `{"from":-1,"size":-1}`} {
		b, err := Parse([]byte(in))
		if want := (&query.Body{Window: query.Window{From: 0, Size: 10}, HasOtherMembers: strings.Contains(in, "from")}); err != nil || !reflect.DeepEqual(b, want) {
			t.Errorf("%q: got %+v, %v", in, b, err)
		}
	}
	b, err := Parse([]byte(`{"aggs":{"x":{"terms":{"field":"F"}},"y":{"date_histogram":{"field":"D","calendar_interval":"1w"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []query.Agg{{Name: "x", Kind: query.AggTerms, Values: query.AggValues{Field: "F"}, Buckets: query.BucketOptions{Size: 10, MinDocCount: 1}}, {Name: "y", Kind: query.AggDateHistogram, Values: query.AggValues{Field: "D"}, Buckets: query.BucketOptions{Interval: "week"}, Options: &query.Histogram{}}}
	if !reflect.DeepEqual(b.Aggs, want) {
		t.Errorf("got %+v\nwant %+v", b.Aggs, want)
	}
}

func TestBodyErrors(t *testing.T) {
	for _, c := range []struct{ in, code, at, want string }{
		{`[]`, problem.BadBody, ``, `a search body must be a JSON object, not an array`},
		{`true`, problem.BadBody, ``, `a search body must be a JSON object, not a boolean`},
		{`{"foo":1}`, problem.BadBody, `foo`, `unknown member "foo" of the body; known members: ` + strings.Join(Members(), ", ")},
		{`{"from":-2}`, problem.BadFrom, `from`, `from must be an integer from -1, not -2`},
		{`{"from":"abc"}`, problem.BadFrom, `from`, `from must be an integer from -1, not "abc"`},
		{"\ufeff{\"size\":[]}", problem.BadSize, `size`, `size must be an integer from -1, not an array`},
		{`{"from":null}`, problem.BadFrom, `from`, `from must be an integer from -1, not null`},
		{`{"from":1e999}`, problem.BadFrom, `from`, `from must be an integer from -1, not 1e999`},
		{`{"from":9223372036854775807,"size":9223372036854775807}`, problem.BadFrom, `from`, `from must be an integer from -1, not 9223372036854775807`},
		{`{"from":` + window(-9) + `}`, problem.BadFrom, `from`, `from + size must be at most ` + window(0) + `, not ` + window(1) + `: for later hits send a sort, and as search_after the sort values of the last hit of a page`},
		{`{"from":` + window(1) + `}`, problem.BadFrom, `from`, `from must be at most ` + window(0) + `, not ` + window(1) + `: from + size has this limit`},
		{`{"size":` + window(1) + `}`, problem.BadSize, `size`, `size must be at most ` + window(0) + `, not ` + window(1) + `: from + size has this limit`},
		{`{"size":true}`, problem.BadSize, `size`, `size must be an integer from -1, not true`},
		{`{"size":[1]}`, problem.BadSize, `size`, `size must be an integer from -1, not an array`},
		{`{"track_total_hits":"x"}`, problem.BadTrackTotalHits, `track_total_hits`, `track_total_hits must be an integer from -1, not "x"`},

		{`{"query":null}`, problem.BadQuery, `query`, `query must be a query object like {"match":{…}}, not null`},
		{`{"query":{}}`, problem.BadQuery, `query`, `query is an empty query: leave it out, or use match_all`},
		{`{"query":{"match_all":{},"match_none":{}}}`, problem.BadQuery, `query.match_none`, `query holds 2 queries, "match_none" being the second: combine them in a bool`},
		{`{"query":{"foo":{}}}`, problem.UnknownQuery, `query.foo`, `unknown query "foo"; known queries: ` + strings.Join(Types(), ", ")},
		{`{"query":{"match":[]}}`, problem.BadQuery, `query.match`, `query.match must be an object, not an array`},
		{`{"query":{"match_all":{"foo":1}}}`, problem.UnknownOption, `query.match_all.foo`, `unknown option "foo" of match_all; known options: boost, _name`},
		{`{"query":{"match_all":{"boost":-1}}}`, problem.BadQuery, `query.match_all.boost`, `query.match_all.boost must be a number from 0, not -1`},
		{`{"query":{"match_all":{"boost":"NaN"}}}`, problem.BadQuery, `query.match_all.boost`, `query.match_all.boost must be a number from 0, not "NaN"`},
		{`{"query":{"match_all":{"boost":1e39}}}`, problem.BadQuery, `query.match_all.boost`, `query.match_all.boost must be a number from 0, not 1e39`},
		{`{"query":{"match_all":{"_name":null}}}`, problem.BadQuery, `query.match_all._name`, `query.match_all._name must be a string, not null`},

		{`{"query":{"bool":{"must":[{}]}}}`, problem.BadQuery, `query.bool.must[0]`, `query.bool.must[0] is an empty query: leave it out, or use match_all`},
		{`{"query":{"bool":{"must":[null]}}}`, problem.BadQuery, `query.bool.must[0]`, `query.bool.must[0] must be a query object like {"match":{…}}, not null`},
		{`{"query":{"bool":{"filter":[{"match_all":{}},{"wildcard":{}}]}}}`, problem.BadQuery, `query.bool.filter[1].wildcard`, `query.bool.filter[1].wildcard must name one field, not 0`},
		{`{"query":{"bool":{"must":"x"}}}`, problem.BadQuery, `query.bool.must`, `query.bool.must must be a query object like {"match":{…}}, not "x"`},
		{`{"query":{"bool":{"musst":[]}}}`, problem.UnknownOption, `query.bool.musst`, `unknown option "musst" of bool; known options: must, filter, should, must_not, minimum_should_match, adjust_pure_negative, boost, _name`},
		{`{"query":{"bool":{"minimum_should_match":"x"}}}`, problem.BadQuery, `query.bool.minimum_should_match`, `query.bool.minimum_should_match must be an integer, a percentage or conditions like "2<75%", not "x"`},
		{`{"query":{"bool":{"minimum_should_match":1.5}}}`, problem.BadQuery, `query.bool.minimum_should_match`, `query.bool.minimum_should_match must be an integer, a percentage or conditions like "2<75%", not 1.5`},
		{`{"query":{"constant_score":{}}}`, problem.BadQuery, `query.constant_score`, `query.constant_score needs "filter"`},
		{`{"query":{"constant_score":{"filter":[]}}}`, problem.BadQuery, `query.constant_score.filter`, `query.constant_score.filter must be a query object like {"match":{…}}, not an array`},

		{`{"query":{"term":{"F":null}}}`, problem.BadQuery, `query.term.F`, `query.term.F must be a string, number or boolean, not null`},
		{`{"query":{"term":{"F":["x"]}}}`, problem.BadQuery, `query.term.F`, `query.term.F must be a string, number or boolean, not an array`},
		{`{"query":{"term":{"F":{}}}}`, problem.BadQuery, `query.term.F`, `query.term.F needs "value"`},
		{`{"query":{"term":{"F":{"value":"x","foo":2}}}}`, problem.UnknownOption, `query.term.F.foo`, `unknown option "foo" of term; known options: value, case_insensitive, boost, _name`},
		{`{"query":{"term":{"F":"x","G":"y"}}}`, problem.BadQuery, `query.term`, `query.term must name one field, not 2`},
		{`{"query":{"term":{"":"x"}}}`, problem.BadQuery, `query.term.`, `query.term must name a field, the name is empty`},
		{`{"query":{"terms":{"F":"x"}}}`, problem.BadQuery, `query.terms.F`, `query.terms.F must be an array of values, not "x"`},
		{`{"query":{"terms":{"F":["x"],"G":["x"]}}}`, problem.BadQuery, `query.terms.G`, `query.terms names two fields, "F" and "G": give only one`},
		{`{"query":{"terms":{"F":["x",null]}}}`, problem.BadQuery, `query.terms.F[1]`, `query.terms.F[1] must be a string, number or boolean, not null`},
		{`{"query":{"terms":{"":["x"]}}}`, problem.BadQuery, `query.terms.`, `query.terms must name a field, the name is empty`},
		{`{"query":{"terms":{}}}`, problem.BadQuery, `query.terms`, `query.terms must name one field and give an array of values`},
		{`{"query":{"prefix":{"F":{"valu":"x"}}}}`, problem.UnknownOption, `query.prefix.F.valu`, `unknown option "valu" of prefix; known options: value, case_insensitive, rewrite, boost, _name`},
		{`{"query":{"wildcard":{"F":{"case_insensitive":"yes"}}}}`, problem.BadQuery, `query.wildcard.F.case_insensitive`, `query.wildcard.F.case_insensitive must be true or false, not "yes"`},
		{`{"query":{"wildcard":{"F":{}}}}`, problem.BadQuery, `query.wildcard.F`, `query.wildcard.F needs "value"`},
		{`{"query":{"range":{"F":"x"}}}`, problem.BadQuery, `query.range.F`, `query.range.F must be an object of bounds like {"gte":1}, not "x"`},
		{`{"query":{"range":{"F":{"gte":[1]}}}}`, problem.BadQuery, `query.range.F.gte`, `query.range.F.gte must be a string, number or boolean, not an array`},
		{`{"query":{"exists":{"field":"*"}}}`, problem.BadQuery, `query.exists.field`, `exists needs a field, and "*" is not one: use match_all`},
		{`{"query":{"exists":{"field":""}}}`, problem.BadQuery, `query.exists.field`, `query.exists.field must be the name of a field, not ""`},
		{`{"query":{"exists":{}}}`, problem.BadQuery, `query.exists`, `query.exists needs "field"`},
		{`{"query":{"ids":{"values":[["x"]]}}}`, problem.BadQuery, `query.ids.values[0]`, `query.ids.values[0] must be a string, not an array`},

		{`{"query":{"match":{"F":{"query":"a","fuzziness":"x"}}}}`, problem.BadQuery, `query.match.F.fuzziness`, `query.match.F.fuzziness must be AUTO, AUTO:low,high, 0, 1 or 2, not "x"`},
		{`{"query":{"match":{"F":{"query":"a","fuzziness":-1}}}}`, problem.BadQuery, `query.match.F.fuzziness`, `query.match.F.fuzziness must be AUTO, AUTO:low,high, 0, 1 or 2, not -1`},
		{`{"query":{"match":{"F":{"query":"a","operator":"xor"}}}}`, problem.BadQuery, `query.match.F.operator`, `query.match.F.operator must be and or or, not "xor"`},
		{`{"query":{"match":{"F":{"query":"a","zero_terms_query":"some"}}}}`, problem.BadQuery, `query.match.F.zero_terms_query`, `query.match.F.zero_terms_query must be all or none, not "some"`},
		{`{"query":{"match":{"F":{"query":"a","prefix_length":-1}}}}`, problem.BadQuery, `query.match.F.prefix_length`, `query.match.F.prefix_length must be an integer from 0, not -1`},
		{`{"query":{"match":{"F":{"query":"a","max_expansions":0}}}}`, problem.BadQuery, `query.match.F.max_expansions`, `query.match.F.max_expansions must be an integer from 1, not 0`},
		{`{"query":{"match":{"F":{"query":"a","analyzer":"english"}}}}`, problem.BadQuery, `query.match.F.analyzer`, `query.match.F.analyzer must be standard: nothing else is supported, not "english"`},
		{`{"query":{"match":{"F":{"operator":"or"}}}}`, problem.BadQuery, `query.match.F`, `query.match.F needs "query"`},
		{`{"query":{"match_phrase":{"F":{"query":"a","slop":-1}}}}`, problem.BadQuery, `query.match_phrase.F.slop`, `query.match_phrase.F.slop must be an integer from 0, not -1`},
		{`{"query":{"match_phrase":{"F":{"query":"a","lenient":true}}}}`, problem.UnknownOption, `query.match_phrase.F.lenient`, `unknown option "lenient" of match_phrase; known options: query, slop, zero_terms_query, analyzer, boost, _name`},
		{`{"query":{"multi_match":{"query":"a","type":"sideways"}}}`, problem.BadQuery, `query.multi_match.type`, `query.multi_match.type must be one of best_fields, most_fields, cross_fields, phrase, phrase_prefix, bool_prefix, not "sideways"`},
		{`{"query":{"multi_match":{"query":"a","type":"cross_fields","fuzziness":1}}}`, problem.BadQuery, `query.multi_match.fuzziness`, `fuzziness has no meaning in a multi_match of type cross_fields: use best_fields, most_fields or bool_prefix`},
		{`{"query":{"multi_match":{"query":"a","type":"bool_prefix","slop":1}}}`, problem.BadQuery, `query.multi_match.slop`, `slop has no meaning in a multi_match of type bool_prefix: use phrase or phrase_prefix`},
		{`{"query":{"range":{"F":{"gt":1,"relation":"disjoint"}}}}`, problem.BadQuery, `query.range.F.relation`, `query.range.F.relation must be intersects or contains or within: nothing else is supported, not "disjoint"`},
		{`{"query":{"multi_match":{"query":"a","fields":["F^x"]}}}`, problem.BadQuery, `query.multi_match.fields[0]`, `query.multi_match.fields[0] must be a field with a boost from 0, like Name^2, not "F^x"`},
		{`{"query":{"multi_match":{"query":"a","fields":["F^-1"]}}}`, problem.BadQuery, `query.multi_match.fields[0]`, `query.multi_match.fields[0] must be a field with a boost from 0, like Name^2, not "F^-1"`},
		{`{"query":{"multi_match":{"fields":["F"]}}}`, problem.BadQuery, `query.multi_match`, `query.multi_match needs "query"`},

		{`{"query":{"query_string":{"query":"a","fields":"F"}}}`, problem.BadQuery, `query.query_string.fields`, `query.query_string.fields must be an array of field names, not "F"`},
		{`{"query":{"query_string":{"query":"a","fields":["F"],"default_field":"G"}}}`, problem.BadQuery, `query.query_string`, `query.query_string has both default_field and fields: give only one`},
		{`{"query":{"query_string":{}}}`, problem.BadQuery, `query.query_string`, `query.query_string needs "query"`},
		{`{"query":{"query_string":{"query":["a"]}}}`, problem.BadQuery, `query.query_string.query`, `query.query_string.query must be a string, not an array`},
		{`{"query":{"simple_query_string":{"query":"a","flags":"XOR"}}}`, problem.BadQuery, `query.simple_query_string.flags`, `query.simple_query_string.flags must be flags like OR|AND|PREFIX, of ALL, NONE, AND, NOT, OR, PREFIX, PHRASE, PRECEDENCE, ESCAPE, WHITESPACE, FUZZY, NEAR and SLOP, not "XOR"`},

		{`{"sort":1}`, problem.BadSort, `sort`, `sort must be a field name or an object like {"CreatedAt":"desc"}, not 1`},
		{`{"sort":[""]}`, problem.BadSort, `sort[0]`, `sort[0] must be the name of a field, not ""`},
		{`{"sort":{"F":"up"}}`, problem.BadSort, `sort.F`, `sort.F must be asc or desc, not "up"`},
		{`{"sort":[{"F":{"modes":"min"}}]}`, problem.UnknownOption, `sort[0].F.modes`, `unknown option "modes" of a sort key; known options: order, missing, mode, unmapped_type, numeric_type`},
		{`{"sort":[{"F":{"format":"yyyy"}}]}`, problem.UnknownOption, `sort[0].F.format`, `unknown option "format" of a sort key; known options: order, missing, mode, unmapped_type, numeric_type`},
		{`{"sort":[{"_score":{"mode":"min"}}]}`, problem.UnknownOption, `sort[0]._score.mode`, `unknown option "mode" of the sort key _score; known options: order`},
		{`{"sort":{"F":{"missing":[1]}}}`, problem.BadSort, `sort.F.missing`, `sort.F.missing must be a string, number or boolean, not an array`},
		{`{"sort":{"F":{"mode":"mean"}}}`, problem.BadSort, `sort.F.mode`, `sort.F.mode must be one of min, max, sum, avg, median, not "mean"`},
		{`{"sort":{"F":{"numeric_type":"float"}}}`, problem.BadSort, `sort.F.numeric_type`, `sort.F.numeric_type must be one of long, double, date, date_nanos, not "float"`},
		{`{"sort":{"F":{"nested":{"path":"a"}}}}`, problem.UnknownOption, `sort.F.nested`, `the option nested of a sort key is not supported, nor are nested documents: leave it out`},
		{`{"sort":{"_script":{}}}`, problem.BadSort, `sort._script`, `the sort key _script is not supported, as scripts are not supported: sort by a field`},
		{`{"sort":{"_geo_distance":{}}}`, problem.BadSort, `sort._geo_distance`, `the sort key _geo_distance is not supported, as geo points are not supported: sort by a field`},
		{`{"search_after":1}`, problem.BadSearchAfter, `search_after`, `search_after must be an array of the sort values of a hit, not 1`},
		{`{"search_after":[]}`, problem.BadSearchAfter, `search_after`, `search_after must be an array of the sort values of a hit, not an array`},
		{`{"search_after":[[1]]}`, problem.BadSearchAfter, `search_after[0]`, `search_after[0] must be a string, number or boolean, not an array`},
		{`{"sort":{"":"asc"}}`, problem.BadSort, `sort.`, `a sort key needs the name of a field`},
		{`{"_source":1}`, problem.BadSource, `_source`, `_source must be true, false, a field pattern, an array of patterns or {includes, excludes}, not 1`},
		{`{"_source":{"only":"x"}}`, problem.UnknownOption, `_source.only`, `unknown option "only" of _source; known options: includes, excludes`},

		{`{"aggs":[]}`, problem.BadAggregation, `aggs`, `aggs must be an object of named aggregations, not an array`},
		{`{"aggs":{},"aggregations":{}}`, problem.BadAggregation, `aggregations`, `aggs and aggregations are the same member: give only one`},
		{`{"aggs":{"x":{}}}`, problem.BadAggregation, `aggs.x`, `aggs.x has no type; known types: ` + aggTypeList()},
		{`{"aggs":{"x":{"nope":{}}}}`, problem.BadAggregation, `aggs.x.nope`, `unknown aggregation type "nope"; known types: ` + aggTypeList()},
		{`{"aggs":{"x":{"min":{"field":"F"},"max":{"field":"F"}}}}`, problem.BadAggregation, `aggs.x.max`, `aggs.x has two types, min and max: an aggregation has one`},
		{`{"aggs":{"a[0]":{"min":{"field":"F"}}}}`, problem.BadAggregation, `aggs.a[0]`, `"a[0]" cannot name an aggregation: a name is not empty and has no [ ] or >`},
		{`{"aggs":{"x":{"terms":{}}}}`, problem.BadAggregation, `aggs.x.terms`, `aggs.x.terms needs "field"`},
		{`{"aggs":{"x":{"terms":{"field":"F","size":0}}}}`, problem.BadAggregation, `aggs.x.terms.size`, `aggs.x.terms.size must be an integer from 1, not 0`},
		{`{"aggs":{"x":{"terms":{"field":"F","size":2147483647}}}}`, problem.BadAggregation, `aggs.x.terms.size`, `aggs.x.terms.size must be at most 65536, not 2147483647`},
		{`{"aggs":{"x":{"terms":{"field":"F","include":1}}}}`, problem.BadAggregation, `aggs.x.terms.include`, `aggs.x.terms.include must be an array of exact values, a pattern or a partition, not 1`},
		{`{"aggs":{"x":{"terms":{"field":"F","script":"x"}}}}`, problem.UnknownOption, `aggs.x.terms.script`, `aggs.x.terms.script: scripts are not supported: write the value that it computes into the items, and name that field`},
		{`{"aggs":{"x":{"terms":{"field":"F","order":{"y":"asc"}}}}}`, problem.BadAggregation, `aggs.x.terms.order.y`, `"y" cannot order buckets: use _count, _key, an aggregation inside that gives one number, or one of stats like "name.avg"`},
		{`{"aggs":{"x":{"terms":{"field":"F","order":{"y":"asc"}},"aggs":{"y":{"stats":{"field":"F"}}}}}}`, problem.BadAggregation, `aggs.x.terms.order.y`, `"y" cannot order buckets: use _count, _key, an aggregation inside that gives one number, or one of stats like "name.avg"`},
		{`{"aggs":{"x":{"terms":{"field":"F","order":{}}}}}`, problem.BadAggregation, `aggs.x.terms.order`, `aggs.x.terms.order must be an object with one key like {"_count":"desc"}, not an object`},
		{`{"aggs":{"x":{"min":{"field":"F","keyed":true}}}}`, problem.UnknownOption, `aggs.x.min.keyed`, `unknown option "keyed" of a min aggregation; known options: field, missing, format, value_type`},
		{`{"aggs":{"x":{"min":{"field":"F"},"aggs":{"y":{"min":{"field":"F"}}}}}}`, problem.BadAggregation, `aggs.x.aggs`, `a min aggregation has no buckets that could hold others`},
		{`{"aggs":{"x":{"terms":{"field":"F"},"aggs":{"y":{"min":{"field":"F"}}},"meta":1}}}`, problem.BadAggregation, `aggs.x.meta`, `aggs.x.meta must be an object, not 1`},
		{`{"aggs":{"x":{"date_histogram":{"field":"F"}}}}`, problem.BadAggregation, `aggs.x.date_histogram`, `aggs.x.date_histogram needs "calendar_interval"`},
		{`{"aggs":{"x":{"date_histogram":{"field":"F","calendar_interval":"2d"}}}}`, problem.BadAggregation, `aggs.x.date_histogram.calendar_interval`, `aggs.x.date_histogram.calendar_interval must be one of second, minute, hour, day, week, month, quarter, year (or 1s, 1m, 1h, 1d, 1w, 1M, 1q, 1y), not "2d"`},
		{`{"aggs":{"x":{"auto_date_histogram":{"field":"F","buckets":2185}}}}`, problem.BadAggregation, `aggs.x.auto_date_histogram.buckets`, `aggs.x.auto_date_histogram.buckets must be at most 2184, not 2185`},
		{`{"aggs":{"x":{"auto_date_histogram":{"field":"F","buckets":5462,"minimum_interval":"hour"}}}}`, problem.BadAggregation, `aggs.x.auto_date_histogram.buckets`, `aggs.x.auto_date_histogram.buckets must be at most 5461, not 5462`},
		{`{"aggs":{"x":{"auto_date_histogram":{"field":"F","minimum_interval":"week"}}}}`, problem.BadAggregation, `aggs.x.auto_date_histogram.minimum_interval`, `aggs.x.auto_date_histogram.minimum_interval must be one of second, minute, hour, day, month, year, not "week"`},
		{`{"aggs":{"x":{"filters":{"filters":{}}}}}`, problem.BadAggregation, `aggs.x.filters.filters`, `aggs.x.filters.filters must be an object or array of queries, at least one, not an object`},
		{`{"aggs":{"x":1}}`, problem.BadAggregation, `aggs.x`, `aggs.x must be an object like {"terms":{"field":"Name.keyword"}}, not 1`},
		{`{"aggs":{"x":{"min":1}}}`, problem.BadAggregation, `aggs.x.min`, `aggs.x.min must be an object, not 1`},
		{`{"aggs":{"x":{"terms":{"field":"F"},"aggs":{},"aggregations":{}}}}`, problem.BadAggregation, `aggs.x.aggregations`, `aggs and aggregations are the same member: give only one`},
		{`{"aggs":{"x":{"cardinality":{"field":"F","foo":1}}}}`, problem.UnknownOption, `aggs.x.cardinality.foo`, `unknown option "foo" of a cardinality aggregation; known options: field, missing, precision_threshold, value_type`},
		{`{"aggs":{"x":{"terms":{"field":"F","show_term_doc_count_error":1}}}}`, problem.BadAggregation, `aggs.x.terms.show_term_doc_count_error`, `aggs.x.terms.show_term_doc_count_error must be true or false, not 1`},
		{`{"aggs":{"x":{"terms":{"field":"F","order":{"y":"asc"}},"aggs":{"y":{"nope":{}}}}}}`, problem.BadAggregation, `aggs.x.aggs.y.nope`, `unknown aggregation type "nope"; known types: ` + aggTypeList()},
		{`{"aggs":{"x":{"date_histogram":{"field":"F","fixed_interval":"1d","interval":"day"}}}}`, problem.BadAggregation, `aggs.x.date_histogram.interval`, `a histogram of dates has one interval: calendar_interval or fixed_interval`},
		{`{"aggs":{"x":{"date_histogram":{"field":"F","fixed_interval":"1M1"}}}}`, problem.BadAggregation, `aggs.x.date_histogram.fixed_interval`, `aggs.x.date_histogram.fixed_interval must be a number and one of the units ms, s, m, h and d, like 30d, or a calendar_interval, not "1M1"`},
		{`{"aggs":{"x":{"histogram":{"field":"F","interval":0}}}}`, problem.BadAggregation, `aggs.x.histogram.interval`, `aggs.x.histogram.interval must be a number above 0, not 0`},
		{`{"aggs":{"x":{"range":{"field":"F","ranges":[]}}}}`, problem.BadAggregation, `aggs.x.range.ranges`, `aggs.x.range.ranges must be an array of ranges like {"from":1,"to":2}, at least one, not an array`},
		{`{"aggs":{"x":{"filter":{"match_all":{}},"aggs":{"y":{"global":{}}}}}}`, problem.BadAggregation, `aggs.x.aggs.y.global`, `global must be at the top: it has all items, whatever is around it`},
		{`{"aggs":{"x":{"composite":{"sources":[{"a":{"range":{}}}]}}}}`, problem.BadAggregation, `aggs.x.composite.sources[0].a.range`, `unknown source "range" of composite; known sources: terms, histogram, date_histogram`},
		{`{"aggs":{"x":{"composite":{"sources":[{"a":{"terms":{"field":"F"}}}],"after":{"b":1}}}}}`, problem.BadAggregation, `aggs.x.composite.after`, `aggs.x.composite.after has no value for "a"`},
		{`{"aggs":{"x":{"terms":{"field":"F","include":"a","exclude":["b"]}}}}`, problem.BadAggregation, `aggs.x.terms`, `aggs.x.terms selects values in two ways: use patterns, arrays of exact values or a partition`},
		{`{"aggs":{"x":{"terms":{"field":"F"},"aggs":{"c":{"cumulative_sum":{"buckets_path":"_count"}}}}}}`, problem.BadAggregation, `aggs.x.aggs.c`, `cumulative_sum must be in a histogram, date_histogram or auto_date_histogram, not in terms`},
		{`{"aggs":{"x":{"terms":{"field":"F"}},"s":{"sum_bucket":{"buckets_path":"x>m"}}}}`, problem.BadAggregation, `aggs.s`, `"x>m" is not a path to numbers of buckets: give the name of an aggregation at the same level that has buckets in an order, ">", and _count or an aggregation inside that gives one number`},
		{`{"aggs":{"x":{"terms":{"field":"F"},"aggs":{"s":{"bucket_sort":{"sort":"m"}}}}}}`, problem.BadAggregation, `aggs.x.aggs.s`, `"m" is not a number of a bucket: use _count, or an aggregation inside that gives one number`},
		{`{"aggs":{"x":{"terms":{"field":"F","include":{"partition":3,"num_partitions":3}}}}}`, problem.BadAggregation, `aggs.x.terms.include`, `partition must be below num_partitions`},
		{`{"aggs":{"x":{"adjacency_matrix":{"filters":[{"match_all":{}}]}}}}`, problem.BadAggregation, `aggs.x.adjacency_matrix.filters`, `aggs.x.adjacency_matrix.filters must be an object of named queries, not an array`},
		{`{"aggs":{"x":{"adjacency_matrix":{"filters":{` + manyFilters(101) + `}}}}}`, problem.TooManyClauses, `aggs.x.adjacency_matrix.filters`, `aggs.x.adjacency_matrix.filters has 101 filters, at most 100 are allowed`},
		{`{"aggs":{"x":{"terms":{"field":"F"},"aggs":{"s":{"bucket_sort":{"from":0}}}}}}`, problem.BadAggregation, `aggs.x.aggs.s.bucket_sort`, `aggs.x.aggs.s.bucket_sort must be a sort, a size, or a from above 0, not an object`},
		{`{"aggs":{"x":{"filters":{"foo":1}}}}`, problem.UnknownOption, `aggs.x.filters.foo`, `unknown option "foo" of a filters aggregation; known options: filters, other_bucket, other_bucket_key`},
		{`{"aggs":{"x":{"terms":{"field":"F","order":{"y":"asc"}},"aggs":{"y":{"terms":{"field":"F"}}}}}}`, problem.BadAggregation, `aggs.x.terms.order.y`, `"y" cannot order buckets: use _count, _key, an aggregation inside that gives one number, or one of stats like "name.avg"`},
		{`{"` + strings.Repeat("é", 50) + `":1}`, problem.BadBody, strings.Repeat("é", 30) + `…`, `unknown member "` + strings.Repeat("é", 30) + `…" of the body; known members: ` + strings.Join(Members(), ", ")},
		{`{"aggs":{"x":{"filter":{}}}}`, problem.BadAggregation, `aggs.x.filter`, `aggs.x.filter is an empty query: leave it out, or use match_all`},
	} {
		_, err := Parse([]byte(c.in))
		var e *query.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: no error", c.in)
			continue
		}
		if want := (query.Error{Code: c.code, Message: c.want, Parameter: c.at, Position: -1, Evaluated: e.Evaluated}); *e != want || err.Error() != c.want {
			t.Errorf("%s\n got %+v\nwant %+v", c.in, *e, want)
		}
	}
}

// TestStoredErrors checks that Parse stores the syntax error of a query string in its node.
func TestStoredErrors(t *testing.T) {
	b, err := Parse([]byte(`{"query":{"bool":{"must":[{"term":{"F":"x"}},{"query_string":{"query":"é AND"}}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	n := b.Query.(*query.Bool).Must[1].(*query.QueryString)
	want := query.Error{Code: problem.BadQueryString, Message: `query string, byte 6: it ends where a word, a quoted text or a "(" must follow`, Parameter: "query.bool.must[1].query_string.query", Position: 6}
	if n.Expr != nil || n.Err == nil || *n.Err != want {
		t.Errorf("got %v, %+v", n.Expr, n.Err)
	}
}

// TestKnownOptions checks that the parser accepts every option that error messages list.
func TestKnownOptions(t *testing.T) {
	accepts := func(in, option string) {
		t.Helper()
		_, err := Parse(fmt.Appendf(nil, in, option))
		var e *query.Error
		if errors.As(err, &e) && e.Code == problem.UnknownOption {
			t.Errorf(in+": %v", option, err)
		}
	}
	for name, qt := range queryTypes {
		for _, option := range qt.options.known() {
			if strings.Contains("bool boosting constant_score dis_max distance_feature exists field_masking_span function_score ids match_all match_none more_like_this multi_match query_string simple_query_string span_containing span_first span_multi span_near span_not span_or span_within terms wrapper", name) {
				accepts(`{"query":{"`+name+`":{%q:null}}}`, option)
			} else {
				accepts(`{"query":{"`+name+`":{"F":{%q:null}}}}`, option)
			}
		}
	}
	for _, at := range aggParsers {
		for _, option := range at.options.known() {
			accepts(`{"aggs":{"a":{"`+string(at.kind)+`":{%q:null}}}}`, option)
		}
	}
}

func TestBodyLimits(t *testing.T) {
	list := func(n int, s string) string { return strings.Repeat(s+",", n-1) + s }
	nested := func(n int) string {
		return `{"query":` + strings.Repeat(`{"bool":{"must":`, n-1) + `{"match_all":{}}` + strings.Repeat(`}}`, n-1) + `}`
	}
	aggs := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"a%d":{"min":{"field":"F"}}`, i)
		}
		return `{"aggs":{` + b.String()[1:] + `}}`
	}
	const all = `{"match_all":{}}`
	for _, c := range []struct{ name, in, code string }{
		{"deep queries", nested(32), ""},
		{"one query deeper", nested(33), problem.TooDeep},
		{"nested aggregations", `{"aggs":` + strings.Repeat(`{"x":{"filter":{"match_all":{}},"aggs":`, 6) + `{"x":{"min":{"field":"F"}}}` + strings.Repeat("}}", 6) + `}`, problem.TooDeep},
		{"deep arrays", strings.Repeat("[", 1<<20), problem.TooDeep},
		{"deep objects", strings.Repeat(`{"a":`, 1<<18), problem.TooDeep},
		{"clauses", `{"query":{"bool":{"should":[` + list(1024, all) + `]}}}`, ""},
		{"one clause more", `{"query":{"bool":{"should":[` + list(1025, all) + `]}}}`, problem.TooManyClauses},
		{"clauses of two kinds", `{"query":{"bool":{"must":[` + list(600, all) + `],"should":[` + list(600, all) + `]}}}`, problem.TooManyClauses},
		{"queries", `{"query":{"bool":{"must":[` + list(8, `{"bool":{"must":[`+list(1024, all)+`]}}`) + `]}}}`, problem.TooManyClauses},
		{"values", `{"query":{"terms":{"F":[` + list(maxValues, "1") + `]}}}`, ""},
		{"one value more", `{"query":{"terms":{"F":[` + list(maxValues+1, "1") + `]}}}`, problem.TooManyClauses},
		{"wrong values", `{"query":{"terms":{"F":[` + list(maxValues, "null") + `]}}}`, problem.BadQuery},
		{"fields", `{"query":{"multi_match":{"query":"a","fields":[` + list(1025, `"F"`) + `]}}}`, problem.TooManyClauses},
		{"sort keys", `{"sort":[` + list(33, `"F"`) + `]}`, problem.BadSort},
		{"source patterns", `{"_source":[` + list(101, `"F"`) + `]}`, problem.TooManyClauses},
		{"order keys", `{"aggs":{"x":{"terms":{"field":"F","order":[` + list(33, `{"_key":"asc"}`) + `]}}}}`, problem.BadAggregation},
		{"filters", `{"aggs":{"x":{"filters":{"filters":[` + list(1025, all) + `]}}}}`, problem.TooManyClauses},
		{"aggregations", aggs(100), ""},
		{"one aggregation more", aggs(101), problem.TooManyClauses},
		{"simple query string", `{"query":{"simple_query_string":{"query":"` + strings.Repeat("a ", 1025) + `"}}}`, problem.TooManyClauses},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.in))
			var e *query.Error
			code := ""
			if errors.As(err, &e) {
				code = e.Code
			}
			if code != c.code {
				t.Errorf("got code %q, want %q", code, c.code)
			}
		})
	}
}

// TestNodeBudget checks that query strings count toward the limit of a whole body.
func TestNodeBudget(t *testing.T) {
	text := strings.Repeat("a:a ", lucene.MaxClauses)
	clause := `{"query_string":{"query":"` + text + `"}}`
	b, err := Parse([]byte(`{"query":{"bool":{"must":[` + strings.Repeat(clause+",", 8) + clause + `]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	must := b.Query.(*query.Bool).Must
	if first := must[0].(*query.QueryString); first.Err != nil {
		t.Errorf("the first of nine: %v", first.Err)
	}
	if last := must[8].(*query.QueryString); last.Err == nil || last.Err.Code != problem.TooManyClauses {
		t.Errorf("the last of nine: %v", last.Err)
	}
}

// manyFilters are n named queries.
func manyFilters(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf(`"f%d":{"match_all":{}}`, i)
	}
	return strings.Join(list, ",")
}
