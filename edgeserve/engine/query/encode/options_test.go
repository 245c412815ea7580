// This file has bodies with the options that no other body of the corpus has, and with values at the limits.

package encode

import (
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// rareOptions are bodies of the corpus.
var rareOptions = []string{
	`{"min_score":1e39}`, `{"min_score":-1e39}`, `{"min_score":-0.0}`, `{"min_score":16777217}`, `{"min_score":1.17549435e-38}`, `{"size":-1,"from":-1}`,
	`{"query":{"match_all":{"boost":-0.0}}}`, `{"query":{"match_all":{"boost":3.4028235e38}}}`, `{"query":{"match_all":{"boost":1e-60,"_name":""}}}`, `{"query":{"match_none":{"boost":0.1}}}`,
	`{"query":{"term":{"F":{"value":1e400}}}}`, `{"query":{"term":{"boost":{"value":-0.0,"boost":2}}}}`, `{"query":{"term":{"F":123456789012345678901234567890}}}`, `{"query":{"terms":{"F":[true,"true",-0]}}}`, `{"query":{"terms":{"F":[]}}}`,
	`{"query":{"range":{"F":{"gte":"now-1d/d","lt":"now+1h||/d","time_zone":"+01:00","format":"yyyy","relation":"WITHIN"}}}}`, `{"query":{"range":{"F":{"gt":null}}}}`,
	`{"query":{"ids":{}}}`, `{"query":{"ids":{"values":[]}}}`, `{"query":{"ids":{"values":[1.50,"a"]}}}`,
	`{"query":{"bool":{}}}`, `{"query":{"bool":{"filter":{"dis_max":{"queries":{"match_none":{}}}},"must_not":{"match_all":{}},"minimum_should_match":-1}}}`, `{"query":{"bool":{"adjust_pure_negative":false,"must_not":{"match_all":{}},"must":{"match_all":{}}}}}`,
	`{"query":{"distance_feature":{"field":"F","origin":"now","pivot":"90m","_name":"n"}}}`,
	`{"query":{"multi_match":{"query":1.0,"fields":["F^1","F","G^0.1","^2"],"type":"most_fields","tie_breaker":0,"fuzziness":"auto:1,1"}}}`,
	`{"query":{"match":{"F":{"query":"a","auto_generate_synonyms_phrase_query":false,"fuzziness":"AUTO","fuzzy_rewrite":"top_terms_blended_freqs_7","zero_terms_query":"ALL"}}}}`,
	`{"query":{"match_phrase":{"F":{"query":"a","analyzer":"standard"}}}}`, `{"query":{"match_phrase_prefix":{"F":{"query":"a","analyzer":"standard","max_expansions":0}}}}`,
	`{"query":{"more_like_this":{"fields":["F"],"like":["x",{"doc":{"b":[1.50,{"c":true},"x","y","x"],"a":null,"":{"d":"e"}},"fields":[]},{"_id":"i","fields":["G"]}],"unlike":"y","analyzer":"standard","stop_words":[],"max_doc_freq":7}}}`, `{"query":{"more_like_this":{"like":{"doc":{}}}}}`,
	`{"query":{"query_string":{"query":"a:(","escape":true,"fuzzy_rewrite":"scoring_boolean","rewrite":"constant_score_boolean","type":"crossFields","tie_breaker":0.3,"fuzziness":0}}}`,
	`{"query":{"query_string":{"query":"a AND OR \" (","default_field":"F","lenient":false,"minimum_should_match":" 2<-25% 9<3 "}}}`, `{"query":{"query_string":{"query":" "}}}`,
	`{"query":{"simple_query_string":{"query":"a~2 +b","analyzer":"standard","auto_generate_synonyms_phrase_query":true,"flags":0,"fields":["F^2"]}}}`, `{"query":{"simple_query_string":{"query":"a","flags":"NONE"}}}`,
	`{"query":{"regexp":{"F":{"value":"a","flags_value":18,"max_determinized_states":5000}}}}`, `{"query":{"regexp":{"F":{"value":"a","flags":"NONE"}}}}`,
	`{"query":{"wildcard":{"F":{"wildcard":"a*","case_insensitive":false,"rewrite":"top_terms_boost_99999"}}}}`,
	`{"query":{"field_masking_span":{"query":{"span_term":{"F":{"term":"a","_name":"a"}}},"field":"G","boost":2,"_name":"b"}}}`,
	`{"query":{"span_containing":{"little":{"span_multi":{"match":{"prefix":{"F":{"value":"a","_name":"lost"}}},"_name":"c"}},"big":{"span_near":{"clauses":[{"span_term":{"F":"a"}}],"slop":-1,"_name":"d"}},"_name":"e"}}}`,
	`{"query":{"span_within":{"little":{"span_first":{"match":{"span_term":{"F":"a"}},"end":0,"_name":"f"}},"big":{"span_or":{"clauses":[{"span_term":{"F":"b"}}],"_name":"g"}},"boost":0.1,"_name":"h"}}}`,
	`{"query":{"span_not":{"include":{"span_term":{"F":"a"}},"exclude":{"span_term":{"F":"b"}},"dist":3,"_name":"i"}}}`, `{"query":{"span_multi":{"match":{"fuzzy":{"F":"a"}},"boost":2}}}`,
	`{"query":{"boosting":{"positive":{"fuzzy":{"F":{"value":"a","_name":"j"}}},"negative":{"regexp":{"F":{"value":"b","_name":"k"}}},"negative_boost":0.5,"_name":"l"}}}`,
	`{"query":{"intervals":{"F":{"match":{"query":"a"},"_name":"m"}}}}`, `{"query":{"more_like_this":{"fields":["F"],"like":"a","_name":"n"}}}`, `{"query":{"span_or":{"clauses":[{"span_term":{"F":"a"}}],"boost":2}}}`,
	`{"query":{"span_first":{"match":{"span_term":{"F":"a"}},"end":3,"boost":2}}}`, `{"query":{"span_not":{"include":{"span_term":{"F":"a"}},"exclude":{"span_term":{"F":"b"}},"pre":-2,"post":1,"boost":2}}}`,
	`{"query":{"match_bool_prefix":{"F":{"query":"a","fuzzy_transpositions":false}}}}`, `{"query":{"simple_query_string":{"query":"a","_name":"s"}}}`, `{"query":{"terms_set":{"F":{"terms":[],"minimum_should_match_field":"G","_name":"t"}}}}`,
	`{"query":{"function_score":{"weight":0,"max_boost":1e-7,"min_score":-3}}}`, `{"query":{"function_score":{"functions":[{"filter":{"term":{"F":1}},"random_score":{"seed":123456789012345678901234567890,"field":"_seq_no"}},{"weight":1},{"exp":{"F":{"scale":"1d","decay":0.1},"multi_value_mode":"AVG"}},{"field_value_factor":{"field":"F","factor":-1.5,"missing":-0.0,"modifier":"LN2P"},"weight":0.5}]}}}`,
	`{"aggs":{"a":{"value_count":{"field":"F","missing":1,"format":"0","value_type":"long"}},"b":{"min":{"field":"F","value_type":"long"}},"c":{"max":{"field":"F","missing":2,"value_type":"long"}},"d":{"sum":{"field":"F","missing":2,"format":"0","value_type":"long"}},"e":{"stats":{"field":"F","value_type":"long"}},"f":{"extended_stats":{"field":"F","format":"0","value_type":"long"}},"g":{"percentile_ranks":{"field":"F","values":[1],"missing":2,"format":"0","value_type":"long","tdigest":{"compression":50}}},"h":{"median_absolute_deviation":{"field":"F","missing":2,"value_type":"long"}},"i":{"terms":{"field":"F","shard_min_doc_count":3}},"j":{"significant_terms":{"field":"F","exclude":["a"],"shard_size":9,"execution_hint":"map"}},"k":{"rare_terms":{"field":"F","precision":0.01}}}}`,
	`{"aggs":{"h":{"terms":{"field":"F"},"aggs":{"m":{"max":{"field":"G"}},"s":{"bucket_selector":{"buckets_path":"m","script":"params._value > 0","gap_policy":"insert_zeros"}}}},"a":{"sum_bucket":{"buckets_path":"h>m","format":"0"}},"b":{"min_bucket":{"buckets_path":"h>m","format":"0"}},"c":{"max_bucket":{"buckets_path":"h>m","format":"0"}},"d":{"percentiles_bucket":{"buckets_path":"h>m","gap_policy":"insert_zeros"}}}}`,
}

// unheard are options that every value makes an error.
var unheard = map[string]bool{"top_hits.script_fields": true}

// Each option of each query and aggregation, and each member of a body, stands in a body of the corpus, which
// TestRoundTrip writes.
func TestEveryOption(t *testing.T) {
	for _, text := range rareOptions {
		if _, err := body.Parse([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	seen := options{}
	for _, raw := range corpus(t) {
		if _, err := body.Parse(raw); err != nil {
			continue
		}
		seen.note("", "", decoded(string(raw)))
	}
	check := func(of string, names []string) {
		for _, name := range names {
			if !seen[of+"."+name] && !unheard[of+"."+name] {
				t.Errorf("no body of the corpus has %s.%s: add one", of, name)
			}
		}
	}
	check("", body.Members())
	for _, name := range body.Types() {
		check(name, body.QueryOptions(name))
	}
	for _, kind := range query.AggKinds() {
		check(string(kind), body.AggOptions(kind))
	}
}

// options are the options that bodies have, as type.option.
type options map[string]bool

// note adds the members of v, which is the member name of the member of: a query may have the name of a field in between.
func (o options) note(of, name string, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			o.note(of, name, e)
		}
	case object:
		for member, inner := range v {
			o[name+"."+member], o[of+"."+member] = true, true
			o.note(name, member, inner)
		}
	}
}
