// This file answers saved searches, whose bodies are in the manifest.

package answer

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
)

// savedBody parses the body of a saved search and moves its window to the page of the request.
func (c *Content) savedBody(work *scorer.WorkLimit) (*query.Body, error) {
	if err := work.Charge(byteSteps*len(c.saved.Body) + valueSteps); err != nil {
		return nil, err
	}
	page, err := body.Parse(c.saved.Body)
	if err != nil {
		return nil, err
	}
	page.Window.From, page.Window.HasFrom = page.Window.From+(c.route.Page-1)*page.Window.Size, true
	return page, page.Window.Check()
}
