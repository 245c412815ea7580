// This file finds the named queries that match each document of a page.

package search

import (
	"maps"

	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/snapshot"
)

// namedMatches are the documents of a page, by place, that a named query matches.
type namedMatches struct {
	name    string
	matches []bool
}

// matchNames compiles the named queries of a body once more, and asks each about the page.
func (c *evaluation) matchNames(body *query.Body, docs []snapshot.DocID) (out []namedMatches, err error) {
	if len(docs) == 0 {
		return nil, nil
	}
	c.compiler.Names = maps.Clone(body.Names)
	var nodes []query.Node
	for _, root := range []query.Node{body.Query, body.PostFilter} {
		query.Walk(c.compiler.Rewrite(root), func(p query.Part) { // inner ones first
			c.work.Charge(compile.RewriteSteps)
			if n, ok := p.(query.Node); ok {
				if _, named := c.compiler.Names[n]; named {
					nodes = append(nodes, n)
				}
			}
		})
	}
	last := map[string]int{} // the last query of a name counts
	for i, n := range nodes {
		last[c.compiler.Names[n]] = i
	}
	for i, n := range nodes {
		if last[c.compiler.Names[n]] != i {
			continue
		}
		s, err := c.compiler.CompileRewritten(n)
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, namedMatches{c.compiler.Names[n], c.request.Among(s, docs)})
		}
	}
	out = fields.JavaOrder(out, func(m *namedMatches) string { return m.name })
	return out, c.work.Failed()
}
