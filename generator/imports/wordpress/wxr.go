// This file reads WXR, the format of WordPress' exports: RSS with further elements. It is read as a
// stream, and elements are found by their local names: the namespaces differ by version, and are
// written with http and with https.

package wordpress

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"contentedge/generator/source/documents"
)

// maxElements bounds how deep elements are nested: exports have six levels.
const maxElements = 32

// post is an item of an export: a post, a page, an attachment, anything. Its fields are the elements
// that importing takes; the password of a post is only known to be there.
type post struct {
	line                                  int
	id, kind, status, title, name, link   string
	creator, content, excerpt, attachment string
	date, dateGMT, modified, modifiedGMT  string
	parent, menuOrder                     string
	sticky, protected                     bool
	terms                                 []postTerm
	meta                                  []metaValue
	comments                              int
	unknown                               []string // names of elements that the import does not read
}

// postTerm is a category, a tag or another term of a post.
type postTerm struct{ domain, slug, label string }

type metaValue struct{ key, value string }

// author is one of the channel's authors. The e-mail address is kept to find it elsewhere, and
// never leaves this package.
type author struct{ id, login, email, name, first, last string }

// term is a category, a tag or another term of the channel.
type term struct {
	line int
	file string

	id, domain, slug, parent, label, description string
}

// visitor takes the parts of an export in their order.
type visitor struct {
	author  func(author) error
	term    func(term) error
	post    func(*post) error
	private func(string) // addresses of people, from comments
}

// wxr reads one file.
type wxr struct {
	in     *input
	d      *xml.Decoder
	visit  visitor
	depth  int
	export bool // an element of WordPress' namespaces was seen
	size   int  // of the values of the current item, in bytes
}

// readWXR gives the parts of an export to a visitor.
func readWXR(in *input, visit visitor) error {
	r := &wxr{in: in, d: xml.NewDecoder(in), visit: visit}
	r.d.Entity = xml.HTMLEntity
	start, err := r.root()
	if err != nil {
		return r.explain(err)
	}
	if start.Name.Local != "rss" {
		return r.in.fault(fmt.Sprintf("the file begins with <%s>, not with <rss>: it is not an export of WordPress", documents.Cut(start.Name.Local)), howto)
	}
	if err := r.channels(); err != nil {
		return r.explain(err)
	}
	if err := r.rest(); err != nil {
		return r.explain(err)
	}
	if !r.export {
		return r.in.fault("this is a feed (RSS), not an export of WordPress: no element is of the namespace wordpress.org/export", howto)
	}
	return nil
}

// rest reads to the end of the file, and refuses another element.
func (r *wxr) rest() error {
	for {
		token, err := r.token()
		switch t := token.(type) {
		case nil:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case xml.CharData:
			if strings.TrimSpace(string(t)) != "" {
				return r.in.fault("there is more after the end of the export", "import several exports as files of a folder")
			}
		case xml.StartElement:
			return r.in.fault("there is more after the end of the export", "import several exports as files of a folder")
		}
	}
}

// root returns the first element.
func (r *wxr) root() (xml.StartElement, error) {
	for {
		token, err := r.token()
		if errors.Is(err, io.EOF) {
			return xml.StartElement{}, r.in.fault("the file has no element: it is not an export of WordPress", howto)
		}
		if err != nil {
			return xml.StartElement{}, err
		}
		if start, ok := token.(xml.StartElement); ok {
			return start, nil
		}
		if text, ok := token.(xml.CharData); ok && strings.TrimSpace(string(text)) != "" {
			return xml.StartElement{}, r.in.fault("the file is not XML: it begins with text", howto)
		}
	}
}

// token returns the next token. Declarations of entities are refused, never expanded.
func (r *wxr) token() (xml.Token, error) {
	r.in.token = 0
	token, err := r.d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case xml.Directive:
		return nil, r.in.fault(fmt.Sprintf("the file has a declaration, %s: exports of WordPress have none", documents.Quoted("<!"+string(t)+">")), howto)
	case xml.StartElement:
		if r.depth++; r.depth > maxElements {
			return nil, r.in.fault(fmt.Sprintf("elements are nested more than %d deep here", maxElements), "")
		}
		if isWordPress(t.Name.Space) {
			r.export = true
		}
	case xml.EndElement:
		r.depth--
	}
	return token, nil
}

// explain gives an error of the decoder its line.
func (r *wxr) explain(err error) error {
	var syntax *xml.SyntaxError
	switch {
	case errors.As(err, &syntax) && strings.Contains(syntax.Msg, "unexpected EOF"):
		return r.in.fault("the file ends in the middle of an element", "the export or its download was cut off: export again")
	case errors.As(err, &syntax):
		return r.in.faultAt(syntax.Line, "the file is not valid XML: "+syntax.Msg, "export again, or correct this line")
	case errors.Is(err, io.EOF):
		return r.in.fault("the file ends in the middle of an element", "the export or its download was cut off: export again")
	case strings.HasPrefix(err.Error(), "xml: encoding"):
		return r.in.faultAt(1, "the file is not UTF-8: "+strings.TrimPrefix(err.Error(), "xml: "), "convert it, for example with iconv")
	case strings.HasPrefix(err.Error(), "xml: "):
		return r.in.fault("the file is not valid XML: "+strings.TrimPrefix(err.Error(), "xml: "), "export again, or correct this line")
	}
	return err
}

// isWordPress reports whether a namespace is one of WXR; a prefix that no namespace declares stays
// as it is.
func isWordPress(space string) bool {
	return strings.Contains(space, "wordpress.org/export/") || space == "wp"
}

// children calls do for each element in the current one, until its end. do reads the element to its end.
func (r *wxr) children(do func(xml.StartElement) error) error {
	for {
		token, err := r.token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := do(t); err != nil {
				return err
			}
		case xml.EndElement:
			return nil
		}
	}
}

// skip reads the current element to its end.
func (r *wxr) skip(xml.StartElement) error { return r.children(r.skip) }

// text returns the text of the current element, without the text of elements inside.
func (r *wxr) text() (string, error) {
	var text strings.Builder
	for {
		token, err := r.token()
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.CharData:
			text.Write(t)
			if r.size += len(t); r.size > documents.MaxSize {
				return "", r.in.fault(fmt.Sprintf("this item has more than %d bytes", documents.MaxSize), "the file may be damaged: the end of an item is missing before this line")
			}
		case xml.StartElement:
			if err := r.skip(t); err != nil {
				return "", err
			}
		case xml.EndElement:
			return text.String(), nil
		}
	}
}

// texts reads the children of the current element into strings by their local names.
func (r *wxr) texts(into map[string]*string) error {
	r.size = 0
	return r.children(func(start xml.StartElement) (err error) {
		to := into[start.Name.Local]
		if to == nil {
			return r.skip(start)
		}
		*to, err = r.text()
		return err
	})
}

func (r *wxr) channels() error {
	return r.children(func(start xml.StartElement) error {
		if start.Name.Local != "channel" {
			return r.skip(start)
		}
		return r.children(r.part)
	})
}

// part reads an element of the channel.
func (r *wxr) part(start xml.StartElement) error {
	if start.Name.Local == "item" {
		p, err := r.post()
		if err != nil {
			return err
		}
		return r.visit.post(p)
	}
	if !isWordPress(start.Name.Space) {
		return r.skip(start)
	}
	t := term{line: r.in.line, file: r.in.file.Show}
	switch start.Name.Local {
	case "author":
		return r.author()
	case "category":
		t.domain = "category"
		return r.term(&t, map[string]*string{"term_id": &t.id, "category_nicename": &t.slug, "category_parent": &t.parent, "cat_name": &t.label, "category_description": &t.description})
	case "tag":
		t.domain = "post_tag"
		return r.term(&t, map[string]*string{"term_id": &t.id, "tag_slug": &t.slug, "tag_name": &t.label, "tag_description": &t.description})
	case "term":
		return r.term(&t, map[string]*string{"term_id": &t.id, "term_taxonomy": &t.domain, "term_slug": &t.slug, "term_parent": &t.parent, "term_name": &t.label, "term_description": &t.description})
	}
	return r.skip(start)
}

func (r *wxr) author() error {
	var a author
	err := r.texts(map[string]*string{
		"author_id": &a.id, "author_login": &a.login, "author_email": &a.email,
		"author_display_name": &a.name, "author_first_name": &a.first, "author_last_name": &a.last,
	})
	if err != nil {
		return err
	}
	return r.visit.author(a)
}

func (r *wxr) term(t *term, into map[string]*string) error {
	err := r.texts(into)
	if err != nil {
		return err
	}
	return r.visit.term(*t)
}
