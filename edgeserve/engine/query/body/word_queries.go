// This file parses queries about one word or pattern of a field: fuzzy, regexp, match_bool_prefix.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"strings"
)

func parseFuzzy(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	n := &query.Fuzzy{Field: o.field, Value: o.value, Fuzziness: query.AutoFuzziness, Spelling: o.spelling(), Boost: o.boost}
	if o.fuzziness != nil {
		n.Fuzziness = *o.fuzziness
	}
	return n
}

func parseRegexp(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.Regexp{
		Field: o.field, Pattern: o.value.Text, Flags: o.flags, CaseInsensitive: isTrue(o.caseInsensitive),
		Rewrite: o.rewrite, Boost: o.boost,
	}
}

func parseMatchBoolPrefix(p *parser, t *queryType, m *strictjson.Value) query.Node {
	o := newOptions(t)
	parseFieldOptions(p, &o, m)
	return &query.MatchBoolPrefix{
		Field: o.field, Text: o.value, And: o.and, MinShouldMatch: o.minShouldMatch,
		Fuzziness: o.fuzziness, Spelling: o.spelling(), Boost: o.boost,
	}
}

func (o *options) spelling() query.Spelling {
	return query.Spelling{PrefixLength: o.prefixLength, MaxExpansions: o.maxExpansions, NoTranspositions: o.noTranspositions, Rewrite: o.rewrite}
}

var regexpFlags = []struct {
	name string
	bit  int
}{{"INTERSECTION", 1}, {"COMPLEMENT", 2}, {"EMPTY", 4}, {"ANYSTRING", 8}, {"INTERVAL", 32}, {"NONE", 0}, {"ALL", query.RegexpFlags}}

// regexpFlags parses `flags`, the names of operators, or `flags_value`, their bits.
func parseRegexpFlags(p *parser, m *strictjson.Value) (bits int) {
	if m.Name == "flags_value" {
		return p.integer(m, -1) & query.RegexpFlags
	}
	if m.Kind == strictjson.Null || p.text(m) == "" {
		return query.RegexpFlags
	}
names:
	for name := range strings.SplitSeq(strings.ToUpper(m.Text), "|") {
		for _, f := range regexpFlags {
			if name == f.name {
				bits |= f.bit
				continue names
			}
		}
		if name != "" {
			p.wrongValue(m, "flags like INTERSECTION|COMPLEMENT, of INTERSECTION, COMPLEMENT, EMPTY, ANYSTRING, INTERVAL, NONE and ALL")
		}
	}
	return bits
}
