// This file parses top_hits aggregations, whose options are members of a body.

package query

import "contentedge/edgeserve/wire/problem"

// AggTopHits returns the first hits of each bucket. Its Options are a Body.
const AggTopHits AggKind = "top_hits"

// maxTopHits limits the hits of each bucket, as in Elasticsearch.
const maxTopHits = 100

func (p *bodyParser) topHitsAgg(a *Agg, t *aggType, v *value) {
	b := &Body{Size: defaultInner}
	a.Options = b
	p.aggOptions(a, t, v, func(o *value) bool {
		switch o.name {
		case "from":
			b.From = p.integer(o, 0)
		case "size":
			b.Size = p.integer(o, 1)
		default:
			findMember(o.name).read(p, b, o)
		}
		return true
	})
	if b.NoID && b.HasSource && (b.Source == nil || len(b.Source.Includes)+len(b.Source.Excludes) == 0) {
		b.Source = &Source{None: true} // as in Elasticsearch, which refuses patterns only
	}
	p.finish(b, v)
	if n := b.From + b.Size; n > maxTopHits {
		p.fail(v, problem.BadAggregation, "from + size of top_hits must be at most %d, not %d", maxTopHits, n)
	}
	b.DropScoreSort()
}
