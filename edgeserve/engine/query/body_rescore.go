// This file parses the rescore of a body.

package query

import (
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// Rescore scores the first matches of a search again.
type Rescore struct {
	Window      int
	Query       Node
	Weight      float32 // of the first score
	QueryWeight float32 // of the score of Query
	Mode        string  // how both combine: total multiply avg max min
}

const (
	// maxRescores limits how often the first matches are sorted again.
	maxRescores   = 16
	defaultWindow = 10
)

var rescoreModes = strings.Fields("total multiply avg max min")

func (p *bodyParser) rescores(b *Body, m *value) {
	if m.kind != kindArray && m.kind != kindObject {
		p.wrongValue(m, "an object with a query, or an array of them")
		return
	}
	if m.kind == kindArray {
		p.tooMany(m, "rescores", len(m.items), maxRescores)
	}
	p.each(m, func(e *value) { b.Rescore = append(b.Rescore, p.rescore(e)) })
}

func (p *bodyParser) rescore(m *value) Rescore {
	r := Rescore{Window: defaultWindow, Weight: 1, QueryWeight: 1, Mode: "total"}
	if m.kind != kindObject {
		p.wrongValue(m, "an object with a query")
		return r
	}
	p.require(m, "query")
	for i := range m.items {
		switch o := &m.items[i]; o.name {
		case "window_size":
			if r.Window = p.integer(o, 0); r.Window > MaxWindow {
				p.fail(o, problem.BadRescore, "window_size must be at most %d, not %d", MaxWindow, r.Window)
			}
		case "query":
			p.rescoreQuery(&r, o)
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of rescore; known options: window_size, query", clip(o.name))
		}
	}
	return r
}

func (p *bodyParser) rescoreQuery(r *Rescore, m *value) {
	if m.kind != kindObject {
		p.wrongValue(m, "an object with a rescore_query")
		return
	}
	p.require(m, "rescore_query")
	for i := range m.items {
		switch o := &m.items[i]; o.name {
		case "rescore_query":
			r.Query = p.query(o)
		case "query_weight":
			r.Weight = p.factor(o)
		case "rescore_query_weight":
			r.QueryWeight = p.factor(o)
		case "score_mode":
			r.Mode = p.word(o, rescoreModes)
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of a rescore query; known options: rescore_query, query_weight, rescore_query_weight, score_mode", clip(o.name))
		}
	}
}
