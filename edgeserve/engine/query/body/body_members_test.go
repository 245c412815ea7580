// This file tests members of bodies that choose hits and what they have.

package body

import (
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

func TestMembers(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"post_filter":{"match_all":{}},"min_score":"0.5"}`, `{"post_filter":{"match_all":{}},"min_score":0.5}`},
		{`{"collapse":{"field":"F","max_concurrent_group_searches":4}}`, `{"collapse":{"field":"F"}}`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","sort":"G","ignore_unmapped":true}}}`,
			`{"collapse":{"field":"F","inner_hits":[{"name":"n","size":3,"from":0,"sort":[{"G":"asc"}]}]}}`},
		{`{"collapse":{"field":"F","inner_hits":[{"name":"n"},{"name":"n","size":1}]}}`, `{"collapse":{"field":"F","inner_hits":[{"name":"n","size":1,"from":0}]}}`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","explain":true,"version":true,"docvalue_fields":["G"],"collapse":{"field":"H"}}}}`,
			`{"collapse":{"field":"F","inner_hits":[{"name":"n","size":3,"from":0,"collapse":{"field":"H"},"docvalue_fields":["G"],"explain":true,"version":true}]}}`},
		{`{"collapse":{"field":"F","inner_hits":[{"name":"n","stored_fields":"_none_","_source":["A"],"fields":["G"]},{"name":"m","stored_fields":[]},{"name":"l","stored_fields":["G"]}]}}`,
			`{"collapse":{"field":"F","inner_hits":[{"name":"n","size":3,"from":0,"fields":["G"]},{"name":"m","size":3,"from":0},{"name":"l","size":3,"from":0}]}}`},
		{`{"rescore":{"query":{"rescore_query":{"match_all":{}}}}}`,
			`{"rescore":[{"window_size":10,"query":{"rescore_query":{"match_all":{}},"query_weight":1,"rescore_query_weight":1,"score_mode":"total"}}]}`},
		{`{"rescore":[{"window_size":"5","query":{"rescore_query":{"match_all":{}},"query_weight":-2,"score_mode":"MAX"}}]}`,
			`{"rescore":[{"window_size":5,"query":{"rescore_query":{"match_all":{}},"query_weight":-2,"rescore_query_weight":1,"score_mode":"max"}}]}`},
		{`{"fields":["a",{"field":"b","format":"yyyy"},5],"docvalue_fields":[{"field":"c","format":"use_field_mapping"}]}`,
			`{"fields":["a",{"field":"b","format":"yyyy"},"5"],"docvalue_fields":["c"]}`},
		{`{"stored_fields":[]}`, `{"_source":false}`},
		{`{"stored_fields":["_source"]}`, `{}`},
		{`{"stored_fields":"Name","_source":"Name"}`, `{"_source":{"includes":["Name"]}}`},
		{`{"stored_fields":"_none_"}`, `{"stored_fields":"_none_","_source":false}`},
		{`{"track_total_hits":false,"terminate_after":2}`, `{"terminate_after":2,"track_total_hits":-1}`},
		{`{"explain":"true"}`, `{"explain":true}`},
		{`{"explain":false}`, `{}`},
		{`{"track_total_hits":"7","version":"true","timeout":"1.5s","profile":false,"stats":["a"],"ext":{},"indices_boost":[]}`, `{"version":true,"track_total_hits":7}`},
	} {
		checkBody(t, c.in, c.want)
	}
}

func TestMemberErrors(t *testing.T) {
	for _, c := range []struct{ in, code, parameter, message string }{
		{`{"post_filter":{}}`, problem.BadQuery, `post_filter`, `post_filter is an empty query: leave it out, or use match_all`},
		{`{"explain":1}`, problem.BadBody, `explain`, `explain must be true or false, not 1`},
		{`{"min_score":true}`, problem.BadBody, `min_score`, `min_score must be a number, not true`},
		{`{"collapse":"F"}`, problem.BadCollapse, `collapse`, `collapse must be an object with a field, not "F"`},
		{`{"collapse":{}}`, problem.BadCollapse, `collapse`, `collapse needs "field"`},
		{`{"collapse":{"field":"F","x":1}}`, problem.UnknownOption, `collapse.x`, `unknown option "x" of collapse; known options: field, inner_hits, max_concurrent_group_searches`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","highlight":[]}}}`, problem.BadCollapse, `collapse.inner_hits.highlight`, `collapse.inner_hits.highlight must be an object like {"fields":{"Data.title":{}}}, not an array`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","collapse":"G"}}}`, problem.BadCollapse, `collapse.inner_hits.collapse`, `collapse.inner_hits.collapse must be an object with a field, not "G"`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","collapse":{}}}}`, problem.BadCollapse, `collapse.inner_hits.collapse`, `collapse.inner_hits.collapse needs "field"`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","collapse":{"field":"G","inner_hits":{"name":"m"}}}}}`, problem.UnknownOption, `collapse.inner_hits.collapse.inner_hits`,
			`unknown option "inner_hits" of a collapse in inner_hits, which has a field only`},
		{`{"collapse":{"field":"F","inner_hits":{}}}`, problem.BadCollapse, `collapse.inner_hits`, `collapse.inner_hits needs "name"`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","query":{}}}}`, problem.UnknownOption, `collapse.inner_hits.query`,
			`unknown option "query" of inner_hits; known options: name, from, size, sort, _source, track_scores, version, seq_no_primary_term, fields, docvalue_fields, stored_fields, script_fields, explain, highlight, collapse`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","size":-1}}}`, problem.BadCollapse, `collapse.inner_hits.size`, `collapse.inner_hits.size must be an integer from 0, not -1`},
		{`{"collapse":{"field":"F","inner_hits":{"name":"n","size":` + window(1) + `}}}`, problem.BadFrom, `collapse.inner_hits`, `from + size of inner_hits must be at most ` + window(0) + `, not ` + window(1)},
		{`{"rescore":1}`, problem.BadRescore, `rescore`, `rescore must be an object with a query, or an array of such objects, not 1`},
		{`{"rescore":{}}`, problem.BadRescore, `rescore`, `rescore needs "query"`},
		{`{"rescore":{"query":{}}}`, problem.BadRescore, `rescore.query`, `rescore.query needs "rescore_query"`},
		{`{"rescore":{"window_size":` + window(1) + `,"query":{"rescore_query":{"match_all":{}}}}}`, problem.BadRescore, `rescore.window_size`, `window_size must be at most ` + window(0) + `, not ` + window(1)},
		{`{"rescore":{"query":{"rescore_query":{"match_all":{}},"score_mode":"sum"}}}`, problem.BadRescore, `rescore.query.score_mode`,
			`rescore.query.score_mode must be one of total, multiply, avg, max, min, not "sum"`},
		{`{"fields":"a"}`, problem.BadBody, `fields`, `fields must be an array of names, or of objects with field and format, not "a"`},
		{`{"fields":[{"field":"a","x":1}]}`, problem.UnknownOption, `fields[0].x`, `unknown option "x" of a field; known options: field, format`},
		{`{"docvalue_fields":[{}]}`, problem.BadBody, `docvalue_fields[0]`, `docvalue_fields[0] needs "field"`},
		{`{"stored_fields":["_none_","a"]}`, problem.BadBody, `stored_fields`, `stored_fields cannot have _none_ with other names`},
		{`{"stored_fields":"_none_","_source":"a"}`, problem.BadBody, `stored_fields`, `stored_fields cannot be _none_ if _source is asked for`},
		{`{"stored_fields":"_none_","fields":["a"]}`, problem.BadBody, `stored_fields`, `stored_fields cannot be _none_ with fields`},
		{`{"script_fields":{}}`, problem.BadBody, `script_fields`, `script_fields is not supported: scripts are not supported: use fields or _source`},
		{`{"slice":{"id":0,"max":2}}`, problem.BadBody, `slice`, `slice is not supported: a search has one slice: use search_after for long results`},
		{`{"pit":{"id":"x"}}`, problem.BadBody, `pit`, `pit is not supported: a release does not change: use search_after without it`},
		{`{"timeout":"x"}`, problem.BadBody, `timeout`, `timeout must be a time such as 500ms or 2s, not "x"`},
		{`{"terminate_after":-1}`, problem.BadBody, `terminate_after`, `terminate_after must be an integer from 0, not -1`},
		{`{"stats":"a"}`, problem.BadBody, `stats`, `stats must be an array of names, not "a"`},
		{`{"ext":{"a":{}}}`, problem.BadBody, `ext`, `ext must be empty: leave it out, not an object`},
		{`{"indices_boost":[{"a":2}]}`, problem.BadBody, `indices_boost`, `indices_boost must be empty: leave it out, not an array`},
	} {
		_, err := Parse([]byte(c.in))
		e, ok := err.(*query.Error)
		if !ok || e.Code != c.code || e.Parameter != c.parameter || e.Message != c.message {
			t.Errorf("%s\n got %+v\nwant {%s %s %s}", c.in, err, c.code, c.parameter, c.message)
		}
	}
}
