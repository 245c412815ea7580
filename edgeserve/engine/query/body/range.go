// This file parses range.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

// rangeBounds is a range while it is parsed. As in Elasticsearch, the later of gt and gte applies, and of lt and lte.
type rangeBounds struct {
	node              query.Range
	low, high         *query.Value
	openLow, openHigh bool
}

func (n *rangeBounds) BoostOption() *float64 { return n.node.BoostOption() }

var rangeOptions = newQueryTable("range", []option[rangeBounds]{
	{"gt", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.low, n.openLow = p.bound(v), true }},
	{"gte", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.low, n.openLow = p.bound(v), false }},
	{"lt", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.high, n.openHigh = p.bound(v), true }},
	{"lte", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.high, n.openHigh = p.bound(v), false }},
	{"from", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.low = p.bound(v) }},
	{"to", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.high = p.bound(v) }},
	{"include_lower", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.openLow = !p.bool(v) }},
	{"include_upper", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.openHigh = !p.bool(v) }},
	{"format", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.node.Format = p.format(v) }},
	{"time_zone", optional, func(p *parser, n *rangeBounds, v *strictjson.Value) { n.node.TimeZone = p.text(v) }},
	fixed[rangeBounds]("relation", "intersects", "contains", "within"), // no effect: no value is a range
})

func parseRange(p *parser, v *strictjson.Value) query.Node {
	b := &rangeBounds{node: query.Range{Boost: 1}}
	n := &b.node
	f := p.field(v)
	if f == nil {
		return n
	}
	n.Field = f.Name
	if f.Kind != strictjson.Object {
		p.wrongValue(f, `an object of bounds like {"gte":1}`)
		return n
	}
	rangeOptions.parse(p, b, f)
	if b.openLow {
		n.Gt = b.low
	} else {
		n.Gte = b.low
	}
	if b.openHigh {
		n.Lt = b.high
	} else {
		n.Lte = b.high
	}
	return n
}

// bound parses a bound. null leaves this side of the range unbounded.
func (p *parser) bound(v *strictjson.Value) *query.Value {
	if v.Kind == strictjson.Null {
		return nil
	}
	return new(p.scalar(v))
}
