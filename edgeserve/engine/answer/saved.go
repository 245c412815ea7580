// This file answers saved searches by the bodies that the manifest has.

package answer

import (
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/body"
	"contentedge/edgeserve/engine/scorer"
	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/release"
)

// savedBody is the body of a page: the one of the first page, from a later place on.
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

// savedLinks is the Link value of a page; none for a search of one page.
func savedLinks(saved *release.Search, page int) (b []byte) {
	if saved.Files == 1 {
		return nil
	}
	link := func(page int, rel string) {
		if len(b) > 0 {
			b = append(b, ", "...)
		}
		b = append(append(append(b, '<'), address.SavedPage(saved.Name, page)...), `>; rel="`...)
		b = append(append(b, rel...), '"')
	}
	link(1, "first")
	if page > 1 {
		link(page-1, "prev")
	}
	if page < saved.Files {
		link(page+1, "next")
	}
	link(saved.Files, "last")
	return b
}
