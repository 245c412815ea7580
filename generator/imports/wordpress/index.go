// This file reads an export a first time: who its authors are, which posts it has twice, and what
// others refer to.

package wordpress

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
)

// postKey names a post: ids are unique in a site, yet an export may be put together from several.
type postKey struct{ kind, id string }

// entry is what the index knows of a post.
type entry struct {
	line  int
	file  string
	sum   [sha256.Size]byte // of everything but its terms
	times int               // how often the export has it
	terms []postTerm        // of all posts
}

// attachment is a file of the site.
type attachment struct{ url, alt, width, height, size string }

// index is what a first reading finds out.
type index struct {
	authors     map[string]author // by login
	terms       map[string]*term  // by domain and slug
	posts       map[postKey]*entry
	kinds       map[string]string // of the posts by id, to find parents
	attachments map[string]*attachment
	private     map[string]bool // addresses of people
	linked      map[string]bool // attachments that posts show
	first       string          // the earliest date of a post
}

func newIndex() *index {
	return &index{
		authors: map[string]author{}, terms: map[string]*term{}, posts: map[postKey]*entry{}, kinds: map[string]string{},
		attachments: map[string]*attachment{}, private: map[string]bool{}, linked: map[string]bool{},
	}
}

func (x *index) addAuthor(a author) error {
	x.addPrivate(a.email)
	x.authors[a.login] = a
	return nil
}

// addDate takes the date of a post, as terms have no dates.
func (x *index) addDate(date string) {
	if date != "" && (x.first == "" || date < x.first) {
		x.first = date
	}
}

// link takes what a post shows.
func (x *index) link(p *post) {
	for _, m := range p.meta {
		if m.key == thumbnail {
			x.linked[m.value] = true
		}
	}
}

// addPrivate takes an address of a person: no value that holds it is taken.
func (x *index) addPrivate(address string) {
	const shortest = 6 // a@b.de, 1.2.3.4: a shorter text is not an address
	if address = strings.ToLower(strings.TrimSpace(address)); len(address) >= shortest {
		x.private[address] = true
	}
}

func termKey(domain, slug string) string { return domain + "\x00" + slug }

func (x *index) addTerm(t term) error {
	key := termKey(t.domain, t.slug)
	if x.terms[key] == nil { // files of one site repeat them
		x.terms[key] = &t
	}
	return nil
}

// addPost takes a post. It is an error if the export has another one with its id.
func (x *index) addPost(p *post, in *input) error {
	key := postKey{p.kind, p.id}
	sum := digest(p)
	known := x.posts[key]
	if known == nil {
		x.posts[key] = &entry{line: p.line, file: in.file.Show, sum: sum, times: 1, terms: p.terms}
		x.refer(p)
		return nil
	}
	if known.sum != sum {
		return in.faultAt(p.line, fmt.Sprintf("the %s with the id %s is here twice, and differs from the one at %s:%d", documents.Cut(p.kind), documents.Cut(p.id), known.file, known.line), "export again, or remove one of the two")
	}
	known.times++
	known.terms = mergeTerms(known.terms, p.terms)
	return in.checkTerms(known.terms)
}

// refer keeps what other posts need to refer to this one.
func (x *index) refer(p *post) {
	if p.kind != "attachment" {
		x.kinds[p.id] = p.kind
		return
	}
	a := &attachment{url: p.attachment}
	for _, m := range p.meta {
		switch m.key {
		case "_wp_attachment_image_alt":
			a.alt = m.value
		case "_wp_attachment_metadata":
			a.measure(m.value)
		}
	}
	x.attachments[p.id] = a
}

// measure reads what WordPress found out of a file.
func (a *attachment) measure(serialised string) {
	text, ok := unserialize(serialised)
	if !ok {
		return
	}
	v, err := jsontree.Parse(text)
	if err == nil {
		a.width, a.height, a.size = v.Get("width").Text(), v.Get("height").Text(), v.Get("filesize").Text()
	}
}

func mergeTerms(into, from []postTerm) []postTerm {
	for _, t := range from {
		if !slices.Contains(into, t) {
			into = append(into, t)
		}
	}
	return into
}

// digest returns the digest of a post without its terms and its place.
func digest(p *post) [sha256.Size]byte {
	q := *p
	q.terms, q.line, q.comments, q.unknown = nil, 0, 0, nil
	return sha256.Sum256(fmt.Appendf(nil, "%#v", q))
}
