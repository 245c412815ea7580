// This file plans where the values of items go: a tree of the parts of paths.

package layout

import (
	"encoding/json"
	"strings"

	"contentedge/edgeserve/wire/release"
)

// place is what an index has at a path.
type place struct {
	below map[string]*place // by the next part of a path; nil if no field is below
	field *target           // nil if no field has this path
}

// target is a field that takes values.
type target struct {
	number int    // among the targets of the plan
	aside  string // what its name ends in, if objects keep the name
	subs   []subTarget
}

// subTarget is a sub-field of a target.
type subTarget struct {
	sub   string
	key   []byte                                   // the member of a document with its values, with quotes and colon
	parse func(text string) (bits uint64, ok bool) // nil means that all values are taken
}

// newPlan returns the tree of fields, and their targets by number.
func newPlan(fields []release.Field, long []string) (root *place, targets []*target) {
	root = &place{}
	names := NewNames(fields, long...)
	for _, f := range fields {
		at := root
		for part := range strings.SplitSeq(f.Path, ".") {
			at = at.grow(part)
		}
		at.field = &target{number: len(targets), aside: names.aside[f.Path]}
		for _, s := range names.subs(f) {
			parse := parsers[s]
			if s == Own {
				parse = parsers[f.Type]
			}
			at.field.subs = append(at.field.subs, subTarget{s, member(strings.TrimPrefix(Hidden(legal(f.Path), s), hidden)), parse})
		}
		targets = append(targets, at.field)
	}
	return root, targets
}

// grow returns the place at a part below p.
func (p *place) grow(part string) *place {
	if p.below == nil {
		p.below = map[string]*place{}
	}
	at := p.below[part]
	if at == nil {
		at = &place{}
		p.below[part] = at
	}
	return at
}

// member returns the JSON of a name, with a colon.
func member(name string) []byte {
	text, _ := json.Marshal(name) // no string fails
	return append(text, ':')
}
