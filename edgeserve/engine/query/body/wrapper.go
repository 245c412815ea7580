// This file parses wrapper, a query in base64.

package body

import (
	"encoding/base64"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

// wrapped is the query that a wrapper holds.
type wrapped struct{ node query.Node }

// A wrapper has neither boost nor _name: it is replaced by the query.
var wrapperOptions = newTable("wrapper", []option[wrapped]{{"query", required, parseWrapped}})

func parseWrapper(p *parser, v *strictjson.Value) query.Node {
	var n wrapped
	wrapperOptions.checkRequired(p, v)
	wrapperOptions.read(p, &n, v)
	return n.node
}

func parseWrapped(p *parser, n *wrapped, v *strictjson.Value) {
	raw, err := base64.StdEncoding.DecodeString(p.text(v))
	if err != nil {
		p.wrongValue(v, "a query in base64")
		return
	}
	inner := parser{depth: p.depth, nodes: p.nodes, names: p.names}
	if inner.err = readJSON(`{"query":`+string(raw)+"}", &inner.root); inner.err == nil && len(inner.root.Items) > 1 {
		p.wrongValue(v, "one query in base64")
	} else if inner.err == nil {
		n.node = parseQuery(&inner, inner.root.Member("query"))
	}
	p.nodes, p.names, p.named = inner.nodes, inner.names, p.named || inner.named
	if inner.err != nil {
		p.fail(v, inner.err.Code, "%s, decoded: %s", p.path(v), inner.err.Message)
	}
}
