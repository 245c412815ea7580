// This file parses the options of queries, each in one place, whatever query has it.

package body

import (
	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
	"strings"
)

// options are a query's options or their defaults. An option means the same in every query.
type options struct {
	queryType       *queryType
	boost           float64
	field           string      // the one that the options stand under, else field or default_field
	value           query.Value // query or value
	hasValue        bool
	values          []string
	fields          []query.FieldBoost
	and             bool
	minShouldMatch  string
	fuzziness       *query.Fuzziness
	prefixLength    int
	maxExpansions   int
	rewrite         query.Rewrite
	flags           int // of regexp
	slop            int
	tieBreaker      *float64
	fieldsType      query.FieldsType
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
	return options{queryType: t, boost: 1, maxExpansions: defaultExpansions, flags: query.RegexpFlags, simpleFlags: lucene.AllOperators}
}

func parseOptions(p *parser, o *options, m *strictjson.Value) {
	for i := range m.Items {
		if v := &m.Items[i]; slices.Contains(o.queryType.options, v.Name) {
			parseOption(p, o, v)
		} else {
			parseUnknownOption(p, o.queryType, v)
		}
	}
}

// required is options for a query that needs its first option.
func parseRequired(p *parser, o *options, m *strictjson.Value) {
	parseOptions(p, o, m)
	p.require(m, o.queryType.options[0])
}

// fieldOptions parses a query on one field: {"F":"a"} or, with options, {"F":{"value":"a"}}.
func parseFieldOptions(p *parser, o *options, m *strictjson.Value) {
	f := p.field(m)
	if f == nil {
		return
	}
	o.field = f.Name
	if f.Kind != strictjson.Object {
		parseOptionValue(p, o, f)
		return
	}
	parseOptions(p, o, f)
	if !o.hasValue {
		p.require(f, o.queryType.options[0])
	}
}

func (p *parser) field(v *strictjson.Value) *strictjson.Value {
	if len(v.Items) != 1 {
		p.fail(v, p.code(v), "%s must name one field, not %d", p.path(v), len(v.Items))
		return nil
	}
	f := &v.Items[0]
	if f.Name == "" {
		p.fail(f, p.code(v), "%s must name a field, the name is empty", p.path(v))
	}
	return f
}

func (p *parser) require(v *strictjson.Value, name string) {
	if v.Member(name) == nil {
		p.fail(v, p.code(v), "%s needs %q", p.path(v), name)
	}
}

func parseOptionValue(p *parser, o *options, m *strictjson.Value) {
	o.hasValue = true
	switch o.queryType.name {
	case "prefix", "wildcard", "regexp", "query_string", "simple_query_string":
		o.value.Text = p.text(m)
	default:
		o.value = p.scalar(m)
	}
}

func parseOption(p *parser, o *options, m *strictjson.Value) {
	switch m.Name {
	case "boost":
		o.boost = p.weight(m)
	case "_name":
		p.name(m)
	case "query", "value", "wildcard":
		parseOptionValue(p, o, m)
	case "field":
		if o.field = p.fieldName(m); query.AllStars(o.field) {
			p.fail(m, p.code(m), "exists needs a field: %q is none, use match_all", o.field)
		}
	case "default_field":
		o.field = p.fieldName(m)
	case "values":
		o.values = p.texts(m, maxValues)
	case "fields":
		if o.queryType.name != "multi_match" && m.Kind != strictjson.Array {
			p.wrongValue(m, "an array of field names")
		} else {
			o.fields = parseFields(p, m)
		}
	case "operator", "default_operator":
		o.and = parseOperator(p, m)
	case "minimum_should_match":
		o.minShouldMatch = parseMinMatch(p, m)
	case "fuzziness":
		o.fuzziness = new(parseFuzziness(p, m))
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
		if r := parseRewrite(p, m); o.queryType.name != "query_string" || m.Name == "rewrite" {
			o.rewrite = r // Elasticsearch has no use for the other one either
		}
	case "flags", "flags_value":
		if o.queryType.name == "regexp" {
			o.flags = parseRegexpFlags(p, m)
		} else {
			o.simpleFlags = parseSimpleFlags(p, m)
		}
	case "max_determinized_states": // no effect: the limit is the same for all expressions
		p.integer(m, leastStates)
	case "slop", "phrase_slop":
		o.slop = p.integer(m, 0)
	case "tie_breaker":
		o.tieBreaker = new(p.tieBreaker(m))
	case "type":
		o.fieldsType = parseFieldsType(p, m)
	case "lenient":
		o.lenient = new(p.bool(m))
	case "case_insensitive":
		o.caseInsensitive = new(p.bool(m))
	case "zero_terms_query":
		o.zeroTermsAll = p.either(m, p.text(m), "all", "none")
	case "auto_generate_synonyms_phrase_query": // no effect: the analyzer has no synonyms
		p.bool(m)
	default:
		if !parseStringOption(p, o, m) {
			parseFixedOption(p, m)
		}
	}
}

// fixedOption parses an option that has no effect and accepts certain values only.
func parseFixedOption(p *parser, m *strictjson.Value) {
	switch m.Name {
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
		p.fail(m, problem.UnknownOption, "option %q is listed, but has no parser", m.Name)
	}
}

func parseCommonOption(p *parser, t *queryType, m *strictjson.Value, boost *float64) {
	switch m.Name {
	case "boost":
		*boost = p.weight(m)
	case "_name":
		p.name(m)
	default:
		parseUnknownOption(p, t, m)
	}
}

func parseUnknownOption(p *parser, t *queryType, m *strictjson.Value) {
	p.fail(m, problem.UnknownOption, "unknown option %q of %s; known options: %s", strictjson.Clip(m.Name), t.name, strings.Join(t.options, ", "))
}

// operator parses a default operator. The result is true for "and".
func parseOperator(p *parser, m *strictjson.Value) bool { return p.either(m, p.text(m), "and", "or") }

// fields parses fields, each name or name^boost. An empty list gives nil.
func parseFields(p *parser, v *strictjson.Value) []query.FieldBoost {
	if p.tooMany(v, "fields", len(v.Items), lucene.MaxClauses) {
		return nil
	}
	list := slices.Grow([]query.FieldBoost(nil), len(v.Items))
	p.each(v, func(e *strictjson.Value) { list = append(list, parseFieldBoost(p, e)) })
	return list
}

func parseFieldBoost(p *parser, v *strictjson.Value) query.FieldBoost {
	name, boost, boosted := strings.Cut(p.fieldName(v), "^")
	f := query.FieldBoost{Field: name, Boost: 1, Boosted: boosted}
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
