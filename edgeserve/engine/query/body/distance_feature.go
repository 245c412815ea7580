// This file parses distance_feature, which prefers dates near an origin.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

var distanceFeatureOptions = newQueryTable("distance_feature", []option[query.DistanceFeature]{
	{"field", required, func(p *parser, n *query.DistanceFeature, v *strictjson.Value) { n.Field = p.fieldName(v) }},
	{"origin", required, func(p *parser, n *query.DistanceFeature, v *strictjson.Value) { n.Origin = p.scalar(v) }},
	{"pivot", required, func(p *parser, n *query.DistanceFeature, v *strictjson.Value) {
		ms, err := query.ParseDuration(p.text(v))
		if err != nil && p.err == nil || ms <= 0 || v.Kind != strictjson.String {
			p.wrongValue(v, `a duration above 0 like "7d"`)
		}
		n.Pivot = ms
	}},
})

func parseDistanceFeature(p *parser, v *strictjson.Value) query.Node {
	n := &query.DistanceFeature{Boost: 1}
	distanceFeatureOptions.parse(p, n, v)
	return n
}
