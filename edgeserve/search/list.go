// This file turns a REST list into a body.

package search

import (
	"contentedge/edgeserve/address"
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/snapshot"
)

// FromList is the body that answers a REST list.
func FromList(l address.List) *query.Body {
	b := &query.Body{From: (l.Page - 1) * l.Size, Size: l.Size}
	var filters []query.Node
	for _, f := range [][2]string{{"Name", l.Name}, {"TemplateName", l.Template}, {"Status", l.Status}, {"CreatedBy", l.CreatedBy}} {
		if f[1] != "" {
			filters = append(filters, &keywordTerm{f[0], f[1]})
		}
	}
	if len(filters) > 0 {
		b.Query = &query.Bool{Filter: filters, Boost: 1}
	}
	b.Sort = []query.SortKey{{Field: l.Sort, Asc: l.Asc, Exact: true}, {Field: snapshot.IDField, Asc: true}}
	return b
}
