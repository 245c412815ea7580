// This file finds by which values references name the items of a file, without making the items.

package items

import (
	"contentedge/generator/source/documents"
)

// Identity is an item, and the values by which references name it beside its id.
type Identity struct {
	ID    string
	Names []string
}

// Identities returns the identities of the items of a file. Items with faults have none.
func (f *Format) Identities(r Rules, in documents.Input) (found []Identity) {
	m := maker{Rules: r, format: f, in: in, base: basePath(in.Path)}
	entries, _ := m.entries(in.Text)
	for i := range entries {
		m.from, m.findings = &entries[i], nil
		m.read()
		id, from := m.contentID()
		if id == "" || failed(m.findings) {
			continue
		}
		identity := Identity{ID: id}
		if from != nil {
			text, _ := m.text(from)
			identity.Names = append(identity.Names, text)
		}
		if !m.from.listed || m.top(SlugMember) != nil {
			identity.Names = append(identity.Names, m.slug())
		}
		found = append(found, identity)
	}
	return found
}
