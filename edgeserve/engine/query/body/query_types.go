// This file holds the table of query types, and parses the parts that all queries have in common.

package body

import (
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// queryType says how to parse an object under the name of the type.
type queryType struct {
	parse   func(p *parser, v *strictjson.Value) query.Node
	options interface{ known() []string }
}

// queryTypes holds query types by name. init fills it, because the parsers refer to it.
var queryTypes map[string]queryType

func init() {
	queryTypes = map[string]queryType{
		"bool":                {parseBool, boolOptions},
		"boosting":            {parseBoosting, boostingOptions},
		"constant_score":      {parseConstantScore, constantScoreOptions},
		"dis_max":             {parseDisMax, disMaxOptions},
		"distance_feature":    {parseDistanceFeature, distanceFeatureOptions},
		"exists":              {parseExists, existsOptions},
		"fuzzy":               {parseFuzzy, fuzzyOptions},
		"function_score":      {parseFunctionScore, functionScoreOptions},
		"ids":                 {parseIDs, idsOptions},
		"intervals":           {parseIntervals, intervalsOptions},
		"match":               {parseMatch, matchOptions},
		"match_all":           {parseMatchAll, matchAllOptions},
		"match_bool_prefix":   {parseMatchBoolPrefix, matchBoolPrefixOptions},
		"match_none":          {parseMatchNone, matchNoneOptions},
		"match_phrase":        {parseMatchPhrase, matchPhraseOptions},
		"match_phrase_prefix": {parseMatchPhrasePrefix, matchPhrasePrefixOptions},
		"more_like_this":      {parseMoreLikeThis, moreLikeThisOptions},
		"multi_match":         {parseMultiMatch, multiMatchOptions},
		"prefix":              {parsePrefix, prefixOptions},
		"query_string":        {parseQueryString, queryStringOptions},
		"range":               {parseRange, rangeOptions},
		"regexp":              {parseRegexp, regexpOptions},
		"simple_query_string": {parseSimpleQueryString, simpleQueryStringOptions},
		"term":                {parseTerm, termOptions},
		"terms":               {parseTerms, termsOptions},
		"terms_set":           {parseTermsSet, termsSetOptions},
		"wildcard":            {parseWildcard, wildcardOptions},
		"wrapper":             {parseWrapper, wrapperOptions},
	}
	for name, options := range spanOptions {
		queryTypes[name] = queryType{func(p *parser, v *strictjson.Value) query.Node { return parseSpan(p, name, v) }, options}
	}
}

// Types returns the names of the query types in order.
func Types() []string { return slices.Sorted(maps.Keys(queryTypes)) }

// boosted is a query, or the state of its parser.
type boosted interface{ BoostOption() *float64 }

// newQueryTable is newTable for a query type. It adds boost and _name, which all queries have.
func newQueryTable[T any, Q interface {
	*T
	boosted
}](of string, rows []option[T]) *table {
	t := newTable(of, rows)
	t.addQueryOptions()
	return t
}

func (t *table) addQueryOptions() {
	t.add("boost", optional, func(p *parser, to any, v *strictjson.Value) { *to.(boosted).BoostOption() = p.weight(v) })
	t.add("_name", optional, func(p *parser, _ any, v *strictjson.Value) { p.name(v) })
}

// fixed returns a row for an option without effect, which accepts only the allowed values.
func fixed[T any](name string, allowed ...string) option[T] {
	return option[T]{name, optional, func(p *parser, _ *T, v *strictjson.Value) { p.oneOf(v, allowed...) }}
}

// noEffect returns a row for an option without effect, whose value is checked.
func noEffect[T any](name string, check func(p *parser, v *strictjson.Value)) option[T] {
	return option[T]{name, optional, func(p *parser, _ *T, v *strictjson.Value) { check(p, v) }}
}

func checkBool(p *parser, v *strictjson.Value) { p.bool(v) }
func checkText(p *parser, v *strictjson.Value) { p.text(v) }

// parseQuery parses an object with one member, whose name is the query type.
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
		p.absent(m, problem.UnknownQuery, "the query %q is not supported here: %s", m.Name, hint)
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
	return p.withName(t, m)
}

// withName parses a query and records its _name: a hit lists the names of the queries that match it.
func (p *parser) withName(t queryType, v *strictjson.Value) query.Node {
	outer := p.own
	p.own = nil
	n := t.parse(p, v)
	if p.own != nil && n != nil {
		if p.names == nil {
			p.names = map[query.Node]string{}
		}
		p.names[n] = *p.own
	}
	p.own = outer
	return n
}

// name parses the _name of the query that is being parsed.
func (p *parser) name(v *strictjson.Value) {
	p.own = new(p.text(v))
	p.named = true
}
