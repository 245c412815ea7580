// This file makes items of documents.

package strapi

import (
	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

// emit makes the items of a document, and accounts for its rows.
func (im *importer) emit(d *document) error {
	if why := im.j.Type(d.model.name).LeftOut(); why != "" {
		for _, v := range d.versions {
			im.rowsOf(v, func(kind string) { im.j.Skipped(kind, why) })
		}
		return nil
	}
	if im.of.Members {
		return im.emitMembers(d)
	}
	for _, v := range d.versions {
		codes := im.codesOf(v.locale)
		if len(codes) == 0 {
			im.rowsOf(v, func(kind string) { im.j.Skipped(kind, "its locale is left out") })
			continue
		}
		main := v.main()
		item, err := im.item(d, v)
		if err != nil {
			return err
		}
		var items []*imports.Item
		for _, code := range codes {
			copied := *item
			copied.Locale, copied.Env, copied.Data = v.locale, im.of.Env(code), item.Data.Clone()
			items = append(items, &copied)
		}
		if err := im.j.Item(main.kind, items...); err != nil {
			return err
		}
		im.mergeDraft(v)
	}
	return nil
}

// codesOf returns the locales whose environments get a version. One without a locale goes into each.
func (im *importer) codesOf(locale string) []string {
	switch {
	case locale == "" && im.of.Env("x") == "": // one environment
		return []string{""}
	case locale == "":
		return im.of.Codes
	}
	for _, code := range im.of.Codes {
		if code == locale {
			return []string{code}
		}
	}
	return nil
}

// rowsOf calls do with the kind of each row of a version.
func (im *importer) rowsOf(v *version, do func(kind string)) {
	for _, r := range []*row{v.published, v.draft} {
		if r != nil {
			do(r.kind)
		}
	}
}

// main returns the row that is delivered.
func (v *version) main() *row {
	if v.published != nil {
		return v.published
	}
	return v.draft
}

// status returns the status of a version. Its item has the text of the published row, so later edits do not count.
func (v *version) status() string {
	if v.published == nil {
		return visibility.Draft
	}
	return visibility.Published
}

func (im *importer) mergeDraft(v *version) {
	switch {
	case v.published == nil || v.draft == nil:
	case v.draft.span.sum != v.published.span.sum:
		im.j.Merged(v.draft.kind, "the draft of an item: it has later edits, which are unpublished")
	default:
		im.j.Merged(v.draft.kind, "the draft of an item: it is equal")
	}
}

// item returns the item of a version.
func (im *importer) item(d *document, v *version) (*imports.Item, error) {
	stored, err := im.stored(v.main())
	if err != nil {
		return nil, err
	}
	item := &imports.Item{
		Class: v.main().kind, Type: d.model.name, ID: d.id, ContentID: d.content, Locale: v.locale,
		Name: stored.Get("name").Str(), TemplateName: d.model.name, Status: v.status(),
		CreatedAt: stored.Get("createdAt").Str(), UpdatedAt: stored.Get("updatedAt").Str(), Data: stored.Get("data"),
	}
	if v.published != nil {
		item.PublishedAt = stored.Get("publishedAt").Str()
	}
	if im.j.Options.TemplateNames && d.model.label != "" {
		item.TemplateName = d.model.label
	}
	return item, nil
}

// emitMembers makes one item of a document, whose localized fields have a member for each locale.
func (im *importer) emitMembers(d *document) error {
	base := d.versions[0]
	for _, code := range im.of.Codes {
		if v := d.version(code); v != nil {
			base = v
			break
		}
	}
	item, err := im.item(d, base)
	if err != nil {
		return err
	}
	if base.locale != "" {
		if err := im.localize(d, item, base); err != nil {
			return err
		}
	}
	item.Locale = ""
	if err := im.j.Item(base.main().kind, item); err != nil {
		return err
	}
	im.mergeDraft(base)
	for _, v := range d.versions {
		if v != base {
			im.rowsOf(v, func(kind string) { im.j.Merged(kind, "as another locale of an item") })
		}
	}
	return nil
}

// localize puts the values of all locales into the localized fields.
func (im *importer) localize(d *document, item *imports.Item, base *version) error {
	for i, m := range item.Data.Members {
		if d.model.localizes(m.Name) {
			item.Data.Members[i].Value = jsontree.Object(jsontree.Member{Name: base.locale, Value: m.Value})
		}
	}
	fields := jsontree.NewFields(item.Data)
	for _, code := range im.of.Codes {
		v := d.version(code)
		if v == nil || v == base {
			continue
		}
		other, err := im.item(d, v)
		if err != nil {
			return err
		}
		for _, m := range other.Data.Members {
			if !d.model.localizes(m.Name) {
				continue
			}
			if !fields.Has(m.Name) {
				fields.Set(m.Name, jsontree.Object())
			}
			fields.Get(m.Name).Set(code, m.Value)
		}
	}
	return nil
}
