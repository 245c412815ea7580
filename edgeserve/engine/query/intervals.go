// This file parses the query intervals, whose rules find stretches of words in a text.

package query

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

type (
	// Intervals matches texts in which Rule finds a stretch of words.
	Intervals struct {
		Field string
		Rule  *IntervalRule
		Boost float64
	}

	// IntervalRule finds stretches of words. Kind is its name in a body and decides which fields
	// apply.
	IntervalRule struct {
		Kind     string
		Text     string          // match; prefix, wildcard, fuzzy: not analyzed, but in lower case
		UseField string          // in place of the query's field; "" when absent
		Rules    []*IntervalRule // all_of, any_of
		MaxGaps  int             // match, all_of; -1: any number
		Ordered  bool            // match, all_of
		Filter   *IntervalFilter // match, all_of, any_of; nil when absent

		Fuzziness        Fuzziness // fuzzy, like the next
		PrefixLength     int
		NoTranspositions bool
	}

	// IntervalFilter selects stretches by their place relative to those of another rule. Kind is its
	// name in a body.
	IntervalFilter struct {
		Kind string
		Rule *IntervalRule
	}
)

// Type implements Node.
func (*Intervals) Type() string { return "intervals" }

// Visit implements Part, here and below.
func (n *Intervals) Visit(v *Visitor) {
	v.Field(n.Field)
	v.Part(n.Rule)
}

func (n *IntervalRule) Visit(v *Visitor) {
	v.Field(n.UseField)
	visitAll(v, n.Rules)
	if n.Filter != nil {
		v.Part(n.Filter.Rule)
	}
}

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

func (p *bodyParser) intervals(t *queryType, v *value) Node {
	n := &Intervals{Boost: 1}
	f := p.field(v)
	switch {
	case f == nil:
		return n
	case f.kind != kindObject:
		p.wrongValue(f, `an object like {"match":{"query":"…"}}`)
		return n
	}
	n.Field = f.name
	first := ""
	for i := range f.items {
		switch m := &f.items[i]; {
		case intervalRules[m.name] == nil:
			p.commonOption(t, m, &n.Boost)
		case n.Rule != nil:
			p.fail(m, p.code(m), "%s has two rules, %s and %s: combine them by all_of or any_of", p.path(f), first, m.name)
		default:
			first, n.Rule = m.name, p.intervalRule(m)
		}
	}
	if n.Rule == nil {
		p.fail(f, p.code(f), "%s needs a rule: one of %s", p.path(f), intervalRuleNames)
	}
	return n
}

// innerRule parses an object with one member, whose name is the kind of a rule.
func (p *bodyParser) innerRule(v *value) *IntervalRule {
	switch {
	case v.kind != kindObject || len(v.items) != 1:
		p.wrongValue(v, `an object with one rule, like {"match":{"query":"…"}}`)
	case intervalRules[v.items[0].name] == nil:
		p.fail(&v.items[0], problem.UnknownOption, "unknown rule %q of intervals; known rules: %s", clip(v.items[0].name), intervalRuleNames)
	default:
		return p.intervalRule(&v.items[0])
	}
	return nil
}

func (p *bodyParser) intervalRule(m *value) *IntervalRule {
	n := &IntervalRule{Kind: m.name, MaxGaps: -1, Fuzziness: autoFuzziness}
	p.depth++
	defer func() { p.depth-- }()
	switch {
	case p.depth > maxQueryDepth:
		p.fail(m, problem.TooDeep, "queries are nested deeper than %d levels", maxQueryDepth)
	case m.kind != kindObject:
		p.wrongValue(m, "an object")
	}
	if p.nodes++; p.nodes > maxNodes {
		p.fail(m, problem.TooManyClauses, "the body has more than %d queries", maxNodes)
	}
	if p.err != nil {
		return n
	}
	options := intervalRules[m.name]
	for i := range m.items {
		if o := &m.items[i]; slices.Contains(options, o.name) {
			p.ruleOption(n, o)
		} else {
			p.fail(o, problem.UnknownOption, "unknown option %q of the rule %s; known options: %s", clip(o.name), m.name, strings.Join(options, ", "))
		}
	}
	p.require(m, options[0])
	return n
}

func (p *bodyParser) ruleOption(n *IntervalRule, o *value) {
	switch o.name {
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
		n.Fuzziness = p.fuzziness(o)
	case "filter":
		n.Filter = p.intervalFilter(o)
	case "intervals":
		if p.tooMany(o, "rules", len(o.items), maxClauses) {
			return
		}
		p.each(o, func(e *value) {
			if r := p.innerRule(e); r != nil {
				n.Rules = append(n.Rules, r)
			}
		})
	default:
		p.fixedOption(o)
	}
}

func (p *bodyParser) intervalFilter(v *value) *IntervalFilter {
	if v.kind != kindObject || len(v.items) != 1 {
		p.wrongValue(v, `an object with one filter, like {"containing":{"match":{"query":"…"}}}`)
		return nil
	}
	m := &v.items[0]
	kind := strings.ToLower(m.name)
	switch {
	case kind == "script":
		p.fail(m, problem.UnknownOption, "there is no filter script here: %s limit the words between by max_gaps, or use one of %s", scriptless, strings.Join(intervalFilters, ", "))
	case !slices.Contains(intervalFilters, kind):
		p.fail(m, problem.UnknownOption, "unknown filter %q of intervals; known filters: %s", clip(m.name), strings.Join(intervalFilters, ", "))
	default:
		return &IntervalFilter{Kind: kind, Rule: p.innerRule(m)}
	}
	return nil
}
