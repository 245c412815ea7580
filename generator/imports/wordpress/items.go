// This file makes items of posts and terms.

package wordpress

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/visibility"
)

// thumbnail is the key of the meta value with the id of a post's image.
const thumbnail = "_thumbnail_id"

// The types of posts that are not content of their own.
const (
	attachments = "attachment"
	menuEntries = "nav_menu_item"
)

// messages are types of posts with which plugins keep the messages of forms, where the name does not say so.
var messages = []string{"flamingo_inbound", "flamingo_outbound", "nf_sub", "wpforms_entry"}

// internal are types of posts with which WordPress and its plugins keep settings and copies.
var internal = map[string]bool{
	"revision": true, "custom_css": true, "customize_changeset": true, "oembed_cache": true, "wp_global_styles": true, "wp_template": true,
	"wp_template_part": true, "wp_font_family": true, "wp_font_face": true, "acf-field": true, "acf-field-group": true, "scheduled-action": true,
	"wpcf7_contact_form": true,
}

// notTerms are taxonomies with which WordPress keeps menus, formats and themes.
var notTerms = map[string]bool{"nav_menu": true, "post_format": true, "wp_theme": true, "link_category": true, "wp_template_part_area": true, "wp_pattern_category": true}

// skips says why a post is not taken; "" if it is.
func (im *importer) skips(p *post) string {
	switch {
	case p.kind == "":
		return "it has no type"
	case p.id == "":
		return "it has no id"
	case internal[p.kind]:
		return "a part of WordPress itself"
	case p.status == "trash" || p.status == "auto-draft":
		return "its status is " + p.status
	case p.kind == menuEntries && !im.Menus:
		return "--menus takes the entries of menus"
	}
	of := im.j.Type(p.kind)
	if slices.Contains(messages, p.kind) {
		of.Holds("the messages of forms")
	}
	return of.LeftOut()
}

// post makes an item of a post.
func (im *importer) post(p *post) error {
	for range p.comments {
		im.j.Read("comment")
		im.j.Skipped("comment", "comments are not taken")
	}
	kind := cmp.Or(p.kind, "(no type)")
	im.j.Read(kind)
	if why := im.skips(p); why != "" {
		im.j.Skipped(kind, why)
		return nil
	}
	key := postKey{p.kind, p.id}
	switch {
	case im.met[key]:
		im.j.Merged(kind, "with the same one, which is here again")
		return nil
	case p.kind == attachments && !im.j.Options.AssetItems && im.x.linked[p.id]:
		im.j.Merged(kind, "into the posts that show it")
		return nil
	case p.kind == attachments && !im.j.Options.AssetItems:
		im.j.Skipped(kind, "no post shows it; --assets items takes it")
		return nil
	}
	im.met[key] = true
	p.terms = im.x.posts[key].terms
	for _, name := range p.unknown {
		im.j.Warn("elements that are not known are left out: <"+name+">", place(p))
	}
	return im.j.Item(kind, im.item(p))
}

func place(p *post) string { return p.kind + " " + p.id }

func (im *importer) item(p *post) *imports.Item {
	date := im.clock.time(p.dateGMT, p.date)
	edited, _ := im.clock.read(p.modifiedGMT, p.modified)
	item := &imports.Item{
		Class: p.kind, Type: p.kind, ID: p.id, ContentID: im.j.ContentID(p.kind, p.id),
		Name: cmp.Or(plaintext.FromHTML(p.title), p.name), TemplateName: p.kind, Status: im.status(p),
		CreatedAt: date, UpdatedAt: cmp.Or(edited, date), CreatedBy: im.person(p.creator),
		Data: im.data(p),
	}
	if item.Status != visibility.Draft && item.Status != visibility.InReview {
		item.PublishedAt = date
	}
	if p.protected {
		item.Status = visibility.Private
	}
	return item
}

// status maps the status of a post.
func (im *importer) status(p *post) string {
	switch p.status {
	case "inherit": // of files
		return visibility.Published
	case "":
		im.j.Warn("items have no status, and become drafts", place(p))
		return visibility.Draft
	}
	status, _ := visibility.Status(p.status)
	return status
}

// person returns the name of an author by the login, which stands for a name that is not there. An
// address is neither.
func (im *importer) person(login string) string {
	a := im.x.authors[login]
	for _, name := range []string{a.name, strings.TrimSpace(a.first + " " + a.last), login} {
		if name = strings.TrimSpace(name); name != "" && !imports.IsAddress(name) {
			return name
		}
	}
	return ""
}

// data collects the fields of a post. Fields without a value are left out.
func (im *importer) data(p *post) *jsontree.Value {
	d := jsontree.Object()
	text := func(name, value string) {
		if value != "" {
			d.Set(name, jsontree.String(value))
		}
	}
	text("title", p.title)
	text("slug", p.name)
	text("link", p.link)
	im.texts(d, p)
	if p.kind == attachments {
		d.Set("file", im.media(p.id).Reference())
	}
	if p.parent != "" && p.parent != "0" {
		d.Set("parent", imports.Reference(im.j.ContentID(cmp.Or(im.x.kinds[p.parent], p.kind), p.parent)))
	}
	for _, m := range p.meta {
		if m.key == thumbnail && m.value != "" && m.value != "0" {
			d.Set("thumbnail", im.media(m.value).Reference())
		}
	}
	im.postTerms(d, p)
	if p.sticky {
		d.Set("sticky", jsontree.Raw("true"))
	}
	if p.menuOrder != "" && p.menuOrder != "0" {
		d.Set("menuOrder", number(p.menuOrder))
	}
	im.meta(d, p)
	return d
}

// texts takes content and excerpt, each with its plain text next to it.
func (im *importer) texts(d *jsontree.Value, p *post) {
	countShortcodes(p.content, im.shortcodes)
	for _, of := range []struct{ name, text string }{{"content", p.content}, {"excerpt", p.excerpt}} {
		if of.text == "" {
			continue
		}
		plain := plain(of.text)
		if im.Paragraphs {
			of.text = paragraphs(of.text)
		}
		d.Set(of.name, jsontree.String(of.text))
		if plain != "" && (of.name == "content" || plain != of.text) {
			d.Set(of.name+imports.TextSuffix, jsontree.String(plain))
		}
	}
}

func number(text string) *jsontree.Value {
	if v, err := jsontree.Parse([]byte(text)); err == nil && v.IsNumber() {
		return v
	}
	return jsontree.String(text)
}

// media returns what is known of an attachment.
func (im *importer) media(id string) imports.Media {
	m := imports.Media{ID: im.j.MediaID(attachments, id)}
	a := im.x.attachments[id]
	if a == nil {
		im.j.Warn("references to files that the export lacks have no address", attachments+" "+id)
		return m
	}
	m.URL, m.AltText, m.Width, m.Height, m.Size = a.url, a.alt, a.width, a.height, a.size
	m.Extension = strings.ToLower(strings.TrimPrefix(path.Ext(a.url), "."))
	return m
}
