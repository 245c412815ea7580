package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
)

// queriesAtCluster has each type of queries, with an example, and why it is approximate on several shards: "" is exact.
var queriesAtCluster = map[string]struct{ example, reason string }{
	"match_all":           {`{}`, ""},
	"match_none":          {`{}`, ""},
	"bool":                {`{"must":[{"match_all":{}}]}`, ""},
	"term":                {`{"F":{"value":"a","case_insensitive":true}}`, ""},
	"terms":               {`{"F":["a"]}`, ""},
	"terms_set":           {`{"F":{"terms":["a"],"minimum_should_match_field":"N"}}`, ""},
	"prefix":              {`{"F":"a"}`, ""},
	"wildcard":            {`{"F":"a*"}`, ""},
	"regexp":              {`{"F":"a.*"}`, ""},
	"range":               {`{"F":{"gt":1}}`, ""},
	"exists":              {`{"field":"F"}`, ""},
	"ids":                 {`{"values":["a"]}`, ""},
	"match":               {`{"F":"a"}`, ""},
	"match_phrase":        {`{"F":"a b"}`, reasonPhrases},
	"match_bool_prefix":   {`{"F":"a b"}`, ""},
	"multi_match":         {`{"query":"a","fields":["F"]}`, ""},
	"query_string":        {`{"query":"a* F:(b OR c)"}`, ""},
	"simple_query_string": {`{"query":"a*"}`, ""},
	"constant_score":      {`{"filter":{"match_all":{}}}`, ""},
	"dis_max":             {`{"queries":[{"match_all":{}}]}`, ""},
	"boosting":            {`{"positive":{"match_all":{}},"negative":{"match_all":{}},"negative_boost":0.5}`, ""},
	"distance_feature":    {`{"field":"F","origin":"now","pivot":"1d"}`, ""},
	"function_score":      {`{"field_value_factor":{"field":"F"}}`, ""},
	"intervals":           {`{"F":{"fuzzy":{"term":"a"}}}`, ""},
	"span_term":           {`{"F":"a"}`, reasonPhrases},
	"span_near":           {`{"clauses":[{"span_term":{"F":"a"}},{"span_gap":{"F":1}},{"span_term":{"F":"b"}}]}`, reasonPhrases},
	"span_or":             {`{"clauses":[{"span_term":{"F":"a"}}]}`, reasonPhrases},
	"span_first":          {`{"match":{"span_term":{"F":"a"}},"end":1}`, reasonPhrases},
	"span_not":            {`{"include":{"span_term":{"F":"a"}},"exclude":{"span_term":{"F":"b"}}}`, reasonPhrases},
	"span_containing":     {`{"little":{"span_term":{"F":"a"}},"big":{"span_term":{"F":"b"}}}`, reasonPhrases},
	"span_within":         {`{"little":{"span_term":{"F":"a"}},"big":{"span_term":{"F":"b"}}}`, reasonPhrases},
	"field_masking_span":  {`{"query":{"span_term":{"F":"a"}},"field":"G"}`, reasonPhrases},
	"span_gap":            {``, ""}, // only inside of span_near
	"wrapper":             {``, ""}, // a query in other letters
	"match_phrase_prefix": {`{"F":"a b"}`, reasonWords + ";" + reasonPhrases},
	"fuzzy":               {`{"F":"a"}`, reasonWords},
	"span_multi":          {`{"match":{"prefix":{"F":"a"}}}`, reasonWords + ";" + reasonPhrases},
	"more_like_this":      {`{"like":"a","fields":["F"]}`, reasonSimilar},
}

// aggsAtCluster has each type of aggregations.
var aggsAtCluster = map[query.AggKind]string{
	query.AggTerms: "", query.AggValueCount: "", query.AggCardinality: "", query.AggMin: "", query.AggMax: "", query.AggAvg: "",
	query.AggSum: "", query.AggStats: "", query.AggExtendedStats: "", query.AggTopHits: "", query.AggWeightedAvg: "", query.AggFilter: "",
	query.AggFilters: "", query.AggAdjacency: "", query.AggDateHistogram: "", query.AggHistogram: "", query.AggRange: "",
	query.AggDateRange: "", query.AggMissing: "", query.AggGlobal: "", query.AggComposite: "",
	query.AggBucketSort: "", query.AggBucketSelector: "", query.AggBucketScript: "", query.AggCumulativeSum: "", query.AggDerivative: "",
	query.AggSerialDiff: "", query.AggAvgBucket: "", query.AggSumBucket: "", query.AggMinBucket: "", query.AggMaxBucket: "",
	query.AggStatsBucket: "", query.AggExtendedStatsBucket: "", query.AggPercentilesBucket: "",

	query.AggPercentiles: reasonQuantiles, query.AggPercentileRanks: reasonQuantiles, query.AggMedianAbsoluteDeviation: reasonQuantiles,
	query.AggSignificantTerms: reasonUnusual, query.AggSampler: reasonSample, query.AggRareTerms: reasonRare, query.AggAutoDates: reasonIntervals,
}

// TestApproximate decides of each type of queries and aggregations whether it is approximate: a new one must be decided.
func TestApproximate(t *testing.T) {
	for _, typ := range body.Types() {
		of, ok := queriesAtCluster[typ]
		if !ok {
			t.Errorf("it is not decided whether %s is exact on several shards", typ)
		}
		if of.example != "" {
			approximate(t, fmt.Sprintf(`{"query":{%q:%s}}`, typ, of.example), of.reason)
		}
	}
	for _, kind := range query.AggKinds() {
		reason, ok := aggsAtCluster[kind]
		if !ok {
			t.Errorf("it is not decided whether %s is exact on several shards", kind)
		}
		b := &query.Body{Aggs: []query.Agg{{Name: "a", Kind: query.AggFilter, Subs: []query.Agg{{Name: "b", Kind: kind}}}}}
		if got := strings.Join(Approximate(b, Fields{}, 2, 5), ";"); got != reason {
			t.Errorf("%s: %q, want %q", kind, got, reason)
		}
	}
}

// Options decide, too, at any depth.
func TestApproximateOptions(t *testing.T) {
	for text, reason := range map[string]string{
		`{}`: "",
		`{"query":{"match":{"F":{"query":"a","fuzziness":1}}}}`:                                        reasonWords,
		`{"query":{"bool":{"filter":[{"match_bool_prefix":{"F":{"query":"a","fuzziness":"AUTO"}}}]}}}`: reasonWords,
		`{"query":{"multi_match":{"query":"a","fields":["F"],"fuzziness":1}}}`:                         reasonWords,
		`{"query":{"multi_match":{"query":"a","fields":["F"],"type":"phrase_prefix"}}}`:                reasonWords + ";" + reasonPhrases,
		`{"query":{"multi_match":{"query":"a","fields":["F"],"type":"cross_fields"}}}`:                 reasonFields,
		`{"query":{"query_string":{"query":"a","type":"cross_fields"}}}`:                               reasonFields,
		`{"query":{"query_string":{"query":"(b (\"a c\"))"}}}`:                                         reasonPhrases,
		`{"query":{"simple_query_string":{"query":"\"a c\""}}}`:                                        reasonPhrases,
		`{"query":{"multi_match":{"query":"a","fields":["F"],"type":"phrase"}}}`:                       reasonPhrases,
		`{"query":{"query_string":{"query":"(b (a~))"}}}`:                                              reasonWords,
		`{"query":{"query_string":{"query":"a*","rewrite":"top_terms_5"}}}`:                            reasonWords,
		`{"query":{"simple_query_string":{"query":"b + (a~1)"}}}`:                                      reasonWords,
		`{"query":{"prefix":{"F":{"value":"a","rewrite":"scoring_boolean"}}}}`:                         reasonWords,
		`{"query":{"wildcard":{"F":{"value":"a","rewrite":"top_terms_2"}}}}`:                           reasonWords,
		`{"query":{"regexp":{"F":{"value":"a","rewrite":"top_terms_boost_2"}}}}`:                       reasonWords,
		`{"query":{"prefix":{"F":{"value":"a","rewrite":"constant_score_boolean"}}}}`:                  "",
		`{"query":{"function_score":{"random_score":{"seed":1,"field":"F"}}}}`:                         reasonRandom,
		`{"terminate_after":5}`: reasonEarly,
		`{"rescore":{"query":{"rescore_query":{"match_all":{}}}}}`:                                      reasonRescore,
		`{"explain":true,"suggest":{"s":{"text":"a","term":{"field":"F"}}}}`:                            Explanations + ";" + reasonSuggest,
		`{"aggs":{"a":{"top_hits":{"explain":true}}}}`:                                                  Explanations,
		`{"collapse":{"field":"F","inner_hits":{"name":"i","explain":true}}}`:                           Explanations,
		`{"aggs":{"a":{"terms":{"field":"F","order":{"_key":"asc"}}}}}`:                                 "",
		`{"aggs":{"a":{"terms":{"field":"F","order":{"_key":"asc"},"min_doc_count":2}}}}`:               reasonLeast,
		`{"aggs":{"a":{"terms":{"field":"F","order":{"_count":"desc"}}}}}`:                              "",
		`{"aggs":{"a":{"terms":{"field":"F","order":{"_count":"asc"}}}}}`:                               reasonTerms,
		`{"aggs":{"a":{"terms":{"field":"F","order":{"m":"asc"}},"aggs":{"m":{"max":{"field":"N"}}}}}}`: reasonTerms,
		`{"aggs":{"a":{"composite":{"sources":[{"s":{"terms":{"field":"F","order":"desc"}}}]}}}}`:       "",
		`{"post_filter":{"fuzzy":{"F":"a"}}}`:                                                           reasonWords,
		`{"highlight":{"fields":{"F":{"highlight_query":{"fuzzy":{"F":"a"}}}}}}`:                        reasonWords,
	} {
		approximate(t, text, reason)
	}
}

// What a cluster estimates is approximate on one shard, too, beyond the values that a digest keeps.
func TestEstimates(t *testing.T) {
	const inBuckets = `{"aggs":{"a":{"terms":{"field":"F"},"aggs":{"b":%s}}}}`
	for _, tt := range []struct {
		agg                 string
		exact, exactInsides int // the greatest numbers of items; 0: all
	}{
		{`{"percentiles":{"field":"N"}}`, 10_000, 1_000},
		{`{"percentile_ranks":{"field":"N","values":[1]}}`, 10_000, 1_000},
		{`{"median_absolute_deviation":{"field":"N"}}`, 10_000, 10_000},
		{`{"percentiles":{"field":"N","hdr":{}}}`, 0, 0},
		{`{"avg":{"field":"N"}}`, 0, 0},
	} {
		for text, exact := range map[string]int{`{"aggs":{"a":` + tt.agg + `}}`: tt.exact, fmt.Sprintf(inBuckets, tt.agg): tt.exactInsides} {
			b, err := body.Parse([]byte(text))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for items, told := range map[int]bool{exact: false, exact + 1: exact > 0, 100_000_000: exact > 0} {
				want := ""
				if told {
					want = reasonQuantiles
				}
				if got := strings.Join(Approximate(b, Fields{}, 1, items), ";"); got != want {
					t.Errorf("%s of %d items: %q, want %q", text, items, got, want)
				}
			}
		}
	}
}

// An item counts once for each of its values in a bucket of a combination, with any number of shards.
func TestCombinations(t *testing.T) {
	for source, reason := range map[string]string{
		`{"terms":{"field":"F"}}`: "", `{"histogram":{"field":"N","interval":5}}`: reasonCombinations, `{"date_histogram":{"field":"D","fixed_interval":"1d"}}`: reasonCombinations,
	} {
		b, err := body.Parse([]byte(`{"aggs":{"a":{"composite":{"sources":[{"t":{"terms":{"field":"F"}}},{"s":` + source + `}]}}}}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, shards := range []int{1, 3} {
			if got := strings.Join(Approximate(b, Fields{}, shards, 5), ";"); got != reason {
				t.Errorf("%s, %d shards: %q, want %q", source, shards, got, reason)
			}
		}
	}
}

func approximate(t *testing.T, text, reason string) {
	t.Helper()
	b, err := body.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if got := strings.Join(Approximate(b, Fields{}, 3, 5), ";"); got != reason {
		t.Errorf("%s: %q, want %q", text, got, reason)
	}
	if got := Approximate(b, Fields{}, 1, 5); got != nil {
		t.Errorf("%s: one shard: %q", text, got)
	}
}

// Reasons stand in a header field, with commas between them.
func TestReasons(t *testing.T) {
	for i, f := range families {
		if strings.ContainsAny(f.reason, ",\"\n") || slices.ContainsFunc(families[:i], func(o family) bool { return o.reason == f.reason }) {
			t.Errorf("%q", f.reason)
		}
	}
}
