// This file parses the collapse of a body: a hit for each value of a field.

package body

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/problem"
	"slices"
	"strings"
)

const (
	// maxInnerHits limits the searches of each hit.
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
	p.require(m, "field")
	for i := range m.Items {
		switch o := &m.Items[i]; o.Name {
		case "field":
			c.Field = p.fieldName(o)
		case "max_concurrent_group_searches": // no effect: they follow each other
			p.integer(o, 1)
		case "inner_hits":
			p.tooMany(o, "inner_hits", len(o.Items), maxInnerMembers(o))
			p.each(o, func(e *strictjson.Value) {
				in := parseInnerHits(p, e)
				c.Inner = slices.DeleteFunc(c.Inner, func(before query.InnerHits) bool { return before.Name == in.Name })
				c.Inner = append(c.Inner, in)
			})
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of collapse; known options: field, inner_hits, max_concurrent_group_searches", strictjson.Clip(o.Name))
		}
	}
	b.Collapse, b.Show.AsHits = c, true
}

// maxInnerMembers limits an array of inner hits; a single one is an object.
func maxInnerMembers(v *strictjson.Value) int {
	if v.Kind == strictjson.Array {
		return maxInnerHits
	}
	return len(v.Items)
}

// shownMembers are the members of a body that hits inside of hits, or of a bucket, have.
var shownMembers = slices.Clip([]string{"from", "size", "sort", "_source", "track_scores", "version", "seq_no_primary_term", "fields", "docvalue_fields", "stored_fields", "script_fields", "explain", "highlight"})

// innerMembers are the members that inner hits have.
var innerMembers = append(shownMembers, "collapse")

func parseInnerHits(p *parser, m *strictjson.Value) query.InnerHits {
	in := query.InnerHits{Body: &query.Body{Window: query.Window{Size: defaultInner}}}
	if m.Kind != strictjson.Object {
		p.wrongValue(m, "an object with a name")
		return in
	}
	stored := m.Member("stored_fields")
	p.require(m, "name")
	for i := range m.Items {
		switch o := &m.Items[i]; {
		case o.Name == "name":
			in.Name = p.text(o)
		case o.Name == "ignore_unmapped": // no effect: there are no nested fields
			p.bool(o)
		case o.Name == "size":
			in.Body.Window.Size = p.integer(o, 0)
		case o.Name == "from":
			in.Body.Window.From = p.integer(o, 0)
		case o.Name == "stored_fields":
			parseStoredFields(p, in.Body, o)
			if in.Body.Show.NoID || len(o.Items) == 0 && o.Kind == strictjson.Array { // no effect, as in Elasticsearch
				in.Body.Show.NoID, stored = false, nil
			}
		case o.Name == "collapse":
			in.Body.Collapse = parseInnerCollapse(p, o)
		default:
			parseInnerMember(p, in.Body, o)
		}
	}
	finish(p, in.Body, stored)
	in.Body.Order.DropScore()
	if in.Body.Window.From+in.Body.Window.Size > query.MaxWindow {
		p.fail(m, problem.BadFrom, "from + size of inner_hits must be at most %d, not %d", query.MaxWindow, in.Body.Window.From+in.Body.Window.Size)
	}
	return in
}

// innerCollapse parses the collapse of inner hits, which have no further hits inside.
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

// innerMember parses a member that a body has too.
func parseInnerMember(p *parser, b *query.Body, o *strictjson.Value) {
	m := findMember(o.Name)
	if m == nil || !slices.Contains(innerMembers, o.Name) {
		p.fail(o, problem.UnknownOption, "unknown option %q of inner_hits; known options: name, %s", strictjson.Clip(o.Name), strings.Join(innerMembers, ", "))
		return
	}
	m.read(p, b, o)
}
