// This file parses the page that a body asks for.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

func parseFromMember(p *parser, b *query.Body, m *strictjson.Value) {
	b.Window.From, b.Window.HasFrom = parseWindow(p, m, problem.BadFrom, 0)
}

func parseSizeMember(p *parser, b *query.Body, m *strictjson.Value) {
	b.Window.Size, b.Window.HasSize = parseWindow(p, m, problem.BadSize, query.DefaultSize)
}

// parseWindow parses from or size. The value -1 means that none is given, and returns unset.
func parseWindow(p *parser, v *strictjson.Value, code string, unset int) (n int, given bool) {
	n = p.integer(v, -1)
	switch {
	case n == -1 || p.err != nil:
		return unset, false
	case n > query.MaxWindow:
		p.fail(v, code, "%s must be at most %d, not %d: from + size has this limit", v.Name, query.MaxWindow, n)
		p.err.Evaluated = true // Elasticsearch finds this error when it evaluates the body
		return unset, false
	}
	return n, true
}
