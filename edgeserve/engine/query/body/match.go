// This file parses match and its relatives, which analyze a text, and the options that queries for
// misspelt words share.

package body

import (
	"math"
	"strconv"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
)

var matchOptions = newQueryTable("match", []option[query.Match]{
	{"query", required, func(p *parser, n *query.Match, v *strictjson.Value) { n.Text = p.scalar(v) }},
	{"operator", optional, func(p *parser, n *query.Match, v *strictjson.Value) { n.And = p.operator(v) }},
	{"minimum_should_match", optional, func(p *parser, n *query.Match, v *strictjson.Value) { n.MinShouldMatch = p.minMatch(v) }},
	{"fuzziness", optional, func(p *parser, n *query.Match, v *strictjson.Value) { n.Fuzziness = new(p.fuzziness(v)) }},
	prefixLength("prefix_length", matchSpelling),
	maxExpansionsOption("max_expansions", matchSpelling),
	{"lenient", optional, func(p *parser, n *query.Match, v *strictjson.Value) { n.Lenient = p.bool(v) }},
	{"zero_terms_query", optional, func(p *parser, n *query.Match, v *strictjson.Value) { n.ZeroTermsAll = p.zeroTermsAll(v) }},
	transpositions("fuzzy_transpositions", matchSpelling),
	rewriteOption("fuzzy_rewrite", matchSpelling),
	analyzer[query.Match](),
	synonyms[query.Match](),
})

func matchSpelling(n *query.Match) *query.Spelling { return &n.Spelling }

func parseMatch(p *parser, v *strictjson.Value) query.Node {
	n := &query.Match{Spelling: defaultSpelling, Boost: 1}
	n.Field, _ = matchOptions.onField(p, n, v)
	return n
}

var matchBoolPrefixOptions = newQueryTable("match_bool_prefix", []option[query.MatchBoolPrefix]{
	{"query", required, func(p *parser, n *query.MatchBoolPrefix, v *strictjson.Value) { n.Text = p.scalar(v) }},
	{"operator", optional, func(p *parser, n *query.MatchBoolPrefix, v *strictjson.Value) { n.And = p.operator(v) }},
	{"minimum_should_match", optional, func(p *parser, n *query.MatchBoolPrefix, v *strictjson.Value) { n.MinShouldMatch = p.minMatch(v) }},
	{"fuzziness", optional, func(p *parser, n *query.MatchBoolPrefix, v *strictjson.Value) { n.Fuzziness = new(p.fuzziness(v)) }},
	prefixLength("prefix_length", boolPrefixSpelling),
	maxExpansionsOption("max_expansions", boolPrefixSpelling),
	transpositions("fuzzy_transpositions", boolPrefixSpelling),
	rewriteOption("fuzzy_rewrite", boolPrefixSpelling),
	analyzer[query.MatchBoolPrefix](),
})

func boolPrefixSpelling(n *query.MatchBoolPrefix) *query.Spelling { return &n.Spelling }

func parseMatchBoolPrefix(p *parser, v *strictjson.Value) query.Node {
	n := &query.MatchBoolPrefix{Spelling: defaultSpelling, Boost: 1}
	n.Field, _ = matchBoolPrefixOptions.onField(p, n, v)
	return n
}

var matchPhraseOptions = newQueryTable("match_phrase", []option[query.MatchPhrase]{
	{"query", required, func(p *parser, n *query.MatchPhrase, v *strictjson.Value) { n.Text = p.scalar(v) }},
	{"slop", optional, func(p *parser, n *query.MatchPhrase, v *strictjson.Value) { n.Slop = p.integer(v, 0) }},
	{"zero_terms_query", optional, func(p *parser, n *query.MatchPhrase, v *strictjson.Value) { n.ZeroTermsAll = p.zeroTermsAll(v) }},
	analyzer[query.MatchPhrase](),
})

func parseMatchPhrase(p *parser, v *strictjson.Value) query.Node {
	n := &query.MatchPhrase{Boost: 1}
	n.Field, _ = matchPhraseOptions.onField(p, n, v)
	return n
}

var matchPhrasePrefixOptions = newQueryTable("match_phrase_prefix", []option[query.MatchPhrasePrefix]{
	{"query", required, func(p *parser, n *query.MatchPhrasePrefix, v *strictjson.Value) { n.Text = p.scalar(v) }},
	{"slop", optional, func(p *parser, n *query.MatchPhrasePrefix, v *strictjson.Value) { n.Slop = p.integer(v, 0) }},
	{"max_expansions", optional, func(p *parser, n *query.MatchPhrasePrefix, v *strictjson.Value) { n.MaxExpansions = p.expansions(v, 0) }},
	{"zero_terms_query", optional, func(p *parser, n *query.MatchPhrasePrefix, v *strictjson.Value) { n.ZeroTermsAll = p.zeroTermsAll(v) }},
	analyzer[query.MatchPhrasePrefix](),
})

func parseMatchPhrasePrefix(p *parser, v *strictjson.Value) query.Node {
	n := &query.MatchPhrasePrefix{MaxExpansions: query.DefaultExpansions, Boost: 1}
	n.Field, _ = matchPhrasePrefixOptions.onField(p, n, v)
	return n
}

// analyzer returns the row of an option that names an analyzer: there is only one.
func analyzer[T any]() option[T] { return fixed[T]("analyzer", "standard") }

// synonyms returns the row of an option without effect: the analyzer has no synonyms.
func synonyms[T any]() option[T] {
	return noEffect[T]("auto_generate_synonyms_phrase_query", checkBool)
}

// operator parses a default operator. The result is true for "and".
func (p *parser) operator(v *strictjson.Value) bool { return p.either(v, p.text(v), "and", "or") }

func (p *parser) zeroTermsAll(v *strictjson.Value) bool {
	return p.either(v, p.text(v), "all", "none")
}

// defaultSpelling is the Spelling of a query without options.
var defaultSpelling = query.Spelling{MaxExpansions: query.DefaultExpansions}

// Rows for the options of misspelt words, which have different names in different queries.

func prefixLength[T any](name string, spelling func(n *T) *query.Spelling) option[T] {
	return option[T]{name, optional, func(p *parser, n *T, v *strictjson.Value) { spelling(n).PrefixLength = p.integer(v, 0) }}
}

func maxExpansionsOption[T any](name string, spelling func(n *T) *query.Spelling) option[T] {
	return option[T]{name, optional, func(p *parser, n *T, v *strictjson.Value) { spelling(n).MaxExpansions = p.expansions(v, 1) }}
}

func transpositions[T any](name string, spelling func(n *T) *query.Spelling) option[T] {
	return option[T]{name, optional, func(p *parser, n *T, v *strictjson.Value) { spelling(n).NoTranspositions = !p.bool(v) }}
}

func rewriteOption[T any](name string, spelling func(n *T) *query.Spelling) option[T] {
	return option[T]{name, optional, func(p *parser, n *T, v *strictjson.Value) { spelling(n).Rewrite = p.rewrite(v) }}
}

func (p *parser) fuzziness(v *strictjson.Value) query.Fuzziness {
	const want = "AUTO, AUTO:low,high, 0, 1 or 2"
	if v.Kind != strictjson.String && v.Kind != strictjson.Number {
		p.wrongValue(v, want)
		return query.Fuzziness{}
	}
	f, err := query.ParseFuzziness(v.Text)
	if err != nil || f.Edits < 0 {
		p.wrongValue(v, want)
	}
	return f
}

// minMatch validates minimum_should_match and returns it as written.
func (p *parser) minMatch(v *strictjson.Value) string {
	s := p.text(v)
	if _, err := query.MinMatch(s, math.MaxInt16); p.err == nil && err != nil {
		p.wrongValue(v, `an integer, a percentage or conditions like "2<75%"`)
	}
	return s
}

var rewriteNames = map[string]query.RewriteKind{
	"constant_score": query.RewriteConstant, "constant_score_boolean": query.RewriteConstant, "scoring_boolean": query.RewriteScoring,
	"top_terms_": query.RewriteTop, "top_terms_boost_": query.RewriteTopBoost, "top_terms_blended_freqs_": query.RewriteTopBlended,
}

const rewriteValues = "constant_score, constant_score_boolean, scoring_boolean, top_terms_N, top_terms_boost_N or top_terms_blended_freqs_N"

// rewrite parses a rewrite method: how the terms that a pattern or a misspelt word finds score.
func (p *parser) rewrite(v *strictjson.Value) (r query.Rewrite) {
	if v.Kind == strictjson.Null {
		return r
	}
	name := p.text(v)
	digits := strings.IndexAny(name, "0123456789")
	if digits >= 0 {
		n, err := strconv.ParseInt(name[digits:], 10, 32)
		if err != nil || n < 1 {
			p.wrongValue(v, rewriteValues)
		}
		r.Top, name = int(min(n, lucene.MaxClauses)), name[:digits]
	}
	kind, ok := rewriteNames[name]
	if !ok || (kind >= query.RewriteTop) != (digits >= 0) {
		p.wrongValue(v, rewriteValues)
	}
	r.Kind, r.Clauses = kind, name == "constant_score_boolean"
	return r
}
