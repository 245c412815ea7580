// This file parses saved searches: search bodies in the content, whose pages become files.

package query

import (
	"fmt"
	"slices"

	"contentedge/edgeserve/wire/envelope"
	"contentedge/edgeserve/wire/problem"
)

// Saved is a saved search: a body, and how many of its pages become files.
type Saved struct {
	Body       []byte // compact JSON without comments: equal for equal searches written differently
	Pages      int    // at most
	From, Size int    // of page 1
}

const (
	savedPages = "pages"
	// maxSavedPages limits the files of a saved search, as addresses do.
	maxSavedPages = 1000
)

// ParseSaved parses the text of a saved search: a search body that may also have pages, the most
// pages to answer, 1 by default. Errors are *Error.
func ParseSaved(raw []byte) (*Saved, error) {
	b, p := &Body{Size: DefaultSize}, new(bodyParser)
	p.err = readJSON(string(raw), &p.root)
	if p.err != nil {
		return nil, p.err
	}
	s := &Saved{Pages: 1}
	if v := p.root.member(savedPages); v != nil {
		if n := p.integer(v, -1); n >= 0 {
			s.Pages = n
		}
		if p.err == nil && (s.Pages < 1 || s.Pages > maxSavedPages) {
			p.fail(v, problem.BadBody, "pages must be from 1 to %d", maxSavedPages)
		}
	}
	if p.root.kind == kindNull {
		p.root.kind = kindObject
	}
	p.root.items = slices.DeleteFunc(p.root.items, func(m value) bool { return m.name == savedPages })
	s.Body = p.root.append(nil)
	if p.err == nil {
		p.body(b)
	}
	if p.err != nil {
		return nil, p.err
	}
	if err := b.CheckWindow(); err != nil {
		return nil, err
	}
	s.From, s.Size = b.From, b.Size
	if s.Pages > 1 && (s.Size == 0 || s.From+s.Pages*s.Size > MaxWindow) {
		return nil, &Error{Code: problem.BadBody, Parameter: savedPages, Position: -1,
			Message: fmt.Sprintf("from + pages times size must be at most %d with a size of at least 1, not %d + %d times %d", MaxWindow, s.From, s.Pages, s.Size)}
	}
	return s, nil
}

// Files is the number of its pages for so many matches: at least one.
func (s *Saved) Files(total int) int {
	if s.Size == 0 {
		return 1
	}
	return max(1, min(s.Pages, (total-s.From+s.Size-1)/s.Size))
}

// append writes a value as compact JSON.
func (v *value) append(dst []byte) []byte {
	switch v.kind {
	case kindObject, kindArray:
		return v.appendItems(dst)
	case kindString:
		return envelope.HTMLEscapes.AppendString(dst, v.text)
	case kindNull:
		return append(dst, "null"...)
	}
	return append(dst, v.text...)
}

func (v *value) appendItems(dst []byte) []byte {
	open, end := byte('['), byte(']')
	if v.kind == kindObject {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i := range v.items {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.kind == kindObject {
			dst = append(envelope.HTMLEscapes.AppendString(dst, v.items[i].name), ':')
		}
		dst = v.items[i].append(dst)
	}
	return append(dst, end)
}
