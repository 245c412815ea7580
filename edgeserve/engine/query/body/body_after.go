// This file parses the members of a body that choose among matches: search_after, post_filter and
// min_score.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

func parseSearchAfter(p *parser, b *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Array || len(m.Items) == 0 {
		p.wrongValue(m, "an array of the sort values of a hit")
		return
	}
	p.tooMany(m, "values", len(m.Items), maxSortKeys)
	p.each(m, func(e *strictjson.Value) {
		var v *query.Value
		if e.Kind != strictjson.Null {
			v = new(p.scalar(e))
		}
		b.Window.After = append(b.Window.After, v)
	})
	b.Show.AsHits = true
}

func parsePostFilter(p *parser, b *query.Body, m *strictjson.Value) {
	p.named = false
	b.PostFilter = parseQuery(p, m)
	b.Show.AsHits = b.Show.AsHits || p.named
}

func parseMinScore(p *parser, b *query.Body, m *strictjson.Value) {
	b.MinScore = new(p.factor(m))
}

// factor parses a number in the precision of scores.
func (p *parser) factor(v *strictjson.Value) float32 {
	f := number(v)
	if f != f {
		p.wrongValue(v, "a number")
	}
	return float32(f)
}
