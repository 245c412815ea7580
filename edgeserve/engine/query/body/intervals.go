// This file parses the query intervals, whose rules find stretches of words in a text.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
	"strings"
)

// intervalRules are the kinds of rules with their options; the first one is required.
var intervalRules = map[string][]string{
	"match":    {"query", "max_gaps", "ordered", "analyzer", "filter", "use_field"},
	"prefix":   {"prefix", "analyzer", "use_field"},
	"wildcard": {"pattern", "analyzer", "use_field"},
	"fuzzy":    {"term", "prefix_length", "transpositions", "fuzziness", "analyzer", "use_field"},
	"all_of":   {"intervals", "max_gaps", "ordered", "filter"},
	"any_of":   {"intervals", "filter"},
}

const intervalRuleNames = "match, prefix, wildcard, fuzzy, all_of, any_of"

var intervalFilters = []string{"after", "before", "contained_by", "containing", "not_contained_by", "not_containing", "not_overlapping", "overlapping"}

func parseIntervals(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.Intervals{Boost: 1}
	f := p.field(v)
	switch {
	case f == nil:
		return n
	case f.Kind != strictjson.Object:
		p.wrongValue(f, `an object like {"match":{"query":"…"}}`)
		return n
	}
	n.Field = f.Name
	first := ""
	for i := range f.Items {
		switch m := &f.Items[i]; {
		case intervalRules[m.Name] == nil:
			parseCommonOption(p, t, m, &n.Boost)
		case n.Rule != nil:
			p.fail(m, p.code(m), "%s has two rules, %s and %s: combine them by all_of or any_of", p.path(f), first, m.Name)
		default:
			first, n.Rule = m.Name, parseIntervalRule(p, m)
		}
	}
	if n.Rule == nil {
		p.fail(f, p.code(f), "%s needs a rule: one of %s", p.path(f), intervalRuleNames)
	}
	return n
}

// innerRule parses an object with one member, whose name is the kind of a rule.
func parseInnerRule(p *parser, v *strictjson.Value) *query.IntervalRule {
	switch {
	case v.Kind != strictjson.Object || len(v.Items) != 1:
		p.wrongValue(v, `an object with one rule, like {"match":{"query":"…"}}`)
	case intervalRules[v.Items[0].Name] == nil:
		p.fail(&v.Items[0], problem.UnknownOption, "unknown rule %q of intervals; known rules: %s", strictjson.Clip(v.Items[0].Name), intervalRuleNames)
	default:
		return parseIntervalRule(p, &v.Items[0])
	}
	return nil
}

func parseIntervalRule(p *parser, m *strictjson.Value) *query.IntervalRule {
	n := &query.IntervalRule{Kind: m.Name, MaxGaps: -1, Fuzziness: query.AutoFuzziness}
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > maxQueryDepth:
		p.fail(m, problem.TooDeep, "queries are nested deeper than %d levels", maxQueryDepth)
	case m.Kind != strictjson.Object:
		p.wrongValue(m, "an object")
	}
	if p.nodes++; p.nodes > lucene.MaxNodes {
		p.fail(m, problem.TooManyClauses, "the body has more than %d queries", lucene.MaxNodes)
	}
	if p.err != nil {
		return n
	}
	options := intervalRules[m.Name]
	for i := range m.Items {
		if o := &m.Items[i]; slices.Contains(options, o.Name) {
			parseRuleOption(p, n, o)
		} else {
			p.fail(o, problem.UnknownOption, "unknown option %q of the rule %s; known options: %s", strictjson.Clip(o.Name), m.Name, strings.Join(options, ", "))
		}
	}
	p.require(m, options[0])
	return n
}

func parseRuleOption(p *parser, n *query.IntervalRule, o *strictjson.Value) {
	switch o.Name {
	case "query", "prefix", "pattern", "term":
		n.Text = p.text(o)
	case "max_gaps":
		n.MaxGaps = p.signed(o)
	case "ordered":
		n.Ordered = p.bool(o)
	case "use_field":
		n.UseField = p.fieldName(o)
	case "prefix_length":
		n.PrefixLength = p.integer(o, 0)
	case "transpositions":
		n.NoTranspositions = !p.bool(o)
	case "fuzziness":
		n.Fuzziness = parseFuzziness(p, o)
	case "filter":
		n.Filter = parseIntervalFilter(p, o)
	case "intervals":
		if p.tooMany(o, "rules", len(o.Items), lucene.MaxClauses) {
			return
		}
		p.each(o, func(e *strictjson.Value) {
			if r := parseInnerRule(p, e); r != nil {
				n.Rules = append(n.Rules, r)
			}
		})
	default:
		parseFixedOption(p, o)
	}
}

func parseIntervalFilter(p *parser, v *strictjson.Value) *query.IntervalFilter {
	if v.Kind != strictjson.Object || len(v.Items) != 1 {
		p.wrongValue(v, `an object with one filter, like {"containing":{"match":{"query":"…"}}}`)
		return nil
	}
	m := &v.Items[0]
	kind := strings.ToLower(m.Name)
	switch {
	case kind == "script":
		p.fail(m, problem.UnknownOption, "there is no filter script here: %s limit the words between by max_gaps, or use one of %s", scriptless, strings.Join(intervalFilters, ", "))
	case !slices.Contains(intervalFilters, kind):
		p.fail(m, problem.UnknownOption, "unknown filter %q of intervals; known filters: %s", strictjson.Clip(m.Name), strings.Join(intervalFilters, ", "))
	default:
		return &query.IntervalFilter{Kind: kind, Rule: parseInnerRule(p, m)}
	}
	return nil
}
