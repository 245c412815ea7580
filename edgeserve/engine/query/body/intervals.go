// This file parses intervals, whose rules find stretches of words in a text.

package body

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// intervalsQuery is an intervals query while it is parsed.
type intervalsQuery struct {
	node  query.Intervals
	value *strictjson.Value
}

func (n *intervalsQuery) BoostOption() *float64 { return n.node.BoostOption() }

// A query has one rule. Each kind of rule is an option.
var intervalsOptions = newQueryTable("intervals", []option[intervalsQuery]{
	{"match", optional, parseOutermostRule},
	{"prefix", optional, parseOutermostRule},
	{"wildcard", optional, parseOutermostRule},
	{"fuzzy", optional, parseOutermostRule},
	{"all_of", optional, parseOutermostRule},
	{"any_of", optional, parseOutermostRule},
})

const intervalRuleNames = "match, prefix, wildcard, fuzzy, all_of, any_of"

func parseIntervals(p *parser, v *strictjson.Value) query.Node {
	n := &intervalsQuery{node: query.Intervals{Boost: 1}}
	f := p.field(v)
	switch {
	case f == nil:
		return &n.node
	case f.Kind != strictjson.Object:
		p.wrongValue(f, `an object like {"match":{"query":"…"}}`)
		return &n.node
	}
	n.node.Field, n.value = f.Name, f
	intervalsOptions.parse(p, n, f)
	if n.node.Rule == nil {
		p.fail(f, p.code(f), "%s needs a rule: one of %s", p.path(f), intervalRuleNames)
	}
	return &n.node
}

func parseOutermostRule(p *parser, n *intervalsQuery, v *strictjson.Value) {
	if n.node.Rule != nil {
		p.fail(v, p.code(v), "%s has two rules, %s and %s: combine them by all_of or any_of", p.path(n.value), n.node.Rule.Kind, v.Name)
		return
	}
	n.node.Rule = parseIntervalRule(p, v)
}

// intervalRules are the options of each kind of rule. init fills it, because the parsers refer to it.
var intervalRules map[string]*table

func init() {
	text := func(name string) option[query.IntervalRule] {
		return option[query.IntervalRule]{name, required, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.Text = p.text(v) }}
	}
	rules := option[query.IntervalRule]{"intervals", required, parseInnerRules}
	maxGaps := option[query.IntervalRule]{"max_gaps", optional, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.MaxGaps = p.signed(v) }}
	ordered := option[query.IntervalRule]{"ordered", optional, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.Ordered = p.bool(v) }}
	filter := option[query.IntervalRule]{"filter", optional, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.Filter = parseIntervalFilter(p, v) }}
	useField := option[query.IntervalRule]{"use_field", optional, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.UseField = p.fieldName(v) }}
	standard := analyzer[query.IntervalRule]()
	intervalRules = map[string]*table{}
	for name, rows := range map[string][]option[query.IntervalRule]{
		"match":    {text("query"), maxGaps, ordered, standard, filter, useField},
		"prefix":   {text("prefix"), standard, useField},
		"wildcard": {text("pattern"), standard, useField},
		"fuzzy": {
			text("term"),
			{"prefix_length", optional, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.PrefixLength = p.integer(v, 0) }},
			{"transpositions", optional, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.NoTranspositions = !p.bool(v) }},
			{"fuzziness", optional, func(p *parser, r *query.IntervalRule, v *strictjson.Value) { r.Fuzziness = p.fuzziness(v) }},
			standard,
			useField,
		},
		"all_of": {rules, maxGaps, ordered, filter},
		"any_of": {rules, filter},
	} {
		intervalRules[name] = newTable("the rule "+name, rows)
	}
}

// parseInnerRule parses an object with one member, whose name is the kind of a rule.
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

func parseInnerRules(p *parser, r *query.IntervalRule, v *strictjson.Value) {
	if p.tooMany(v, "rules", len(v.Items), lucene.MaxClauses) {
		return
	}
	p.each(v, func(e *strictjson.Value) {
		if inner := parseInnerRule(p, e); inner != nil {
			r.Rules = append(r.Rules, inner)
		}
	})
}

func parseIntervalRule(p *parser, v *strictjson.Value) *query.IntervalRule {
	r := &query.IntervalRule{Kind: v.Name, MaxGaps: -1, Fuzziness: query.AutoFuzziness}
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > maxQueryDepth:
		p.fail(v, problem.TooDeep, "queries are nested deeper than %d levels", maxQueryDepth)
	case v.Kind != strictjson.Object:
		p.wrongValue(v, "an object")
	}
	if p.nodes++; p.nodes > lucene.MaxNodes {
		p.fail(v, problem.TooManyClauses, "the body has more than %d queries", lucene.MaxNodes)
	}
	if p.err == nil {
		intervalRules[v.Name].parse(p, r, v)
	}
	return r
}

var intervalFilters = []string{"after", "before", "contained_by", "containing", "not_contained_by", "not_containing", "not_overlapping", "overlapping"}

func parseIntervalFilter(p *parser, v *strictjson.Value) *query.IntervalFilter {
	if v.Kind != strictjson.Object || len(v.Items) != 1 {
		p.wrongValue(v, `an object with one filter, like {"containing":{"match":{"query":"…"}}}`)
		return nil
	}
	m := &v.Items[0]
	kind := strings.ToLower(m.Name)
	switch {
	case kind == "script":
		p.fail(m, problem.UnknownOption, "the filter script is not supported: %s limit the words between by max_gaps, or use one of %s", scriptless, strings.Join(intervalFilters, ", "))
	case !slices.Contains(intervalFilters, kind):
		p.fail(m, problem.UnknownOption, "unknown filter %q of intervals; known filters: %s", strictjson.Clip(m.Name), strings.Join(intervalFilters, ", "))
	default:
		return &query.IntervalFilter{Kind: kind, Rule: parseInnerRule(p, m)}
	}
	return nil
}
