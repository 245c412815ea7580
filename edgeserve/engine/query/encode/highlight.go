// This file writes highlight.

package encode

import (
	"slices"
	"strings"

	"contentedge/edgeserve/engine/query"
)

// highlight writes the fields by their names, or as an array if their order counts: a name occurs twice, or a pattern
// may be for a field that another entry is for. The encoder is an option of all fields. So is a query that all fields
// share: a copy for each field could exceed the limit of clauses.
func (e *encoder) highlight(h query.Highlight) object {
	o, named := object{}, object{}
	shared := len(h) > 1
	for i := range h {
		if h[i].HTML != h[0].HTML {
			e.fail("the fields of highlight have two encoders")
		}
		shared = shared && h[i].Query != nil && h[i].Query == h[0].Query
	}
	if len(h) > 0 && h[0].HTML {
		o["encoder"] = "html"
	}
	if shared {
		o["highlight_query"] = e.node(h[0].Query)
	}
	list := array(h, func(f query.HighlightField) any {
		options := highlightOptions(&f)
		if f.Query != nil && !shared {
			options["highlight_query"] = e.node(f.Query)
		}
		named[f.Name] = options
		return object{f.Name: options}
	})
	pattern := func(f query.HighlightField) bool { return strings.Contains(f.Name, "*") }
	if o["fields"] = named; len(named) < len(list) || len(list) > 1 && slices.ContainsFunc(h, pattern) {
		o["fields"] = list
	}
	return o
}

// highlightOptions writes the options of a field. Only the highlighter that has fragmenter or boundary_scanner reads
// them, so they are left out where they have their default.
func highlightOptions(f *query.HighlightField) object {
	o := object{
		"type":                "unified",
		"pre_tags":            []any{f.PreTag},
		"post_tags":           []any{f.PostTag},
		"fragment_size":       whole(f.FragmentSize),
		"number_of_fragments": whole(f.Fragments),
		"no_match_size":       whole(f.NoMatchSize),
		"require_field_match": f.RequireFieldMatch,
	}
	if f.Plain {
		o["type"] = "plain"
	}
	if f.ByScore {
		o["order"] = "score"
	}
	if f.Words {
		o["boundary_scanner"] = "word"
	}
	if f.Simple {
		o["fragmenter"] = "simple"
	}
	return o
}
