// This file parses range and date_range.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
)

func rangeAggOptions(more ...option[query.Agg]) []option[query.Agg] {
	return append([]option[query.Agg]{aggField.must(), of("ranges", required, parseRanges), aggKeyed, aggMissing, aggFormat}, more...)
}

func beginRanges(a *query.Agg) { a.Options = &query.Ranges{} }

func parseRanges(p *parser, r *query.Ranges, v *strictjson.Value) {
	if v.Kind != strictjson.Array || len(v.Items) == 0 {
		p.wrongValue(v, `an array of ranges like {"from":1,"to":2}, at least one`)
	}
	if p.tooMany(v, "ranges", len(v.Items), lucene.MaxClauses) {
		return
	}
	p.each(v, func(e *strictjson.Value) {
		var b query.RangeBounds
		if e.Kind == strictjson.Object {
			rangeBoundsOptions.parse(p, &b, e)
		} else {
			p.wrongValue(e, `a range like {"from":1,"to":2}`)
		}
		r.Ranges = append(r.Ranges, b)
	})
}

var rangeBoundsOptions = newTable("a range", []option[query.RangeBounds]{
	{"key", optional, func(p *parser, r *query.RangeBounds, v *strictjson.Value) { r.Key = p.text(v) }},
	{"from", optional, func(p *parser, r *query.RangeBounds, v *strictjson.Value) { r.From = p.bound(v) }},
	{"to", optional, func(p *parser, r *query.RangeBounds, v *strictjson.Value) { r.To = p.bound(v) }},
})
