// This file finds the named queries that match each document of a page.

package search

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"unicode/utf16"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// namedMatches are the documents of a page, by place, that a named query matches.
type namedMatches struct {
	name    string
	matches []bool
}

// matchNames compiles the named queries of a body once more, and asks each about the page.
func (c *compiler) matchNames(body *query.Body, docs []snapshot.DocID) (out []namedMatches, err error) {
	if len(docs) == 0 {
		return nil, nil
	}
	c.names = maps.Clone(body.Names)
	var nodes []query.Node
	for _, root := range []query.Node{body.Query, body.PostFilter} {
		nodes = c.appendNamed(nodes, c.rewrite(root))
	}
	for i, n := range nodes {
		again := func(o query.Node) bool { return c.names[o] == c.names[n] }
		if slices.ContainsFunc(nodes[i+1:], again) {
			continue // the last query of a name counts
		}
		s, err := c.node(n, 1)
		if err != nil {
			return nil, err
		}
		if s != nil {
			out = append(out, namedMatches{c.names[n], c.Among(s, docs)})
		}
	}
	slices.SortStableFunc(out, func(a, b namedMatches) int {
		return cmp.Compare(javaBucket(a.name, len(out)), javaBucket(b.name, len(out)))
	})
	return out, c.Failed()
}

// appendNamed appends the named queries of a rewritten query, inner ones first.
func (c *compiler) appendNamed(nodes []query.Node, n query.Node) []query.Node {
	for _, child := range children(n) {
		nodes = c.appendNamed(nodes, child)
	}
	if _, ok := c.names[n]; ok {
		nodes = append(nodes, n)
	}
	return nodes
}

// javaBucket is where a hash map of Java with n entries keeps a text, which is the order of names
// in responses of Elasticsearch.
func javaBucket(text string, n int) uint32 {
	var h uint32
	for _, unit := range utf16.Encode([]rune(text)) {
		h = 31*h + uint32(unit)
	}
	size := uint32(16)
	if n > 12 { // a map is at most three quarters full
		size = 1 << bits.Len(uint((n*4-1)/3))
	}
	return (h ^ h>>16) & (size - 1)
}
