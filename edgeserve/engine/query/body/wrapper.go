// This file parses wrapper, a query in base64.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"encoding/base64"
)

// wrapper parses the query that it holds as if it stood in its place.
func parseWrapper(p *parser, t *queryType, v *strictjson.Value) query.Node {
	p.require(v, "query")
	var n query.Node
	for i := range v.Items {
		m := &v.Items[i]
		if m.Name != "query" {
			p.fail(m, problem.UnknownOption, "unknown option %q of wrapper; known options: query", strictjson.Clip(m.Name))
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(p.text(m))
		if err != nil {
			p.wrongValue(m, "a query in base64")
			return nil
		}
		inner := parser{depth: p.depth, nodes: p.nodes, names: p.names}
		if inner.err = readJSON(`{"query":`+string(raw)+"}", &inner.root); inner.err == nil && len(inner.root.Items) > 1 {
			p.wrongValue(m, "one query in base64")
		} else if inner.err == nil {
			n = parseQuery(&inner, inner.root.Member("query"))
		}
		p.nodes, p.names, p.named = inner.nodes, inner.names, p.named || inner.named
		if inner.err != nil {
			p.fail(m, inner.err.Code, "%s, decoded: %s", p.path(m), inner.err.Message)
		}
	}
	return n
}
