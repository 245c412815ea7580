// This file turns entries into items.

package contentful

import (
	"context"
	"strconv"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/visibility"
)

func (s *space) convertEntries(ctx context.Context) error {
	return s.each("entries", func(v *jsontree.Value) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		typeID := typeOf(v)
		kind := kindOf(typeID)
		s.job.Read(kind)
		if why := s.job.Type(typeID).LeftOut(); why != "" {
			s.job.Skipped(kind, why)
			return nil
		}
		if s.localesSet.Members {
			return s.job.Item(kind, s.entry(v, typeID, ""))
		}
		var items []*imports.Item
		for _, code := range s.localesSet.Codes {
			items = append(items, s.entry(v, typeID, code))
		}
		return s.job.Item(kind, items...)
	})
}

// typeOf returns the id of an entry's type.
func typeOf(entry *jsontree.Value) string { return entry.Get("sys", "contentType", "sys", "id").Str() }

// hasType reports whether the export describes a type.
func (s *space) hasType(id string) bool {
	_, known := s.types[id]
	return known
}

// entry returns an entry as an item: in a locale, or with all locales as members.
func (s *space) entry(v *jsontree.Value, typeID, code string) *imports.Item {
	i := s.item(v, classEntry, typeID, code)
	t, known := s.types[typeID]
	if s.job.Options.TemplateNames {
		i.TemplateName = t.name
	}
	i.Data = jsontree.Object()
	if fields := v.Get("fields"); fields != nil {
		for _, f := range fields.Members {
			localized := t.localized[f.Name] || !known && len(f.Value.Members) != 1
			if value := s.field(f.Value, localized, t.plain[f.Name], code); value != nil {
				i.Data.Members = append(i.Data.Members, jsontree.Member{Name: f.Name, Value: value})
			}
		}
		i.Name = imports.TextOf(s.in(fields.Get(t.display), t.localized[t.display], s.nameLocale(code)))
	}
	s.addTags(v, i)
	return i
}

// nameLocale returns the locale of names: the locale of the item, or the default one.
func (s *space) nameLocale(code string) string {
	if code == "" {
		return s.standard
	}
	return code
}

// item returns an item with what entries and assets have in common.
func (s *space) item(v *jsontree.Value, class, typeID, code string) *imports.Item {
	sys := v.Get("sys")
	id := sys.Get("id").Str()
	i := &imports.Item{
		Env: s.localesSet.Env(code), Class: class, Type: typeID, ID: id, Locale: code, ContentID: s.job.ContentID(class, id),
		Status: statusOf(sys), CreatedAt: sys.Get("createdAt").Str(), UpdatedAt: sys.Get("updatedAt").Str(),
		CreatedBy: user(sys, "createdBy"), UpdatedBy: user(sys, "updatedBy"),
	}
	switch i.Status {
	case visibility.Changed:
		s.job.Warn("published, but the export holds later edits, which are unpublished: status "+visibility.Changed, class+" "+id)
		fallthrough
	case visibility.Published, visibility.Archived:
		i.PublishedAt, i.PublishedBy = sys.Get("publishedAt").Str(), user(sys, "publishedBy")
	}
	return i
}

// user returns the id of a user. The export has no names of users.
func user(sys *jsontree.Value, name string) string {
	id := sys.Get(name, "sys", "id").Str()
	if strings.Contains(id, "@") {
		return ""
	}
	return id
}

// statusOf returns the status. The management API counts a version when it publishes, so an entry
// without later edits has one more than was published. The delivery API has published entries only,
// with a revision and no version.
func statusOf(sys *jsontree.Value) string {
	version, published := number(sys.Get("version")), number(sys.Get("publishedVersion"))
	switch {
	case sys.Has("archivedVersion") || sys.Has("archivedAt"):
		return visibility.Archived
	case sys.Has("revision") && !sys.Has("version"):
		return visibility.Published
	case published == 0:
		return visibility.Draft
	case version > published+1:
		return visibility.Changed
	}
	return visibility.Published
}

func number(v *jsontree.Value) int64 {
	n, _ := strconv.ParseInt(v.Text(), 10, 64)
	return n
}

// field returns the value of a field: in a locale, or by locale if it is localized and all are taken.
func (s *space) field(field *jsontree.Value, localized, plain bool, code string) *jsontree.Value {
	if code != "" || !localized || !field.IsObject() {
		return s.value(s.in(field, localized, s.nameLocale(code)), plain, s.nameLocale(code))
	}
	all := jsontree.Object()
	for _, m := range field.Members {
		all.Members = append(all.Members, jsontree.Member{Name: m.Name, Value: s.value(m.Value, plain, m.Name)})
	}
	return all
}

// value converts a value of a field in a locale. It may be used again for another locale, so it is
// copied before it changes.
func (s *space) value(v *jsontree.Value, plain bool, code string) *jsontree.Value {
	switch {
	case v == nil || plain:
		return v
	case v.IsArray():
		return s.links(v, code)
	case linkOf(v) != "":
		return s.link(v, code)
	case plaintext.FormatOf(v) == plaintext.Contentful:
		v = v.Clone()
		s.richText(v, code)
	}
	return v
}

// addTags adds the names of an entry's tags, which are outside of the fields.
func (s *space) addTags(v *jsontree.Value, i *imports.Item) {
	list := jsontree.Array()
	for _, tag := range v.Get("metadata", "tags").List() {
		id := tag.Get("sys", "id").Str()
		if name := s.tags[id]; name != "" {
			id = name
		}
		list.Items = append(list.Items, jsontree.String(id))
	}
	switch {
	case len(list.Items) == 0:
	case i.Data.Has("metadata"):
		s.job.Warn("a field is called metadata, so the tags of its entry are left out", classEntry+" "+i.ID)
	default:
		i.Data.Set("metadata", jsontree.Object(jsontree.Member{Name: "tags", Value: list}))
	}
}
