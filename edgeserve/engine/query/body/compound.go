// This file parses dis_max and boosting, which combine queries.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

func parseDisMax(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.DisMax{Boost: 1}
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "queries":
			n.Queries = parseClauses(p, m)
		case "tie_breaker":
			n.TieBreaker = p.tieBreaker(m)
		default:
			parseCommonOption(p, t, m, &n.Boost)
		}
	}
	if len(n.Queries) == 0 {
		p.fail(v, p.code(v), "%s needs %q with at least one query", p.path(v), "queries")
	}
	return n
}

func parseBoosting(p *parser, t *queryType, v *strictjson.Value) query.Node {
	n := &query.Boosting{Boost: 1}
	for i := range v.Items {
		switch m := &v.Items[i]; m.Name {
		case "positive":
			n.Positive = parseQuery(p, m)
		case "negative":
			n.Negative = parseQuery(p, m)
		case "negative_boost":
			n.NegativeBoost = p.weight(m)
		default:
			parseCommonOption(p, t, m, &n.Boost)
		}
	}
	for _, name := range t.options[:3] {
		p.require(v, name)
	}
	return n
}
