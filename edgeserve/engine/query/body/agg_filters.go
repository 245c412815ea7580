// This file parses aggregations whose buckets are the matches of queries.

package body

import (
	"cmp"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/lucene"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

var filtersOptions = []option[query.Agg]{
	{"filters", required, parseBucketFilters},
	noEffect[query.Agg]("other_bucket", checkBool),
	{"other_bucket_key", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Filters.Other = p.text(v) }},
}

// finishFilters decides whether there is a bucket of the items that no filter matches. A key or other_bucket asks for
// it, unless other_bucket is false.
func finishFilters(_ *parser, a *query.Agg, v *strictjson.Value) {
	switch other := v.Member("other_bucket"); {
	case other == nil:
	case other.Text == "true":
		a.Filters.Other = cmp.Or(a.Filters.Other, "_other_")
	default:
		a.Filters.Other = ""
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
	a.Filters.Anonymous = v.Kind == strictjson.Array
	for i := range v.Items {
		m := &v.Items[i]
		a.Filters.List = append(a.Filters.List, query.NamedFilter{Name: m.Name, Filter: parseQuery(p, m)})
	}
}

// maxAdjacent limits the filters of an adjacency_matrix, as in Elasticsearch: their pairs are buckets.
const maxAdjacent = 100

var adjacencyOptions = []option[query.Agg]{
	{"filters", required, func(p *parser, a *query.Agg, v *strictjson.Value) {
		switch {
		case v.Kind != strictjson.Object:
			p.wrongValue(v, "an object of named queries")
		case !p.tooMany(v, "filters", len(v.Items), maxAdjacent):
			parseBucketFilters(p, a, v)
		}
	}},
	of("separator", optional, func(p *parser, o *query.Adjacency, v *strictjson.Value) { o.Separator = p.text(v) }),
}

func beginAdjacency(a *query.Agg) { a.Options = &query.Adjacency{Separator: "&"} }

// The bucket of a sampler holds shard_size of the best matches.
var samplerOptions = []option[query.Agg]{
	{"shard_size", optional, func(p *parser, a *query.Agg, v *strictjson.Value) { a.Buckets.Size = p.integer(v, 1) }},
}

func beginSampler(a *query.Agg) { a.Buckets.Size = 100 }

func finishGlobal(p *parser, _ *query.Agg, v *strictjson.Value) {
	if p.aggDepth > 1 {
		p.fail(v, problem.BadAggregation, "global must be at the top: it has all items, whatever is around it")
	}
}
