// This file parses multi_match, and the options of queries over several fields.

package body

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
)

// multiMatch is a multi_match while it is parsed. If tieBreaker is nil, the tie breaker of the type applies.
type multiMatch struct {
	node       query.MultiMatch
	tieBreaker *float64
}

func (n *multiMatch) BoostOption() *float64 { return n.node.BoostOption() }

var multiMatchOptions = newQueryTable("multi_match", []option[multiMatch]{
	{"query", required, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.Text = p.scalar(v) }},
	{"fields", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.Fields = p.fields(v) }},
	{"type", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.Kind = p.fieldsType(v) }},
	{"operator", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.And = p.operator(v) }},
	{"minimum_should_match", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.MinShouldMatch = p.minMatch(v) }},
	{"tie_breaker", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.tieBreaker = new(p.tieBreaker(v)) }},
	{"fuzziness", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.Fuzziness = new(p.fuzziness(v)) }},
	prefixLength("prefix_length", multiMatchSpelling),
	maxExpansionsOption("max_expansions", multiMatchSpelling),
	transpositions("fuzzy_transpositions", multiMatchSpelling),
	rewriteOption("fuzzy_rewrite", multiMatchSpelling),
	{"lenient", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.Lenient = new(p.bool(v)) }},
	{"zero_terms_query", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.ZeroTermsAll = p.zeroTermsAll(v) }},
	{"slop", optional, func(p *parser, n *multiMatch, v *strictjson.Value) { n.node.Slop = p.integer(v, 0) }},
	analyzer[multiMatch](),
	synonyms[multiMatch](),
})

func multiMatchSpelling(n *multiMatch) *query.Spelling { return &n.node.Spelling }

func parseMultiMatch(p *parser, v *strictjson.Value) query.Node {
	parsed := &multiMatch{node: query.MultiMatch{Spelling: defaultSpelling, Boost: 1}}
	multiMatchOptions.parse(p, parsed, v)
	n := &parsed.node
	n.TieBreaker = tieBreakerOf(n.Kind, parsed.tieBreaker)
	switch kind := n.Kind; {
	case n.Fuzziness != nil && (kind == query.CrossFields || kind == query.Phrase || kind == query.PhrasePrefix):
		p.fail(v.Member("fuzziness"), p.code(v), "fuzziness has no meaning in a multi_match of type %s: use best_fields, most_fields or bool_prefix", kind)
	case n.Slop != 0 && kind == query.BoolPrefix:
		p.fail(v.Member("slop"), p.code(v), "slop has no meaning in a multi_match of type %s: use phrase or phrase_prefix", kind)
	}
	return n
}

// fields parses fields, each name or name^boost. An empty list gives nil.
func (p *parser) fields(v *strictjson.Value) []query.FieldBoost {
	if p.tooMany(v, "fields", len(v.Items), lucene.MaxClauses) {
		return nil
	}
	list := slices.Grow([]query.FieldBoost(nil), len(v.Items))
	p.each(v, func(e *strictjson.Value) { list = append(list, p.fieldBoost(e)) })
	return list
}

func (p *parser) fieldBoost(v *strictjson.Value) query.FieldBoost {
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

// fieldsType parses how a text matches several fields.
func (p *parser) fieldsType(v *strictjson.Value) query.FieldsType {
	name := p.text(v)
	for i, t := range query.FieldsTypes {
		if name == t || name == strings.ReplaceAll(t, "_", "") || name == camelCase(t) {
			return query.FieldsType(i)
		}
	}
	p.wrongValue(v, "one of "+strings.Join(query.FieldsTypes, ", "))
	return query.BestFields
}

// camelCase turns a name such as best_fields into bestFields, which Elasticsearch accepts too.
func camelCase(name string) string {
	first, second, ok := strings.Cut(name, "_")
	if !ok {
		return name
	}
	return first + strings.ToUpper(second[:1]) + second[1:]
}

// tieBreakerOf returns the given tie breaker, or the default of the type.
func tieBreakerOf(t query.FieldsType, given *float64) float64 {
	if given != nil {
		return *given
	}
	return t.TieBreaker()
}
