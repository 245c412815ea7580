// This file writes the Link header of lists (RFC 8288): where the first, previous, next
// and last page are, relative to the page, in the form in which the page was asked for.

package edgeserve

import "contentedge/edgeserve/address"

// form is one of the two ways to ask for a list.
type form uint8

const (
	queryForm form = iota // …/contents?page=2
	pathForm              // …/contents-list/…/page-2.json
)

// key is where the cache has the file of a list.
func (f form) key(name string) string {
	if f == queryForm {
		return "?" + name
	}
	return name
}

// links is the Link value of a list of so many items. Pages past the end have a
// previous page, the last; every list has a first and a last one, though it be empty.
func (f form) links(l address.List, total int) string {
	last := l.Pages(total)
	b := f.appendLink(make([]byte, 0, 256), l, 1, "first")
	if l.Page > 1 {
		b = f.appendLink(b, l, min(l.Page-1, last), "prev")
	}
	if l.Page < last {
		b = f.appendLink(b, l, l.Page+1, "next")
	}
	return string(f.appendLink(b, l, last, "last"))
}

func (f form) appendLink(b []byte, l address.List, page int, rel string) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	b = append(b, '<')
	l.Page = page
	if f == pathForm {
		b = append(b, l.PageFile()...)
	} else {
		b = append(append(b, '?'), l.Canonical()...)
	}
	return append(append(append(b, `>; rel="`...), rel...), '"')
}
