// This file parses aggregations whose buckets are what queries match.

package body

import (
	"cmp"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

func parseFilterAgg(p *parser, a *query.Agg, _ *aggParser, v *strictjson.Value) {
	a.Filter = parseQuery(p, v)
}

func parseFiltersAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	var other *bool // unless it says so, a key asks for the bucket
	key := ""
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch o.Name {
		case "filters":
			parseBucketFilters(p, a, o)
		case "other_bucket":
			other = new(p.bool(o))
		case "other_bucket_key":
			key = p.text(o)
		default:
			return false
		}
		return true
	})
	p.require(v, "filters")
	if other != nil && *other || other == nil && key != "" {
		a.Other = cmp.Or(key, "_other_")
	}
}

func parseBucketFilters(p *parser, a *query.Agg, v *strictjson.Value) {
	if v.Kind != strictjson.Object && v.Kind != strictjson.Array || len(v.Items) == 0 {
		p.wrongValue(v, "an object or array of queries, at least one")
		return
	}
	if p.tooMany(v, "filters", len(v.Items), lucene.MaxClauses) {
		return
	}
	a.Anonymous = v.Kind == strictjson.Array
	for i := range v.Items {
		m := &v.Items[i]
		a.Filters = append(a.Filters, query.NamedFilter{Name: m.Name, Filter: parseQuery(p, m)})
	}
}

// maxAdjacent limits the filters of an adjacency_matrix, as in Elasticsearch: their pairs are buckets.
const maxAdjacent = 100

func parseAdjacencyAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	o := &query.Adjacency{Separator: "&"}
	a.Options = o
	parseAggOptions(p, a, t, v, func(m *strictjson.Value) bool {
		switch {
		case m.Name == "separator":
			o.Separator = p.text(m)
		case m.Kind != strictjson.Object:
			p.wrongValue(m, "an object of named queries")
		case !p.tooMany(m, "filters", len(m.Items), maxAdjacent):
			parseBucketFilters(p, a, m)
		}
		return true
	})
	p.require(v, "filters")
}

func parseMissingAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	parseAggOptions(p, a, t, v, nil)
	p.require(v, "field")
}

// samplerAgg parses how many of the best matches an aggregation has.
func parseSamplerAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	a.Size = 100
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		a.Size = p.integer(o, 1)
		return true
	})
}

func parseGlobalAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	parseAggOptions(p, a, t, v, nil)
	if p.aggDepth > 1 {
		p.fail(v, problem.BadAggregation, "global stands at the top: it has all items, whatever is around it")
	}
}
