// This file parses composite.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// maxSources limits the parts of a key, which every comparison of two buckets reads.
const maxSources = 32

var compositeOptions = []option[query.Agg]{
	of("sources", required, parseCompositeSources),
	aggSize,
	noEffect[query.Agg]("after", func(*parser, *strictjson.Value) {}), // finishComposite parses it, when all sources are known
}

func beginComposite(a *query.Agg) { a.Options, a.Buckets.Size = &query.Composite{}, 10 }

func finishComposite(p *parser, a *query.Agg, v *strictjson.Value) {
	if p.aggDepth > 1 {
		p.fail(v, problem.BadAggregation, "composite must be at the top, not in the buckets of others")
	}
	if after := v.Member("after"); after != nil && after.Kind != strictjson.Null && p.err == nil {
		parseAfter(p, a.Options.(*query.Composite), after)
	}
}

func parseCompositeSources(p *parser, c *query.Composite, v *strictjson.Value) {
	switch {
	case v.Kind != strictjson.Array || len(v.Items) == 0:
		p.wrongValue(v, `an array of sources like {"t":{"terms":{"field":"Name.keyword"}}}, at least one`)
	case !p.tooMany(v, "sources", len(v.Items), maxSources):
		p.each(v, func(e *strictjson.Value) { parseCompositeSource(p, c, e) })
	}
}

// sourceTypes are the types of sources with their options. interval is the option that errors ask for if a histogram
// has no interval.
var sourceTypes = map[string]struct {
	kind     query.AggKind
	options  *table
	interval string
}{
	"terms":          {query.AggTerms, newSourceTable(query.AggTerms, ofSource(aggField.must())), ""},
	"histogram":      {query.AggHistogram, newSourceTable(query.AggHistogram, ofSource(aggField.must()), ofSource(of("interval", optional, parseInterval))), "interval"},
	"date_histogram": {query.AggDateHistogram, newSourceTable(query.AggDateHistogram, dateSourceOptions()...), "calendar_interval"},
}

func dateSourceOptions() (rows []option[query.CompositeSource]) {
	rows = append(rows, ofSource(aggField.must()))
	for _, r := range dateIntervals {
		rows = append(rows, ofSource(r))
	}
	return append(rows, ofSource(dateOffset), ofSource(aggTimeZone), ofSource(aggFormat))
}

func newSourceTable(kind query.AggKind, rows ...option[query.CompositeSource]) *table {
	return newTable("a "+string(kind)+" aggregation", append(rows, []option[query.CompositeSource]{
		{"missing_bucket", optional, func(p *parser, s *query.CompositeSource, v *strictjson.Value) { s.MissingBucket = p.bool(v) }},
		{"order", optional, func(p *parser, s *query.CompositeSource, v *strictjson.Value) { s.Asc = p.ascending(v) }},
		{"script", unlisted, func(p *parser, _ *query.CompositeSource, v *strictjson.Value) { p.noScript(v) }},
	}...))
}

// ofSource turns the row of an option of an aggregation into the row of a source of that type.
func ofSource(r option[query.Agg]) option[query.CompositeSource] {
	return option[query.CompositeSource]{r.name, r.need, func(p *parser, s *query.CompositeSource, v *strictjson.Value) { r.parse(p, &s.Agg, v) }}
}

func parseCompositeSource(p *parser, c *query.Composite, v *strictjson.Value) {
	if v.Kind != strictjson.Object || len(v.Items) != 1 || v.Items[0].Kind != strictjson.Object || len(v.Items[0].Items) != 1 {
		p.wrongValue(v, `a named source like {"t":{"terms":{"field":"Name.keyword"}}}`)
		return
	}
	named := &v.Items[0]
	m := &named.Items[0]
	t, ok := sourceTypes[m.Name]
	if !ok {
		p.fail(m, problem.BadAggregation, "unknown source %q of composite; known sources: terms, histogram, date_histogram", strictjson.Clip(m.Name))
		return
	}
	for _, s := range c.Sources {
		if s.Name == named.Name {
			p.fail(v, problem.BadAggregation, "composite has two sources %q", strictjson.Clip(s.Name))
		}
	}
	s := query.CompositeSource{Agg: query.Agg{Name: named.Name, Kind: t.kind, Options: &query.Histogram{}}, Asc: true}
	t.options.parseObject(p, &s, m)
	if t.interval != "" && !hasInterval(&s.Agg) {
		p.require(m, t.interval)
	}
	c.Sources = append(c.Sources, s)
}

// parseAfter parses the key of a bucket. The part of a document without a value is null.
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
