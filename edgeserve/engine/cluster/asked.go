// This file takes out of a body what the edge does itself: it filters sources, limits totals, and repeats meta.

package cluster

import (
	"slices"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/fields"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/encode"
)

// asked returns a copy of a body that asks for whole items, or for none.
func (x *Index) asked(body *query.Body) *query.Body {
	out := *body
	out.Show = whole(&body.Show)
	out.Window.After = x.after(body)
	out.Totals, out.Profile = query.Totals{}, false
	out.Aggs = encode.Ordinals(wholeAggs(body.Aggs))
	if body.Query == nil && body.Suggest != nil && !body.SuggestsOnly() {
		// OpenSearch looks for suggestions only if the aggregations are empty.
		out.Query = &query.MatchAll{Boost: 1}
	}
	if body.Collapse != nil {
		collapse := *body.Collapse
		collapse.Inner = slices.Clone(collapse.Inner)
		for i := range collapse.Inner {
			collapse.Inner[i].Body = wholeHits(collapse.Inner[i].Body)
		}
		out.Collapse = &collapse
	}
	return &out
}

// after returns the values of search_after. Texts are cut as the texts of the index are. To OpenSearch booleans are
// numbers of 32 bits, and it mistakes greater numbers for others.
func (x *Index) after(body *query.Body) []*query.Value {
	after := slices.Clone(body.Window.After)
	for i, v := range after {
		k := &body.Order.Keys[i]
		if v != nil && x.translation.Fields.Cut(k) {
			start := *v
			start.Text, _ = layout.StartOf(v.Text)
			after[i] = &start
			continue
		}
		if t, ok := (fields.Resolver{Reader: x.twin}).Resolve(k.Field); !ok || t.Kind != fields.Boolean || v == nil {
			continue
		}
		number := *v
		number.Kind = query.Number
		switch v.Text {
		case "true":
			number.Text = "1"
		case "false":
			number.Text = "0"
		}
		for narrow, wide := range extremes {
			if number.Text == wide && k.NumericType == "" {
				number.Text = narrow
			}
		}
		after[i] = &number
	}
	return after
}

// whole returns the options of hits without the options that the edge writes: versions, ids, filters of sources.
func whole(show *query.HitOptions) query.HitOptions {
	out := *show
	if out.Source != nil && (!out.Source.None || show.SeqNo) { // a sequence number is the rank, which is in the document
		out.Source = nil
	}
	out.HasSource, out.NoID, out.Version, out.SeqNo = true, false, false, false
	return out
}

func wholeHits(body *query.Body) *query.Body {
	out := *body
	out.Show, out.Totals = whole(&body.Show), query.Totals{}
	return &out
}

// wholeAggs returns the list with whole items in the hits of top_hits, and without what results repeat.
func wholeAggs(list []query.Agg) []query.Agg {
	list = slices.Clone(list)
	for i := range list {
		list[i].Meta = ""
		if body, ok := list[i].Options.(*query.Body); ok {
			list[i].Options = wholeHits(body)
		}
		list[i].Subs = wholeAggs(list[i].Subs)
	}
	return list
}
