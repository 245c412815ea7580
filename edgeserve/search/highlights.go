// This file adds highlights to the hits of a page.

package search

import (
	"slices"

	"contentedge/edgeserve/query"
	"contentedge/edgeserve/search/highlight"
	"contentedge/edgeserve/search/hits"
)

// highlight marks the hits of a page. Queries of its own are compiled for their errors.
func (c *compiler) highlight(body *query.Body, page *hits.Page) error {
	marked := *body
	marked.Query, marked.Highlight = c.rewrite(body.Query), slices.Clone(body.Highlight)
	var last, rewritten query.Node
	for i := range marked.Highlight {
		f := &marked.Highlight[i]
		if f.Query == nil {
			continue
		}
		if f.Query != last {
			if _, err := c.Compile(f.Query); err != nil || c.Failed() != nil {
				return err
			}
			last, rewritten = f.Query, c.rewrite(f.Query)
		}
		f.Query = rewritten
	}
	part, size, err := highlight.Page(c.WorkLimit, c.Reader, c.intervalWords, &marked, page.Docs)
	if err != nil {
		return err
	}
	page.Parts, page.Extra = append(page.Parts, part), page.Extra+size
	return nil
}
