// This file holds the table of query types. Queries reject unknown options and list the known ones.

package query

import (
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// queryType says how to parse the member m that it names. Error messages list options in order.
type queryType struct {
	parse   func(p *bodyParser, t *queryType, m *value) Node
	options []string
	name    string
}

// queryTypes holds query types by name. init fills it, because the parsers refer to it.
var queryTypes map[string]*queryType

func init() {
	queryTypes = map[string]*queryType{
		"bool":                {parse: (*bodyParser).boolean, options: known("must filter should must_not minimum_should_match adjust_pure_negative")},
		"boosting":            {parse: (*bodyParser).boosting, options: known("positive negative negative_boost")},
		"constant_score":      {parse: (*bodyParser).constantScore, options: known("filter")},
		"dis_max":             {parse: (*bodyParser).disMax, options: known("queries tie_breaker")},
		"distance_feature":    {parse: (*bodyParser).distanceFeature, options: known("field origin pivot")},
		"exists":              {parse: (*bodyParser).exists, options: known("field")},
		"fuzzy":               {parse: (*bodyParser).fuzzy, options: known("value fuzziness prefix_length max_expansions transpositions rewrite")},
		"function_score":      {parse: (*bodyParser).functionScore, options: known("query functions score_mode boost_mode max_boost min_score weight field_value_factor random_score linear exp gauss")},
		"ids":                 {parse: (*bodyParser).ids, options: known("values")},
		"intervals":           {parse: (*bodyParser).intervals, options: known("match prefix wildcard fuzzy all_of any_of")},
		"match":               {parse: (*bodyParser).match, options: known("query operator minimum_should_match fuzziness prefix_length max_expansions lenient zero_terms_query fuzzy_transpositions fuzzy_rewrite analyzer auto_generate_synonyms_phrase_query")},
		"match_all":           {parse: (*bodyParser).matchAll, options: known("")},
		"match_bool_prefix":   {parse: (*bodyParser).matchBoolPrefix, options: known("query operator minimum_should_match fuzziness prefix_length max_expansions fuzzy_transpositions fuzzy_rewrite analyzer")},
		"match_none":          {parse: (*bodyParser).matchNone, options: known("")},
		"match_phrase":        {parse: (*bodyParser).matchPhrase, options: known("query slop zero_terms_query analyzer")},
		"match_phrase_prefix": {parse: (*bodyParser).matchPhrasePrefix, options: known("query slop max_expansions zero_terms_query analyzer")},
		"more_like_this":      {parse: (*bodyParser).moreLikeThis, options: known("fields like unlike min_term_freq max_query_terms min_doc_freq max_doc_freq min_word_length max_word_length stop_words minimum_should_match boost_terms include fail_on_unsupported_field analyzer")},
		"multi_match":         {parse: (*bodyParser).multiMatch, options: known("query fields type operator minimum_should_match tie_breaker fuzziness prefix_length max_expansions fuzzy_transpositions fuzzy_rewrite lenient zero_terms_query slop analyzer auto_generate_synonyms_phrase_query")},
		"prefix":              {parse: (*bodyParser).prefix, options: known("value case_insensitive rewrite")},
		"query_string":        {parse: (*bodyParser).queryString, options: known("query default_field fields type default_operator minimum_should_match phrase_slop lenient fuzziness fuzzy_prefix_length fuzzy_max_expansions fuzzy_transpositions fuzzy_rewrite rewrite tie_breaker quote_field_suffix analyze_wildcard allow_leading_wildcard escape time_zone analyzer quote_analyzer max_determinized_states enable_position_increments auto_generate_synonyms_phrase_query")},
		"range":               {parse: (*bodyParser).rangeQuery, options: known("gt gte lt lte from to include_lower include_upper format time_zone relation")},
		"regexp":              {parse: (*bodyParser).regexp, options: known("value flags flags_value case_insensitive max_determinized_states rewrite")},
		"simple_query_string": {parse: (*bodyParser).simpleQueryString, options: known("query fields default_operator minimum_should_match lenient flags fuzzy_prefix_length fuzzy_max_expansions fuzzy_transpositions quote_field_suffix analyze_wildcard analyzer auto_generate_synonyms_phrase_query")},
		"field_masking_span":  {parse: (*bodyParser).span, options: known("query field")},
		"span_containing":     {parse: (*bodyParser).span, options: known("big little")},
		"span_first":          {parse: (*bodyParser).span, options: known("match end")},
		"span_multi":          {parse: (*bodyParser).span, options: known("match")},
		"span_near":           {parse: (*bodyParser).span, options: known("clauses slop in_order")},
		"span_not":            {parse: (*bodyParser).span, options: known("include exclude pre post dist")},
		"span_or":             {parse: (*bodyParser).span, options: known("clauses")},
		"span_term":           {parse: (*bodyParser).span, options: known("value term")},
		"span_within":         {parse: (*bodyParser).span, options: known("big little")},
		"term":                {parse: (*bodyParser).term, options: known("value case_insensitive")},
		"terms":               {parse: (*bodyParser).terms, options: append([]string{"an array under one field's name"}, known("")...)},
		"wrapper":             {parse: (*bodyParser).wrapper, options: []string{"query"}},
		"terms_set":           {parse: (*bodyParser).termsSet, options: known("terms minimum_should_match_field")},
		"wildcard":            {parse: (*bodyParser).wildcard, options: known("value wildcard case_insensitive rewrite")},
	}
	for name, t := range queryTypes {
		t.name = name
	}
}

// Types returns the names of the query types in order.
func Types() []string { return slices.Sorted(maps.Keys(queryTypes)) }

func known(names string) []string { return append(strings.Fields(names), "boost", "_name") }

// query parses an object with one member, whose name is the query type.
func (p *bodyParser) query(v *value) Node {
	switch {
	case p.err != nil:
		return nil
	case v.kind != kindObject:
		p.wrongValue(v, `a query object like {"match":{…}}`)
		return nil
	case len(v.items) == 0:
		p.fail(v, p.code(v), "%s is an empty query: leave it out, or use match_all", p.path(v))
		return nil
	case len(v.items) > 1:
		p.fail(&v.items[1], p.code(v), "%s holds %d queries, %q being the second: combine them in a bool", p.path(v), len(v.items), clip(v.items[1].name))
		return nil
	}
	m := &v.items[0]
	t, ok := queryTypes[m.name]
	if hint, refused := refusedQueries[m.name]; refused {
		p.fail(m, problem.UnknownQuery, "there is no query %q here: %s", m.name, hint)
		return nil
	}
	if !ok {
		p.fail(m, problem.UnknownQuery, "unknown query %q; known queries: %s", clip(m.name), strings.Join(Types(), ", "))
		return nil
	}
	if m.kind != kindObject {
		p.wrongValue(m, "an object")
		return nil
	}
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxQueryDepth {
		p.fail(m, problem.TooDeep, "queries are nested deeper than %d levels", maxQueryDepth)
		return nil
	}
	if p.nodes++; p.nodes > maxNodes {
		p.fail(m, problem.TooManyClauses, "the body has more than %d queries", maxNodes)
		return nil
	}
	return p.parseNamed(t, m)
}
