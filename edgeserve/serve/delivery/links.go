// This file writes the Link header of lists (RFC 8288), relative and in the form of the request.

package delivery

import "contentedge/edgeserve/wire/address"

type form uint8

const (
	queryForm form = iota // …/contents?page=2
	pathForm              // …/contents-list/…/page-2.json
)

// linksOf makes the links of a response from its total, which may be unknown before that is read.
type linksOf struct {
	of    func(total int) []byte // nil: no links
	total int
}

const unknownTotal = -1

var noLinks linksOf

func (f form) key(name string) string { return f.prefix() + name }

func (f form) computedKey(env string, l address.List) string {
	var room [256]byte
	b := append(append(room[:0], f.prefix()...), env...)
	return string(l.AppendCanonical(append(b, '?')))
}

func (f form) prefix() string {
	if f == queryForm {
		return "?"
	}
	return ""
}

// maxLink bounds a Link value, in bytes: it repeats encoded filters up to four times, and proxies
// answer 502 to heads over 4 KiB. The rest is below 1 KiB, in a preview 1 KiB more.
const maxLink = 1024

// links is the Link value of a list of so many items, none if too long. Pages past the end have the
// last as previous one; an empty list too has a first and a last page.
func (f form) links(l address.List, total int) []byte {
	if b := f.appendLinks(make([]byte, 0, 256), l, total); len(b) <= maxLink {
		return b
	}
	return nil
}

func (f form) appendLinks(b []byte, l address.List, total int) []byte {
	last := l.Pages(total)
	b = f.appendLink(b, l, 1, "first")
	if l.Page > 1 {
		b = f.appendLink(b, l, min(l.Page-1, last), "prev")
	}
	if l.Page < last {
		b = f.appendLink(b, l, l.Page+1, "next")
	}
	return f.appendLink(b, l, last, "last")
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
		b = l.AppendCanonical(append(b, '?'))
	}
	return append(append(append(b, `>; rel="`...), rel...), '"')
}
