// This file parses the rescore of a body.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"strings"
)

const (
	// maxRescores limits how often the first matches are sorted again.
	maxRescores   = 16
	defaultWindow = 10
)

var rescoreModes = strings.Fields("total multiply avg max min")

func parseRescores(p *parser, b *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Array && m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a query, or an array of them")
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
	p.require(m, "query")
	for i := range m.Items {
		switch o := &m.Items[i]; o.Name {
		case "window_size":
			if r.Window = p.integer(o, 0); r.Window > query.MaxWindow {
				p.fail(o, problem.BadRescore, "window_size must be at most %d, not %d", query.MaxWindow, r.Window)
			}
		case "query":
			parseRescoreQuery(p, &r, o)
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of rescore; known options: window_size, query", strictjson.Clip(o.Name))
		}
	}
	return r
}

func parseRescoreQuery(p *parser, r *query.Rescore, m *strictjson.Value) {
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a rescore_query")
		return
	}
	p.require(m, "rescore_query")
	for i := range m.Items {
		switch o := &m.Items[i]; o.Name {
		case "rescore_query":
			r.Query = parseQuery(p, o)
		case "query_weight":
			r.Weight = p.factor(o)
		case "rescore_query_weight":
			r.QueryWeight = p.factor(o)
		case "score_mode":
			r.Mode = p.word(o, rescoreModes)
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of a rescore query; known options: rescore_query, query_weight, rescore_query_weight, score_mode", strictjson.Clip(o.Name))
		}
	}
}
