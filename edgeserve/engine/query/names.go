// This file keeps the names of queries. A hit lists the names of the queries that match it.

package query

func (p *bodyParser) name(m *value) {
	p.own = new(p.text(m))
	p.named = true
}

// parseNamed parses a query and keeps its name.
func (p *bodyParser) parseNamed(t *queryType, m *value) Node {
	outer := p.own
	p.own = nil
	n := t.parse(p, t, m)
	if p.own != nil && n != nil {
		if p.names == nil {
			p.names = map[Node]string{}
		}
		p.names[n] = *p.own
	}
	p.own = outer
	return n
}
