// This file reads an item of an export.

package wordpress

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// ignored are elements of items that are known and not taken: they repeat others, or say how
// WordPress shows the item.
var ignored = map[string]bool{
	"pubDate": true, "guid": true, "description": true, "comment_status": true, "ping_status": true,
}

func (r *wxr) post() (*post, error) {
	p := &post{line: r.in.line}
	var password, sticky string
	into := map[string]*string{
		"title": &p.title, "link": &p.link, "creator": &p.creator,
		"post_id": &p.id, "post_type": &p.kind, "status": &p.status, "post_name": &p.name,
		"post_date": &p.date, "post_date_gmt": &p.dateGMT, "post_modified": &p.modified, "post_modified_gmt": &p.modifiedGMT,
		"post_parent": &p.parent, "menu_order": &p.menuOrder, "attachment_url": &p.attachment,
		"post_password": &password, "is_sticky": &sticky,
	}
	r.size = 0
	err := r.children(func(start xml.StartElement) error { return r.postPart(p, into, start) })
	p.protected, p.sticky = password != "", sticky == "1"
	return p, err
}

// postPart reads an element of an item.
func (r *wxr) postPart(p *post, into map[string]*string, start xml.StartElement) (err error) {
	name, space := start.Name.Local, start.Name.Space
	switch to := into[name]; {
	case to != nil && ours(name, space):
		*to, err = r.text()
		return err
	case name == "encoded" && isExcerpt(space):
		p.excerpt, err = r.text()
		return err
	case name == "encoded":
		p.content, err = r.text()
		return err
	case name == "category" && space == "":
		return r.postTerm(p, start)
	case name == "postmeta":
		return r.meta(p)
	case name == "comment" && isWordPress(space):
		return r.comment(p)
	case !ignored[name]:
		p.unknown = append(p.unknown, name)
	}
	return r.skip(start)
}

// ours reports whether an element with that name is one of an export, not of another module of RSS
// such as <media:title>.
func ours(name, space string) bool {
	switch name {
	case "title", "link":
		return space == ""
	case "creator":
		return true
	}
	return isWordPress(space)
}

func isExcerpt(space string) bool {
	return space == "excerpt" || isWordPress(space) && strings.Contains(space, "excerpt")
}

// maxTerms bounds the terms of an item: each is compared with all earlier ones.
const maxTerms = 5_000

func (r *wxr) postTerm(p *post, start xml.StartElement) (err error) {
	t := postTerm{domain: "category"} // the first exports name no domain
	for _, a := range start.Attr {
		switch a.Name.Local {
		case "domain":
			t.domain = a.Value
		case "nicename":
			t.slug = a.Value
		}
	}
	if t.domain == "tag" {
		t.domain = "post_tag"
	}
	if t.label, err = r.text(); err != nil {
		return err
	}
	for i := range p.terms { // the first exports have each term twice, with and without its slug
		if known := &p.terms[i]; known.domain == t.domain && known.label == t.label && (known.slug == "" || t.slug == "") {
			if t.slug != "" {
				known.slug = t.slug
			}
			return nil
		}
	}
	p.terms = append(p.terms, t)
	return r.in.checkTerms(p.terms)
}

// checkTerms refuses more terms than an item may have.
func (in *input) checkTerms(terms []postTerm) error {
	if len(terms) > maxTerms {
		return in.fault(fmt.Sprintf("an item has more than %d terms", maxTerms), "the file may be damaged: the end of an item is missing before this line")
	}
	return nil
}

func (r *wxr) meta(p *post) error {
	var m metaValue
	err := r.children(func(start xml.StartElement) (err error) {
		switch start.Name.Local {
		case "meta_key":
			m.key, err = r.text()
		case "meta_value":
			m.value, err = r.text()
		default:
			err = r.skip(start)
		}
		return err
	})
	p.meta = append(p.meta, m)
	return err
}

// comment counts a comment. The visitor gets the author, so that the import can find the addresses elsewhere. The rest
// of the comment is not read.
func (r *wxr) comment(p *post) error {
	p.comments++
	size := r.size // comments are not part of the item
	defer func() { r.size = size }()
	return r.children(func(start xml.StartElement) error {
		switch start.Name.Local {
		case "comment_author_email", "comment_author_IP":
			address, err := r.text()
			if err == nil && r.visit.private != nil {
				r.visit.private(address)
			}
			return err
		}
		return r.skip(start)
	})
}
