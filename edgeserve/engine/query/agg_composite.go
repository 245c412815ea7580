// This file parses composite.

package query

import (
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// Composite are the options of composite.
type Composite struct {
	Sources []CompositeSource
	After   []Value // the key after which buckets begin, by source; nil when absent
}

// Visit implements Part.
func (c *Composite) Visit(v *Visitor) {
	for i := range c.Sources {
		v.Part(&c.Sources[i])
	}
}

// CompositeSource is a part of the keys: Agg of type terms, histogram or date_histogram.
type CompositeSource struct {
	Agg
	Asc           bool
	MissingBucket bool
}

// sourceTypes are the types of sources. Their options are those of an aggregation of the type.
var sourceTypes = map[string]*aggType{}

func init() {
	for kind, options := range map[AggKind]string{
		AggTerms:         "field missing_bucket order",
		AggHistogram:     "field interval missing_bucket order",
		AggDateHistogram: "field calendar_interval fixed_interval interval offset time_zone format missing_bucket order",
	} {
		sourceTypes[string(kind)] = &aggType{kind: kind, options: strings.Fields(options)}
	}
}

// maxSources limits the parts of a key, which every comparison of two buckets reads.
const maxSources = 32

func (p *bodyParser) compositeAgg(a *Agg, t *aggType, v *value) {
	c := &Composite{}
	a.Options, a.Size = c, 10
	p.aggOptions(a, t, v, func(o *value) bool {
		switch {
		case o.name == "sources" && (o.kind != kindArray || len(o.items) == 0):
			p.wrongValue(o, `an array of sources like {"t":{"terms":{"field":"Name.keyword"}}}, at least one`)
		case o.name == "sources" && !p.tooMany(o, "sources", len(o.items), maxSources):
			p.each(o, func(e *value) { p.compositeSource(c, e) })
		case o.name != "sources" && o.name != "after":
			return false
		}
		return true
	})
	p.require(v, "sources")
	if p.aggDepth > 1 {
		p.fail(v, problem.BadAggregation, "composite stands at the top, not in the buckets of others")
	}
	if after := v.member("after"); after != nil && after.kind != kindNull && p.err == nil {
		p.after(c, after)
	}
}

func (p *bodyParser) compositeSource(c *Composite, v *value) {
	if v.kind != kindObject || len(v.items) != 1 || v.items[0].kind != kindObject || len(v.items[0].items) != 1 {
		p.wrongValue(v, `a named source like {"t":{"terms":{"field":"Name.keyword"}}}`)
		return
	}
	named := &v.items[0]
	m := &named.items[0]
	t := sourceTypes[m.name]
	if t == nil {
		p.fail(m, problem.BadAggregation, "unknown source %q of composite; known sources: terms, histogram, date_histogram", clip(m.name))
		return
	}
	for _, s := range c.Sources {
		if s.Name == named.name {
			p.fail(v, problem.BadAggregation, "composite has two sources %q", clip(s.Name))
		}
	}
	h := &Histogram{}
	s := CompositeSource{Agg: Agg{Name: named.name, Kind: t.kind, Options: h}, Asc: true}
	p.aggOptions(&s.Agg, t, m, func(o *value) bool {
		switch {
		case o.name == "missing_bucket":
			s.MissingBucket = p.bool(o)
		case o.name == "order":
			s.Asc = p.ascending(o)
		case t.kind == AggDateHistogram:
			return p.dateInterval(&s.Agg, h, o)
		case o.name == "interval":
			if h.Interval = o.number(); !(h.Interval > 0) {
				p.wrongValue(o, "a number above 0")
			}
		default:
			return false
		}
		return true
	})
	p.require(m, "field")
	if t.kind != AggTerms && s.Interval == "" && h.Interval == 0 {
		p.require(m, t.options[1])
	}
	c.Sources = append(c.Sources, s)
}

// after parses the key of a bucket. The part of a document without a value is null.
func (p *bodyParser) after(c *Composite, v *value) {
	if v.kind != kindObject || len(v.items) != len(c.Sources) {
		p.wrongValue(v, "an object with a value for each source")
		return
	}
	c.After = make([]Value, len(c.Sources))
	for i, s := range c.Sources {
		m := v.member(s.Name)
		switch {
		case m == nil:
			p.fail(v, problem.BadAggregation, "%s has no value for %q", p.path(v), clip(s.Name))
		case m.kind == kindNull && s.MissingBucket:
			c.After[i] = Value{Kind: Null}
		default:
			c.After[i] = p.scalar(m)
		}
	}
}
