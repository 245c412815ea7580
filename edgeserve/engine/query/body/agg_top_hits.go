// This file parses top_hits aggregations, whose options are members of a body.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

// maxTopHits limits the hits of each bucket, as in Elasticsearch.
const maxTopHits = 100

func topHitsOptions() []option[query.Agg] {
	rows := []option[query.Agg]{
		of("from", optional, func(p *parser, b *query.Body, v *strictjson.Value) { b.Window.From = p.integer(v, 0) }),
		of("size", optional, func(p *parser, b *query.Body, v *strictjson.Value) { b.Window.Size = p.integer(v, 1) }),
	}
	for _, name := range shownMembers {
		rows = append(rows, of(name, optional, func(p *parser, b *query.Body, v *strictjson.Value) { findMember(name).read(p, b, v) }))
	}
	return rows
}

func beginTopHits(a *query.Agg) { a.Options = &query.Body{Window: query.Window{Size: defaultInner}} }

func finishTopHits(p *parser, a *query.Agg, v *strictjson.Value) {
	b := a.Options.(*query.Body)
	if b.Show.NoID && b.Show.HasSource && (b.Show.Source == nil || len(b.Show.Source.Includes)+len(b.Show.Source.Excludes) == 0) {
		b.Show.Source = &query.Source{None: true} // Elasticsearch allows _source with _none_ unless it has patterns
	}
	finish(p, b, v.Member("stored_fields"))
	if n := b.Window.From + b.Window.Size; n > maxTopHits {
		p.fail(v, problem.BadAggregation, "from + size of top_hits must be at most %d, not %d", maxTopHits, n)
	}
	b.Order.DropScore()
}
