// This file parses saved searches: search bodies in the content, whose pages become files.

package body

import (
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/strictjson"
	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// Saved is a saved search: a body, and how many of its pages become files.
type Saved struct {
	Body       []byte // compact JSON without comments: equal for equal searches written differently
	Pages      int    // the greatest number of pages
	From, Size int    // the window of page 1
}

const (
	savedPages = "pages"
	// maxSavedPages limits the files of a saved search. Addresses have the same limit.
	maxSavedPages = 1000
)

// ParseSaved parses the text of a saved search. It is a search body with one more member, pages: the
// greatest number of its pages, 1 by default. Errors are *query.Error.
func ParseSaved(raw []byte) (*Saved, error) {
	b, p := &query.Body{Window: query.Window{Size: query.DefaultSize}}, new(parser)
	p.err = readJSON(string(raw), &p.root)
	if p.err != nil {
		return nil, p.err
	}
	s := &Saved{Pages: 1}
	if v := p.root.Member(savedPages); v != nil {
		if n := p.integer(v, -1); n >= 0 {
			s.Pages = n
		}
		if p.err == nil && (s.Pages < 1 || s.Pages > maxSavedPages) {
			p.fail(v, problem.BadBody, "pages must be from 1 to %d", maxSavedPages)
		}
	}
	if p.root.Kind == strictjson.Null {
		p.root.Kind = strictjson.Object
	}
	p.root.Items = slices.DeleteFunc(p.root.Items, func(m strictjson.Value) bool { return m.Name == savedPages })
	s.Body = p.root.Append(nil, envelope.HTMLEscapes)
	if p.err == nil {
		parseBody(p, b)
	}
	if p.err != nil {
		return nil, p.err
	}
	if err := b.Window.Check(); err != nil {
		return nil, err
	}
	s.From, s.Size = b.Window.From, b.Window.Size
	if s.Pages > 1 && (s.Size == 0 || s.From+s.Pages*s.Size > query.MaxWindow) {
		return nil, &query.Error{Code: problem.BadBody, Parameter: savedPages, Position: -1,
			Message: fmt.Sprintf("from + pages times size must be at most %d with a size of at least 1, not %d + %d times %d", query.MaxWindow, s.From, s.Pages, s.Size)}
	}
	return s, nil
}

// Files returns the number of pages that become files if total items match: at least one.
func (s *Saved) Files(total int) int {
	if s.Size == 0 {
		return 1
	}
	return max(1, min(s.Pages, (total-s.From+s.Size-1)/s.Size))
}
