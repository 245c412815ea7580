// This file takes out of a body what the edge does itself: it filters sources, limits totals, and repeats meta.

package cluster

import (
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/encode"
)

// asked returns a copy of a body that asks for whole items, or for none.
func asked(body *query.Body) *query.Body {
	out := *body
	out.Show = whole(&body.Show)
	out.Totals, out.Profile = query.Totals{}, false
	out.Aggs = encode.Ordinals(wholeAggs(body.Aggs))
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

// whole returns the options of hits without those that the edge writes: versions, ids, filters of sources.
func whole(show *query.HitOptions) query.HitOptions {
	out := *show
	if out.Source != nil && (!out.Source.None || show.SeqNo) { // a sequence number is the rank, which stands in the document
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
