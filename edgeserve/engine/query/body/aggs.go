// This file parses an aggregation: its name, its type with options, and the aggregations in its buckets.

package body

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

func parseAggregations(p *parser, v *strictjson.Value) []query.Agg {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object of named aggregations")
		return nil
	}
	list := make([]query.Agg, 0, min(len(v.Items), maxAggs))
	for i := range v.Items {
		if p.aggs++; p.aggs > maxAggs {
			p.fail(v, problem.TooManyClauses, "the body has more than %d aggregations", maxAggs)
		}
		if p.err != nil {
			return nil
		}
		list = append(list, parseAggregation(p, &v.Items[i]))
	}
	return list
}

func parseAggregation(p *parser, v *strictjson.Value) query.Agg {
	a := query.Agg{Name: v.Name}
	if p.aggDepth++; p.aggDepth > maxAggDepth {
		p.fail(v, problem.TooDeep, "aggregations are nested deeper than %d levels", maxAggDepth)
		return a
	}
	defer func() { p.aggDepth-- }()
	if v.Name == "" || strings.ContainsAny(v.Name, "[]>") {
		p.fail(v, problem.BadAggregation, "%q cannot name an aggregation: a name is not empty and has no [ ] or >", strictjson.Clip(v.Name))
	}
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"terms":{"field":"Name.keyword"}}`)
		return a
	}
	var typed, subs *strictjson.Value
	for i := range v.Items {
		if p.err != nil {
			return a
		}
		switch m := &v.Items[i]; {
		case m.Name == "aggs" || m.Name == "aggregations":
			if subs != nil {
				p.fail(m, problem.BadAggregation, "aggs and aggregations are the same member: give only one")
			}
			subs = m
		case m.Name == "meta":
			a.Meta = parseMeta(p, m)
		case aggParserOf(m.Name) == nil && aggInstead[m.Name] != "":
			p.absent(m, problem.BadAggregation, "%s aggregations are not supported: %s", m.Name, aggInstead[m.Name])
		case aggParserOf(m.Name) == nil:
			p.fail(m, problem.BadAggregation, "unknown aggregation type %q; known types: %s", strictjson.Clip(m.Name), aggTypeList())
		case typed != nil:
			p.fail(m, problem.BadAggregation, "%s has two types, %s and %s: an aggregation has one", p.path(v), typed.Name, m.Name)
		default:
			typed = m
		}
	}
	if typed == nil {
		p.fail(v, problem.BadAggregation, "%s has no type; known types: %s", p.path(v), aggTypeList())
		return a
	}
	t := aggParserOf(typed.Name)
	a.Kind = t.kind
	parseSubAggs(p, &a, t, subs)
	t.parse(p, &a, typed)
	if subs != nil {
		p.checkPipelines(subs, a.Subs, &a)
	}
	return a
}

// parseSubAggs parses the sub-aggregations of a. v is nil when the body has none.
func parseSubAggs(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	switch {
	case v == nil:
	case t.kind.Bucketing() == query.NoBuckets && len(v.Items) > 0:
		p.fail(v, problem.BadAggregation, "a %s aggregation has no buckets that could hold others", a.Kind)
	default:
		a.Subs = parseAggregations(p, v)
	}
}

// parseMeta returns the object meta as JSON, which the result of the aggregation repeats.
func parseMeta(p *parser, v *strictjson.Value) string {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, "an object")
		return ""
	}
	return string(v.Append(nil, envelope.NumericEscapes))
}
