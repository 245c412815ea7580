// This file parses top_hits aggregations, whose options are members of a body.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// maxTopHits limits the hits of each bucket, as in Elasticsearch.
const maxTopHits = 100

func parseTopHitsAgg(p *parser, a *query.Agg, t *aggParser, v *strictjson.Value) {
	b := &query.Body{Window: query.Window{Size: defaultInner}}
	a.Options = b
	parseAggOptions(p, a, t, v, func(o *strictjson.Value) bool {
		switch o.Name {
		case "from":
			b.Window.From = p.integer(o, 0)
		case "size":
			b.Window.Size = p.integer(o, 1)
		default:
			findMember(o.Name).read(p, b, o)
		}
		return true
	})
	if b.Show.NoID && b.Show.HasSource && (b.Show.Source == nil || len(b.Show.Source.Includes)+len(b.Show.Source.Excludes) == 0) {
		b.Show.Source = &query.Source{None: true} // as in Elasticsearch, which refuses patterns only
	}
	finish(p, b, v.Member("stored_fields"))
	if n := b.Window.From + b.Window.Size; n > maxTopHits {
		p.fail(v, problem.BadAggregation, "from + size of top_hits must be at most %d, not %d", maxTopHits, n)
	}
	b.Order.DropScore()
}
