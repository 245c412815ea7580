// This file turns references into ours, in place, and finds what is known of assets.

package sanity

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/imports/export"
	"contentedge/generator/jsontree"
	"contentedge/generator/visibility"
)

// asset is an asset that the export has.
type asset struct {
	id   string
	kind string // in the account
}

// details are what an export says of an asset.
type details struct {
	url, alt, name, size string
	width, height        string
	createdAt, updatedAt string
}

func assetDocument(kind string) bool {
	return kind == "sanity.imageAsset" || kind == "sanity.fileAsset"
}

// readDetails reads assets.json: an object with a member for each asset, by type and hash.
func (d *dataset) readDetails(f *export.File) error {
	text, err := f.All(export.MaxWhole)
	if err != nil {
		return err
	}
	v, err := jsontree.Parse(text)
	if err != nil {
		return f.Explain(text, 1, err)
	}
	for _, m := range v.Members {
		d.addDetails(m.Name, m.Value)
	}
	return nil
}

func (d *dataset) addDetails(id string, v *jsontree.Value) {
	size := v.Get("metadata", "dimensions")
	d.details[hashOf(id)] = details{
		url: v.Get("url").Str(), alt: v.Get("altText").Str(), name: v.Get("originalFilename").Str(), size: v.Get("size").Text(),
		width: size.Get("width").Text(), height: size.Get("height").Text(), createdAt: v.Get("_createdAt").Str(), updatedAt: v.Get("_updatedAt").Str(),
	}
}

// hashOf returns type and hash of an asset's id: image-HASH of image-HASH-800x600-jpg.
func hashOf(id string) string {
	parts := strings.SplitN(id, "-", 3)
	if len(parts) < 2 {
		return id
	}
	return parts[0] + "-" + parts[1]
}

// idOfFile returns the id of the asset that a file of an export is: image-HASH-800x600-jpg of
// …/images/HASH-800x600.jpg. It returns "" for other URLs.
func idOfFile(name string) string {
	kind, ok := strings.CutSuffix(path.Base(path.Dir(name)), "s")
	if !ok || kind != "image" && kind != "file" {
		return ""
	}
	base := path.Base(name)
	extension := path.Ext(base)
	return kind + "-" + strings.TrimSuffix(base, extension) + "-" + strings.TrimPrefix(extension, ".")
}

// pathOf returns the path in an export of the file of an asset, and its extension.
func pathOf(id string) (file, extension string) {
	kind, rest, _ := strings.Cut(id, "-")
	if i := strings.LastIndexByte(rest, '-'); i >= 0 {
		extension = rest[i+1:]
		rest = rest[:i] + "." + extension
	}
	return kind + "s/" + rest, extension
}

func isAsset(id string) bool {
	return strings.HasPrefix(id, "image-") || strings.HasPrefix(id, "file-")
}

// value converts the value of a member with a name.
func (d *dataset) value(v *jsontree.Value, name string) *jsontree.Value {
	switch {
	case v.IsArray():
		return d.list(v, name)
	case !v.IsObject():
		return v
	case v.Get("_ref").IsString():
		return d.reference(v)
	}
	out := jsontree.Object()
	for _, m := range v.Members {
		to := m
		switch ref := m.Value.Get("_ref").Str(); {
		case m.Name == "_sanityAsset" && m.Value.IsString():
			to = jsontree.Member{Name: "asset", Value: d.exported(m.Value.Str(), v)}
		case m.Name == "asset" && isAsset(ref):
			to.Value = d.media(ref, "", v)
		default:
			to.Value = d.value(m.Value, m.Name)
		}
		out.Members = append(out.Members, to)
	}
	return out
}

// list converts an array. One of references is one reference, except in portable text, where marks and
// spans are found by their place.
func (d *dataset) list(v *jsontree.Value, name string) *jsontree.Value {
	out := jsontree.Array()
	var ids []string
	for _, item := range v.Items {
		converted := d.value(item, name)
		out.Items = append(out.Items, converted)
		if item.Get("_ref").IsString() {
			ids = append(ids, converted.Get("ContentIDs").At(0).Str())
		}
	}
	if len(ids) == 0 || len(ids) != len(out.Items) || slices.Contains(ids, "") || name == "markDefs" || name == "children" {
		return out
	}
	return imports.Reference(ids...)
}

// reference converts an object with _ref, whatever its _type is. The key by which portable text finds
// it stays.
func (d *dataset) reference(v *jsontree.Value) *jsontree.Value {
	id := v.Get("_ref").Str()
	if v.Has("_dataset") || v.Has("_projectId") || strings.Contains(id, ":") {
		d.job.Warn("references to other datasets stay as they are", id)
		return v
	}
	var to *jsontree.Value
	if isAsset(id) {
		to = d.media(id, "", nil)
	} else {
		_, base := formOf(id)
		if !d.taken(base) {
			d.job.Warn("references to documents that the export lacks, or that are not taken", base)
		}
		to = imports.Reference(d.job.ContentID(classDocument, base))
	}
	for _, name := range []string{"_key", "_type"} {
		if own := v.Get(name); own.IsString() && own.Str() != "reference" {
			to.Set(name, own)
		}
	}
	return to
}

func (d *dataset) taken(id string) bool {
	for _, name := range []string{id, "drafts." + id} {
		if k := d.documents[name]; k != nil && k.taken {
			return true
		}
	}
	return false
}

// exported converts the name of an asset as exports write it: image@file://./images/HASH-WxH.jpg, or
// image@https://….
func (d *dataset) exported(text string, owner *jsontree.Value) *jsontree.Value {
	kind, address, _ := strings.Cut(text, "@")
	if file, ok := strings.CutPrefix(address, "file://"); ok {
		return d.media(idOfFile(kind+"s/"+path.Base(file)), "", owner)
	}
	return d.media(text, address, owner)
}

// media returns a reference to an asset's file. owner is the image that may have an alternative text.
func (d *dataset) media(id, url string, owner *jsontree.Value) *jsontree.Value {
	d.linked[id] = true
	m := d.mediaOf(id, url)
	m.AltText = cmp.Or(imports.TextOf(owner.Get("alt")), m.AltText)
	return m.Reference()
}

func (d *dataset) mediaOf(id, url string) imports.Media {
	known := d.details[hashOf(id)]
	m := imports.Media{ID: d.job.MediaID(classAsset, id), URL: cmp.Or(url, known.url), AltText: known.alt, Size: known.size, Width: known.width, Height: known.height}
	if url != "" {
		m.Extension = strings.TrimPrefix(path.Ext(strings.SplitN(url, "?", 2)[0]), ".")
		return m
	}
	file, extension := pathOf(id)
	m.Extension = extension
	if size := strings.Split(strings.TrimSuffix(file, "."+extension), "-"); m.Width == "" && len(size) > 1 {
		m.Width, m.Height, _ = strings.Cut(size[len(size)-1], "x")
	}
	if m.URL == "" {
		m.URL = d.address(file)
	}
	return m
}

// cdn begins the addresses of Sanity's own delivery of files.
const cdn = "https://cdn.sanity.io/"

// address returns the address of a file of the export.
func (d *dataset) address(file string) string {
	base := strings.TrimSuffix(d.job.Options.MediaBase, "/")
	project, isCDN := strings.CutPrefix(base, cdn)
	switch {
	case base == "":
		d.job.Warn("files have the addresses that they have in the export; --media-base says where they are", file)
		return file
	case isCDN && strings.Count(project, "/") == 1: // PROJECT/DATASET
		kind, name, _ := strings.Cut(file, "/")
		return cdn + kind + "/" + project + "/" + name
	}
	return base + "/" + file
}

// countAssets accounts for the assets, when all links to them are known.
func (d *dataset) countAssets() error {
	for _, a := range d.assets {
		switch {
		case d.job.Options.AssetItems:
			if err := d.job.Item(a.kind, d.assetItem(a)); err != nil {
				return err
			}
		case d.linked[a.id]:
			d.job.Merged(a.kind, "into the references to it")
		default:
			d.job.Skipped(a.kind, "nothing links to it")
		}
	}
	return nil
}

func (d *dataset) assetItem(a asset) *imports.Item {
	known := d.details[hashOf(a.id)]
	i := &imports.Item{
		Class: classAsset, Type: classAsset, ID: a.id, ContentID: d.job.ContentID(classAsset, a.id), Name: known.name, Status: visibility.Published,
		CreatedAt: known.createdAt, UpdatedAt: known.updatedAt, PublishedAt: known.updatedAt, Data: jsontree.Object(),
	}
	i.Data.Set("file", d.mediaOf(a.id, "").Reference())
	if known.name != "" {
		i.Data.Set("filename", jsontree.String(known.name))
	}
	return i
}
