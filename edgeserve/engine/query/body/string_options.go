// This file holds the options that query_string and simple_query_string share, and flags.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
)

func (o *options) stringOptions() query.StringOptions {
	return query.StringOptions{
		Kind: o.fieldsType, TieBreaker: o.tie(), Lenient: o.lenient, MinShouldMatch: o.minShouldMatch, Spelling: o.spelling(),
		QuoteSuffix: o.quoteSuffix, AnalyzeWildcard: o.analyzeWildcard, NoLeadingWildcard: o.noLeadingWildcard,
		TimeZone: o.timeZone,
	}
}

// stringOption parses an option of query strings alone. The result is false if m is none.
func parseStringOption(p *parser, o *options, m *strictjson.Value) bool {
	switch m.Name {
	case "fuzzy_prefix_length":
		o.prefixLength = p.integer(m, 0)
	case "fuzzy_max_expansions":
		o.maxExpansions = p.expansions(m, 1)
	case "quote_field_suffix":
		if m.Kind != strictjson.Null {
			o.quoteSuffix = p.text(m)
		}
	case "analyze_wildcard":
		o.analyzeWildcard = p.bool(m)
	case "allow_leading_wildcard":
		o.noLeadingWildcard = !p.bool(m)
	case "escape":
		o.escape = p.bool(m)
	case "time_zone":
		if m.Kind != strictjson.Null {
			o.timeZone = p.text(m)
		}
	default:
		return false
	}
	return true
}

// parseSimpleFlags parses the `flags` of simple_query_string: the names of operators, or their bits.
func parseSimpleFlags(p *parser, m *strictjson.Value) int {
	if m.Kind == strictjson.Number {
		return p.integer(m, -1) & lucene.AllOperators
	}
	operators, ok := lucene.ParseOperators(p.text(m))
	if !ok {
		p.wrongValue(m, "flags like OR|AND|PREFIX, of ALL, NONE, AND, NOT, OR, PREFIX, PHRASE, PRECEDENCE, ESCAPE, WHITESPACE, FUZZY, NEAR and SLOP")
	}
	return operators
}
