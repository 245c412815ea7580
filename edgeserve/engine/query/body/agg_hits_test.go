// This file tests how top_hits and significant_terms are parsed, and prints their options.

package body

import (
	"errors"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/wire/problem"
)

func printSignificance(s *query.Significance, o object) object {
	measure := object(nil)
	if s.Measure != "jlh" && s.Measure != "percentage" {
		if !s.Superset {
			measure = measure.raw("background_is_superset", "false")
		}
		measure = measure.trueIf("include_negatives", s.Negatives)
	}
	if o = o.raw(s.Measure, measure.done()); s.Background != nil {
		o = o.raw("background_filter", printNode(s.Background))
	}
	if s.Terms.Include != nil {
		o = o.text("include", *s.Terms.Include)
	}
	if s.Terms.Exclude != nil {
		o = o.text("exclude", *s.Terms.Exclude)
	}
	return o
}

func TestHitAggs(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`"top_hits":{}`, `"top_hits":{"from":0,"size":3}`},
		{`"top_hits":{"from":1,"size":2,"sort":[{"A":"desc"},"B"],"_source":["Name"],"track_scores":true,"version":true,"seq_no_primary_term":true,"docvalue_fields":["F"]}`,
			`"top_hits":{"from":1,"size":2,"sort":[{"A":"desc"},{"B":"asc"}],"docvalue_fields":["F"],"version":true,"seq_no_primary_term":true,"track_scores":true,"_source":{"includes":["Name"]}}`},
		{`"top_hits":{"sort":["_score"],"_source":false}`, `"top_hits":{"from":0,"size":3,"_source":false}`},
		{`"top_hits":{"stored_fields":"_none_","_source":true,"fields":["F"]}`, `"top_hits":{"from":0,"size":3,"fields":["F"],"stored_fields":"_none_","_source":false}`},
		{`"significant_terms":{"field":"F"}`, `"significant_terms":{"field":"F","size":10,"min_doc_count":3,"jlh":{}}`},
		{`"significant_terms":{"field":"F","size":4,"min_doc_count":0,"shard_min_doc_count":2,"gnd":{},"include":"a.*","exclude":["b"],"execution_hint":"map"}`,
			`"significant_terms":{"field":"F","size":4,"min_doc_count":2,"exclude":["b"],"gnd":{},"include":"a.*"}`},
		{`"significant_terms":{"field":"F","chi_square":{"background_is_superset":false,"include_negatives":true},"background_filter":{"match_all":{}}}`,
			`"significant_terms":{"field":"F","size":10,"min_doc_count":3,"chi_square":{"background_is_superset":false,"include_negatives":true},"background_filter":{"match_all":{}}}`},
	} {
		checkBody(t, `{"aggs":{"x":{`+c.in+`}}}`, `{"aggs":{"x":{`+c.want+`}}}`)
	}
}

func TestHitAggErrors(t *testing.T) {
	for _, c := range []struct{ in, code, at, want string }{
		{`"top_hits":{"size":101}`, problem.BadAggregation, "top_hits", "at most 100, not 101"},
		{`"top_hits":{"from":100,"size":1}`, problem.BadAggregation, "top_hits", "at most 100, not 101"},
		{`"top_hits":{"size":0}`, problem.BadAggregation, "top_hits.size", "an integer from 1, not 0"},
		{`"top_hits":{"nope":1}`, problem.UnknownOption, "top_hits.nope", "known options: from, size, sort, _source, track_scores, version, seq_no_primary_term"},
		{`"top_hits":{"highlight":{"fields":1}}`, problem.BadAggregation, "top_hits.highlight.fields", "must be an object of fields"},
		{`"top_hits":{"collapse":{"field":"F"}}`, problem.UnknownOption, "top_hits.collapse", "docvalue_fields, stored_fields, script_fields, explain, highlight"},
		{`"top_hits":{"stored_fields":"_none_","_source":["A"]}`, problem.BadBody, "top_hits.stored_fields", "cannot be _none_ if _source is asked for"},
		{`"top_hits":{"script_fields":{}}`, problem.BadBody, "top_hits.script_fields", "scripts are not supported"},
		{`"top_hits":{"sort":[{"A":"up"}]}`, problem.BadAggregation, "top_hits.sort[0].A", "asc or desc"},
		{`"top_hits":{},"aggs":{"y":{"min":{"field":"F"}}}`, problem.BadAggregation, "aggs", "no buckets that could hold others"},
		{`"terms":{"field":"F","order":{"h":"asc"}},"aggs":{"h":{"top_hits":{}}}`, problem.BadAggregation, "terms.order.h", "cannot order buckets"},
		{`"significant_terms":{}`, problem.BadAggregation, "significant_terms", `needs "field"`},
		{`"significant_terms":{"field":"F","jlh":{"x":1}}`, problem.UnknownOption, "significant_terms.jlh.x", "of jlh, which has none"},
		{`"significant_terms":{"field":"F","gnd":{"include_negatives":true}}`, problem.UnknownOption, "significant_terms.gnd.include_negatives", "known options: background_is_superset"},
		{`"significant_terms":{"field":"F","chi_square":1}`, problem.BadAggregation, "significant_terms.chi_square", "must be an object, not 1"},
		{`"significant_terms":{"field":"F","order":{"_count":"asc"}}`, problem.UnknownOption, "significant_terms.order", "known options: field, size"},
		{`"significant_terms":{"field":"F","script_heuristic":{}}`, problem.UnknownOption, "significant_terms.script_heuristic", "scripts are not supported"},
		{`"scripted_metric":{}`, problem.BadAggregation, "scripted_metric", "scripts are not supported"},
		{`"geo_bounds":{}`, problem.BadAggregation, "geo_bounds", "geo points are not supported"},
		{`"boxplot":{}`, problem.BadAggregation, "boxplot", "use percentiles"},
		{`"matrix_stats":{}`, problem.BadAggregation, "matrix_stats", "use extended_stats"},
	} {
		_, err := Parse([]byte(`{"aggs":{"x":{` + c.in + `}}}`))
		var e *query.Error
		if !errors.As(err, &e) || e.Code != c.code || e.Parameter != "aggs.x."+c.at || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: %#v", c.in, err)
		}
	}
}
