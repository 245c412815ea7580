// This file keeps the names of queries. A hit lists the names of the queries that match it.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

func (p *parser) name(m *strictjson.Value) {
	p.own = new(p.text(m))
	p.named = true
}

// parseNamed parses a query and keeps its name.
func parseNamed(p *parser, t *queryType, m *strictjson.Value) query.Node {
	outer := p.own
	p.own = nil
	n := t.parse(p, t, m)
	if p.own != nil && n != nil {
		if p.names == nil {
			p.names = map[query.Node]string{}
		}
		p.names[n] = *p.own
	}
	p.own = outer
	return n
}
