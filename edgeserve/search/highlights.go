// This file adds highlights to the hits of a page.

package search

import (
	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/highlight"
	"contentedge/edgeserve/search/hits"
)

// highlight marks the hits of a page. Queries of its own are compiled for their errors.
func (c *compiler) highlight(body *query.Body, page *hits.Page) error {
	var last query.Node
	for _, f := range body.Highlight {
		if f.Query == nil || f.Query == last {
			continue
		}
		last = f.Query
		if _, err := c.Compile(f.Query); err != nil || c.Failed() != nil {
			return err
		}
	}
	part, size, err := highlight.Page(c.WorkLimit, c.Reader, c.intervalWords, body, page.Docs)
	if err != nil {
		return err
	}
	page.Parts, page.Extra = append(page.Parts, part), page.Extra+size
	return nil
}
