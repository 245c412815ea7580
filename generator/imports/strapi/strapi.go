// Package strapi imports what `strapi export` writes, of the versions 4 and 5: an archive, or the folder
// into which one was unpacked. It takes content types, their components, relations and files; accounts,
// sessions, tokens and settings are left.
package strapi

import (
	"cmp"
	"context"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/source/exports"
	"contentedge/generator/spill"
)

// System is Strapi.
var System = imports.System{
	Name:     exports.Strapi,
	RichText: []plaintext.Format{plaintext.StrapiBlocks, plaintext.HTML},
	Read: func(ctx context.Context, j *imports.Job) error {
		im := &importer{
			j: j, models: map[string]*model{}, rel: newRelations(), rows: map[rowKey]*row{}, docs: map[rowKey]*document{},
			files: map[string]*file{}, components: map[rowKey]part{}, mainFields: map[string]string{},
		}
		return im.run(ctx)
	},
}

type importer struct {
	j          *imports.Job
	models     map[string]*model
	rel        *relations
	rows       map[rowKey]*row      // of content types
	docs       map[rowKey]*document // by type and id of the document
	order      []*document
	files      map[string]*file // by the id of the row
	components map[rowKey]part
	mainFields map[string]string // the field whose value names an entry, by type
	locales    imports.LocaleList
	standard   string // the default locale; "": unknown
	of         *imports.Locales
	spool      *spill.File
	room       int // bytes of components that the current row may still take: some are in several others
}

// part is a component that is an entity of its own.
type part struct {
	data *jsontree.Value
	size int // of its text
}

// row is a row of a content type: what is known without its data.
type row struct {
	doc       *document
	kind      string
	document  string // the id of the document; "" before version 5
	locale    string // "": the type has no locales
	published bool
	span      span // of its item in the spool
}

// document is an entry with its versions.
type document struct {
	model    *model
	id       string // of the source
	content  string // ContentID
	versions []*version
}

// version is an entry in a locale: published, as a draft, or both.
type version struct {
	locale           string
	published, draft *row
}

func (d *document) version(locale string) *version {
	for _, v := range d.versions {
		if v.locale == locale {
			return v
		}
	}
	return nil
}

// run reads the export twice: rows refer to what comes later.
func (im *importer) run(ctx context.Context) (err error) {
	files, err := read(ctx, im.j.Export, visit{
		exports.StrapiSchemas: im.schema, exports.StrapiConfiguration: im.configuration, exports.StrapiEntities: im.index, exports.StrapiLinks: func(v *jsontree.Value) error { im.rel.add(v); return nil },
	})
	if err != nil || files[exports.StrapiEntities] == 0 {
		return notExport(im.j.Export, err)
	}
	if files[exports.StrapiLinks] == 0 {
		im.j.Warn("the export has no file links/links_00001.jsonl, so entries have neither relations nor files", im.j.Export.Path)
	}
	if err := im.j.CheckLocales(im.locales.All); err != nil { // a document looks through its own
		return err
	}
	im.rel.sort()
	im.join()
	if im.of, err = im.j.Locales(im.defaultFirst()); err != nil {
		return err
	}
	if im.spool, err = spill.Temp("contentedge-strapi-"); err != nil {
		return err
	}
	defer im.spool.Close()
	if _, err := read(ctx, im.j.Export, visit{exports.StrapiEntities: im.render}); err != nil {
		return err
	}
	for _, d := range im.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := im.emit(d); err != nil {
			return err
		}
	}
	if im.rel.endless > 0 {
		im.j.WarnCount("links without an end are left out", im.rel.endless)
	}
	return im.accountFiles()
}

func (im *importer) schema(v *jsontree.Value) error {
	if v.Get("uid").Str() == "" && v.Get("schema").IsObject() { // the first versions wrap it
		v = v.Get("schema")
	}
	m := readModel(v)
	im.models[m.uid] = m
	if strings.HasPrefix(m.uid, contentTypes) {
		im.noteType(m)
	}
	return nil
}

// The keys of the configuration that are read. Others hold secrets of providers.
const (
	viewsOf       = "plugin_content_manager_configuration_content_types::"
	defaultLocale = "plugin_i18n_default_locale"
)

func (im *importer) configuration(v *jsontree.Value) error {
	key, value := v.Get("value", "key").Str(), v.Get("value", "value")
	switch kind, isView := strings.CutPrefix(key, viewsOf); {
	case isView:
		im.mainFields[kind] = inner(value).Get("settings", "mainField").Str()
	case key == defaultLocale:
		im.standard = cmp.Or(inner(value).Str(), value.Str())
	}
	return nil
}

// inner returns the value that a string holds as JSON; another value as it is.
func inner(v *jsontree.Value) *jsontree.Value {
	if !v.IsString() {
		return v
	}
	in, err := jsontree.Parse([]byte(v.Str()))
	if err != nil {
		return nil
	}
	return in
}

// contentTypes begins the types that editors define.
const contentTypes = "api::"

// index takes what a first reading of the entities finds out.
func (im *importer) index(v *jsontree.Value) error {
	key := rowKey{v.Get("type").Str(), v.Get("id").Text()}
	data := v.Get("data")
	switch {
	case strings.HasPrefix(key.kind, contentTypes):
		im.indexRow(key, data)
	case key.kind == uploads:
		im.files[key.id] = im.readFile(data)
	case key.kind == "plugin::i18n.locale":
		im.addLocale(data.Get("code").Str())
		im.skip(key.kind, "not content")
	case key.kind != "" && !strings.Contains(key.kind, "::"):
		text := data.Append(nil) // the value of the line is valid only during the call
		own, err := jsontree.Parse(text)
		if err != nil {
			return err
		}
		im.components[key] = part{own, len(text)}
		im.j.Read(key.kind)
		im.j.Merged(key.kind, "into the entries that hold it")
	case isUserType(key.kind):
		im.skip(key.kind, "accounts and their rights are not taken")
	default:
		im.skip(key.kind, "not content")
	}
	return nil
}

func (im *importer) skip(kind, why string) {
	if kind == "" {
		kind = "(no type)"
	}
	im.j.Read(kind)
	im.j.Skipped(kind, why)
}

func (im *importer) indexRow(key rowKey, data *jsontree.Value) {
	r := &row{
		kind: key.kind, document: data.Get("documentId").Str(), locale: data.Get("locale").Str(),
		published: !data.Get("publishedAt").IsNull(),
	}
	if im.rows[key] != nil {
		im.j.Read(key.kind)
		im.j.Merged(key.kind, "with the same row, which is here again")
		return
	}
	im.rows[key] = r
	im.j.Type(nameOf(key.kind)).Fields(data) // of a type without a schema it is all that is known
	im.addLocale(r.locale)
}

func (im *importer) addLocale(code string) {
	if code != "" {
		im.locales.Add(imports.Locale{Code: code})
	}
}
