// This file parses the rescore of a body.

package body

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

const (
	// maxRescores limits how often the first matches are sorted again.
	maxRescores   = 16
	defaultWindow = 10
)

var rescoreModes = strings.Fields("total multiply avg max min")

func parseRescores(p *parser, b *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Array && m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a query, or an array of such objects")
		return
	}
	if m.Kind == strictjson.Array {
		p.tooMany(m, "rescores", len(m.Items), maxRescores)
	}
	p.each(m, func(e *strictjson.Value) { b.Rescore = append(b.Rescore, parseRescore(p, e)) })
}

func parseRescore(p *parser, m *strictjson.Value) query.Rescore {
	r := query.Rescore{Window: defaultWindow, Weight: 1, QueryWeight: 1, Mode: "total"}
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a query")
		return r
	}
	rescoreOptions.checkRequired(p, m)
	rescoreOptions.read(p, &r, m)
	return r
}

var rescoreOptions = newTable("rescore", []option[query.Rescore]{
	{"window_size", optional, func(p *parser, r *query.Rescore, v *strictjson.Value) {
		if r.Window = p.integer(v, 0); r.Window > query.MaxWindow {
			p.fail(v, problem.BadRescore, "window_size must be at most %d, not %d", query.MaxWindow, r.Window)
		}
	}},
	{"query", required, func(p *parser, r *query.Rescore, v *strictjson.Value) {
		if v.Kind != strictjson.Object {
			p.wrongValue(v, "an object with a rescore_query")
			return
		}
		rescoreQueryOptions.checkRequired(p, v)
		rescoreQueryOptions.read(p, r, v)
	}},
})

var rescoreQueryOptions = newTable("a rescore query", []option[query.Rescore]{
	{"rescore_query", required, func(p *parser, r *query.Rescore, v *strictjson.Value) { r.Query = parseQuery(p, v) }},
	{"query_weight", optional, func(p *parser, r *query.Rescore, v *strictjson.Value) { r.Weight = p.factor(v) }},
	{"rescore_query_weight", optional, func(p *parser, r *query.Rescore, v *strictjson.Value) { r.QueryWeight = p.factor(v) }},
	{"score_mode", optional, func(p *parser, r *query.Rescore, v *strictjson.Value) { r.Mode = p.word(v, rescoreModes) }},
})
