// This file parses the options of queries, each in one place, whatever query has it.

package query

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/wire/problem"
)

// options are a query's options or their defaults. An option means the same in every query.
type options struct {
	queryType       *queryType
	boost           float64
	field           string // the one that the options stand under, else field or default_field
	value           Value  // query or value
	hasValue        bool
	values          []string
	fields          []FieldBoost
	and             bool
	minShouldMatch  string
	fuzziness       *Fuzziness
	prefixLength    int
	maxExpansions   int
	rewrite         Rewrite
	flags           int // of regexp
	slop            int
	tieBreaker      *float64
	fieldsType      FieldsType
	lenient         *bool // nil when absent, like the next
	caseInsensitive *bool
	zeroTermsAll    bool

	noTranspositions  bool
	analyzeWildcard   bool
	noLeadingWildcard bool
	escape            bool
	quoteSuffix       string
	timeZone          string
	simpleFlags       int
}

func newOptions(t *queryType) options {
	return options{queryType: t, boost: 1, maxExpansions: defaultExpansions, flags: RegexpFlags, simpleFlags: simpleAll}
}

func (p *bodyParser) options(o *options, m *value) {
	for i := range m.items {
		if v := &m.items[i]; slices.Contains(o.queryType.options, v.name) {
			p.option(o, v)
		} else {
			p.unknownOption(o.queryType, v)
		}
	}
}

// required is options for a query that needs its first option.
func (p *bodyParser) required(o *options, m *value) {
	p.options(o, m)
	p.require(m, o.queryType.options[0])
}

// fieldOptions parses a query on one field: {"F":"a"} or, with options, {"F":{"value":"a"}}.
func (p *bodyParser) fieldOptions(o *options, m *value) {
	f := p.field(m)
	if f == nil {
		return
	}
	o.field = f.name
	if f.kind != kindObject {
		p.optionValue(o, f)
		return
	}
	p.options(o, f)
	if !o.hasValue {
		p.require(f, o.queryType.options[0])
	}
}

func (p *bodyParser) field(v *value) *value {
	if len(v.items) != 1 {
		p.fail(v, p.code(v), "%s must name one field, not %d", p.path(v), len(v.items))
		return nil
	}
	f := &v.items[0]
	if f.name == "" {
		p.fail(f, p.code(v), "%s must name a field, the name is empty", p.path(v))
	}
	return f
}

func (p *bodyParser) require(v *value, name string) {
	if v.member(name) == nil {
		p.fail(v, p.code(v), "%s needs %q", p.path(v), name)
	}
}

func (p *bodyParser) optionValue(o *options, m *value) {
	o.hasValue = true
	switch o.queryType.name {
	case "prefix", "wildcard", "regexp", "query_string", "simple_query_string":
		o.value.Text = p.text(m)
	default:
		o.value = p.scalar(m)
	}
}

func (p *bodyParser) option(o *options, m *value) {
	switch m.name {
	case "boost":
		o.boost = p.weight(m)
	case "_name":
		p.name(m)
	case "query", "value", "wildcard":
		p.optionValue(o, m)
	case "field":
		if o.field = p.fieldName(m); AllStars(o.field) {
			p.fail(m, p.code(m), "exists needs a field: %q is none, use match_all", o.field)
		}
	case "default_field":
		o.field = p.fieldName(m)
	case "values":
		o.values = p.texts(m, maxValues)
	case "fields":
		if o.queryType.name != "multi_match" && m.kind != kindArray {
			p.wrongValue(m, "an array of field names")
		} else {
			o.fields = p.fields(m)
		}
	case "operator", "default_operator":
		o.and = p.operator(m)
	case "minimum_should_match":
		o.minShouldMatch = p.minMatch(m)
	case "fuzziness":
		o.fuzziness = new(p.fuzziness(m))
	case "prefix_length":
		o.prefixLength = p.integer(m, 0)
	case "max_expansions":
		least := 1
		if o.queryType.name == "match_phrase_prefix" {
			least = 0
		}
		o.maxExpansions = p.expansions(m, least)
	case "transpositions", "fuzzy_transpositions":
		o.noTranspositions = !p.bool(m)
	case "rewrite", "fuzzy_rewrite":
		if r := p.rewrite(m); o.queryType.name != "query_string" || m.name == "rewrite" {
			o.rewrite = r // Elasticsearch has no use for the other one either
		}
	case "flags", "flags_value":
		if o.queryType.name == "regexp" {
			o.flags = p.regexpFlags(m)
		} else {
			o.simpleFlags = p.simpleFlags(m)
		}
	case "max_determinized_states": // no effect: the limit is the same for all expressions
		p.integer(m, leastStates)
	case "slop", "phrase_slop":
		o.slop = p.integer(m, 0)
	case "tie_breaker":
		o.tieBreaker = new(p.tieBreaker(m))
	case "type":
		o.fieldsType = p.fieldsType(m)
	case "lenient":
		o.lenient = new(p.bool(m))
	case "case_insensitive":
		o.caseInsensitive = new(p.bool(m))
	case "zero_terms_query":
		o.zeroTermsAll = p.either(m, p.text(m), "all", "none")
	case "auto_generate_synonyms_phrase_query": // no effect: the analyzer has no synonyms
		p.bool(m)
	default:
		if !p.stringOption(o, m) {
			p.fixedOption(m)
		}
	}
}

// fixedOption parses an option that has no effect and accepts certain values only.
func (p *bodyParser) fixedOption(m *value) {
	switch m.name {
	case "enable_position_increments":
		p.oneOf(m, "true")
	case "analyzer", "quote_analyzer":
		p.oneOf(m, "standard")
	case "collect_mode":
		p.oneOf(m, "depth_first", "breadth_first")
	case "execution_hint":
		p.oneOf(m, "map", "global_ordinals")
	case "format":
		p.oneOf(m, "strict_date_optional_time||epoch_millis", "strict_date_optional_time")
	case "time_zone":
		p.oneOf(m, "UTC", "Z", "+00:00")
	default:
		p.fail(m, problem.UnknownOption, "option %q is listed, but has no parser", m.name)
	}
}

func (p *bodyParser) commonOption(t *queryType, m *value, boost *float64) {
	switch m.name {
	case "boost":
		*boost = p.weight(m)
	case "_name":
		p.name(m)
	default:
		p.unknownOption(t, m)
	}
}

func (p *bodyParser) unknownOption(t *queryType, m *value) {
	p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: %s", clip(m.name), t.name, strings.Join(t.options, ", "))
}

// operator parses a default operator. The result is true for "and".
func (p *bodyParser) operator(m *value) bool { return p.either(m, p.text(m), "and", "or") }

// fields parses fields, each name or name^boost. An empty list gives nil.
func (p *bodyParser) fields(v *value) []FieldBoost {
	if p.tooMany(v, "fields", len(v.items), maxClauses) {
		return nil
	}
	list := slices.Grow([]FieldBoost(nil), len(v.items))
	p.each(v, func(e *value) { list = append(list, p.fieldBoost(e)) })
	return list
}

func (p *bodyParser) fieldBoost(v *value) FieldBoost {
	name, boost, boosted := strings.Cut(p.fieldName(v), "^")
	f := FieldBoost{Field: name, Boost: 1, Boosted: boosted}
	if boosted {
		b, ok := analysis.ParseDouble(boost, 64)
		if ok {
			f.Boost, ok = toWeight(b)
		}
		if !ok {
			p.wrongValue(v, "a field with a boost from 0, like Name^2")
		}
	}
	return f
}
