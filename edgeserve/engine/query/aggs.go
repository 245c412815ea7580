// This file parses aggregations: a name, one type, options, and others inside of its buckets.

package query

import (
	"strings"

	"contentedge/edgeserve/wire/problem"
)

func (p *bodyParser) aggregations(v *value) []Agg {
	if v.kind != kindObject {
		p.wrongValue(v, "an object of named aggregations")
		return nil
	}
	list := make([]Agg, 0, min(len(v.items), maxAggs))
	for i := range v.items {
		if p.aggs++; p.aggs > maxAggs {
			p.fail(v, problem.TooManyClauses, "the body has more than %d aggregations", maxAggs)
		}
		if p.err != nil {
			return nil
		}
		list = append(list, p.aggregation(&v.items[i]))
	}
	return list
}

func (p *bodyParser) aggregation(v *value) Agg {
	a := Agg{Name: v.name}
	if p.aggDepth++; p.aggDepth > maxAggDepth {
		p.fail(v, problem.TooDeep, "aggregations are nested deeper than %d levels", maxAggDepth)
		return a
	}
	defer func() { p.aggDepth-- }()
	if v.name == "" || strings.ContainsAny(v.name, "[]>") {
		p.fail(v, problem.BadAggregation, "%q cannot name an aggregation: a name is not empty and has no [ ] or >", clip(v.name))
	}
	if v.kind != kindObject {
		p.wrongValue(v, `an object like {"terms":{"field":"Name.keyword"}}`)
		return a
	}
	var typed, subs *value
	for i := range v.items {
		if p.err != nil {
			return a
		}
		switch m := &v.items[i]; {
		case m.name == "aggs" || m.name == "aggregations":
			if subs != nil {
				p.fail(m, problem.BadAggregation, "aggs and aggregations are the same member: give one of them")
			}
			subs = m
		case m.name == "meta":
			a.Meta = p.meta(m)
		case aggTypeOf(m.name) == nil && aggInstead[m.name] != "":
			p.fail(m, problem.BadAggregation, "%s aggregations are not supported: %s", m.name, aggInstead[m.name])
		case aggTypeOf(m.name) == nil:
			p.fail(m, problem.BadAggregation, "unknown aggregation type %q; known types: %s", clip(m.name), aggTypeList())
		case typed != nil:
			p.fail(m, problem.BadAggregation, "%s has two types, %s and %s: an aggregation has one", p.path(v), typed.name, m.name)
		default:
			typed = m
		}
	}
	if typed == nil {
		p.fail(v, problem.BadAggregation, "%s has no type; known types: %s", p.path(v), aggTypeList())
		return a
	}
	t := aggTypeOf(typed.name)
	a.Kind = t.kind
	p.subAggs(&a, t, subs)
	t.parse(p, &a, t, typed)
	if subs != nil {
		p.checkPipelines(subs, a.Subs, &a)
	}
	return a
}

// subAggs parses the sub-aggregations of a. v is nil when the body has none.
func (p *bodyParser) subAggs(a *Agg, t *aggType, v *value) {
	switch {
	case v == nil:
	case t.holds == noBuckets && len(v.items) > 0:
		p.fail(v, problem.BadAggregation, "a %s aggregation has no buckets that could hold others", a.Kind)
	default:
		a.Subs = p.aggregations(v)
	}
}

// meta returns an object as JSON: a result repeats it.
func (p *bodyParser) meta(v *value) string {
	if v.kind != kindObject {
		p.wrongValue(v, "an object")
		return ""
	}
	return string(appendValue(nil, v))
}

// appendValue writes v as JSON, without its name.
func appendValue(dst []byte, v *value) []byte {
	open, shut := byte('['), byte(']')
	switch v.kind {
	case kindNull:
		return append(dst, "null"...)
	case kindObject:
		open, shut = '{', '}'
	case kindArray:
	default:
		return append(dst, printScalar(v)...)
	}
	dst = append(dst, open)
	for i := range v.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if m := &v.items[i]; v.kind == kindObject {
			dst = append(append(dst, quote(m.name)...), ':')
		}
		dst = appendValue(dst, &v.items[i])
	}
	return append(dst, shut)
}
