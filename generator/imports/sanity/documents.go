// This file turns documents into items, and decides which are not taken.

package sanity

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/plaintext"
	"contentedge/generator/visibility"
)

// convert is the second reading of a file.
func (d *dataset) convert(f *export.File) error {
	const kind = "file"
	switch {
	case d.isData(f):
		return document(f, func(_ int, _ []byte, v *jsontree.Value) error { return d.convertOne(v) })
	case path.Base(f.Name) == "assets.json":
		d.job.Read(kind)
		d.job.Merged(kind, "into the references to files, with their metadata")
	default:
		if id := idOfFile(f.Name); id != "" {
			d.assets = append(d.assets, asset{id: id, kind: path.Base(path.Dir(f.Name))})
			d.job.Read(path.Base(path.Dir(f.Name)))
			return nil
		}
		d.job.Read(kind)
		d.job.Skipped(kind, "not content")
	}
	return nil
}

func (d *dataset) convertOne(v *jsontree.Value) error {
	kind, id := v.Get("_type").Str(), v.Get("_id").Str()
	d.job.Read(kind)
	if assetDocument(kind) {
		d.assets = append(d.assets, asset{id: id, kind: kind})
		return nil
	}
	why, merged := d.without(kind, id)
	switch {
	case merged:
		d.job.Merged(kind, why)
		return nil
	case why != "":
		d.job.Skipped(kind, why)
		return nil
	}
	language := languageOf(v)
	envs := d.environments(language)
	if envs == nil {
		d.job.Skipped(kind, "in another locale")
		return nil
	}
	item := d.item(kind, id, language, v)
	var items []*imports.Item
	for _, env := range envs {
		i := *item
		i.Env = env
		items = append(items, &i)
	}
	return d.job.Item(kind, items...)
}

// without returns why a document becomes no item; merged: it is a part of one.
func (d *dataset) without(kind, id string) (why string, merged bool) {
	if why := d.withoutType(kind); why != "" {
		return why, false
	}
	form, base := formOf(id)
	k := d.documents[id]
	switch {
	case k != nil && k.done:
		return "the same document again", true
	}
	if k != nil {
		k.done = true
	}
	switch {
	case form == draft && d.documents[base] != nil:
		return "a draft of a published document", true
	case form == version && (d.documents[base] != nil || d.documents["drafts."+base] != nil):
		return "a version for a release", true
	case form == version:
		return "only in a release that is not out", false
	case form == hidden:
		return "not public: its id has a dot", false
	}
	return "", false
}

// withoutType returns why no document of a type becomes an item.
func (d *dataset) withoutType(kind string) string {
	if ofSanity(kind) {
		return "of Sanity itself"
	}
	return d.job.Type(kind).LeftOut()
}

// ofSanity reports whether a type is one of Sanity's own.
func ofSanity(kind string) bool {
	return strings.HasPrefix(kind, "sanity.") || strings.HasPrefix(kind, "system.")
}

// ownMembers are the members of a document that Sanity writes.
var ownMembers = []string{"_id", "_type", "_rev", "_createdAt", "_updatedAt", "_system"}

func (d *dataset) item(kind, id, language string, v *jsontree.Value) *imports.Item {
	i := &imports.Item{
		Class: classDocument, Type: kind, ID: d.idOf(v), Locale: language, TemplateName: kind, Status: visibility.Published,
		CreatedAt: v.Get("_createdAt").Str(), UpdatedAt: v.Get("_updatedAt").Str(), Data: jsontree.Object(),
	}
	i.ContentID = d.job.ContentID(classDocument, i.ID)
	if form, _ := formOf(id); form == draft {
		i.Status = visibility.Draft
	} else {
		i.PublishedAt = i.UpdatedAt
	}
	for _, m := range v.Members {
		if !slices.Contains(ownMembers, m.Name) {
			i.Data.Members = append(i.Data.Members, jsontree.Member{Name: m.Name, Value: d.value(m.Value, m.Name)})
		}
	}
	i.Name = nameOf(i.Data)
	return i
}

// nameOf returns the title, also one that is portable text or an array of texts by locale. Strings are
// found by package imports.
func nameOf(data *jsontree.Value) string {
	for _, field := range imports.NameFields {
		v := data.Get(field)
		if text := imports.TextOf(v); text != "" {
			return text
		}
		if text, format := plaintext.Of(v); format == plaintext.PortableText {
			return imports.TextOf(jsontree.String(text))
		}
		if text := imports.TextOf(v.At(0).Get("value")); text != "" {
			return text
		}
	}
	return ""
}

// languageOf returns the locale of a document, by the convention of Sanity's plugin.
func languageOf(v *jsontree.Value) string { return v.Get("language").Str() }

func (d *dataset) countLocale(v *jsontree.Value) {
	if code := languageOf(v); code != "" {
		d.locales.Count(code)
	}
}

// chooseLocales decides what becomes of language. Each document has one locale, so without a flag the import takes all
// documents, and chooses nothing.
func (d *dataset) chooseLocales() (err error) {
	slices.SortFunc(d.locales.All, func(a, b imports.Locale) int { return strings.Compare(a.Code, b.Code) })
	if d.job.Options.Locales != "" {
		d.chosen, err = d.job.Locales(d.locales.All)
	} else if len(d.locales.All) > 1 {
		d.job.Warn("documents have different values of language, and all come into one environment; --locales can divide them", d.locales.All[0].Code)
	}
	return err
}

// environments returns the environments of a document; nil if its locale is not imported. A document
// without a locale belongs to all.
func (d *dataset) environments(language string) []string {
	switch {
	case d.chosen == nil || d.chosen.Members:
		return []string{""}
	case language != "" && !slices.Contains(d.chosen.Codes, language):
		return nil
	case language != "":
		return []string{d.chosen.Env(language)}
	}
	var all []string
	for _, code := range d.chosen.Codes {
		if env := d.chosen.Env(code); !slices.Contains(all, env) {
			all = append(all, env)
		}
	}
	return all
}

func number(n int) string { return strconv.Itoa(n) }
