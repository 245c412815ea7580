// This file writes the queries that analyze a text.

package encode

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
)

func (e *encoder) match(n *query.Match) object {
	o := object{"query": e.value(n.Text)}
	operator(o, "operator", n.And)
	text(o, "minimum_should_match", n.MinShouldMatch)
	fuzziness(o, n.Fuzziness, false)
	e.wordSpelling(o, n.Spelling)
	flag(o, "lenient", n.Lenient)
	zeroTerms(o, n.ZeroTermsAll)
	return o
}

func (e *encoder) matchBoolPrefix(n *query.MatchBoolPrefix) object {
	o := object{"query": e.value(n.Text)}
	operator(o, "operator", n.And)
	text(o, "minimum_should_match", n.MinShouldMatch)
	fuzziness(o, n.Fuzziness, false)
	e.wordSpelling(o, n.Spelling)
	return o
}

func (e *encoder) matchPhrase(n *query.MatchPhrase) object {
	o := object{"query": e.value(n.Text)}
	integer(o, "slop", n.Slop, 0)
	zeroTerms(o, n.ZeroTermsAll)
	return o
}

func (e *encoder) matchPhrasePrefix(n *query.MatchPhrasePrefix) object {
	o := object{"query": e.value(n.Text)}
	integer(o, "slop", n.Slop, 0)
	integer(o, "max_expansions", n.MaxExpansions, query.DefaultExpansions)
	zeroTerms(o, n.ZeroTermsAll)
	return o
}

func (e *encoder) multiMatch(n *query.MultiMatch) object {
	o := object{"query": e.value(n.Text)}
	e.fields(o, n.Fields)
	word(o, "type", n.Kind.String(), query.BestFields.String())
	operator(o, "operator", n.And)
	text(o, "minimum_should_match", n.MinShouldMatch)
	integer(o, "slop", n.Slop, 0)
	e.weight(o, "tie_breaker", n.TieBreaker, n.Kind.TieBreaker())
	fuzziness(o, n.Fuzziness, false)
	e.wordSpelling(o, n.Spelling)
	lenient(o, n.Lenient)
	zeroTerms(o, n.ZeroTermsAll)
	return o
}

func (e *encoder) queryString(n *query.QueryString) object {
	o := object{"query": n.Text}
	text(o, "default_field", n.DefaultField)
	e.fields(o, n.Fields)
	word(o, "type", n.Kind.String(), query.BestFields.String())
	operator(o, "default_operator", n.And)
	integer(o, "phrase_slop", n.PhraseSlop, 0)
	fuzziness(o, &n.Fuzziness, true)
	e.weight(o, "tie_breaker", n.TieBreaker, n.Kind.TieBreaker())
	e.rewrite(o, "rewrite", n.Rewrite)
	flagOff(o, "allow_leading_wildcard", n.NoLeadingWildcard)
	text(o, "time_zone", n.TimeZone)
	e.stringOptions(o, &n.StringOptions)
	return o
}

func (e *encoder) simpleQueryString(n *query.SimpleQueryString) object {
	o := object{"query": n.Text}
	e.fields(o, n.Fields)
	operator(o, "default_operator", n.And)
	if n.Kind != query.MostFields || n.TieBreaker != n.Kind.TieBreaker() || n.Rewrite != (query.Rewrite{}) || n.NoLeadingWildcard || n.TimeZone != "" {
		e.fail("a simple_query_string has an option of query_string")
	}
	integer(o, "flags", n.Operators, lucene.AllOperators)
	e.stringOptions(o, &n.StringOptions)
	return o
}

// stringOptions writes the options that query_string and simple_query_string share.
func (e *encoder) stringOptions(o object, s *query.StringOptions) {
	lenient(o, s.Lenient)
	text(o, "minimum_should_match", s.MinShouldMatch)
	e.spelling(o, "fuzzy_", s.Spelling)
	text(o, "quote_field_suffix", s.QuoteSuffix)
	flag(o, "analyze_wildcard", s.AnalyzeWildcard)
}

// wordSpelling writes the options of misspelt words of match and its relatives.
func (e *encoder) wordSpelling(o object, s query.Spelling) {
	integer(o, "prefix_length", s.PrefixLength, 0)
	integer(o, "max_expansions", s.MaxExpansions, query.DefaultExpansions)
	flagOff(o, "fuzzy_transpositions", s.NoTranspositions)
	e.rewrite(o, "fuzzy_rewrite", s.Rewrite)
}

// fields writes the names of fields with their boosts.
func (e *encoder) fields(o object, list []query.FieldBoost) {
	if len(list) == 0 {
		return
	}
	out := make([]any, len(list))
	for i, f := range list {
		name := f.Field
		if strings.Contains(name, "^") || f.Boost != 1 && !f.Boosted {
			e.fail("no body can hold the field %q with its boost", name)
		}
		if f.Boosted {
			name += "^" + string(e.score(f.Boost))
		}
		out[i] = name
	}
	o["fields"] = out
}

func operator(o object, name string, and bool) {
	if and {
		o[name] = "and"
	}
}

func zeroTerms(o object, all bool) {
	if all {
		o["zero_terms_query"] = "all"
	}
}

func lenient(o object, l *bool) {
	if l != nil {
		o["lenient"] = *l
	}
}
