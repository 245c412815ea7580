// This file turns links into references, in place, and puts assets into the references to them.

package contentful

import (
	"context"
	"path"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

// typeLink is the type of links, and of fields that hold one.
const typeLink = "Link"

// linkOf returns the type that a link leads to: Entry, Asset, Tag or another. It returns "" for other values.
func linkOf(v *jsontree.Value) string {
	sys := v.Get("sys")
	if kind := sys.Get("type").Str(); kind != typeLink && kind != "ResourceLink" || len(v.Members) != 1 {
		return ""
	}
	return sys.Get("linkType").Str()
}

// link returns the reference that a link becomes. A link to a missing entry keeps its id, so that a build warns of the
// link.
func (s *space) link(v *jsontree.Value, code string) *jsontree.Value {
	id := v.Get("sys", "id").Str()
	switch kind := linkOf(v); {
	case kind == classEntry && id != "":
		return imports.Reference(s.entryID(id))
	case kind == classAsset && id != "":
		return s.media(id, code)
	default:
		s.job.Warn("links to "+kind+" stay as they are", v.Get("sys", "urn").Text()+id)
		return v
	}
}

func (s *space) entryID(id string) string {
	if !s.entries[id] {
		s.job.Warn("links to entries that the export lacks", id)
	}
	return s.job.ContentID(classEntry, id)
}

// links converts an array: one of links to entries is one reference, of their ids in order.
func (s *space) links(v *jsontree.Value, code string) *jsontree.Value {
	var ids []string
	list := jsontree.Array()
	for _, item := range v.Items {
		if linkOf(item) == classEntry && item.Get("sys", "id").Str() != "" {
			ids = append(ids, item.Get("sys", "id").Str())
		}
	}
	if len(ids) > 0 && len(ids) == len(v.Items) {
		for i, id := range ids {
			ids[i] = s.entryID(id)
		}
		return imports.Reference(ids...)
	}
	for _, item := range v.Items {
		list.Items = append(list.Items, s.value(item, false, code))
	}
	return list
}

// richText converts the targets of links in a document.
func (s *space) richText(node *jsontree.Value, code string) {
	if data := node.Get("data"); linkOf(data.Get("target")) != "" {
		data.Set("target", s.link(data.Get("target"), code))
	}
	for _, child := range node.Get("content").List() {
		s.richText(child, code)
	}
}

// mediaKey names an asset in a locale.
type mediaKey struct{ id, code string }

// linkedAsset is what references say of an asset: many may link to a large one.
type linkedAsset struct {
	imports.Media
	status string
}

// media returns a reference to the file of an asset.
func (s *space) media(id, code string) *jsontree.Value {
	at, ok := s.assets[id]
	if !ok {
		s.job.Warn("links to assets that the export lacks", id)
		return imports.Media{ID: s.job.MediaID(classAsset, id)}.Reference()
	}
	s.linked[id] = true
	known, ok := s.known[mediaKey{id, code}]
	if !ok {
		asset, err := jsontree.ParseValid(s.text, at)
		if err != nil { // it was read before
			return nil
		}
		known = linkedAsset{s.mediaOf(asset, id, code), statusOf(asset.Get("sys"))}
		s.known[mediaKey{id, code}] = known
	}
	if known.status != visibility.Published {
		s.job.Warn("items link to assets with the status "+known.status, id)
	}
	return known.Reference()
}

func (s *space) mediaOf(asset *jsontree.Value, id, code string) imports.Media {
	get := func(name string) *jsontree.Value {
		field := asset.Get("fields", name)
		if v := s.localesSet.Value(field, code); v != nil {
			return v
		}
		return s.in(field, false, code)
	}
	file := get("file")
	m := imports.Media{ID: s.job.MediaID(classAsset, id), URL: file.Get("url").Str(), AltText: imports.TextOf(get("description"))}
	if m.AltText == "" {
		m.AltText = imports.TextOf(get("title"))
	}
	if m.URL == "" {
		m.URL = file.Get("upload").Str() // not processed yet
	}
	if m.URL == "" {
		s.job.Warn("assets without a file", id)
	}
	if strings.HasPrefix(m.URL, "//") {
		m.URL = "https:" + m.URL
	}
	m.Extension = strings.TrimPrefix(strings.ToLower(path.Ext(file.Get("fileName").Str())), ".")
	details := file.Get("details")
	m.Size, m.Width, m.Height = details.Get("size").Text(), details.Get("image", "width").Text(), details.Get("image", "height").Text()
	return m
}

// convertAssets accounts for the assets, after the entries that link to them.
func (s *space) convertAssets(ctx context.Context) error {
	return s.each("assets", func(v *jsontree.Value) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		id := v.Get("sys", "id").Str()
		s.job.Read(classAsset)
		switch {
		case s.job.Options.AssetItems:
			return s.assetItems(v, id)
		case s.linked[id]:
			s.job.Merged(classAsset, "into the references to it")
		default:
			s.job.Skipped(classAsset, "nothing links to it")
		}
		return nil
	})
}

// assetItems makes items from an asset. With locales as members an item has the values of the default locale.
func (s *space) assetItems(v *jsontree.Value, id string) error {
	var items []*imports.Item
	codes := s.localesSet.Codes
	if s.localesSet.Members {
		codes = []string{""}
	}
	for _, code := range codes {
		i := s.item(v, classAsset, classAsset, code)
		locale := s.nameLocale(code)
		i.Data = jsontree.Object()
		for _, name := range []string{"title", "description"} {
			if text := s.field(v.Get("fields", name), s.localesSet.Members, false, code); text != nil && len(text.Members)+len(text.Text()) > 0 {
				i.Data.Set(name, text)
			}
		}
		i.Data.Set("file", s.mediaOf(v, id, locale).Reference())
		i.Name = imports.TextOf(s.in(v.Get("fields", "title"), true, locale))
		items = append(items, i)
	}
	return s.job.Item(classAsset, items...)
}
