// This file makes the data of a row: its fields, with components, and what its links say.

package strapi

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/bytesize"
	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/source/documents"
)

const (
	// maxInverse bounds a field that holds a relation from its other side: a tag may have a million articles, and each
	// article names the tag already.
	maxInverse = 10_000
	// maxComponents bounds how deep components that links join are nested.
	maxComponents = 32
	// partCost is what a component adds to an item's size in addition to its text, as an empty one takes memory, too.
	partCost = 64
)

// span is the place of a row's item in the spool, and a digest of its data.
type span struct {
	at   int64
	size int
	sum  [sha256.Size]byte
}

// system are fields of rows that their types do not have.
var system = map[string]bool{
	"id": true, "documentId": true, "createdAt": true, "updatedAt": true, "publishedAt": true, "locale": true, "localizations": true,
	"createdBy": true, "updatedBy": true, "strapi_stage": true, "strapi_assignee": true,
}

// componentType names the type of a component in its data.
const componentType = "__component"

// render stores what a row of a content type becomes.
func (im *importer) render(v *jsontree.Value) error {
	key := rowKey{v.Get("type").Str(), v.Get("id").Text()}
	r := im.rows[key]
	if r == nil || r.span.size > 0 {
		return nil
	}
	if im.j.Type(r.doc.model.name).LeftOut() != "" {
		return nil
	}
	data := v.Get("data")
	im.room = documents.MaxSize
	content := im.fields(r.doc.model, key, data, 0)
	if im.room < 0 {
		return &export.Fault{File: im.j.Export.Path, Message: fmt.Sprintf("the components of %s %s, one in the other, have more than %s", documents.Cut(key.kind), documents.Cut(key.id), bytesize.Format(documents.MaxSize)), Hint: "export it again: its links may be damaged"}
	}
	r.span.sum = r.doc.model.digest(content)
	stored := jsontree.Object(jsontree.Member{Name: "data", Value: content})
	for _, name := range []string{"createdAt", "updatedAt", "publishedAt"} {
		stored.Set(name, jsontree.String(data.Get(name).Str()))
	}
	if field := im.mainFields[key.kind]; field != "" && !system[field] {
		stored.Set("name", jsontree.String(imports.TextOf(data.Get(field))))
	}
	text := stored.Append(nil)
	r.span.size, r.span.at = len(text), im.spool.Reserve(len(text))
	_, err := im.spool.WriteAt(text, r.span.at)
	return err
}

// digest returns the digest of the data, without relations that the other side holds: they belong to edits of the other
// side.
func (m *model) digest(data *jsontree.Value) [sha256.Size]byte {
	own := jsontree.Object()
	for _, f := range data.Members {
		if a := m.byName[f.Name]; a == nil || !a.inverse {
			own.Members = append(own.Members, f)
		}
	}
	return sha256.Sum256(own.Append(nil))
}

// stored returns what render stored.
func (im *importer) stored(r *row) (*jsontree.Value, error) {
	text := make([]byte, r.span.size)
	if _, err := im.spool.ReadAt(text, r.span.at); err != nil {
		return nil, err
	}
	return jsontree.Parse(text)
}

// fields returns the fields of a row, or of a component in one.
func (im *importer) fields(m *model, key rowKey, data *jsontree.Value, depth int) *jsontree.Value {
	object := jsontree.Object()
	out := jsontree.NewFields(object)
	if data.IsObject() {
		for _, f := range data.Members {
			if v := im.field(m, f.Name, f.Value, depth); v != nil {
				out.Set(f.Name, v)
			}
		}
	}
	links := im.rel.fields[key]
	if !m.known {
		for _, name := range slices.Sorted(maps.Keys(links)) {
			im.linked(out, &attribute{name: name, kind: "relation"}, links[name], depth)
		}
		return object
	}
	for i := range m.attributes {
		a := &m.attributes[i]
		if targets := links[a.name]; len(targets) > 0 && !system[a.name] && !im.leaves(m, a) {
			im.linked(out, a, targets, depth)
		}
	}
	return object
}

// leaves reports whether a field is left out: passwords, and what Strapi's own interface keeps back.
func (im *importer) leaves(m *model, a *attribute) bool {
	switch {
	case a.kind == "password":
		im.j.Warn("the field "+m.name+"."+a.name+" is left out, as it holds passwords", "")
	case a.private:
		im.j.Warn("the field "+m.name+"."+a.name+" is left out, as it is private in Strapi", "")
	default:
		return false
	}
	return true
}

// field returns the value of a field of a row's data; nil leaves it out.
func (im *importer) field(m *model, name string, v *jsontree.Value, depth int) *jsontree.Value {
	if name == componentType {
		return v
	}
	if system[name] {
		return nil
	}
	a := m.byName[name]
	switch {
	case a == nil && m.known:
		im.j.Warn("fields that the schema lacks are left out: "+m.name+"."+name, "")
		return nil
	case a == nil:
		return v.Clone()
	case im.leaves(m, a), a.kind == "relation", a.kind == "media":
		return nil // links have them
	case a.kind == "component" || a.kind == "dynamiczone":
		return im.component(a, v, depth)
	}
	return v.Clone()
}

// component returns a component, or an array of components, without their ids: these are the ids of rows, which change.
func (im *importer) component(a *attribute, v *jsontree.Value, depth int) *jsontree.Value {
	switch {
	case v.IsArray():
		out := jsontree.Array()
		for _, item := range v.Items {
			out.Items = append(out.Items, im.component(a, item, depth))
		}
		return out
	case !v.IsObject():
		return v.Clone()
	}
	kind := a.component
	if dynamic := v.Get(componentType).Str(); dynamic != "" {
		kind = dynamic
	}
	return im.fields(im.modelOf(kind), rowKey{kind, v.Get("id").Text()}, v, depth+1)
}

// linked sets a field to what its links lead to.
func (im *importer) linked(out *jsontree.Fields, a *attribute, targets []target, depth int) {
	var files, parts []*jsontree.Value
	var ids []string
	seen := map[string]bool{}
	for _, t := range targets {
		switch {
		case t.row.kind == uploads:
			if !seen[t.row.id] {
				seen[t.row.id] = true
				files = append(files, im.file(t.row.id))
			}
		case !strings.Contains(t.row.kind, "::"):
			if part := im.part(a, t.row, depth); part != nil {
				parts = append(parts, part)
			}
		default:
			if id := im.contentOf(t.row); !seen[id] {
				seen[id] = true
				ids = append(ids, id)
			}
		}
	}
	switch {
	case len(ids) > maxInverse && a.kind == "relation":
		im.j.Warn(fmt.Sprintf("relations to more than %d items are left out: %s; those items refer back", maxInverse, a.name), "")
	case len(ids) > 0:
		out.Set(a.name, imports.Reference(ids...))
	}
	if list := append(files, parts...); len(list) > 0 && !out.Has(a.name) {
		out.Set(a.name, oneOrAll(list, a.multiple || a.kind == "dynamiczone"))
	}
}

func oneOrAll(list []*jsontree.Value, all bool) *jsontree.Value {
	if len(list) == 1 && !all {
		return list[0]
	}
	return jsontree.Array(list...)
}

// part returns a component that is an entity of its own; nil where it is missing, or inside itself.
func (im *importer) part(a *attribute, key rowKey, depth int) *jsontree.Value {
	own, ok := im.components[key]
	if !ok || depth >= maxComponents || im.room < 0 {
		return nil
	}
	im.room -= own.size + partCost
	part := im.fields(im.modelOf(key.kind), key, own.data, depth+1)
	if a.kind == "dynamiczone" && !part.Has(componentType) {
		part.Members = slices.Insert(part.Members, 0, jsontree.Member{Name: componentType, Value: jsontree.String(key.kind)})
	}
	return part
}

// contentOf returns the ContentID of a row's document. A row that the export lacks gets one, so that
// the build reports the reference.
func (im *importer) contentOf(key rowKey) string {
	if r := im.rows[key]; r != nil {
		return r.doc.content
	}
	im.j.Warn("relations lead to entries that the export lacks", key.kind+" "+key.id)
	return im.j.ContentID(key.kind, "row "+key.id)
}
