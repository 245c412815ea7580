// This file parses queries for the terms that are similar to a word or match a pattern: prefix, wildcard,
// fuzzy, regexp.

package body

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

var prefixOptions = newQueryTable("prefix", []option[query.Prefix]{
	{"value", required, func(p *parser, n *query.Prefix, v *strictjson.Value) { n.Value = p.text(v) }},
	{"case_insensitive", optional, func(p *parser, n *query.Prefix, v *strictjson.Value) { n.CaseInsensitive = p.bool(v) }},
	{"rewrite", optional, func(p *parser, n *query.Prefix, v *strictjson.Value) { n.Rewrite = p.rewrite(v) }},
})

func parsePrefix(p *parser, v *strictjson.Value) query.Node {
	n := &query.Prefix{Boost: 1}
	n.Field, _ = prefixOptions.onField(p, n, v)
	return n
}

// A wildcard needs value or wildcard, two names of one option.
var wildcardOptions = newQueryTable("wildcard", []option[query.Wildcard]{
	{"value", optional, func(p *parser, n *query.Wildcard, v *strictjson.Value) { n.Pattern = p.text(v) }},
	{"wildcard", optional, func(p *parser, n *query.Wildcard, v *strictjson.Value) { n.Pattern = p.text(v) }},
	{"case_insensitive", optional, func(p *parser, n *query.Wildcard, v *strictjson.Value) { n.CaseInsensitive = new(p.bool(v)) }},
	{"rewrite", optional, func(p *parser, n *query.Wildcard, v *strictjson.Value) { n.Rewrite = p.rewrite(v) }},
})

func parseWildcard(p *parser, v *strictjson.Value) query.Node {
	n := &query.Wildcard{Boost: 1}
	field, options := wildcardOptions.onField(p, n, v)
	n.Field = field
	p.requireOne(options, "value", "wildcard")
	return n
}

var fuzzyOptions = newQueryTable("fuzzy", []option[query.Fuzzy]{
	{"value", required, func(p *parser, n *query.Fuzzy, v *strictjson.Value) { n.Value = p.scalar(v) }},
	{"fuzziness", optional, func(p *parser, n *query.Fuzzy, v *strictjson.Value) { n.Fuzziness = p.fuzziness(v) }},
	prefixLength("prefix_length", fuzzySpelling),
	maxExpansionsOption("max_expansions", fuzzySpelling),
	transpositions("transpositions", fuzzySpelling),
	rewriteOption("rewrite", fuzzySpelling),
})

func fuzzySpelling(n *query.Fuzzy) *query.Spelling { return &n.Spelling }

func parseFuzzy(p *parser, v *strictjson.Value) query.Node {
	n := &query.Fuzzy{Fuzziness: query.AutoFuzziness, Spelling: defaultSpelling, Boost: 1}
	n.Field, _ = fuzzyOptions.onField(p, n, v)
	return n
}

var regexpOptions = newQueryTable("regexp", []option[query.Regexp]{
	{"value", required, func(p *parser, n *query.Regexp, v *strictjson.Value) { n.Pattern = p.text(v) }},
	{"flags", optional, func(p *parser, n *query.Regexp, v *strictjson.Value) { n.Flags = p.regexpFlags(v) }},
	{"flags_value", optional, func(p *parser, n *query.Regexp, v *strictjson.Value) { n.Flags = p.integer(v, -1) & query.RegexpFlags }},
	{"case_insensitive", optional, func(p *parser, n *query.Regexp, v *strictjson.Value) { n.CaseInsensitive = p.bool(v) }},
	noEffect[query.Regexp]("max_determinized_states", checkStates),
	{"rewrite", optional, func(p *parser, n *query.Regexp, v *strictjson.Value) { n.Rewrite = p.rewrite(v) }},
})

func parseRegexp(p *parser, v *strictjson.Value) query.Node {
	n := &query.Regexp{Flags: query.RegexpFlags, Boost: 1}
	n.Field, _ = regexpOptions.onField(p, n, v)
	return n
}

// checkStates checks max_determinized_states, which has no effect: all expressions have one limit.
func checkStates(p *parser, v *strictjson.Value) { p.integer(v, leastStates) }

var regexpFlags = []struct {
	name string
	bit  int
}{{"INTERSECTION", 1}, {"COMPLEMENT", 2}, {"EMPTY", 4}, {"ANYSTRING", 8}, {"INTERVAL", 32}, {"NONE", 0}, {"ALL", query.RegexpFlags}}

// regexpFlags parses the names of optional operators, joined by |, into Lucene's bits.
func (p *parser) regexpFlags(v *strictjson.Value) (bits int) {
	if v.Kind == strictjson.Null || p.text(v) == "" {
		return query.RegexpFlags
	}
names:
	for name := range strings.SplitSeq(strings.ToUpper(v.Text), "|") {
		for _, f := range regexpFlags {
			if name == f.name {
				bits |= f.bit
				continue names
			}
		}
		if name != "" {
			p.wrongValue(v, "flags like INTERSECTION|COMPLEMENT, of INTERSECTION, COMPLEMENT, EMPTY, ANYSTRING, INTERVAL, NONE and ALL")
		}
	}
	return bits
}
