// This file parses composite.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"strings"
)

// sourceTypes are the types of sources. Their options are those of an aggregation of the type.
var sourceTypes = map[string]*aggParser{}

func init() {
	for kind, options := range map[query.AggKind]string{
		query.AggTerms:         "field missing_bucket order",
		query.AggHistogram:     "field interval missing_bucket order",
		query.AggDateHistogram: "field calendar_interval fixed_interval interval offset time_zone format missing_bucket order",
	} {
		sourceTypes[string(kind)] = &aggParser{kind: kind, options: strings.Fields(options)}
	}
}

// maxSources limits the parts of a key, which every comparison of two buckets reads.
const maxSources = 32

func parseCompositeAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	c := &query.Composite{}
	a.Options, a.Size = c, 10
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch {
		case o.Name == "sources" && (o.Kind != strictjson.Array || len(o.Items) == 0):
			p.wrongValue(o, `an array of sources like {"t":{"terms":{"field":"Name.keyword"}}}, at least one`)
		case o.Name == "sources" && !p.tooMany(o, "sources", len(o.Items), maxSources):
			p.each(o, func(e *strictjson.Value) { parseCompositeSource(p, c, e) })
		case o.Name != "sources" && o.Name != "after":
			return false
		}
		return true
	})
	p.require(v, "sources")
	if p.aggDepth > 1 {
		p.fail(v, problem.BadAggregation, "composite stands at the top, not in the buckets of others")
	}
	if after := v.Member("after"); after != nil && after.Kind != strictjson.Null && p.err == nil {
		parseAfter(p, c, after)
	}
}

func parseCompositeSource(p *parser, c *query.Composite, v *strictjson.Value) {
	if v.Kind != strictjson.Object || len(v.Items) != 1 || v.Items[0].Kind != strictjson.Object || len(v.Items[0].Items) != 1 {
		p.wrongValue(v, `a named source like {"t":{"terms":{"field":"Name.keyword"}}}`)
		return
	}
	named := &v.Items[0]
	m := &named.Items[0]
	t := sourceTypes[m.Name]
	if t == nil {
		p.fail(m, problem.BadAggregation, "unknown source %q of composite; known sources: terms, histogram, date_histogram", strictjson.Clip(m.Name))
		return
	}
	for _, s := range c.Sources {
		if s.Name == named.Name {
			p.fail(v, problem.BadAggregation, "composite has two sources %q", strictjson.Clip(s.Name))
		}
	}
	h := &query.Histogram{}
	s := query.CompositeSource{Agg: query.Agg{Name: named.Name, Kind: t.kind, Options: h}, Asc: true}
	parseAggOptions(p, &s.Agg, t, m, func(o *strictjson.Value) bool {
		switch {
		case o.Name == "missing_bucket":
			s.MissingBucket = p.bool(o)
		case o.Name == "order":
			s.Asc = parseAscending(p, o)
		case t.kind == query.AggDateHistogram:
			return parseDateInterval(p, &s.Agg, h, o)
		case o.Name == "interval":
			if h.Interval = number(o); !(h.Interval > 0) {
				p.wrongValue(o, "a number above 0")
			}
		default:
			return false
		}
		return true
	})
	p.require(m, "field")
	if t.kind != query.AggTerms && s.Interval == "" && h.Interval == 0 {
		p.require(m, t.options[1])
	}
	c.Sources = append(c.Sources, s)
}

// after parses the key of a bucket. The part of a document without a value is null.
func parseAfter(p *parser, c *query.Composite, v *strictjson.Value) {
	if v.Kind != strictjson.Object || len(v.Items) != len(c.Sources) {
		p.wrongValue(v, "an object with a value for each source")
		return
	}
	c.After = make([]query.Value, len(c.Sources))
	for i, s := range c.Sources {
		m := v.Member(s.Name)
		switch {
		case m == nil:
			p.fail(v, problem.BadAggregation, "%s has no value for %q", p.path(v), strictjson.Clip(s.Name))
		case m.Kind == strictjson.Null && s.MissingBucket:
			c.After[i] = query.Value{Kind: query.Null}
		default:
			c.After[i] = p.scalar(m)
		}
	}
}
