// This file makes fields and items of terms, and fields of meta values.

package wordpress

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

// fieldOf names the field with a post's terms of a taxonomy.
func fieldOf(domain string) string {
	switch domain {
	case "category":
		return "categories"
	case "post_tag":
		return "tags"
	case "post_format":
		return "format"
	case "nav_menu":
		return "menus"
	}
	return domain
}

// postTerms takes the terms of a post: as references to items, or their slugs and labels.
func (im *importer) postTerms(d *jsontree.Value, p *post) {
	var domains []string
	of := map[string][]postTerm{}
	for _, t := range p.terms {
		if of[t.domain] == nil {
			domains = append(domains, t.domain)
		}
		of[t.domain] = append(of[t.domain], t)
	}
	for _, domain := range domains {
		if d.Has(fieldOf(domain)) {
			im.j.Warn("a taxonomy has the name of a field, and is left out: "+domain, place(p))
			continue
		}
		d.Set(fieldOf(domain), im.termList(domain, of[domain]))
	}
}

func (im *importer) termList(domain string, terms []postTerm) *jsontree.Value {
	list := jsontree.Array()
	var ids []string
	for _, t := range terms {
		ids = append(ids, im.termID(t.domain, slugOf(t)))
		list.Items = append(list.Items, jsontree.Object(
			jsontree.Member{Name: "slug", Value: jsontree.String(slugOf(t))}, jsontree.Member{Name: "label", Value: jsontree.String(t.label)}))
	}
	if im.TermItems && !notTerms[domain] {
		return imports.Reference(ids...)
	}
	return list
}

// slugOf returns the slug of a term. Exports of the first versions have no slugs.
func slugOf(t postTerm) string {
	if t.slug != "" {
		return t.slug
	}
	return strings.Join(strings.Fields(strings.ToLower(t.label)), "-")
}

// termID is made of the slug: items name no other id of a term.
func (im *importer) termID(domain, slug string) string { return im.j.ContentID("term:"+domain, slug) }

// termItem makes an item of a term. It has the date of the site's first post, as terms have no dates.
func (im *importer) termItem(kind string, t *term) error {
	d := jsontree.Object()
	for _, of := range []struct{ name, text string }{{"name", t.label}, {"slug", t.slug}, {"description", t.description}} {
		if of.text != "" {
			d.Set(of.name, jsontree.String(of.text))
		}
	}
	if t.parent != "" && t.parent != "0" {
		d.Set("parent", imports.Reference(im.termID(t.domain, t.parent)))
	}
	return im.j.Item(kind, &imports.Item{
		Class: "term", Type: t.domain, ID: t.domain + "/" + t.slug, ContentID: im.termID(t.domain, t.slug),
		Name: t.label, TemplateName: t.domain, Status: visibility.Published, CreatedAt: im.x.first, Data: d,
	})
}

// otherTerms makes items of terms that posts have and the channel lacks: old exports list none.
func (im *importer) otherTerms() error {
	found := map[string]*term{}
	for _, e := range im.x.posts {
		for _, t := range e.terms {
			key := termKey(t.domain, slugOf(t))
			if known := found[key]; im.x.terms[key] == nil && !notTerms[t.domain] && (known == nil || t.label < known.label) {
				found[key] = &term{domain: t.domain, slug: slugOf(t), label: t.label}
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		kind := "term " + found[key].domain
		im.j.Read(kind)
		if err := im.termItem(kind, found[key]); err != nil {
			return err
		}
	}
	return nil
}

// meta takes the custom fields of a post. Keys that begin with _ belong to WordPress and plugins.
func (im *importer) meta(d *jsontree.Value, p *post) {
	of := map[string]*jsontree.Value{} // a list of the values of each key
	all := jsontree.Object()
	for _, m := range p.meta {
		switch {
		case strings.HasPrefix(m.key, "_") || m.key == "":
			im.j.Warn("meta values of WordPress and its plugins are left out (keys that begin with _)", place(p))
			continue
		case im.isPersonal(m.value):
			im.j.Warn("meta values that hold the address of an author or a commenter are left out", place(p)+", "+m.key)
			continue
		case of[m.key] == nil:
			of[m.key] = jsontree.Array()
			all.Members = append(all.Members, jsontree.Member{Name: m.key, Value: of[m.key]})
		}
		of[m.key].Items = append(of[m.key].Items, metaValueOf(m.value))
	}
	for i, m := range all.Members {
		if len(m.Value.Items) == 1 {
			all.Members[i].Value = m.Value.Items[0]
		}
	}
	if len(all.Members) > 0 {
		d.Set("meta", all)
	}
}

// metaValueOf returns a meta value: decoded if PHP serialised it, else as its text.
func metaValueOf(text string) *jsontree.Value {
	if json, ok := unserialize(strings.TrimSpace(text)); ok {
		if v, err := jsontree.Parse(json); err == nil {
			return v
		}
	}
	return jsontree.String(text)
}

// addresses finds what may be an address in a text.
var addresses = regexp.MustCompile(`[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b\d{1,3}(?:\.\d{1,3}){3}\b|\b(?:[0-9a-fA-F]{1,4}:){2,7}[0-9a-fA-F:]*`)

// isPersonal reports whether a text holds the address of a person whom the export names.
func (im *importer) isPersonal(text string) bool {
	return len(im.x.private) > 0 && slices.ContainsFunc(addresses.FindAllString(text, -1), func(a string) bool {
		return im.x.private[strings.ToLower(strings.TrimRight(a, ".:"))] || im.x.private[strings.ToLower(a)]
	})
}
