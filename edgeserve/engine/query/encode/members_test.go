// This file tests every option of aggregations, suggestions and hits: a body with it comes back as the same tree.

package encode

import (
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// members are bodies that hold each option with a value that is not its default.
var members = map[string]string{
	"terms":                     `{"aggs":{"a":{"terms":{"field":"F","size":3,"min_doc_count":0,"missing":"m","format":"0.0","value_type":"long","shard_size":7,"show_term_doc_count_error":true,"order":[{"_count":"asc"},{"s.avg":"desc"},{"f>m":"asc"},{"p.99.9":"asc"}]},"meta":{"z":[1.50,null,"<&>"],"a":{"b":true}},"aggs":{"s":{"stats":{"field":"G"}},"f":{"filter":{"match_all":{}},"aggs":{"m":{"min":{"field":"G","missing":-0.5,"format":"#"}}}},"p":{"percentiles":{"field":"G","percents":[99.9,50]}}}}}}`,
	"terms by default":          `{"aggs":{"a":{"terms":{"field":"F"}},"b":{"terms":{"field":"F","order":[]}}}}`,
	"terms, exact values":       `{"aggs":{"a":{"terms":{"field":"F","include":["a",1,true],"exclude":["b"]}},"none":{"terms":{"field":"F","include":[]}}}}`,
	"terms, patterns":           `{"aggs":{"a":{"terms":{"field":"F","include":"a.*","exclude":"a+b"}},"empty":{"terms":{"field":"F","include":"","exclude":""}}}}`,
	"terms, partition":          `{"aggs":{"a":{"terms":{"field":"F","include":{"partition":0,"num_partitions":3}}},"b":{"terms":{"field":"F","include":{"partition":2,"num_partitions":3}}}}}`,
	"rare_terms":                `{"aggs":{"a":{"rare_terms":{"field":"F","max_doc_count":5,"include":["a"],"exclude":[],"missing":true}},"b":{"rare_terms":{"field":"F","exclude":"b.*","format":"x","value_type":"date"}},"c":{"rare_terms":{"field":"F"}}}}`,
	"significant_terms":         `{"aggs":{"a":{"significant_terms":{"field":"F","size":4,"min_doc_count":1,"shard_min_doc_count":2,"include":["a"],"background_filter":{"term":{"G":1}}}},"b":{"significant_terms":{"field":"F","include":"a.*","percentage":{}}},"c":{"significant_terms":{"field":"F","include":{"partition":1,"num_partitions":2}}}}}`,
	"significance":              `{"aggs":{"a":{"significant_terms":{"field":"F","chi_square":{"include_negatives":true,"background_is_superset":false}}},"b":{"significant_terms":{"field":"F","gnd":{"background_is_superset":false}}},"c":{"significant_terms":{"field":"F","mutual_information":{"include_negatives":true}}},"d":{"significant_terms":{"field":"F","gnd":{}}},"e":{"significant_terms":{"field":"F","chi_square":{}}}}}`,
	"histogram":                 `{"aggs":{"a":{"histogram":{"field":"F","interval":0.1,"offset":-2.5,"min_doc_count":1,"keyed":true,"missing":3,"format":"0.00","order":{"_key":"desc"},"extended_bounds":{"min":1.50,"max":"7"},"hard_bounds":{"min":-3}}},"b":{"histogram":{"field":"F","interval":1e21,"extended_bounds":{}}}}}`,
	"date_histogram":            `{"aggs":{"a":{"date_histogram":{"field":"F","calendar_interval":"1M","offset":"-6h","min_doc_count":2,"keyed":true,"missing":"2020-01-01","format":"yyyy","time_zone":"Europe/Berlin","order":{"_count":"desc"},"extended_bounds":{"min":"2020","max":1700000000000},"hard_bounds":{"max":"now"}}},"b":{"date_histogram":{"field":"F","fixed_interval":"90m","offset":"+1d"}},"c":{"date_histogram":{"field":"F","interval":"12h"}},"d":{"date_histogram":{"field":"F","interval":"week"}}}}`,
	"auto_date_histogram":       `{"aggs":{"a":{"auto_date_histogram":{"field":"F","buckets":3,"minimum_interval":"day","format":"yyyy","missing":"2020","time_zone":"+05:30"}},"b":{"auto_date_histogram":{"field":"F"}}}}`,
	"composite":                 `{"aggs":{"a":{"composite":{"size":4,"sources":[{"t":{"terms":{"field":"F","order":"desc","missing_bucket":true}}},{"h":{"histogram":{"field":"G","interval":2.5}}},{"d":{"date_histogram":{"field":"H","calendar_interval":"day","format":"yyyy","time_zone":"Z","offset":3600000}}},{"x":{"date_histogram":{"field":"H","fixed_interval":"1d"}}}],"after":{"t":null,"h":5.0,"d":"2020","x":true}},"aggs":{"m":{"max":{"field":"G"}}}}}}`,
	"composite by default":      `{"aggs":{"a":{"composite":{"sources":[{"t":{"terms":{"field":"F"}}}]}}}}`,
	"range":                     `{"aggs":{"a":{"range":{"field":"F","keyed":true,"missing":1,"format":"0","ranges":[{"key":"k","from":1.0,"to":"2"},{"from":null,"to":3},{}]}}}}`,
	"date_range":                `{"aggs":{"a":{"date_range":{"field":"F","time_zone":"Asia/Kolkata","format":"yyyy","ranges":[{"from":"now-1d/d"},{"to":2020}]}}}}`,
	"filter":                    `{"aggs":{"a":{"filter":{"term":{"F":"a"}},"aggs":{"n":{"value_count":{"field":"G"}}}}}}`,
	"filters":                   `{"aggs":{"a":{"filters":{"filters":{"z":{"match_all":{}},"b":{"term":{"F":"a"}}},"other_bucket":true}},"b":{"filters":{"filters":[{"match_all":{}},{"match_none":{}}],"other_bucket_key":"o"}},"c":{"filters":{"filters":[{"match_all":{}}],"other_bucket_key":"o","other_bucket":false}}}}`,
	"adjacency_matrix":          `{"aggs":{"a":{"adjacency_matrix":{"filters":{"x":{"match_all":{}},"a":{"match_none":{}}},"separator":"|"}},"b":{"adjacency_matrix":{"filters":{"x":{"match_all":{}}},"separator":""}}}}`,
	"sampler, global, missing":  `{"aggs":{"s":{"sampler":{"shard_size":7},"aggs":{"m":{"missing":{"field":"F","missing":2,"value_type":"string"}}}},"t":{"sampler":{}},"g":{"global":{},"aggs":{"c":{"cardinality":{"field":"F","missing":"x","value_type":"string","precision_threshold":9}}}}}}`,
	"metrics":                   `{"aggs":{"a":{"avg":{"field":"F","missing":"1","format":"0","value_type":"double"}},"b":{"sum":{"field":"F"}},"c":{"median_absolute_deviation":{"field":"F","compression":9,"format":"0"}},"d":{"extended_stats":{"field":"F","sigma":0}},"e":{"extended_stats":{"field":"F"}}}}`,
	"percentiles":               `{"aggs":{"a":{"percentiles":{"field":"F","percents":[0.1,99.99,50],"keyed":false,"tdigest":{"compression":3}}},"b":{"percentiles":{"field":"F","hdr":{}}},"c":{"percentiles":{"field":"F","hdr":{"number_of_significant_value_digits":0},"missing":1,"format":"0","value_type":"long"}}}}`,
	"percentile_ranks":          `{"aggs":{"a":{"percentile_ranks":{"field":"F","values":[1e300,-3,7],"keyed":false}},"b":{"percentile_ranks":{"field":"F","values":5,"hdr":{"number_of_significant_value_digits":2}}}}}`,
	"weighted_avg":              `{"aggs":{"a":{"weighted_avg":{"value":{"field":"F","missing":2},"weight":{"field":"G","missing":"3"},"format":"0","value_type":"double"}},"b":{"weighted_avg":{"value":{"field":"F"},"weight":{"field":"G"}}}}}`,
	"top_hits":                  `{"aggs":{"t":{"terms":{"field":"F"},"aggs":{"h":{"top_hits":{"from":1,"size":5,"sort":[{"F":"desc"},"_score"],"track_scores":true,"_source":["b","a"],"version":true,"seq_no_primary_term":true,"fields":["x"],"docvalue_fields":[{"field":"d","format":"yyyy"}],"explain":true,"highlight":{"fields":{"x":{}}}}},"d":{"top_hits":{}}}}}}`,
	"top_hits without a source": `{"aggs":{"a":{"top_hits":{"stored_fields":"_none_","_source":true}},"b":{"top_hits":{"stored_fields":"_none_"}},"c":{"top_hits":{"_source":false}},"d":{"top_hits":{"stored_fields":[]}}}}`,
	"siblings":                  `{"aggs":{"h":{"histogram":{"field":"F","interval":1},"aggs":{"m":{"max":{"field":"G"}}}},"a":{"avg_bucket":{"buckets_path":"h.m","gap_policy":"insert_zeros","format":"0"}},"e":{"extended_stats_bucket":{"buckets_path":"h>_count","sigma":0}},"f":{"extended_stats_bucket":{"buckets_path":["h>m"]}},"p":{"percentiles_bucket":{"buckets_path":"h>m","percents":[50,1.5,25],"keyed":false}},"q":{"percentiles_bucket":{"buckets_path":"h>m"}},"s":{"stats_bucket":{"buckets_path":"h>m"}},"i":{"min_bucket":{"buckets_path":"h>m"}},"j":{"max_bucket":{"buckets_path":"h>m"}},"k":{"sum_bucket":{"buckets_path":"h>m"}}}}`,
	"parents":                   `{"aggs":{"h":{"date_histogram":{"field":"F","calendar_interval":"day"},"aggs":{"z":{"max":{"field":"G"}},"y":{"cumulative_sum":{"buckets_path":"z","format":"0"}},"d":{"derivative":{"buckets_path":"y","unit":"month","gap_policy":"insert_zeros"}},"c":{"derivative":{"buckets_path":"_count","unit":"90m"}},"l":{"serial_diff":{"buckets_path":"z","lag":7}},"k":{"serial_diff":{"buckets_path":"z"}}}}}}`,
	"bucket_sort":               `{"aggs":{"h":{"terms":{"field":"F"},"aggs":{"m":{"max":{"field":"G"}},"s":{"bucket_sort":{"sort":[{"m":{"order":"desc"}},"_key",{"_count":"desc"}],"from":1,"size":2,"gap_policy":"insert_zeros"}},"t":{"bucket_sort":{"size":2}}}}}}`,
	"scripts":                   `{"aggs":{"h":{"terms":{"field":"F"},"aggs":{"m":{"max":{"field":"G"}},"s":{"bucket_script":{"buckets_path":{"z":"m","a":"_count"},"script":{"source":"params.z / params.a * params.k","params":{"k":2.50},"lang":"painless"},"format":"0","gap_policy":"insert_zeros"}},"t":{"bucket_selector":{"buckets_path":["m","s"],"script":"params._value0 > 1 && params._value1 < 3"}},"u":{"bucket_selector":{"buckets_path":"m","script":{"lang":"expression","source":"_value > 2"}}}}}}}`,

	"pipelines in order": `{"aggs":{"h":{"terms":{"field":"F"},"aggs":{"z":{"max":{"field":"G"}},"y":{"bucket_selector":{"buckets_path":"z","script":"params._value > 1"}},"x":{"bucket_sort":{"size":2}},"w":{"bucket_script":{"buckets_path":{"a":"z"},"script":"params.a * 2"}}}}}}`,

	"no suggestion":           `{"suggest":{}}`,
	"no aggregation":          `{"suggest":{},"aggs":{}}`,
	"term suggestion":         `{"suggest":{"text":"all","z":{"term":{"field":"F","size":3,"sort":"frequency","suggest_mode":"popular","max_edits":1,"prefix_length":0,"min_word_length":2,"min_doc_freq":0.3,"max_term_freq":2147483647,"accuracy":0.7,"string_distance":"ngram","max_inspections":9,"shard_size":8,"analyzer":"keyword"}},"a":{"text":"own","term":{"field":"F"}},"b":{"prefix":"p","term":{"field":"F","suggest_mode":"always","string_distance":"jaro_winkler","analyzer":"standard","min_doc_freq":16777217,"size":9}},"c":{"text":7.50,"term":{"field":"F","string_distance":"damerau_levenshtein"}},"d":{"text":"t","term":{"field":"F","string_distance":"levenshtein"}}}}`,
	"phrase suggestion":       `{"suggest":{"a":{"text":"t","phrase":{"field":"F","size":2,"shard_size":3,"analyzer":"standard","max_errors":0.1,"real_word_error_likelihood":0.3,"confidence":0,"gram_size":3,"token_limit":7,"separator":"_","highlight":{"pre_tag":"<b>","post_tag":"</b>"},"direct_generator":[{"field":"G","size":7,"suggest_mode":"always","sort":"frequency","accuracy":0.1},{"field":"F"}]}},"b":{"text":"t","phrase":{"field":"F"}}}}`,
	"smoothing":               `{"suggest":{"a":{"text":"t","phrase":{"field":"F","smoothing":{"stupid_backoff":{}}}},"b":{"text":"t","phrase":{"field":"F","smoothing":{"stupid_backoff":{"discount":0.1}}}},"c":{"text":"t","phrase":{"field":"F","smoothing":{"laplace":{"alpha":0.7}}}},"d":{"text":"t","phrase":{"field":"F","smoothing":{"linear":{"unigram_lambda":0.2,"bigram_lambda":0.3,"trigram_lambda":0.5}}}},"e":{"text":"t","phrase":{"field":"F","smoothing":{}}}}}`,
	"highlight":               `{"highlight":{"encoder":"html","pre_tags":["<b>","<c>"],"post_tags":["</b>"],"fields":[{"Data.*":{"type":"plain","fragment_size":-1,"number_of_fragments":0,"no_match_size":9,"order":"score","require_field_match":false,"fragmenter":"simple","highlight_query":{"term":{"F":"x"}},"boundary_scanner":"chars"}},{"A":{"boundary_scanner":"word","pre_tags":"","post_tags":""}}]}}`,
	"highlight, a query":      `{"highlight":{"highlight_query":{"match":{"F":"x"}},"tags_schema":"styled","fields":{"z":{},"a":{},"m":{"highlight_query":{"match":{"F":"x"}}}}}}`,
	"highlight, shared":       `{"highlight":{"highlight_query":{"match":{"F":"x"}},"fields":{"z":{},"a":{}}}}`,
	"highlight, a name twice": `{"highlight":{"fields":[{"b":{"type":"plain"}},{"a":{}},{"b":{}}]}}`,
	"highlight, empty":        `{"highlight":{}}`,
	"fields":                  `{"fields":["a*",{"field":"b","format":"yyyy"}],"docvalue_fields":[{"field":"c","format":"0.0"},{"field":"d","format":"use_field_mapping"},"e"],"explain":true,"version":true,"seq_no_primary_term":true}`,
	"no fields":               `{"fields":[],"docvalue_fields":[]}`,
	"stored_fields":           `{"stored_fields":"_none_","docvalue_fields":["a"]}`,
	"collapse":                `{"collapse":{"field":"F","inner_hits":[{"name":"z","from":1,"size":0,"sort":[{"F":{"order":"desc","missing":"_first","mode":"max","unmapped_type":"long","numeric_type":"double"}}],"collapse":{"field":"G"},"track_scores":true,"version":true,"seq_no_primary_term":true,"explain":true,"fields":["x"],"docvalue_fields":["y"],"_source":{"excludes":["b"]},"highlight":{"fields":{"x":{}}}},{"name":"a","stored_fields":"_none_"},{"name":"b","stored_fields":["x"]}]}}`,
	"collapse alone":          `{"collapse":{"field":"F"}}`,
	"rescore":                 `{"rescore":[{"window_size":0,"query":{"rescore_query":{"term":{"F":"x"}},"query_weight":-0.1,"rescore_query_weight":1e300,"score_mode":"MAX"}},{"query":{"rescore_query":{"match_all":{}}}}]}`,
	"aggregations":            `{"aggregations":{"a":{"terms":{"field":"F"},"aggregations":{"m":{"max":{"field":"G"}}}}}}`,
}

// TestMembers writes the tree of each body and parses it again.
func TestMembers(t *testing.T) {
	kinds := map[query.AggKind]bool{}
	for name, text := range members {
		t.Run(name, func(t *testing.T) {
			b, err := body.Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			roundTrip(t, []byte(text), b)
			query.Walk(b, func(p query.Part) {
				if a, ok := p.(*query.Agg); ok {
					kinds[a.Kind] = true
				}
			})
		})
	}
	for _, kind := range query.AggKinds() {
		if !kinds[kind] {
			t.Errorf("no body has a %s aggregation: add one", kind)
		}
	}
}
