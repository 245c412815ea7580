// This file translates highlights: their names, and their queries, as a wildcard on a path of text finds
// items by whole values, but marks words.

package translate

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
)

// Why a body cannot be asked.
const (
	// Inner hits mark the value of their group too, which a query in place of the body's would not.
	markedGroup = "a wildcard on text, which inner hits mark beside the value of their group"
	// Elasticsearch is asked about the sub-field, and marks it.
	markedText    = "the sub-field with the text of a number, beside a query about letters of its path"
	markedInOne   = "a sub-field that one highlight names, beside another one with a pattern for it"
	markedBoolean = "no boolean of Elasticsearch 7 skips values that are none, nor shows their text"
)

// marks returns the highlight of hits with the query that marks, unless it has one of its own. Those
// of a bucket or inside of a hit have it only if it is another one than the body's.
func (t *translator) marks(hits object, query any, inside bool) any {
	h, ok := hits["highlight"].(object)
	if !ok {
		return hits["highlight"]
	}
	marking := translator{fields: t.fields, words: true}
	if _, ok := h["highlight_query"]; !ok && query != nil {
		words, whole := clone(query), clone(query)
		marking.walk(words)
		(&translator{fields: t.fields}).walk(whole)
		switch same := equal(words, whole); {
		case same && inside:
		case !same && hits["name"] != nil:
			t.refused = markedGroup
		default:
			h["highlight_query"] = clone(query)
		}
	}
	marking.walk(h)
	fields, _ := h["fields"].(object)
	if slices.ContainsFunc(marking.texts, func(keyword string) bool { return fields[keyword] != nil }) {
		t.refused = markedText
	}
	return h
}

// highlighted takes the names and patterns of a highlight.
func (n *namer) highlighted(names []string) {
	for _, field := range names {
		if strings.HasSuffix(n.shownAs(field), ".boolean") && layout.IsHidden(field[:max(strings.IndexByte(field, '.'), 0)]) {
			n.refused = markedBoolean
		}
	}
	for _, others := range n.marked {
		if n.reachOthers(names, others) || n.reachOthers(others, names) {
			n.refused = markedInOne
		}
	}
	n.marked = append(n.marked, names)
}

// reachOthers tells whether patterns reach a sub-field among names that is not among them itself. A
// response keeps what a body names, and does not tell in which highlight.
func (n *namer) reachOthers(patterns, names []string) bool {
	for _, field := range names {
		name := n.shownAs(field)
		if name != field && !slices.Contains(patterns, field) && slices.ContainsFunc(patterns, func(p string) bool { return strings.Contains(p, "*") && matches(p, name) }) {
			return true
		}
	}
	return false
}

func clone(v any) (copied any) {
	if text, err := json.Marshal(v); err == nil && decode(text, &copied) == nil {
		return copied
	}
	return v
}

func equal(a, b any) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(b)
	return err == nil && other == nil && bytes.Equal(x, y)
}
