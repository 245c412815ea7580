// This file parses range and date_range.

package query

import "contentedge/edgeserve/wire/problem"

// Ranges are the options of range and date_range.
type Ranges struct {
	Ranges []RangeBounds // in the order of the body
}

// RangeBounds is a range from From, below To. A nil bound leaves its side unbounded.
type RangeBounds struct {
	Key      string // "" when absent
	From, To *Value
}

func (p *bodyParser) rangeAgg(a *Agg, t *aggType, v *value) {
	r := &Ranges{}
	a.Options = r
	p.aggOptions(a, t, v, func(o *value) bool {
		if o.name != "ranges" {
			return false
		}
		if o.kind != kindArray || len(o.items) == 0 {
			p.wrongValue(o, `an array of ranges like {"from":1,"to":2}, at least one`)
		}
		if p.tooMany(o, "ranges", len(o.items), maxClauses) {
			return true
		}
		p.each(o, func(e *value) { r.Ranges = append(r.Ranges, p.aggRange(e)) })
		return true
	})
	p.require(v, "field")
	p.require(v, "ranges")
}

func (p *bodyParser) aggRange(v *value) (r RangeBounds) {
	if v.kind != kindObject {
		p.wrongValue(v, `a range like {"from":1,"to":2}`)
		return r
	}
	for i := range v.items {
		switch o := &v.items[i]; {
		case o.name == "key":
			r.Key = p.text(o)
		case o.name != "from" && o.name != "to":
			p.fail(o, problem.UnknownOption, "unknown option %q of a range; known options: key, from, to", clip(o.name))
		case o.kind == kindNull:
		case o.name == "from":
			r.From = new(p.scalar(o))
		default:
			r.To = new(p.scalar(o))
		}
	}
	return r
}
