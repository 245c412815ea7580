// This file parses members of a body that do not change its matches: the form of totals, limits and statistics.

package body

import (
	"strings"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
)

// parseTotalHits parses track_total_hits: whether hits.total is written, and up to which limit it is exact.
// totalItems of our own form is always exact.
func parseTotalHits(p *parser, b *query.Body, v *strictjson.Value) {
	b.Totals.HasLimit = true
	switch {
	case v.Text == "true" && v.Kind != strictjson.Number:
		b.Totals.Limit = query.AllHits
	case v.Text == "false" && v.Kind != strictjson.Number:
		b.Totals.Limit = -1
	default:
		b.Totals.Limit = p.integer(v, -1)
	}
}

// Duration reports whether a text is a time value of Elasticsearch: a number with a unit, -1 or 0.
func Duration(text string) bool {
	text = strings.ToLower(text)
	rest := strings.TrimLeft(text, digits)
	if fraction, ok := strings.CutPrefix(rest, "."); ok && len(rest) < len(text) {
		if rest = strings.TrimLeft(fraction, digits); len(rest) == len(fraction) {
			return false
		}
	}
	switch rest {
	case "nanos", "micros", "ms", "s", "m", "h", "d":
		return len(rest) < len(text)
	}
	return text == "-1" || text == "0"
}

const digits = "0123456789"

// parseTimeout checks a member without effect: the server has a timeout of its own.
func parseTimeout(p *parser, _ *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.String && m.Kind != strictjson.Number || !Duration(m.Text) {
		p.wrongValue(m, "a time such as 500ms or 2s")
	}
}

func parseTerminateAfter(p *parser, b *query.Body, m *strictjson.Value) {
	b.TerminateAfter = p.integer(m, 0)
}

func parseProfile(p *parser, b *query.Body, m *strictjson.Value) { b.Profile = p.bool(m) }

// parseStats checks a member without effect: the node keeps no groups of statistics.
func parseStats(p *parser, _ *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Array {
		p.wrongValue(m, "an array of names")
		return
	}
	p.texts(m, maxFields)
}

// parseEmpty accepts a member only if it is empty.
func parseEmpty(p *parser, _ *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Array && m.Kind != strictjson.Object || len(m.Items) > 0 {
		p.wrongValue(m, "empty: leave it out")
	}
}

// SetMember sets a member of b from the text of a URL parameter. list splits the text at commas.
func SetMember(b *query.Body, name, text string, list bool) error {
	root := strictjson.Value{Kind: strictjson.Object, Items: []strictjson.Value{{Kind: strictjson.String, Pos: 1, Name: name, Text: text}}}
	if list {
		v := &root.Items[0]
		v.Kind = strictjson.Array
		for i, part := range splitList(text) {
			v.Items = append(v.Items, strictjson.Value{Kind: strictjson.String, Pos: int32(i + 2), Text: part})
		}
	}
	p := &parser{root: root}
	findMember(name).read(p, b, &p.root.Items[0])
	finish(p, b, p.root.Member("stored_fields"))
	if p.err != nil {
		return p.err
	}
	return nil
}
