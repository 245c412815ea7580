// This file parses the collapse of a body: a hit for each value of a field.

package query

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/problem"
)

// Collapse keeps the first match of each value of Field.
type Collapse struct {
	Field string
	Inner []InnerHits
}

// Visit implements Part.
func (c *Collapse) Visit(v *Visitor) {
	v.Field(c.Field)
	for i := range c.Inner {
		v.Part(c.Inner[i].Body)
	}
}

// InnerHits are the first matches of the value of a hit.
type InnerHits struct {
	Name string
	Body *Body // its page, sort and what its hits have; no query
}

const (
	// maxInnerHits limits the searches of each hit.
	maxInnerHits = 16
	// defaultInner is the number of inner hits unless size is given.
	defaultInner = 3
)

func (p *bodyParser) collapse(b *Body, m *value) {
	if m.kind != kindObject {
		p.wrongValue(m, "an object with a field")
		return
	}
	c := &Collapse{}
	p.require(m, "field")
	for i := range m.items {
		switch o := &m.items[i]; o.name {
		case "field":
			c.Field = p.fieldName(o)
		case "max_concurrent_group_searches": // no effect: they follow each other
			p.integer(o, 1)
		case "inner_hits":
			p.tooMany(o, "inner_hits", len(o.items), maxInnerMembers(o))
			p.each(o, func(e *value) {
				in := p.innerHits(e)
				c.Inner = slices.DeleteFunc(c.Inner, func(before InnerHits) bool { return before.Name == in.Name })
				c.Inner = append(c.Inner, in)
			})
		default:
			p.fail(o, problem.UnknownOption, "unknown option %q of collapse; known options: field, inner_hits, max_concurrent_group_searches", clip(o.name))
		}
	}
	b.Collapse, b.Hits = c, true
}

// maxInnerMembers limits an array of inner hits; a single one is an object.
func maxInnerMembers(v *value) int {
	if v.kind == kindArray {
		return maxInnerHits
	}
	return len(v.items)
}

// shownMembers are the members of a body that hits inside of hits, or of a bucket, have.
var shownMembers = slices.Clip([]string{"from", "size", "sort", "_source", "track_scores", "version", "seq_no_primary_term", "fields", "docvalue_fields", "stored_fields", "script_fields", "explain", "highlight"})

// innerMembers are the members that inner hits have.
var innerMembers = append(shownMembers, "collapse")

func (p *bodyParser) innerHits(m *value) InnerHits {
	in := InnerHits{Body: &Body{Size: defaultInner}}
	if m.kind != kindObject {
		p.wrongValue(m, "an object with a name")
		return in
	}
	p.require(m, "name")
	for i := range m.items {
		switch o := &m.items[i]; {
		case o.name == "name":
			in.Name = p.text(o)
		case o.name == "ignore_unmapped": // no effect: there are no nested fields
			p.bool(o)
		case o.name == "size":
			in.Body.Size = p.integer(o, 0)
		case o.name == "from":
			in.Body.From = p.integer(o, 0)
		case o.name == "stored_fields":
			p.storedFields(in.Body, o)
			if in.Body.NoID || len(o.items) == 0 && o.kind == kindArray { // no effect, as in Elasticsearch
				in.Body.NoID, in.Body.stored = false, false
			}
		case o.name == "collapse":
			in.Body.Collapse = p.innerCollapse(o)
		default:
			p.innerMember(in.Body, o)
		}
	}
	p.finish(in.Body, m)
	in.Body.DropScoreSort()
	if in.Body.From+in.Body.Size > MaxWindow {
		p.fail(m, problem.BadFrom, "from + size of inner_hits must be at most %d, not %d", MaxWindow, in.Body.From+in.Body.Size)
	}
	return in
}

// innerCollapse parses the collapse of inner hits, which have no further hits inside.
func (p *bodyParser) innerCollapse(m *value) *Collapse {
	c := &Collapse{}
	if m.kind != kindObject {
		p.wrongValue(m, "an object with a field")
		return c
	}
	p.require(m, "field")
	for i := range m.items {
		if o := &m.items[i]; o.name == "field" {
			c.Field = p.fieldName(o)
		} else {
			p.fail(o, problem.UnknownOption, "unknown option %q of a collapse in inner_hits, which has a field only", clip(o.name))
		}
	}
	return c
}

// innerMember parses a member that a body has too.
func (p *bodyParser) innerMember(b *Body, o *value) {
	m := findMember(o.name)
	if m == nil || !slices.Contains(innerMembers, o.name) {
		p.fail(o, problem.UnknownOption, "unknown option %q of inner_hits; known options: name, %s", clip(o.name), strings.Join(innerMembers, ", "))
		return
	}
	m.read(p, b, o)
}
