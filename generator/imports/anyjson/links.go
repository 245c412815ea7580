// This file makes references of objects and ids that are links.

package anyjson

import (
	"path"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
)

// field returns the value of a field with references for what are links in it.
func (im *importer) field(v *jsontree.Value, place string) *jsontree.Value {
	if changed := im.special(v, place); changed != nil {
		return changed
	}
	if v.IsObject() {
		for _, r := range im.rules.value {
			if inner := r.of(v); inner != nil {
				return im.change(inner, place)
			}
		}
	}
	return im.change(v, place)
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
			out.Members[i] = jsontree.Member{Name: m.Name, Value: im.change(m.Value, place)}
		}
	case v.IsArray():
		out.Items = make([]*jsontree.Value, len(v.Items))
		for i, item := range v.Items {
			out.Items[i] = im.change(item, place)
		}
		if all := im.joined(v, out.Items); all != nil {
			return all
		}
	}
	return &out
}

// joined returns one reference for an array of objects that all became references to items.
func (im *importer) joined(v *jsontree.Value, items []*jsontree.Value) *jsontree.Value {
	var ids []string
	for i, item := range items {
		if item == v.Items[i] || im.linkOf(v.Items[i]) == nil {
			return nil
		}
		for _, id := range item.Get("ContentIDs").List() {
			ids = append(ids, id.Str())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return imports.Reference(ids...)
}

// finds reports whether an object is one of those that a rule is for.
func (m match) finds(v *jsontree.Value) bool {
	if !v.IsObject() {
		return false
	}
	for _, name := range m.has {
		if !v.Has(name) {
			return false
		}
	}
	for name, word := range m.where {
		if v.Get(name).Text() != word {
			return false
		}
	}
	return true
}

// linkOf returns the rule by which an object is a link; nil if it is none.
func (im *importer) linkOf(v *jsontree.Value) *link {
	for i := range im.rules.links {
		if l := &im.rules.links[i]; l.finds(v) && len(idsOf(first(l.id, v))) > 0 {
			return l
		}
	}
	return nil
}

// special returns a reference for an object that is a link or a file; nil for any other value.
func (im *importer) special(v *jsontree.Value, place string) *jsontree.Value {
	for i := range im.rules.media {
		if m := &im.rules.media[i]; m.finds(v) {
			if url := first(m.url, v).Str(); url != "" {
				return im.media(m, v, url)
			}
		}
	}
	l := im.linkOf(v)
	if l == nil {
		return nil
	}
	var ids []string
	for _, id := range idsOf(first(l.id, v)) {
		ids = append(ids, im.resolve(l.kind.in(v), id, place))
	}
	return imports.Reference(ids...)
}

// idsOf returns an id, or those of an array; nothing of other values.
func idsOf(v *jsontree.Value) (ids []string) {
	list := []*jsontree.Value{v}
	if v.IsArray() {
		list = v.Items
	}
	for _, id := range list {
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

func (im *importer) media(m *media, v *jsontree.Value, url string) *jsontree.Value {
	if strings.HasPrefix(url, "//") {
		url = "https:" + url
	}
	file, _, _ := strings.Cut(url, "?")
	text := func(paths []route) string { return first(paths, v).Text() }
	id := text(m.id)
	if id == "" {
		id = url
	}
	return imports.Media{
		ID: im.j.MediaID("file", id), URL: url, AltText: first(m.alt, v).Str(), Extension: strings.ToLower(strings.TrimPrefix(path.Ext(file), ".")),
		Width: text(m.width), Height: text(m.height), Size: text(m.size),
	}.Reference()
}

// reference makes a reference of a field with an id, or with several, of items of a type.
func (im *importer) reference(data *jsontree.Value, name, kind, place string) {
	at := imports.Path(name)
	v := data.Get(at...)
	if v.IsNull() || v.IsArray() && len(v.Items) == 0 {
		return
	}
	list := []*jsontree.Value{v}
	if v.IsArray() {
		list = v.Items
	}
	var ids []string
	for _, item := range list {
		id := item
		if item.IsObject() {
			id = first(im.rules.id, item)
		}
		if !id.IsNumber() && id.Str() == "" {
			im.j.Warn("values that the rules call references are no ids, and stay: "+name, place)
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
