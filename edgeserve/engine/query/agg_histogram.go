// This file parses histograms of numbers.

package query

import (
	"math"

	"contentedge/edgeserve/wire/problem"
)

// Histogram are the options of histogram, and those that date_histogram shares.
type Histogram struct {
	Interval, Offset float64
	Extended, Hard   *Bounds
}

// Bounds limit the keys of a histogram. A nil bound leaves its side unbounded.
type Bounds struct{ Min, Max *Value }

func (p *bodyParser) histogramAgg(a *Agg, t *aggType, v *value) {
	h := &Histogram{}
	a.Options = h
	p.aggOptions(a, t, v, func(o *value) bool {
		switch o.name {
		case "interval":
			if h.Interval = o.number(); !(h.Interval > 0) {
				p.wrongValue(o, "a number above 0")
			}
		case "offset":
			if h.Offset = o.number(); math.IsNaN(h.Offset) {
				p.wrongValue(o, "a number")
			}
		case "extended_bounds":
			h.Extended = p.bounds(o)
		case "hard_bounds":
			h.Hard = p.bounds(o)
		default:
			return false
		}
		return true
	})
	p.require(v, "field")
	p.require(v, "interval")
}

func (p *bodyParser) bounds(v *value) *Bounds {
	b := &Bounds{}
	if v.kind != kindObject {
		p.wrongValue(v, `an object like {"min":1,"max":2}`)
		return nil
	}
	for i := range v.items {
		switch o := &v.items[i]; {
		case o.name != "min" && o.name != "max":
			p.fail(o, problem.UnknownOption, "unknown option %q of bounds; known options: min, max", clip(o.name))
		case o.kind == kindNull:
		case o.name == "min":
			b.Min = new(p.scalar(o))
		default:
			b.Max = new(p.scalar(o))
		}
	}
	return b
}
