// This file parses histograms of numbers.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"math"
)

func parseHistogramAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	h := &query.Histogram{}
	a.Options = h
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch o.Name {
		case "interval":
			if h.Interval = number(o); !(h.Interval > 0) {
				p.wrongValue(o, "a number above 0")
			}
		case "offset":
			if h.Offset = number(o); math.IsNaN(h.Offset) {
				p.wrongValue(o, "a number")
			}
		case "extended_bounds":
			h.Extended = parseBounds(p, o)
		case "hard_bounds":
			h.Hard = parseBounds(p, o)
		default:
			return false
		}
		return true
	})
	p.require(v, "field")
	p.require(v, "interval")
}

func parseBounds(p *parser, v *strictjson.Value) *query.Bounds {
	b := &query.Bounds{}
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `an object like {"min":1,"max":2}`)
		return nil
	}
	for i := range v.Items {
		switch o := &v.Items[i]; {
		case o.Name != "min" && o.Name != "max":
			p.fail(o, problem.UnknownOption, "unknown option %q of bounds; known options: min, max", strictjson.Clip(o.Name))
		case o.Kind == strictjson.Null:
		case o.Name == "min":
			b.Min = new(p.scalar(o))
		default:
			b.Max = new(p.scalar(o))
		}
	}
	return b
}
