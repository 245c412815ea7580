// This file writes the Link header of lists (RFC 8288), relative and in the form of the request:
// ?page=2 for Contents, page-2.json for files.

package address

// maxLink limits a Link value, in bytes. The value repeats encoded filters up to four times, and
// proxies send a 502 for header sections over 4 KiB. The other fields need less than 1 KiB, and less
// than 2 KiB in a preview.
const maxLink = 1024

const relSelf = "self"

// Links is the Link value of a list with total items, for Contents or a ListFile. It is empty if it
// would be too long. The previous page of a page past the end is the last page. An empty list has a
// first and a last page, too.
//
// The value begins with the list itself if the list has filters by paths of Data, or shows parts of items. It
// tells clients that no host on the way ignored these parameters, so it is never left out: ParseList refuses a
// longer one.
func (l List) Links(kind Kind, total int) []byte {
	b := make([]byte, 0, 256)
	if kind == Contents {
		b = l.appendSelf(b)
	}
	self := len(b)

	target := func(b []byte, page int) []byte {
		l.Page = page
		if kind == ListFile {
			return append(b, l.PageFile()...)
		}
		return l.AppendCanonical(append(b, '?'))
	}
	if b = appendLinks(b, l.Page, l.Pages(total), target); len(b) > maxLink {
		b = b[:self]
	}
	if len(b) == 0 {
		return nil
	}
	return b
}

// appendSelf appends the link of the list to itself, if it needs one.
func (l List) appendSelf(b []byte) []byte {
	if l.Data == "" && l.Show == (Show{}) {
		return b
	}
	return closeLink(l.AppendCanonical(append(openLink(b), '?')), relSelf)
}

// openLink begins a link in a list of links: its target comes next, then closeLink.
func openLink(b []byte) []byte {
	if len(b) > 0 {
		b = append(b, ", "...)
	}
	return append(b, '<')
}

func closeLink(b []byte, rel string) []byte {
	return append(append(append(b, `>; rel="`...), rel...), '"')
}

// SavedLinks is the Link value of a page of a saved search; empty if the search has only one page.
func SavedLinks(name string, page, pages int) []byte {
	if pages == 1 {
		return nil
	}
	return appendLinks(nil, page, pages, func(b []byte, page int) []byte { return append(b, SavedPage(name, page)...) })
}

func appendLinks(b []byte, page, last int, target func(b []byte, page int) []byte) []byte {
	link := func(page int, rel string) { b = closeLink(target(openLink(b), page), rel) }
	link(1, "first")
	if page > 1 {
		link(min(page-1, last), "prev")
	}
	if page < last {
		link(page+1, "next")
	}
	link(last, "last")
	return b
}
