// This file joins rows into documents.

package strapi

import (
	"cmp"
	"maps"
	"slices"

	"contentedge/generator/imports"
)

// localeList counts the locales of an export.
type localeList struct {
	standard string   // the default one; "": unknown
	codes    []string // in the order of the export
	counts   map[string]int
}

func (l *localeList) add(code string) {
	if code != "" && !slices.Contains(l.codes, code) {
		l.codes = append(l.codes, code)
	}
}

func (l *localeList) count(code string) {
	if code == "" {
		return
	}
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	l.counts[code]++
}

// sorted returns the locales, the default one first.
func (l *localeList) sorted() []imports.Locale {
	for _, code := range slices.Sorted(maps.Keys(l.counts)) {
		l.add(code)
	}
	slices.SortStableFunc(l.codes, func(a, b string) int {
		return cmp.Compare(rank(a == l.standard), rank(b == l.standard))
	})
	var all []imports.Locale
	for _, code := range l.codes {
		all = append(all, imports.Locale{Code: code, Count: l.counts[code]})
	}
	return all
}

func rank(first bool) int {
	if first {
		return 0
	}
	return 1
}

// join makes documents of rows. Version 5 ties a document's rows by its id; before, a row is a
// document, and links tie those of several locales.
func (im *importer) join() {
	keys := slices.SortedFunc(maps.Keys(im.rows), func(a, b rowKey) int {
		if a.kind != b.kind {
			return cmp.Compare(a.kind, b.kind)
		}
		return cmp.Or(cmp.Compare(len(a.id), len(b.id)), cmp.Compare(a.id, b.id))
	})
	for _, key := range keys {
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
		im.locales.count(r.locale)
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
