// This file writes the Link header of lists (RFC 8288): where the first, previous, next
// and last page are, relative to the page, in the form in which the page was asked for.

package delivery

import "contentedge/edgeserve/address"

// form is one of the two ways to ask for a list.
type form uint8

const (
	queryForm form = iota // …/contents?page=2
	pathForm              // …/contents-list/…/page-2.json
)

// key is where the cache has the file of a list.
func (f form) key(name string) string { return f.prefix() + name }

// computedKey is where the cache has a list that is of no family.
func (f form) computedKey(env string, l address.List) string {
	var room [256]byte
	b := append(append(room[:0], f.prefix()...), env...)
	return string(l.AppendCanonical(append(b, '?')))
}

// prefix tells the keys of the two forms apart.
func (f form) prefix() string {
	if f == queryForm {
		return "?"
	}
	return ""
}

// maxLink is how long a Link value may be, in bytes. It repeats the filters up to four times
// and percent-encoded, so a long one alone would fill the 4 KiB that web servers and content
// networks read a head into by default: they answer 502 then and take the node for broken.
// A head has less than 1 KiB beside this field, and in a preview the content error of 1 KiB more.
const maxLink = 1024

// links is the Link value of a list of so many items, none if it would be too long. Pages
// past the end have a previous page, the last; every list has a first and a last one, though
// it be empty.
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
