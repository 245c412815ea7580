// This file prints members of bodies that choose hits and what they have.

package body

import (
	"strconv"

	"contentedge/edgeserve/engine/query"
)

func (o object) members(b *query.Body) object {
	if b.PostFilter != nil {
		o = o.raw("post_filter", printNode(b.PostFilter))
	}
	if b.MinScore != nil {
		o = o.raw("min_score", formatWeight(float64(*b.MinScore)))
	}
	if b.Collapse != nil {
		o = o.raw("collapse", printCollapse(b.Collapse))
	}
	if b.Rescore != nil {
		o = o.raw("rescore", join(b.Rescore, printRescore))
	}
	if b.Show.Fields != nil {
		o = o.raw("fields", join(b.Show.Fields, printFieldFormat))
	}
	if b.Show.DocvalueFields != nil {
		o = o.raw("docvalue_fields", join(b.Show.DocvalueFields, printFieldFormat))
	}
	if b.Show.NoID {
		o = o.raw("stored_fields", `"_none_"`)
	}
	if b.TerminateAfter > 0 {
		o = o.raw("terminate_after", strconv.Itoa(b.TerminateAfter))
	}
	if b.Show.Explain {
		o = o.raw("explain", "true")
	}
	if b.Show.Version {
		o = o.raw("version", "true")
	}
	if b.Show.SeqNo {
		o = o.raw("seq_no_primary_term", "true")
	}
	if b.Totals.HasLimit {
		o = o.raw("track_total_hits", strconv.Itoa(b.Totals.Limit))
	}
	return o
}

// String prints a collapse; inner hits as bodies with a name.
func printCollapse(c *query.Collapse) string {
	o := object(nil).raw("field", quote(c.Field))
	if c.Inner != nil {
		o = o.raw("inner_hits", join(c.Inner, func(in query.InnerHits) string {
			inner := object(nil).raw("name", quote(in.Name)).raw("size", strconv.Itoa(in.Body.Window.Size)).raw("from", strconv.Itoa(in.Body.Window.From))
			if len(in.Body.Order.Keys) > 0 {
				inner = inner.raw("sort", join(in.Body.Order.Keys, printSortKey))
			}
			return inner.members(in.Body).done()
		}))
	}
	return o.done()
}

func printRescore(r query.Rescore) string {
	q := object(nil).raw("rescore_query", printNode(r.Query)).raw("query_weight", formatWeight(float64(r.Weight))).
		raw("rescore_query_weight", formatWeight(float64(r.QueryWeight))).raw("score_mode", quote(r.Mode))
	return object(nil).raw("window_size", strconv.Itoa(r.Window)).raw("query", q.done()).done()
}

func printFieldFormat(f query.FieldFormat) string {
	if f.Format == "" {
		return quote(f.Field)
	}
	return object(nil).raw("field", quote(f.Field)).raw("format", quote(f.Format)).done()
}
