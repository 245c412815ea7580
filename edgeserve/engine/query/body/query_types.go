// This file holds the table of query types. Queries reject unknown options and list the known ones.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"maps"
	"slices"
	"strings"
)

// queryType says how to parse the member m that it names. Error messages list options in order.
type queryType struct {
	parse   func(p *parser, t *queryType, m *strictjson.Value) query.Node
	options []string
	name    string
}

// queryTypes holds query types by name. init fills it, because the parsers refer to it.
var queryTypes map[string]*queryType

func init() {
	queryTypes = map[string]*queryType{
		"bool":                {parse: parseBoolean, options: known("must filter should must_not minimum_should_match adjust_pure_negative")},
		"boosting":            {parse: parseBoosting, options: known("positive negative negative_boost")},
		"constant_score":      {parse: parseConstantScore, options: known("filter")},
		"dis_max":             {parse: parseDisMax, options: known("queries tie_breaker")},
		"distance_feature":    {parse: parseDistanceFeature, options: known("field origin pivot")},
		"exists":              {parse: parseExists, options: known("field")},
		"fuzzy":               {parse: parseFuzzy, options: known("value fuzziness prefix_length max_expansions transpositions rewrite")},
		"function_score":      {parse: parseFunctionScore, options: known("query functions score_mode boost_mode max_boost min_score weight field_value_factor random_score linear exp gauss")},
		"ids":                 {parse: parseIds, options: known("values")},
		"intervals":           {parse: parseIntervals, options: known("match prefix wildcard fuzzy all_of any_of")},
		"match":               {parse: parseMatch, options: known("query operator minimum_should_match fuzziness prefix_length max_expansions lenient zero_terms_query fuzzy_transpositions fuzzy_rewrite analyzer auto_generate_synonyms_phrase_query")},
		"match_all":           {parse: parseMatchAll, options: known("")},
		"match_bool_prefix":   {parse: parseMatchBoolPrefix, options: known("query operator minimum_should_match fuzziness prefix_length max_expansions fuzzy_transpositions fuzzy_rewrite analyzer")},
		"match_none":          {parse: parseMatchNone, options: known("")},
		"match_phrase":        {parse: parseMatchPhrase, options: known("query slop zero_terms_query analyzer")},
		"match_phrase_prefix": {parse: parseMatchPhrasePrefix, options: known("query slop max_expansions zero_terms_query analyzer")},
		"more_like_this":      {parse: parseMoreLikeThis, options: known("fields like unlike min_term_freq max_query_terms min_doc_freq max_doc_freq min_word_length max_word_length stop_words minimum_should_match boost_terms include fail_on_unsupported_field analyzer")},
		"multi_match":         {parse: parseMultiMatch, options: known("query fields type operator minimum_should_match tie_breaker fuzziness prefix_length max_expansions fuzzy_transpositions fuzzy_rewrite lenient zero_terms_query slop analyzer auto_generate_synonyms_phrase_query")},
		"prefix":              {parse: parsePrefix, options: known("value case_insensitive rewrite")},
		"query_string":        {parse: parseQueryString, options: known("query default_field fields type default_operator minimum_should_match phrase_slop lenient fuzziness fuzzy_prefix_length fuzzy_max_expansions fuzzy_transpositions fuzzy_rewrite rewrite tie_breaker quote_field_suffix analyze_wildcard allow_leading_wildcard escape time_zone analyzer quote_analyzer max_determinized_states enable_position_increments auto_generate_synonyms_phrase_query")},
		"range":               {parse: parseRangeQuery, options: known("gt gte lt lte from to include_lower include_upper format time_zone relation")},
		"regexp":              {parse: parseRegexp, options: known("value flags flags_value case_insensitive max_determinized_states rewrite")},
		"simple_query_string": {parse: parseSimpleQueryString, options: known("query fields default_operator minimum_should_match lenient flags fuzzy_prefix_length fuzzy_max_expansions fuzzy_transpositions quote_field_suffix analyze_wildcard analyzer auto_generate_synonyms_phrase_query")},
		"field_masking_span":  {parse: parseSpan, options: known("query field")},
		"span_containing":     {parse: parseSpan, options: known("big little")},
		"span_first":          {parse: parseSpan, options: known("match end")},
		"span_multi":          {parse: parseSpan, options: known("match")},
		"span_near":           {parse: parseSpan, options: known("clauses slop in_order")},
		"span_not":            {parse: parseSpan, options: known("include exclude pre post dist")},
		"span_or":             {parse: parseSpan, options: known("clauses")},
		"span_term":           {parse: parseSpan, options: known("value term")},
		"span_within":         {parse: parseSpan, options: known("big little")},
		"term":                {parse: parseTerm, options: known("value case_insensitive")},
		"terms":               {parse: parseTerms, options: append([]string{"an array under one field's name"}, known("")...)},
		"wrapper":             {parse: parseWrapper, options: []string{"query"}},
		"terms_set":           {parse: parseTermsSet, options: known("terms minimum_should_match_field")},
		"wildcard":            {parse: parseWildcard, options: known("value wildcard case_insensitive rewrite")},
	}
	for name, t := range queryTypes {
		t.name = name
	}
}

// Types returns the names of the query types in order.
func Types() []string { return slices.Sorted(maps.Keys(queryTypes)) }

func known(names string) []string { return append(strings.Fields(names), "boost", "_name") }

// query parses an object with one member, whose name is the query type.
func parseQuery(p *parser, v *strictjson.Value) query.Node {
	switch {
	case p.err != nil:
		return nil
	case v.Kind != strictjson.Object:
		p.wrongValue(v, `a query object like {"match":{…}}`)
		return nil
	case len(v.Items) == 0:
		p.fail(v, p.code(v), "%s is an empty query: leave it out, or use match_all", p.path(v))
		return nil
	case len(v.Items) > 1:
		p.fail(&v.Items[1], p.code(v), "%s holds %d queries, %q being the second: combine them in a bool", p.path(v), len(v.Items), strictjson.Clip(v.Items[1].Name))
		return nil
	}
	m := &v.Items[0]
	t, ok := queryTypes[m.Name]
	if hint, refused := refusedQueries[m.Name]; refused {
		p.fail(m, problem.UnknownQuery, "there is no query %q here: %s", m.Name, hint)
		return nil
	}
	if !ok {
		p.fail(m, problem.UnknownQuery, "unknown query %q; known queries: %s", strictjson.Clip(m.Name), strings.Join(Types(), ", "))
		return nil
	}
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object")
		return nil
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxQueryDepth {
		p.fail(m, problem.TooDeep, "queries are nested deeper than %d levels", maxQueryDepth)
		return nil
	}
	if p.nodes++; p.nodes > lucene.MaxNodes {
		p.fail(m, problem.TooManyClauses, "the body has more than %d queries", lucene.MaxNodes)
		return nil
	}
	return parseNamed(p, t, m)
}
