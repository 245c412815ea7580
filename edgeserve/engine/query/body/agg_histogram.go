// This file parses histograms of numbers, and the options that histograms of dates share with them.

package body

import (
	"math"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

func histogramOptions() []option[query.Agg] {
	return []option[query.Agg]{
		aggField.must(),
		of("interval", required, parseInterval),
		of("offset", optional, func(p *parser, h *query.Histogram, v *strictjson.Value) {
			if h.Offset = number(v); math.IsNaN(h.Offset) {
				p.wrongValue(v, "a number")
			}
		}),
		aggFormat, aggOrder, aggMinDocCount, aggMissing, aggKeyed, extendedBounds, hardBounds,
	}
}

func beginHistogram(a *query.Agg) { a.Options = &query.Histogram{} }

func parseInterval(p *parser, h *query.Histogram, v *strictjson.Value) {
	if h.Interval = number(v); !(h.Interval > 0) {
		p.wrongValue(v, "a number above 0")
	}
}

var (
	extendedBounds = of("extended_bounds", optional, func(p *parser, h *query.Histogram, v *strictjson.Value) { h.Extended = parseBounds(p, v) })
	hardBounds     = of("hard_bounds", optional, func(p *parser, h *query.Histogram, v *strictjson.Value) { h.Hard = parseBounds(p, v) })
)

var boundsOptions = newTable("bounds", []option[query.Bounds]{
	{"min", optional, func(p *parser, b *query.Bounds, v *strictjson.Value) { b.Min = p.bound(v) }},
	{"max", optional, func(p *parser, b *query.Bounds, v *strictjson.Value) { b.Max = p.bound(v) }},
})

func parseBounds(p *parser, v *strictjson.Value) *query.Bounds {
	b := &query.Bounds{}
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"min":1,"max":2}`)
		return nil
	}
	boundsOptions.parse(p, b, v)
	return b
}
