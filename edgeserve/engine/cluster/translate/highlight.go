// This file translates highlights: their names, and their queries, as a wildcard on a path of text finds
// items by whole values, but marks words.

package translate

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
)

// Why a body cannot be asked.
const (
	// Inner hits mark the value of their group too, which a query in place of the body's would not.
	markedGroup = "a wildcard on text, which inner hits mark next to the value of their group"
	// The index is asked about the sub-field, and marks it.
	markedText    = "the sub-field with the text of a number, together with a query about letters of its path"
	markedInOne   = "a sub-field that one highlight names, together with another highlight with a pattern for it"
	markedBoolean = "no boolean of Elasticsearch 7 skips values that are none, nor shows their text"
)

// highlight translates the highlight of hits, with the query that marks unless it has one of its own. Hits of a bucket
// or inside a hit get that query only if it differs from the query of the body. Hits of a group have a name.
func (t *translator) highlight(h object, query any, inside, group bool) object {
	marking := translator{x: t.x, fields: t.fields, words: true}
	out := maps.Clone(h)
	if own, ok := h["highlight_query"]; ok {
		out["highlight_query"] = marking.query(own)
	} else if query != nil {
		whole := translator{x: t.x, fields: t.fields}
		marks := marking.query(query)
		switch same := equal(marks, whole.query(query)); {
		case same && inside:
		case !same && group:
			t.refuse(markedGroup)
		default:
			out["highlight_query"] = marks
		}
	}
	var names, asked []string
	fields := func(o object) object {
		translated := object{}
		for name, options := range o {
			if o, ok := options.(object); ok && o["highlight_query"] != nil {
				options = marking.inner(o, "highlight_query")
			}
			asked, names = append(asked, name), append(names, t.fields.ToIndex(name))
			translated[t.fields.ToIndex(name)] = options
		}
		return translated
	}
	switch list := h["fields"].(type) {
	case object:
		out["fields"] = fields(list)
	case []any:
		all := make([]any, len(list))
		for i, e := range list {
			all[i] = e
			if o, ok := e.(object); ok {
				all[i] = fields(o)
			}
		}
		out["fields"] = all
	}
	if slices.ContainsFunc(marking.texts, func(keyword string) bool { return slices.Contains(asked, keyword) }) {
		t.refuse(markedText)
	}
	t.refuse(marking.refused)
	t.highlighted(names)
	return out
}

// highlighted takes the names and patterns of a highlight.
func (t *translator) highlighted(names []string) {
	for _, field := range names {
		if layout.IsHidden(first(field)) && strings.HasSuffix(t.fields.toRelease(field), ".boolean") {
			t.refuse(markedBoolean)
		}
		if t.once(field) {
			t.refuse(shownOnce)
		}
	}
	for _, others := range t.marked {
		if t.reachOthers(names, others) || t.reachOthers(others, names) {
			t.refuse(markedInOne)
		}
	}
	t.marked = append(t.marked, names)
}

// first is the first part of a name.
func first(name string) string {
	part, _, _ := strings.Cut(name, ".")
	return part
}

// reachOthers reports whether patterns reach a sub-field among names that is not among them itself. A response keeps
// what a body names, and does not say in which highlight.
func (t *translator) reachOthers(patterns, names []string) bool {
	for _, field := range names {
		name := t.fields.toRelease(field)
		if name != field && !slices.Contains(patterns, field) && slices.ContainsFunc(patterns, func(p string) bool { return isPattern(p) && matches(p, name) }) {
			return true
		}
	}
	return false
}

func equal(a, b any) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(b)
	return err == nil && other == nil && bytes.Equal(x, y)
}
