// This file parses the collapse of a body: a hit for each value of a field.

package body

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
)

const (
	// maxInnerHits limits the inner hits of a body: each is a search for every hit.
	maxInnerHits = 16
	// defaultInner is the number of inner hits unless size is given.
	defaultInner = 3
)

func parseCollapse(p *parser, b *query.Body, m *strictjson.Value) {
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a field")
		return
	}
	c := &query.Collapse{}
	collapseOptions.checkRequired(p, m)
	collapseOptions.read(p, c, m)
	b.Collapse, b.Show.AsHits = c, true
}

var collapseOptions = newTable("collapse", []option[query.Collapse]{
	{"field", required, func(p *parser, c *query.Collapse, v *strictjson.Value) { c.Field = p.fieldName(v) }},
	{"inner_hits", optional, func(p *parser, c *query.Collapse, v *strictjson.Value) {
		p.tooMany(v, "inner_hits", len(v.Items), maxInnerMembers(v))
		p.each(v, func(e *strictjson.Value) {
			in := parseInnerHits(p, e)
			c.Inner = slices.DeleteFunc(c.Inner, func(before query.InnerHits) bool { return before.Name == in.Name })
			c.Inner = append(c.Inner, in)
		})
	}},
	noEffect[query.Collapse]("max_concurrent_group_searches", func(p *parser, v *strictjson.Value) { p.integer(v, 1) }), // searches for inner hits run one after the other
})

// maxInnerMembers limits the elements of an array of inner hits. A single object has no such limit.
func maxInnerMembers(v *strictjson.Value) int {
	if v.Kind == strictjson.Array {
		return maxInnerHits
	}
	return len(v.Items)
}

// shownMembers are the members of a body that inner_hits and top_hits have too, except from and size.
var shownMembers = []string{"sort", "_source", "track_scores", "version", "seq_no_primary_term", "fields", "docvalue_fields", "stored_fields", "script_fields", "explain", "highlight"}

func parseInnerHits(p *parser, m *strictjson.Value) query.InnerHits {
	in := query.InnerHits{Body: &query.Body{Window: query.Window{Size: defaultInner}}}
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a name")
		return in
	}
	stored := m.Member("stored_fields")
	innerHitsOptions.checkRequired(p, m)
	innerHitsOptions.read(p, &in, m)
	if stored != nil && (in.Body.Show.NoID || len(stored.Items) == 0 && stored.Kind == strictjson.Array) { // no effect, as in Elasticsearch
		in.Body.Show.NoID, stored = false, nil
	}
	finish(p, in.Body, stored)
	in.Body.Order.DropScore()
	if in.Body.Window.From+in.Body.Window.Size > query.MaxWindow {
		p.fail(m, problem.BadFrom, "from + size of inner_hits must be at most %d, not %d", query.MaxWindow, in.Body.Window.From+in.Body.Window.Size)
	}
	return in
}

var innerHitsOptions = newTable("inner_hits", newInnerHitsOptions())

func newInnerHitsOptions() []option[query.InnerHits] {
	rows := []option[query.InnerHits]{
		{"name", required, func(p *parser, in *query.InnerHits, v *strictjson.Value) { in.Name = p.text(v) }},
		{"from", optional, func(p *parser, in *query.InnerHits, v *strictjson.Value) { in.Body.Window.From = p.integer(v, 0) }},
		{"size", optional, func(p *parser, in *query.InnerHits, v *strictjson.Value) { in.Body.Window.Size = p.integer(v, 0) }},
		{"ignore_unmapped", unlisted, func(p *parser, _ *query.InnerHits, v *strictjson.Value) { p.bool(v) }}, // no effect without nested fields
	}
	for _, name := range shownMembers {
		rows = append(rows, option[query.InnerHits]{name, optional, func(p *parser, in *query.InnerHits, v *strictjson.Value) { findMember(name).read(p, in.Body, v) }})
	}
	return append(rows, option[query.InnerHits]{"collapse", optional, func(p *parser, in *query.InnerHits, v *strictjson.Value) { in.Body.Collapse = parseInnerCollapse(p, v) }})
}

// parseInnerCollapse parses the collapse of inner hits, which cannot have inner hits of its own.
func parseInnerCollapse(p *parser, m *strictjson.Value) *query.Collapse {
	c := &query.Collapse{}
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a field")
		return c
	}
	p.require(m, "field")
	for i := range m.Items {
		if o := &m.Items[i]; o.Name == "field" {
			c.Field = p.fieldName(o)
		} else {
			p.fail(o, problem.UnknownOption, "unknown option %q of a collapse in inner_hits, which has a field only", strictjson.Clip(o.Name))
		}
	}
	return c
}
