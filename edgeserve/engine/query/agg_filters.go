// This file parses aggregations whose buckets are what queries match.

package query

import (
	"cmp"

	"contentedge/edgeserve/wire/problem"
)

func (p *bodyParser) filterAgg(a *Agg, _ *aggType, v *value) { a.Filter = p.query(v) }

func (p *bodyParser) filtersAgg(a *Agg, t *aggType, v *value) {
	var other *bool // unless it says so, a key asks for the bucket
	key := ""
	p.aggOptions(a, t, v, func(o *value) bool {
		switch o.name {
		case "filters":
			p.bucketFilters(a, o)
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

func (p *bodyParser) bucketFilters(a *Agg, v *value) {
	if v.kind != kindObject && v.kind != kindArray || len(v.items) == 0 {
		p.wrongValue(v, "an object or array of queries, at least one")
		return
	}
	if p.tooMany(v, "filters", len(v.items), maxClauses) {
		return
	}
	a.Anonymous = v.kind == kindArray
	for i := range v.items {
		m := &v.items[i]
		a.Filters = append(a.Filters, NamedFilter{Name: m.name, Filter: p.query(m)})
	}
}

// Adjacency are the options of adjacency_matrix.
type Adjacency struct{ Separator string }

// maxAdjacent limits the filters of an adjacency_matrix, as in Elasticsearch: their pairs are buckets.
const maxAdjacent = 100

func (p *bodyParser) adjacencyAgg(a *Agg, t *aggType, v *value) {
	o := &Adjacency{Separator: "&"}
	a.Options = o
	p.aggOptions(a, t, v, func(m *value) bool {
		switch {
		case m.name == "separator":
			o.Separator = p.text(m)
		case m.kind != kindObject:
			p.wrongValue(m, "an object of named queries")
		case !p.tooMany(m, "filters", len(m.items), maxAdjacent):
			p.bucketFilters(a, m)
		}
		return true
	})
	p.require(v, "filters")
}

func (p *bodyParser) missingAgg(a *Agg, t *aggType, v *value) {
	p.aggOptions(a, t, v, nil)
	p.require(v, "field")
}

// samplerAgg parses how many of the best matches an aggregation has.
func (p *bodyParser) samplerAgg(a *Agg, t *aggType, v *value) {
	a.Size = 100
	p.aggOptions(a, t, v, func(o *value) bool {
		a.Size = p.integer(o, 1)
		return true
	})
}

func (p *bodyParser) globalAgg(a *Agg, t *aggType, v *value) {
	p.aggOptions(a, t, v, nil)
	if p.aggDepth > 1 {
		p.fail(v, problem.BadAggregation, "global stands at the top: it has all items, whatever is around it")
	}
}
