// This file knows the files of an export.

package strapi

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

// file is a row of the files.
type file struct {
	imports.Media
	name             string
	created, updated string
	linked           bool // an entry shows it
}

func (im *importer) readFile(data *jsontree.Value) *file {
	text := func(name string) string { return data.Get(name).Str() }
	f := &file{name: text("name"), created: text("createdAt"), updated: text("updatedAt")}
	f.ID = text("documentId")
	if f.ID == "" {
		f.ID = text("hash")
	}
	f.ID = im.j.MediaID("file", f.ID)
	f.URL, f.AltText, f.Extension = im.address(text("url")), text("alternativeText"), strings.ToLower(strings.TrimPrefix(text("ext"), "."))
	f.Width, f.Height, f.Size = data.Get("width").Text(), data.Get("height").Text(), bytesOf(data.Get("size"))
	return f
}

// address puts the base before an address that is relative to Strapi's own.
func (im *importer) address(url string) string {
	if !strings.HasPrefix(url, "/") || strings.HasPrefix(url, "//") {
		return url
	}
	if im.j.Options.MediaBase == "" {
		im.j.Warn("addresses of files are relative to the site of Strapi; --media-base https://… completes them", url)
		return url
	}
	return strings.TrimSuffix(im.j.Options.MediaBase, "/") + url
}

// bytesOf returns a size in bytes: Strapi writes thousands of bytes with two decimals.
func bytesOf(v *jsontree.Value) string {
	const (
		unit = 1000
		most = 1 << 50
	)
	kilo, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || kilo < 0 || kilo > most {
		return ""
	}
	return strconv.FormatInt(int64(float64(kilo*unit)+0.5), 10)
}

// file returns a reference to a file. If the export lacks the file, the reference has only an id.
func (im *importer) file(id string) *jsontree.Value {
	f := im.files[id]
	if f == nil {
		im.j.Warn("links lead to files that the export lacks", "file "+id)
		return imports.Media{ID: im.j.MediaID("file", "row "+id)}.Reference()
	}
	f.linked = true
	return f.Reference()
}

// accountFiles counts the files, or makes an item of each.
func (im *importer) accountFiles() error {
	for _, id := range slices.Sorted(maps.Keys(im.files)) { // warnings name the first
		f := im.files[id]
		im.j.Read(uploads)
		switch {
		case im.j.Options.AssetItems:
			if err := im.j.Item(uploads, im.fileItem(id, f)); err != nil {
				return err
			}
		case f.linked:
			im.j.Merged(uploads, "into the entries that show it")
		default:
			im.j.Skipped(uploads, "no entry shows it; --assets items takes it")
		}
	}
	return nil
}

func (im *importer) fileItem(id string, f *file) *imports.Item {
	d := jsontree.Object(jsontree.Member{Name: "name", Value: jsontree.String(f.name)}, jsontree.Member{Name: "file", Value: f.Reference()})
	return &imports.Item{
		Class: "file", Type: "file", ID: id, ContentID: "Content_" + strings.TrimPrefix(f.ID, "Media_"), Name: f.name,
		TemplateName: "file", Status: visibility.Published, CreatedAt: f.created, UpdatedAt: f.updated, Data: d,
	}
}
