// This file prints dis_max, boosting and queries about one word or pattern.

package body

import (
	"strconv"

	"contentedge/edgeserve/engine/query"
)

// spelling adds the options of a misspelt word, some of which have a prefix in their name.
func (o object) spelling(s query.Spelling, prefix string) object {
	o = o.integer("prefix_length", s.PrefixLength, 0).integer("max_expansions", s.MaxExpansions, query.DefaultExpansions)
	if s.NoTranspositions {
		o = o.raw(prefix+"transpositions", "false")
	}
	return o.rewrite(prefix+"rewrite", s.Rewrite)
}

// rewrite adds a rewrite method unless it is the default.
func (o object) rewrite(name string, r query.Rewrite) object {
	if r.Kind == query.RewriteDefault {
		return o
	}
	return o.raw(name, quote(printRewrite(r)))
}

// String returns r in the syntax of the option.
func printRewrite(r query.Rewrite) string {
	switch r.Kind {
	case query.RewriteConstant:
		return "constant_score"
	case query.RewriteScoring:
		return "scoring_boolean"
	case query.RewriteTop:
		return "top_terms_" + strconv.Itoa(r.Top)
	case query.RewriteTopBoost:
		return "top_terms_boost_" + strconv.Itoa(r.Top)
	}
	return "top_terms_blended_freqs_" + strconv.Itoa(r.Top)
}

func printDisMax(n *query.DisMax) string {
	return object(nil).nodes("queries", n.Queries).weight("tie_breaker", n.TieBreaker, 0).weight("boost", n.Boost, 1).in(n.Type())
}

func printBoosting(n *query.Boosting) string {
	return object(nil).raw("positive", printNode(n.Positive)).raw("negative", printNode(n.Negative)).
		weight("negative_boost", n.NegativeBoost, -1).weight("boost", n.Boost, 1).in(n.Type())
}

func printTermsSet(n *query.TermsSet) string {
	return object(nil).raw("terms", join(n.Values, printValue)).raw("minimum_should_match_field", quote(n.MinField)).
		weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printFuzzy(n *query.Fuzzy) string {
	o := object(nil).value("value", &n.Value)
	if n.Fuzziness != query.AutoFuzziness {
		o = o.fuzziness(&n.Fuzziness)
	}
	return o.spelling(n.Spelling, "").weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printRegexp(n *query.Regexp) string {
	return object(nil).raw("value", quote(n.Pattern)).integer("flags_value", n.Flags, query.RegexpFlags).
		trueIf("case_insensitive", n.CaseInsensitive).rewrite("rewrite", n.Rewrite).
		weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

func printMatchBoolPrefix(n *query.MatchBoolPrefix) string {
	return object(nil).value("query", &n.Text).textIf("operator", "and", n.And).
		text("minimum_should_match", n.MinShouldMatch).fuzziness(n.Fuzziness).spelling(n.Spelling, "fuzzy_").
		weight("boost", n.Boost, 1).at(n.Type(), n.Field)
}

// stringOptions adds the options of a query string, whose type is def unless it says another one.
func (o object) stringOptions(s *query.StringOptions, def query.FieldsType) object {
	o = o.textIf("type", s.Kind.String(), s.Kind != def).text("minimum_should_match", s.MinShouldMatch).
		weight("tie_breaker", s.TieBreaker, s.Kind.TieBreaker()).
		integer("fuzzy_prefix_length", s.PrefixLength, 0).integer("fuzzy_max_expansions", s.MaxExpansions, query.DefaultExpansions)
	if s.NoTranspositions {
		o = o.raw("fuzzy_transpositions", "false")
	}
	o = o.rewrite("rewrite", s.Rewrite).text("quote_field_suffix", s.QuoteSuffix).
		trueIf("analyze_wildcard", s.AnalyzeWildcard)
	if s.NoLeadingWildcard {
		o = o.raw("allow_leading_wildcard", "false")
	}
	return o.text("time_zone", s.TimeZone)
}
