// This file makes references of objects, texts and ids that are links.

package anyjson

import (
	"cmp"
	"slices"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
)

// field returns the value of a field with references for what are links in it.
func (im *importer) field(v *jsontree.Value, place string) *jsontree.Value {
	if changed := im.special(v, place); changed != nil {
		return changed
	}
	return im.change(im.unwrapped(v), place)
}

// change replaces links at any depth. An array of links to items is one reference.
func (im *importer) change(v *jsontree.Value, place string) *jsontree.Value {
	if changed := im.special(v, place); changed != nil {
		return changed
	}
	out := *v
	switch {
	case v.IsObject():
		out.Members = make([]jsontree.Member, len(v.Members))
		for i, m := range v.Members {
			out.Members[i] = jsontree.Member{Name: m.Name, Value: im.change(im.typed(m.Name, m.Value, place), place)}
		}
	case v.IsArray():
		return im.elements(v, place)
	}
	return &out
}

// elements replaces the links in an array.
func (im *importer) elements(v *jsontree.Value, place string) *jsontree.Value {
	out := *v
	out.Items = make([]*jsontree.Value, len(v.Items))
	ids, links := []string{}, len(v.Items) > 0
	for i, item := range v.Items {
		changed := im.special(item, place)
		if changed == nil {
			changed = im.change(item, place)
			links = false
		}
		out.Items[i] = changed
		to := changed.Get("ContentIDs").List()
		links = links && len(to) > 0
		for _, id := range to {
			ids = append(ids, id.Str())
		}
	}
	if links {
		return imports.Reference(ids...)
	}
	return &out
}

// finds reports whether a rule is for an object.
func (m match) finds(v *jsontree.Value) bool {
	if !v.IsObject() || len(m.has)+len(m.where) == 0 {
		return false
	}
	return !slices.ContainsFunc(m.has, func(p route) bool { return p.of(v) == nil }) &&
		!slices.ContainsFunc(m.where, func(c condition) bool { return c.at.of(v).Text() != c.word })
}

// special returns references for an object or a text that is a link or a file; nil for any other value.
func (im *importer) special(v *jsontree.Value, place string) *jsontree.Value {
	if found := im.fileOf(v, place); found != nil {
		return found
	}
	if v.IsString() {
		return im.textLink(v.Str(), place)
	}
	for i := range im.rules.links {
		l := &im.rules.links[i]
		ids := idsOf(first(l.id, v))
		if !l.finds(v) || len(ids) == 0 {
			continue
		}
		if kind := l.kind.in(v, ""); !l.inline || !slices.ContainsFunc(ids, func(id string) bool { return !im.has(kind, id) }) {
			return im.link(l, v, kind, ids, place)
		}
	}
	return nil
}

// link returns references to the items, or to the files, that an object names.
func (im *importer) link(l *link, v *jsontree.Value, kind string, ids []string, place string) *jsontree.Value {
	files := jsontree.Array()
	for _, id := range ids {
		if f, ok := im.files[id]; ok {
			f.AltText, f.Width, f.Height = cmp.Or(text(l.alt, v), f.AltText), cmp.Or(text(l.width, v), f.Width), cmp.Or(text(l.height, v), f.Height)
			files.Items = append(files.Items, f.Reference())
		}
	}
	switch {
	case len(files.Items) == len(ids) && len(ids) == 1:
		return files.Items[0]
	case len(files.Items) == len(ids):
		return files
	}
	var to []string
	for _, id := range ids {
		to = append(to, im.resolve(kind, id, place))
	}
	return imports.Reference(to...)
}

// textLink returns a reference for a text that is the id of an item or of a file, and looks like an id by the rules.
func (im *importer) textLink(id, place string) *jsontree.Value {
	if im.rules.textIDs == nil || len(id) > maxID || im.rules.textIDs.FindString(id) != id || id == im.id {
		return nil
	}
	if f, ok := im.files[id]; ok {
		return f.Reference()
	}
	if !im.has("", id) {
		return nil
	}
	return imports.Reference(im.resolve("", id, place))
}

// maxID bounds a text that is looked up as an id, in bytes.
const maxID = 1 << 10

// has reports whether the export has a file, or an item that is taken, with an id.
func (im *importer) has(kind, id string) bool {
	if _, ok := im.files[id]; ok {
		return true
	}
	return slices.ContainsFunc(im.known[id], func(of known) bool { return (kind == "" || of.kind == kind) && im.j.Type(of.kind).LeftOut() == "" })
}

// idsOf returns an id, or the ids in an array. It returns nothing for other values.
func idsOf(v *jsontree.Value) (ids []string) {
	for _, id := range list(v) {
		if !id.IsNumber() && id.Str() == "" {
			return nil
		}
		ids = append(ids, id.Text())
	}
	return ids
}

// resolve returns the ContentID of an item by its id or its key, and its type if that is known. An id
// that the export lacks gets one, so that a build reports it.
func (im *importer) resolve(kind, id, place string) string {
	found := im.known[id]
	for _, of := range found {
		if kind == "" || of.kind == kind {
			if kind == "" && len(found) > 1 {
				im.j.Warn("links name an id that items of several types have; the first is taken", place+" → "+documents.Cut(id))
			}
			return of.content
		}
	}
	im.j.Warn("links lead to items that the export lacks", place+" → "+describe(kind, id))
	return im.j.ContentID(kind, id)
}

// reference makes a reference of a field with an id, or with several, of items of a type.
func (im *importer) reference(data *jsontree.Value, name, kind, place string) {
	at := imports.Path(name)
	v := data.Get(at...)
	if v.IsNull() || v.IsArray() && len(v.Items) == 0 {
		return
	}
	var ids []string
	for _, item := range list(v) {
		id := item
		if item.IsObject() {
			id = first(im.rules.id, item)
		}
		if !id.IsNumber() && id.Str() == "" {
			im.j.Warn("values that the rules call references are not ids, and stay: "+name, place)
			return
		}
		ids = append(ids, im.resolveLoose(kind, id.Text()))
	}
	data.Get(at[:len(at)-1]...).Set(at[len(at)-1], imports.Reference(ids...))
}

// resolveLoose is resolve for types that another import may bring.
func (im *importer) resolveLoose(kind, id string) string {
	for _, of := range im.known[id] {
		if of.kind == kind {
			return of.content
		}
	}
	return im.j.ContentID(kind, id)
}
