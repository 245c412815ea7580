// This file parses distance_feature, which prefers dates near an origin.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

func parseDistanceFeature(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.DistanceFeature{Boost: 1}
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "field":
			n.Field = p.fieldName(m)
		case "origin":
			n.Origin = p.scalar(m)
		case "pivot":
			ms, err := query.ParseDuration(p.text(m))
			if err != nil && p.err == nil || ms <= 0 || m.Kind != strictjson.String {
				p.wrongValue(m, `a duration above 0 like "7d"`)
			}
			n.Pivot = ms
		default:
			parseCommonOption(p, t, m, &n.Boost)
		}
	}
	for _, name := range t.options[:3] {
		p.require(v, name)
	}
	return n
}
