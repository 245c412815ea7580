// This file computes aggregations over the matches of a query.

package search

import "contentedge/edgeserve/query"

func (b *builder) aggregate(body *query.Body, res *Result) error { return nil }
