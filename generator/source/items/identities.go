// This file finds by which values references name the items of a file, and what links need of the items, without making
// the items.

package items

import (
	"time"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
	"contentedge/generator/source/documents"
	"contentedge/generator/visibility"
)

// Identity is an item, and the values by which references name it in addition to its id.
type Identity struct {
	ID       string
	Names    []string
	Language string // that the name of the file ends in, or ""

	// Target is the item of a Markdown file as links lead to it, if nothing hides it; Visible decides about that.
	Target  documents.Target
	Visible visibility.Item
}

// Identities returns the identities of the items of a file. Items with faults are left out.
func (f *Format) Identities(r Rules, in documents.Input) (found []Identity) {
	m := maker{Rules: r, format: f}
	m.begins(in)
	entries, _ := m.entries(in.Text)
	for i := range entries {
		m.from, m.findings = &entries[i], nil
		m.read()
		m.locate()
		id, from := m.contentID()
		if id == "" || failed(m.findings) {
			continue
		}
		identity := Identity{ID: id, Language: m.suffix}
		if from != nil {
			text, _ := m.text(from)
			identity.Names = append(identity.Names, text)
		}
		if !m.from.listed || m.top(SlugMember) != nil {
			identity.Names = append(identity.Names, m.slug())
		}
		if f.Markdown {
			m.page(&identity)
		}
		found = append(found, identity)
	}
	return found
}

// page finds what links have to know of an item. It makes the fields of the item that say it.
func (m *maker) page(identity *Identity) {
	m.b.Object(m.begin())
	m.template()
	m.dates()
	m.status()
	m.expiry()
	m.b.EndObject()
	fields, _ := m.b.Record()
	identity.Visible = visibility.Item{Status: visibility.Published, PublishedAt: visibility.Always, ExpiresAt: visibility.Never}
	template := ""
	jsoncursor.Children(fields.JSON, 0, func(name []byte, at int) int {
		end := jsoncursor.ValueEnd(fields.JSON, at)
		if fields.JSON[at] != '"' {
			return end
		}
		switch text := string(jsoncursor.StringAt(fields.JSON, at)); string(jsoncursor.Unquote(name)) {
		case address.FieldTemplateName:
			template = text
		case address.FieldStatus:
			identity.Visible.Status = text
		case address.FieldPublishedAt:
			setMilli(&identity.Visible.PublishedAt, text)
		case visibility.FieldExpiresAt:
			setMilli(&identity.Visible.ExpiresAt, text)
		}
		return end
	})
	identity.Target = m.target(identity.ID, template)
}

// setMilli sets a time in Unix milliseconds.
func setMilli(to *int64, text string) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		*to = at.UnixMilli()
	}
}
