// This file parses wrapper, a query in base64.

package query

import (
	"encoding/base64"

	"contentedge/edgeserve/wire/problem"
)

// wrapper parses the query that it holds as if it stood in its place.
func (p *bodyParser) wrapper(t *queryType, v *value) Node {
	p.require(v, "query")
	var n Node
	for i := range v.items {
		m := &v.items[i]
		if m.name != "query" {
			p.fail(m, problem.UnknownOption, "unknown option %q of wrapper; known options: query", clip(m.name))
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(p.text(m))
		if err != nil {
			p.wrongValue(m, "a query in base64")
			return nil
		}
		inner := bodyParser{depth: p.depth, nodes: p.nodes, names: p.names}
		if inner.err = readJSON(`{"query":`+string(raw)+"}", &inner.root); inner.err == nil && len(inner.root.items) > 1 {
			p.wrongValue(m, "one query in base64")
		} else if inner.err == nil {
			n = inner.query(inner.root.member("query"))
		}
		p.nodes, p.names, p.named = inner.nodes, inner.names, p.named || inner.named
		if inner.err != nil {
			p.fail(m, inner.err.Code, "%s, decoded: %s", p.path(m), inner.err.Message)
		}
	}
	return n
}
