package body

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"contentedge/edgeserve/engine/query"
)

// Names in the bodies below: each @ is a made-up name of a field, each Q a query that nothing but the walk shows.
const nestedQuery = `{"bool":{"_name":"n","must_not":{"term":{"@":{"value":"x","_name":"n"}}}}}`

// queryBodies has a body for each type of query, with every option that holds fields or queries: lines are bodies of
// their own.
var queryBodies = map[string]string{
	"bool":                `{"must":[Q,Q],"filter":Q,"should":[Q],"must_not":[Q,Q]}`,
	"boosting":            `{"positive":Q,"negative":Q,"negative_boost":1}`,
	"constant_score":      `{"filter":Q}`,
	"dis_max":             `{"queries":[Q,Q]}`,
	"distance_feature":    `{"field":"@","origin":"now","pivot":"1d"}`,
	"exists":              `{"field":"@"}`,
	"fuzzy":               `{"@":"x"}`,
	"function_score":      `{"query":Q,"functions":[{"filter":Q,"field_value_factor":{"field":"@"}},{"filter":Q,"weight":1},{"random_score":{"seed":1,"field":"@"}},{"linear":{"@":{"origin":1,"scale":1}}},{"exp":{"@":{"origin":1,"scale":1}}},{"gauss":{"@":{"origin":1,"scale":1}}}]}`,
	"ids":                 `{}`,
	"intervals":           `{"@":{"all_of":{"intervals":[{"match":{"query":"x","use_field":"@","filter":{"after":{"match":{"query":"y","use_field":"@"}}}}},{"any_of":{"intervals":[{"prefix":{"prefix":"x","use_field":"@"}},{"wildcard":{"pattern":"x","use_field":"@"}},{"fuzzy":{"term":"x","use_field":"@"}}],"filter":{"containing":{"match":{"query":"x","use_field":"@"}}}}}],"filter":{"before":{"any_of":{"intervals":[{"match":{"query":"x","use_field":"@"}}]}}}}}}`,
	"match":               `{"@":"x"}`,
	"match_all":           `{}`,
	"match_bool_prefix":   `{"@":"x"}`,
	"match_none":          `{}`,
	"match_phrase":        `{"@":"x"}`,
	"match_phrase_prefix": `{"@":"x"}`,
	"more_like_this":      `{"fields":["@","@"],"like":["x",{"_id":"x","fields":["@"]}],"unlike":[{"_id":"x","fields":["@"]}]}`,
	"multi_match":         `{"query":"x","fields":["@^2","@"]}`,
	"prefix":              `{"@":"x"}`,
	"query_string":        `{"query":"@:x OR (@:(y z) AND _exists_:@) @:/r/","fields":["@^2"]}` + "\n" + `{"query":"x","default_field":"@"}`,
	"range":               `{"@":{"gt":1}}`,
	"regexp":              `{"@":"x"}`,
	"simple_query_string": `{"query":"x","fields":["@^2","@"]}`,
	"field_masking_span":  `{"query":{"span_term":{"@":{"value":"x","_name":"n"}}},"field":"@"}`,
	"span_containing":     `{"big":{"span_term":{"@":"x"}},"little":{"span_term":{"@":"x"}}}`,
	"span_first":          `{"match":{"span_term":{"@":"x"}},"end":1}`,
	"span_multi":          `{"match":{"prefix":{"@":"x"}}}`,
	"span_near":           `{"clauses":[{"span_term":{"@":"x"}},{"span_gap":{"@":1}},{"span_or":{"clauses":[{"span_term":{"@":{"value":"x","_name":"n"}}}]}}],"slop":1}`,
	"span_not":            `{"include":{"span_term":{"@":"x"}},"exclude":{"span_term":{"@":"x"}}}`,
	"span_or":             `{"clauses":[{"span_term":{"@":"x"}},{"span_multi":{"match":{"range":{"@":{"gt":"x"}}}}}]}`,
	"span_term":           `{"@":"x"}`,
	"span_within":         `{"big":{"span_term":{"@":"x"}},"little":{"span_term":{"@":"x"}}}`,
	"term":                `{"@":"x"}`,
	"terms":               `{"@":{"index":"e","id":"x","path":"@"}}`,
	"terms_set":           `{"@":{"terms":["x"],"minimum_should_match_field":"@"}}`,
	"wildcard":            `{"@":"x"}`,
}

// aggBodies has a body for each type of aggregation, with every option that holds fields or queries.
var aggBodies = map[query.AggKind]string{
	query.AggSignificantTerms: `{"field":"@","background_filter":Q}`,
	query.AggTopHits:          `{"sort":["@",{"@":"desc"}],"fields":["@"],"docvalue_fields":[{"field":"@"}],"highlight":{"highlight_query":Q,"fields":{"@":{},"@":{"highlight_query":Q}}}}`,
	query.AggWeightedAvg:      `{"value":{"field":"@"},"weight":{"field":"@"}}`,
	query.AggFilter:           `Q`,
	query.AggFilters:          `{"filters":{"a":Q,"b":Q}}`,
	query.AggAdjacency:        `{"filters":{"a":Q,"b":Q}}`,
	query.AggDateHistogram:    `{"field":"@","calendar_interval":"day"}`,
	query.AggHistogram:        `{"field":"@","interval":1}`,
	query.AggRange:            `{"field":"@","ranges":[{"from":1}]}`,
	query.AggDateRange:        `{"field":"@","ranges":[{"from":1}]}`,
	query.AggPercentileRanks:  `{"field":"@","values":[1]}`,
	query.AggComposite:        `{"sources":[{"a":{"terms":{"field":"@"}}},{"b":{"histogram":{"field":"@","interval":1}}},{"c":{"date_histogram":{"field":"@","calendar_interval":"day"}}}]}`,
	query.AggGlobal:           `{}`,
	query.AggSampler:          `{}`,
	query.AggBucketSort:       `{"size":1}`,
	query.AggBucketSelector:   `{"buckets_path":{"a":"_count"},"script":"params.a > 1"}`,
	query.AggBucketScript:     `{"buckets_path":{"a":"_count"},"script":"params.a"}`,
}

// memberBodies has a value for each member of a body that holds fields or queries.
var memberBodies = map[string]string{
	"query":           `Q`,
	"post_filter":     `Q`,
	"sort":            `["@",{"@":{"order":"desc"}}]`,
	"collapse":        `{"field":"@","inner_hits":[{"name":"a","sort":"@","fields":["@"],"docvalue_fields":["@"],"collapse":{"field":"@"},"highlight":{"fields":{"@":{"highlight_query":Q}}}}]}`,
	"rescore":         `[{"query":{"rescore_query":Q}},{"query":{"rescore_query":Q}}]`,
	"fields":          `["@",{"field":"@"}]`,
	"docvalue_fields": `["@",{"field":"@"}]`,
	"highlight":       `{"highlight_query":Q,"fields":{"@":{},"@":{"highlight_query":Q}}}`,
	"suggest":         `{"a":{"text":"x","term":{"field":"@"}},"b":{"text":"x","phrase":{"field":"@","direct_generator":[{"field":"@"}]}}}`,
	"aggs":            `{"a":{"terms":{"field":"@"},"aggs":{"b":{"filter":Q,"aggs":{"c":{"max":{"field":"@"}}}}}}}`,
	"aggregations":    `{"a":{"terms":{"field":"@"}}}`,
}

// plainOptions and plainMembers hold neither fields nor queries. Whoever adds an option lists it here, or shows in
// a body above that the walk sees what it holds.
var (
	plainOptions = strings.Fields(`boost _name minimum_should_match adjust_pure_negative negative_boost tie_breaker origin pivot
		value fuzziness prefix_length max_expansions transpositions rewrite score_mode boost_mode max_boost min_score weight
		values operator lenient zero_terms_query fuzzy_transpositions fuzzy_rewrite analyzer auto_generate_synonyms_phrase_query
		slop unlike min_term_freq max_query_terms min_doc_freq max_doc_freq min_word_length max_word_length stop_words boost_terms
		include fail_on_unsupported_field type case_insensitive default_operator phrase_slop fuzzy_prefix_length
		fuzzy_max_expansions quote_field_suffix analyze_wildcard allow_leading_wildcard escape time_zone quote_analyzer
		max_determinized_states enable_position_increments gt gte lt lte from to include_lower include_upper format relation
		flags flags_value end in_order pre post dist term wildcard query
		size order min_doc_count missing exclude shard_size shard_min_doc_count show_term_doc_count_error execution_hint
		collect_mode value_type precision_threshold sigma percents keyed tdigest hdr compression jlh chi_square gnd
		mutual_information percentage _source track_scores version seq_no_primary_term stored_fields script_fields explain
		other_bucket other_bucket_key separator calendar_interval fixed_interval interval offset extended_bounds hard_bounds
		buckets minimum_interval ranges max_doc_count precision sort gap_policy buckets_path script unit lag after`)
	plainMembers = strings.Fields(`from size track_scores search_after min_score _source stored_fields explain version
		seq_no_primary_term track_total_hits terminate_after timeout profile stats ext indices_boost`)
)

// TestWalkSeesEveryField walks over a body for each type of query and aggregation and for each member: every
// made-up field in its JSON, and every named query, is seen.
func TestWalkSeesEveryField(t *testing.T) {
	for _, name := range Types() {
		t.Run("query/"+name, func(t *testing.T) {
			if name == "wrapper" { // its query stands in its place
				inner := base64.StdEncoding.EncodeToString([]byte(`{"term":{"F1":"x"}}`))
				if got := query.Fields(parsed(t, `{"query":{"wrapper":{"query":"`+inner+`"}}}`)); !slices.Equal(got, []string{"F1"}) {
					t.Error(got)
				}
				return
			}
			body := made(queryBodies[name])
			checkShown(t, name, body, queryTypes[name].options.known(), plainOptions)
			for line := range strings.Lines(body) {
				checkWalk(t, `{"query":{"`+name+`":`+line+`}}`)
			}
		})
	}
	for i := range aggParsers {
		a := &aggParsers[i]
		t.Run("aggregation/"+string(a.kind), func(t *testing.T) {
			text := aggBodies[a.kind]
			switch {
			case text != "":
			case slices.Contains(a.options.known(), "buckets_path"):
				text = `{"buckets_path":"_count"}`
			default:
				text = `{"field":"@"}`
			}
			body := made(text)
			checkShown(t, string(a.kind), body, a.options.known(), plainOptions)
			agg := `{"it":{"` + string(a.kind) + `":` + body + `}}`
			if slices.Contains(a.options.known(), "buckets_path") || a.kind == query.AggBucketSort {
				agg = `{"around":{"histogram":{"field":"F0","interval":1},"aggs":` + agg + `}}`
				if (&query.Agg{Kind: a.kind}).Sibling() {
					agg = strings.Replace(`{"around":{"histogram":{"field":"F0","interval":1}},"it":{"K":{"buckets_path":"around>_count"}}}`, "K", string(a.kind), 1)
				}
			}
			checkWalk(t, `{"aggs":`+agg+`}`)
		})
	}
	for i := range bodyMembers {
		m := &bodyMembers[i]
		if m.refused != "" {
			continue
		}
		t.Run("member/"+m.name, func(t *testing.T) {
			text, ok := memberBodies[m.name]
			if !ok {
				if !slices.Contains(plainMembers, m.name) {
					t.Errorf("neither memberBodies nor plainMembers has %s", m.name)
				}
				return
			}
			checkWalk(t, `{"`+m.name+`":`+made(text)+`}`)
		})
	}
}

// made fills in the queries and the names of fields.
func made(body string) string {
	body = regexp.MustCompile(`\bQ\b`).ReplaceAllString(body, nestedQuery)
	n := 0
	return regexp.MustCompile("@").ReplaceAllStringFunc(body, func(string) string {
		n++
		return fmt.Sprintf("F%d", n)
	})
}

// checkShown reports options that neither the body has nor the list of plain ones.
func checkShown(t *testing.T, name, body string, options, plain []string) {
	t.Helper()
	if body == "" {
		t.Fatalf("there is no body for %s", name)
	}
	for _, o := range options {
		if !slices.Contains(plain, o) && !strings.Contains(body, `"`+o+`":`) {
			t.Errorf("the body for %s lacks the option %q", name, o)
		}
	}
}

func parsed(t *testing.T, body string) *query.Body {
	t.Helper()
	b, err := Parse([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return b
}

// checkWalk compares what the JSON of a body holds with what a walk sees.
func checkWalk(t *testing.T, text string) {
	t.Helper()
	var tree any
	if err := json.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var want []string
	eachText(tree, func(s string) { want = append(want, regexp.MustCompile(`F[0-9]+`).FindAllString(s, -1)...) })
	slices.Sort(want)
	b := parsed(t, text)
	if got := query.Fields(b); !slices.Equal(got, slices.Compact(want)) {
		t.Errorf("%s:\n%q, want\n%q", text, got, want)
	}
	seen := map[query.Part]int{}
	query.Walk(b, func(p query.Part) { seen[p]++ })
	for n := range b.Names {
		if seen[n] == 0 {
			t.Errorf("%s: the walk does not see a %s", text, n.Type())
		}
	}
	for p, times := range seen {
		if times > 1 && !strings.Contains(text, `"highlight_query"`) { // fields of a highlight share it
			t.Errorf("%s: the walk sees a %T %d times", text, p, times)
		}
	}
}

// eachText calls f for the names and strings of a JSON value.
func eachText(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for _, e := range v {
			eachText(e, f)
		}
	case map[string]any:
		for name, e := range v {
			f(name)
			eachText(e, f)
		}
	}
}

// TestFieldsOfBodies shows which fields a body names, and that a name listed twice counts once.
func TestFieldsOfBodies(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                                 "",
		`{"query":{"match_all":{}}}`:         "",
		`{"query":{"ids":{"values":["a"]}}}`: "",
		`{"query":{"term":{"a":1}}}`:         "a",
		`{"query":{"terms":{"a":[1]}}}`:      "a",
		`{"query":{"terms":{"a":{"index":"e","id":"x","path":"b"}}}}`:                     "a b",
		`{"query":{"terms_set":{"a":{"terms":["x"],"minimum_should_match_field":"b"}}}}`:  "a b",
		`{"query":{"prefix":{"a":"x"}}}`:                                                  "a",
		`{"query":{"wildcard":{"a":"x*"}}}`:                                               "a",
		`{"query":{"range":{"a":{"gt":1}}}}`:                                              "a",
		`{"query":{"exists":{"field":"a.*"}}}`:                                            "a.*",
		`{"query":{"match":{"a":"x"}}}`:                                                   "a",
		`{"query":{"match_phrase":{"a":"x y"}}}`:                                          "a",
		`{"query":{"match_phrase_prefix":{"a":"x"}}}`:                                     "a",
		`{"query":{"multi_match":{"query":"x","fields":["b^2","a"]}}}`:                    "a b",
		`{"query":{"simple_query_string":{"query":"x","fields":["a"]}}}`:                  "a",
		`{"query":{"query_string":{"query":"x","default_field":"a"}}}`:                    "a",
		`{"query":{"query_string":{"query":"x b:(y OR c:z) _exists_:d","fields":["a"]}}}`: "a b c d",
		`{"query":{"query_string":{"query":"b:"}}}`:                                       "",
		`{"query":{"bool":{"must":[{"term":{"a":1}}],"filter":{"term":{"b":1}},"should":{"term":{"c":1}},"must_not":{"term":{"d":1}}}}}`:                               "a b c d",
		`{"query":{"constant_score":{"filter":{"term":{"a":1}}}}}`:                                                                                                     "a",
		`{"query":{"dis_max":{"queries":[{"fuzzy":{"a":"x"}},{"regexp":{"b":"x"}},{"match_bool_prefix":{"c":"x"}}]}}}`:                                                 "a b c",
		`{"query":{"boosting":{"positive":{"term":{"a":1}},"negative":{"term":{"b":1}},"negative_boost":1}}}`:                                                          "a b",
		`{"sort":[{"b":"asc"},"_score","a","a"]}`:                                                                                                                      "_score a b",
		`{"aggs":{"x":{"terms":{"field":"a"},"aggs":{"y":{"max":{"field":"b"}}}},"z":{"filter":{"term":{"c":1}}},"u":{"filters":{"filters":{"v":{"term":{"d":1}}}}}}}`: "a b c d",
		`{"collapse":{"field":"a","inner_hits":{"name":"n","sort":"b","collapse":{"field":"c"},"highlight":{"fields":{"d":{}}}}}}`:                                     "a b c d",
		`{"aggs":{"x":{"terms":{"field":"a"},"aggs":{"y":{"top_hits":{"sort":"b","highlight":{"fields":{"c":{"highlight_query":{"term":{"d":1}}}}}}}}}}}`:              "a b c d",
	} {
		b, err := Parse([]byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		if got := strings.Join(query.Fields(b), " "); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
