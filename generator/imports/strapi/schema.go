// This file reads the schemas of an export: which fields a type has, and of what kind they are.

package strapi

import (
	"cmp"
	"strings"

	"contentedge/generator/jsontree"
)

// model is a content type or a component.
type model struct {
	uid        string
	name       string // the type's name in the singular
	label      string
	single     bool // it has one entry, as a page has
	drafts     bool // a row without a publication is a draft
	known      bool // the export has its schema
	attributes []attribute
	byName     map[string]*attribute
}

// attribute is a field of a model.
type attribute struct {
	name, kind string
	component  string // of a component
	multiple   bool   // files, or components: an array
	localized  bool
	private    bool // Strapi's own interface never delivers it
	inverse    bool // the other side of a relation, which the type there holds
}

// isUserType reports whether the entities of a type are people with accounts, or what belongs to them.
func isUserType(uid string) bool {
	return strings.HasPrefix(uid, "admin::") || strings.HasPrefix(uid, "plugin::users-permissions.")
}

// newModel returns the model of a type without a schema.
func newModel(uid string) *model {
	return &model{uid: uid, name: nameOf(uid), byName: map[string]*attribute{}}
}

// nameOf returns the name of a type by its uid.
func nameOf(uid string) string { return uid[strings.LastIndexByte(uid, '.')+1:] }

func readModel(v *jsontree.Value) *model {
	m := newModel(v.Get("uid").Str())
	m.known = true
	m.name, m.label = cmp.Or(v.Get("info", "singularName").Str(), m.name), v.Get("info", "displayName").Str()
	m.single = v.Get("kind").Str() == "singleType"
	m.drafts = v.Get("options", "draftAndPublish").IsTrue()
	fields := v.Get("attributes")
	if fields == nil {
		return m
	}
	m.attributes = make([]attribute, 0, len(fields.Members))
	for _, f := range fields.Members {
		m.attributes = append(m.attributes, readAttribute(f.Name, f.Value))
	}
	for i := range m.attributes {
		m.byName[m.attributes[i].name] = &m.attributes[i]
	}
	return m
}

func readAttribute(name string, v *jsontree.Value) attribute {
	a := attribute{
		name: name, kind: v.Get("type").Str(), component: v.Get("component").Str(), inverse: v.Has("mappedBy"),
		multiple: v.Get("multiple").IsTrue() || v.Get("repeatable").IsTrue(), private: v.Get("private").IsTrue(),
		localized: true,
	}
	if local := v.Get("pluginOptions", "i18n", "localized"); local != nil {
		a.localized = local.IsTrue()
	}
	return a
}

// noteType records the facts that decide whether the type is people's data.
func (im *importer) noteType(m *model) {
	of := im.j.Type(m.name)
	if m.single {
		of.Single()
	}
	for _, a := range m.attributes {
		switch a.kind {
		case "email", "password":
			of.Contact(a.name)
		case "uid":
			of.Route()
		case "string", "text", "integer", "biginteger":
			of.Field(a.name)
		}
	}
}

// localizes reports whether a field has a value for each locale.
func (m *model) localizes(field string) bool {
	a := m.byName[field]
	return a == nil || a.localized
}
