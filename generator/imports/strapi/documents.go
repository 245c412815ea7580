// This file joins rows into documents.

package strapi

import (
	"maps"
	"slices"
	"strings"

	"contentedge/generator/imports"
)

// defaultFirst returns the locales by their codes, the default one first.
func (im *importer) defaultFirst() []imports.Locale {
	all := slices.SortedFunc(slices.Values(im.locales.All), func(a, b imports.Locale) int { return strings.Compare(a.Code, b.Code) })
	if i := slices.IndexFunc(all, func(l imports.Locale) bool { return l.Code == im.standard }); i > 0 {
		return slices.Concat(all[i:i+1], all[:i], all[i+1:])
	}
	return all
}

// join makes documents from rows. Version 5 ties a document's rows by its id. In older versions a row is a document,
// and links tie the rows of several locales.
func (im *importer) join() {
	for _, key := range slices.SortedFunc(maps.Keys(im.rows), compareRows) {
		r := im.rows[key]
		name := rowKey{key.kind, r.document}
		if r.document == "" {
			name = im.rel.first(key)
		}
		d := im.docs[name]
		if d == nil {
			d = &document{model: im.modelOf(key.kind), id: name.id, content: im.j.ContentID(key.kind, name.id)}
			im.docs[name] = d
			im.order = append(im.order, d)
		}
		r.doc = d
		im.place(key, r)
	}
}

func (im *importer) modelOf(kind string) *model {
	if m := im.models[kind]; m != nil {
		return m
	}
	im.j.Warn("the export has no schema of the type "+kind+", so all its fields are taken", "")
	m := newModel(kind)
	im.models[kind] = m
	return m
}

// place makes a row the published or the draft one of its document. A further one is merged.
func (im *importer) place(key rowKey, r *row) {
	im.j.Read(key.kind)
	v := r.doc.version(r.locale)
	if v == nil {
		v = &version{locale: r.locale}
		if r.locale != "" {
			im.locales.Count(r.locale)
		}
		r.doc.versions = append(r.doc.versions, v)
	}
	at := &v.draft
	if r.published || r.document == "" && !r.doc.model.drafts {
		at = &v.published
	}
	if *at != nil {
		im.j.Merged(key.kind, "with another row of the same version")
		im.j.Warn("rows repeat a version of their document", key.kind+" "+key.id)
		return
	}
	*at = r
}
