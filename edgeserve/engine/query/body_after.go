// This file parses the members of a body that choose among matches: search_after, post_filter and
// min_score.

package query

func (p *bodyParser) searchAfter(b *Body, m *value) {
	if m.kind != kindArray || len(m.items) == 0 {
		p.wrongValue(m, "an array of the sort values of a hit")
		return
	}
	p.tooMany(m, "values", len(m.items), maxSortKeys)
	p.each(m, func(e *value) {
		var v *Value
		if e.kind != kindNull {
			v = new(p.scalar(e))
		}
		b.SearchAfter = append(b.SearchAfter, v)
	})
	b.Hits = true
}

func (p *bodyParser) postFilter(b *Body, m *value) {
	p.named = false
	b.PostFilter = p.query(m)
	b.Hits = b.Hits || p.named
}

func (p *bodyParser) minScore(b *Body, m *value) {
	b.MinScore = new(p.factor(m))
}

// factor parses a number in the precision of scores.
func (p *bodyParser) factor(v *value) float32 {
	f := v.number()
	if f != f {
		p.wrongValue(v, "a number")
	}
	return float32(f)
}
