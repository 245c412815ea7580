// Package encode writes the tree of a search as the members of a search body. It is the inverse of package body: the
// members parse to an equal tree. A tree holds neither options without effect nor the spelling of values that have
// several, so these are not written.
//
//	encode.go    the members of a body
//	node.go      the queries: a file for each family, such as text.go
//	agg*.go      the aggregations
//	show.go      what hits show: highlight.go, and collapse.go
//	suggest.go   the suggestions
//	values.go    scalars and numbers
//	ordinals.go  names of aggregations that keep their order
//
// Nothing is left out silently: a node or an option that no member can say is an error.
package encode

import (
	"fmt"

	"contentedge/edgeserve/engine/query"
)

// object is a JSON object.
type object = map[string]any

// encoder writes the parts of one body. After an error its methods return what callers must not use, so callers may
// continue.
type encoder struct {
	names map[query.Node]string
	other func(query.Node) (map[string]any, bool)
	err   error // the first error
}

func (e *encoder) fail(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

// Body returns the members of a search body that parses to b. Numbers in it are json.Number. other writes the nodes
// that no body can hold, which an *ExactKey is, too; nil writes none.
//
// Its values have the types that encoding/json decodes: objects, []any, strings, booleans and nil. The order of members
// is lost: aggregations, filters, suggestions and highlighted fields have the order of the tree. Ordinals keeps the
// order of aggregations, which decides what pipelines compute.
//
// What only the response's envelope shows is not written: Show.AsHits, HasOtherMembers, Totals.AsInt and Profile.
func Body(b *query.Body, other func(query.Node) (map[string]any, bool)) (map[string]any, error) {
	e := &encoder{names: b.Names, other: other}
	o := object{}
	e.window(o, &b.Window, query.DefaultSize)
	if b.Query != nil {
		o["query"] = e.node(b.Query)
	}
	if b.PostFilter != nil {
		o["post_filter"] = e.node(b.PostFilter)
	}
	if b.MinScore != nil {
		o["min_score"] = e.score(float64(*b.MinScore))
	}
	integer(o, "terminate_after", b.TerminateAfter, 0)
	e.order(o, &b.Order)
	e.show(o, &b.Show)
	totals(o, b.Totals)
	e.members(o, b)
	if e.err != nil {
		return nil, e.err
	}
	return o, nil
}

// window writes from, size and search_after. size is the number of hits of a body that does not say it.
func (e *encoder) window(o object, w *query.Window, size int) {
	if w.HasFrom || w.From != 0 {
		o["from"] = whole(w.From)
	}
	if w.HasSize || w.Size != size {
		o["size"] = whole(w.Size)
	}
	if w.After == nil {
		return
	}
	after := make([]any, len(w.After))
	for i, v := range w.After {
		if v != nil {
			after[i] = e.value(*v)
		}
	}
	o["search_after"] = after
}

func totals(o object, t query.Totals) {
	switch {
	case !t.HasLimit:
	case t.Limit == query.AllHits:
		o["track_total_hits"] = true
	case t.Limit == -1:
		o["track_total_hits"] = false
	default:
		o["track_total_hits"] = whole(t.Limit)
	}
}

// members writes the members that aggregate, suggest and choose hits in other ways.
func (e *encoder) members(o object, b *query.Body) {
	e.aggs(o, b.Aggs)
	e.suggest(o, b.Suggest)
	if b.Collapse != nil {
		o["collapse"] = e.collapse(b.Collapse)
	}
	if len(b.Rescore) > 0 {
		o["rescore"] = array(b.Rescore, e.rescore)
	}
}
