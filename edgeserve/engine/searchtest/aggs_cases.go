// This file tests aggregations of several numbers, of terms that stand out and of hits in a table of
// what Elasticsearch 7.10.2 answers over the same items.

package searchtest

import (
	"fmt"
	"strings"
	"testing"
)

func testAggregationsOfElasticsearch(t *testing.T, open Open) {
	r := aggSmall(t, open)
	defer r.Close()
	for _, c := range []struct{ name, query, aggs, want string }{
		{"numbers and their deviation", `{"match_all":{}}`, `"e":{"extended_stats":{"field":"Data.n"}}`,
			`"e":{"count":5,"min":-2.0,"max":2.0E7,"avg":4000001.0,"sum":2.0000005E7,"sum_of_squares":4.00000000000023E14,"variance":6.39999920000036E13,"variance_population":6.39999920000036E13,"variance_sampling":7.99999900000045E13,"std_deviation":7999999.50000021,"std_deviation_population":7999999.50000021,"std_deviation_sampling":8944271.350982398,"std_deviation_bounds":{"upper":2.0000000000000417E7,"lower":-1.199999800000042E7,"upper_population":2.0000000000000417E7,"lower_population":-1.199999800000042E7,"upper_sampling":2.1888543701964796E7,"lower_sampling":-1.3888541701964796E7}}`},
		{"deviations by a format", `{"match_all":{}}`, `"e":{"extended_stats":{"field":"Data.x","sigma":3,"format":"0.00"}}`,
			`"e":{"count":4,"min":0.25,"max":3.0,"avg":1.5625,"sum":6.25,"min_as_string":"0.25","max_as_string":"3.00","avg_as_string":"1.56","sum_as_string":"6.25","sum_of_squares":13.5625,"variance":0.94921875,"variance_population":0.94921875,"variance_sampling":1.265625,"std_deviation":0.9742785792574935,"std_deviation_population":0.9742785792574935,"std_deviation_sampling":1.125,"std_deviation_bounds":{"upper":4.4853357377724805,"lower":-1.3603357377724805,"upper_population":4.4853357377724805,"lower_population":-1.3603357377724805,"upper_sampling":4.9375,"lower_sampling":-1.8125},"sum_of_squares_as_string":"13.56","variance_as_string":"0.95","variance_population_as_string":"0.95","variance_sampling_as_string":"1.27","std_deviation_as_string":"0.97","std_deviation_population_as_string":"0.97","std_deviation_sampling_as_string":"1.12","std_deviation_bounds_as_string":{"upper":"4.49","lower":"-1.36","upper_population":"4.49","lower_population":"-1.36","upper_sampling":"4.94","lower_sampling":"-1.81"}}`},
		{"deviations of booleans", `{"match_all":{}}`, `"e":{"extended_stats":{"field":"Data.ok"}}`,
			`"e":{"count":4,"min":0.0,"max":1.0,"avg":0.75,"sum":3.0,"min_as_string":false,"max_as_string":true,"avg_as_string":true,"sum_as_string":true,"sum_of_squares":3.0,"variance":0.1875,"variance_population":0.1875,"variance_sampling":0.25,"std_deviation":0.4330127018922193,"std_deviation_population":0.4330127018922193,"std_deviation_sampling":0.5,"std_deviation_bounds":{"upper":1.6160254037844386,"lower":-0.1160254037844386,"upper_population":1.6160254037844386,"lower_population":-0.1160254037844386,"upper_sampling":1.75,"lower_sampling":-0.25},"sum_of_squares_as_string":true,"variance_as_string":true,"variance_population_as_string":true,"variance_sampling_as_string":true,"std_deviation_as_string":"true","std_deviation_population_as_string":"true","std_deviation_sampling_as_string":"true","std_deviation_bounds_as_string":{"upper":"true","lower":"true","upper_population":"true","lower_population":"true","upper_sampling":"true","lower_sampling":"true"}}`},
		{"deviations of nothing", `{"match_all":{}}`, `"e":{"extended_stats":{"field":"Data.nope"}}`,
			`"e":{"count":0,"min":null,"max":null,"avg":null,"sum":0.0,"sum_of_squares":null,"variance":null,"variance_population":null,"variance_sampling":null,"std_deviation":null,"std_deviation_population":null,"std_deviation_sampling":null,"std_deviation_bounds":{"upper":null,"lower":null,"upper_population":null,"lower_population":null,"upper_sampling":null,"lower_sampling":null}}`},
		{"percentiles", `{"match_all":{}}`, `"p":{"percentiles":{"field":"Data.x","percents":[20,50,99.5]}}`,
			`"p":{"values":{"20.0":0.625,"50.0":1.5,"99.5":3.0}}`},
		{"an array of percentiles", `{"match_all":{}}`, `"p":{"percentiles":{"field":"Data.x","percents":[50],"keyed":false,"format":"0.0"}}`,
			`"p":{"values":[{"key":50.0,"value":1.5,"value_as_string":"1.5"}]}`},
		{"percentiles of dates", `{"match_all":{}}`, `"p":{"percentiles":{"field":"Data.when","percents":[50]}}`,
			`"p":{"values":{"50.0":1.6150752E12,"50.0_as_string":"2021-03-07T00:00:00.000Z"}}`},
		{"percentiles of a histogram", `{"match_all":{}}`, `"p":{"percentiles":{"field":"Data.x","percents":[50],"hdr":{"number_of_significant_value_digits":2}}}`,
			`"p":{"values":{"50.0":1.505859375}}`},
		{"percentiles of nothing", `{"match_all":{}}`, `"p":{"percentiles":{"field":"Data.nope","percents":[50]}}`,
			`"p":{"values":{"50.0":null}}`},
		{"ranks", `{"match_all":{}}`, `"r":{"percentile_ranks":{"field":"Data.x","values":[1,2]}}`,
			`"r":{"values":{"1.0":30.0,"2.0":66.66666666666666}}`},
		{"the median of deviations", `{"match_all":{}}`, `"m":{"median_absolute_deviation":{"field":"Data.n"}}`,
			`"m":{"value":2.0}`},
		{"weights", `{"match_all":{}}`, `"w":{"weighted_avg":{"value":{"field":"Data.n"},"weight":{"field":"Data.x"}}}`,
			`"w":{"value":769230.8846153846}`},
		{"missing weights", `{"match_all":{}}`, `"w":{"weighted_avg":{"value":{"field":"Data.n","missing":4},"weight":{"field":"Data.x","missing":2},"format":"#,##0.0"}}`,
			`"w":{"value":476192.0714285714,"value_as_string":"476,192.1"}`},
		{"order by a percentile", `{"match_all":{}}`, `"g":{"terms":{"field":"Data.tags.keyword","order":{"p.50":"desc"}},"aggs":{"p":{"percentiles":{"field":"Data.x","percents":[50]}}}}`,
			`"g":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"x","doc_count":2,"p":{"values":{"50.0":1.5}}},{"key":"y","doc_count":2,"p":{"values":{"50.0":0.875}}},{"key":"z","doc_count":1,"p":{"values":{"50.0":null}}}]}`},
		{"types and formats of single numbers", `{"match_all":{}}`, `"s":{"sum":{"field":"Data.nope","value_type":"date","missing":"2020-01-01"}},"t":{"stats":{"field":"Data.ok"}},"u":{"avg":{"field":"CreatedAt","format":"yyyy-MM"}}`,
			`"s":{"value":9.4670208E12,"value_as_string":"2269-12-31T00:00:00.000Z"},"t":{"count":4,"min":0.0,"max":1.0,"avg":0.75,"sum":3.0,"min_as_string":false,"max_as_string":true,"avg_as_string":true,"sum_as_string":true},"u":{"value":1.7352648E12,"value_as_string":"2024-12"}`},
		{"significant booleans", `{"exists":{"field":"Data.x"}}`, `"s":{"significant_terms":{"field":"Data.ok","min_doc_count":1,"percentage":{}}}`,
			`"s":{"doc_count":4,"bg_count":6,"buckets":[{"key":0,"key_as_string":false,"doc_count":1,"score":1.0,"bg_count":1},{"key":1,"key_as_string":true,"doc_count":2,"score":0.6666666666666666,"bg_count":3}]}`},
		{"significant terms", `{"exists":{"field":"Data.x"}}`, `"s":{"significant_terms":{"field":"Data.cat.keyword","min_doc_count":1,"chi_square":{"include_negatives":true}}}`,
			`"s":{"doc_count":4,"bg_count":6,"buckets":[{"key":"a","doc_count":2,"score":1.5,"bg_count":2},{"key":"C \"q\" é\u0001","doc_count":1,"score":0.6,"bg_count":1},{"key":"b","doc_count":1,"score":0.375,"bg_count":2}]}`},
		{"significant terms of nothing", `{"match_all":{}}`, `"s":{"significant_terms":{"field":"Data.nope"}}`,
			`"s":{"buckets":[]}`},
		{"hits by score", `{"match":{"Data.tags":"x y"}}`, `"h":{"top_hits":{"size":2,"_source":["Name"]}}`,
			`"h":{"hits":{"total":{"value":3,"relation":"eq"},"max_score":0.9400072,"hits":[{"_index":"ENV","_type":"_doc","_id":"Content_00000","_score":0.9400072,"_source":{"Name":"Item 0"}},{"_index":"ENV","_type":"_doc","_id":"Content_00001","_score":0.646255,"_source":{"Name":"Item 1"}}]}}`},
		{"hits of buckets", `{"match":{"Data.tags":"x y"}}`, `"g":{"terms":{"field":"TemplateName.keyword"},"aggs":{"h":{"top_hits":{"size":1,"_source":false}}}}`,
			`"g":{"doc_count_error_upper_bound":0,"sum_other_doc_count":0,"buckets":[{"key":"T0","doc_count":2,"h":{"hits":{"total":{"value":2,"relation":"eq"},"max_score":0.9400072,"hits":[{"_index":"ENV","_type":"_doc","_id":"Content_00000","_score":0.9400072}]}}},{"key":"T1","doc_count":1,"h":{"hits":{"total":{"value":1,"relation":"eq"},"max_score":0.646255,"hits":[{"_index":"ENV","_type":"_doc","_id":"Content_00001","_score":0.646255}]}}}]}`},
		{"hits in an order", `{"match":{"Data.tags":"x y"}}`, `"h":{"top_hits":{"from":1,"size":2,"sort":["_score",{"CreatedAt":"asc"}],"_source":false}}`,
			`"h":{"hits":{"total":{"value":3,"relation":"eq"},"max_score":null,"hits":[{"_index":"ENV","_type":"_doc","_id":"Content_00001","_score":null,"sort":[0.646255,1735313400000]},{"_index":"ENV","_type":"_doc","_id":"Content_00004","_score":null,"sort":[0.4700036,1735216200000]}]}}`},
		{"hits with scores and versions", `{"match_all":{}}`, `"h":{"top_hits":{"size":2,"sort":[{"Data.n":"desc"}],"_source":"Name","track_scores":true,"version":true}}`,
			`"h":{"hits":{"total":{"value":6,"relation":"eq"},"max_score":1.0,"hits":[{"_index":"ENV","_type":"_doc","_id":"Content_00001","_version":1,"_score":1.0,"_source":{"Name":"Item 1"},"sort":[20000000]},{"_index":"ENV","_type":"_doc","_id":"Content_00002","_version":1,"_score":1.0,"_source":{"Name":"Item 2"},"sort":[3]}]}}`},
		{"hits with other scores, of which the window is one", `{"match":{"Data.tags":"x y"}},"rescore":{"window_size":1,"query":{"rescore_query":{"match":{"Data.tags":"x"}},"query_weight":0.25,"rescore_query_weight":0,"score_mode":"min"}}`, `"h":{"top_hits":{"size":2,"from":1,"_source":false}}`,
			`"h":{"hits":{"total":{"value":3,"relation":"eq"},"max_score":0.16156375,"hits":[{"_index":"ENV","_type":"_doc","_id":"Content_00004","_score":0.1175009},{"_index":"ENV","_type":"_doc","_id":"Content_00000","_score":0.0}]}}`},
		{"no hits", `{"match_all":{}}`, `"f":{"filter":{"match_none":{}},"aggs":{"h":{"top_hits":{}}}}`,
			`"f":{"doc_count":0,"h":{"hits":{"total":{"value":0,"relation":"eq"},"max_score":null,"hits":[]}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Aggregations(t, r, `{"size":0,"query":`+c.query+`,"aggs":{`+c.aggs+`}}`)
			want := strings.ReplaceAll(`{`+c.want+`}`, `"ENV"`, `"`+r.Meta().Env+`"`)
			if err != nil || !aggSame(aggDecode(t, got), aggDecode(t, want)) {
				t.Errorf("got  %s, %v\nwant %s", got, err, want)
			}
		})
	}
}

// testAggregationsOfEndedSearches counts the items that a search meets before the match that ends it.
func testAggregationsOfEndedSearches(t *testing.T, open Open) {
	items := make([]string, 6000)
	for i := range items {
		items[i] = aggItem(i, fmt.Sprintf(`{"third":%t,"w":"word"}`, i%3 == 2))
	}
	r := open(t, items)
	defer r.Close()
	for _, c := range []struct {
		members string
		want    int
	}{
		{`"terminate_after":2`, 2},
		{`"terminate_after":5999`, 5999},
		{`"terminate_after":6000`, 6000},
		{`"terminate_after":1,"post_filter":{"term":{"Data.third":true}}`, 5},
		{`"terminate_after":1,"query":{"match":{"Data.w":"word"}},"post_filter":{"term":{"Data.third":true}}`, 5},
		{`"terminate_after":22,"post_filter":{"term":{"Data.third":true}}`, 68},
		{`"terminate_after":1500,"post_filter":{"term":{"Data.third":true}}`, 4502},
		{`"terminate_after":2000,"post_filter":{"term":{"Data.third":true}}`, 6000},
		{`"terminate_after":1500,"query":{"term":{"Data.third":true}},"post_filter":{"term":{"Data.third":true}}`, 1500},
	} {
		got, err := Aggregations(t, r, `{"size":3,`+c.members+`,"aggs":{"n":{"value_count":{"field":"_id"}}}}`)
		if want := fmt.Sprintf(`{"n":{"value":%d}}`, c.want); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", c.members, got, err, want)
		}
	}
}
