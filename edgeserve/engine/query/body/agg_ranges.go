// This file parses range and date_range.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

func parseRangeAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	r := &query.Ranges{}
	a.Options = r
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		if o.Name != "ranges" {
			return false
		}
		if o.Kind != strictjson.Array || len(o.Items) == 0 {
			p.wrongValue(o, `an array of ranges like {"from":1,"to":2}, at least one`)
		}
		if p.tooMany(o, "ranges", len(o.Items), lucene.MaxClauses) {
			return true
		}
		p.each(o, func(e *strictjson.Value) { r.Ranges = append(r.Ranges, parseAggRange(p, e)) })
		return true
	})
	p.require(v, "field")
	p.require(v, "ranges")
}

func parseAggRange(p *parser, v *strictjson.Value) (r query.RangeBounds) {
	if v.Kind != strictjson.Object {
		p.wrongValue(v, `a range like {"from":1,"to":2}`)
		return r
	}
	for i := range v.Items {
		switch o := &v.Items[i]; {
		case o.Name == "key":
			r.Key = p.text(o)
		case o.Name != "from" && o.Name != "to":
			p.fail(o, problem.UnknownOption, "unknown option %q of a range; known options: key, from, to", strictjson.Clip(o.Name))
		case o.Kind == strictjson.Null:
		case o.Name == "from":
			r.From = new(p.scalar(o))
		default:
			r.To = new(p.scalar(o))
		}
	}
	return r
}
