// This file knows files: objects and texts with the address of one, and elements that are one.

package anyjson

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"contentedge/generator/imports"
	"contentedge/generator/jsontree"
)

// maxAddresses bounds a text in which addresses of files are searched, in bytes.
const maxAddresses = 16 << 10

// fileOf returns a reference for an object or a text that is a file by the rules; nil for any other value.
func (im *importer) fileOf(v *jsontree.Value, place string) *jsontree.Value {
	for i := range im.rules.media {
		m := &im.rules.media[i]
		if v.IsString() {
			if found := im.addresses(m, v.Str(), place); found != nil {
				return found
			}
			continue
		}
		if f, ok := im.fileIn(m, v, place); ok {
			return f.Reference()
		}
	}
	return nil
}

// fileIn returns the file that an object is by a rule.
func (im *importer) fileIn(m *media, v *jsontree.Value, place string) (imports.Media, bool) {
	if !m.isFile(v) {
		return imports.Media{}, false
	}
	f := imports.Media{AltText: text(m.alt, v), Width: text(m.width, v), Height: text(m.height, v), Size: text(m.size, v)}
	im.address(&f, text(m.url, v), text(m.id, v), text(m.file, v), place)
	return f, true
}

// isFile reports whether an object is a file by the rule.
func (m *media) isFile(v *jsontree.Value) bool {
	address := first(m.url, v)
	return m.finds(v) && (address.IsNumber() || address.Str() != "")
}

// isFile reports whether an element is a file by any rule.
func (im *importer) isFile(e *element) bool {
	return slices.ContainsFunc(im.rules.media, func(m media) bool { return m.isFile(e.Value) })
}

// noteFile notes an element that is a file, so that links to it have its address.
func (im *importer) noteFile(e *element) bool {
	for i := range im.rules.media {
		if f, ok := im.fileIn(&im.rules.media[i], e.Value, e.page); ok {
			if id := first(im.rules.id, e.Value).Text(); id != "" {
				im.files[id] = f
			}
			return true
		}
	}
	return false
}

// addresses returns references for a text that consists of addresses by a rule, perhaps with commas between them.
func (im *importer) addresses(m *media, text, place string) *jsontree.Value {
	if m.pattern == nil || text == "" || len(text) > maxAddresses {
		return nil
	}
	found := jsontree.Array()
	for text != "" {
		at := m.pattern.FindStringSubmatchIndex(text)
		if at == nil || at[1] == 0 {
			return nil
		}
		group := func(name string) string {
			if i := m.pattern.SubexpIndex(name); i > 0 && at[2*i] >= 0 {
				return strings.TrimSpace(text[at[2*i]:at[2*i+1]])
			}
			return ""
		}
		f := imports.Media{AltText: group("alt")}
		im.address(&f, group("url"), group("id"), group("file"), place)
		found.Items = append(found.Items, f.Reference())
		rest := strings.TrimLeft(text[at[1]:], " \n")
		if rest != "" && rest[0] != ',' {
			return nil
		}
		text = strings.TrimLeft(strings.TrimPrefix(rest, ","), " \n")
	}
	if len(found.Items) == 1 && !m.many {
		return found.Items[0]
	}
	return found
}

// address fills in what follows from the address of a file: its id, unless the export has one, and its extension.
func (im *importer) address(f *imports.Media, address, id, name, place string) {
	if strings.HasPrefix(address, "//") {
		address = "https:" + address
	}
	if !strings.Contains(address, "://") {
		if base := im.j.Options.MediaBase; base == "" {
			im.j.Warn("addresses of files are paths, until --media-base says how they begin", place)
		} else {
			address = strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(address, "/")
		}
	}
	f.URL = address
	stable := withoutSignature(address)
	if stable != address {
		im.j.Warn("addresses of files are signed and expire: download the files soon", place)
	}
	f.ID = im.j.MediaID("file", cmp.Or(id, stable))
	file, _, _ := strings.Cut(address, "?")
	f.Extension = strings.ToLower(strings.TrimPrefix(path.Ext(cmp.Or(name, file)), "."))
}

// signatures are parameters by which stores sign addresses for some hours.
var signatures = []string{"X-Amz-Signature", "X-Goog-Signature", "Signature", "sig"}

// withoutSignature returns an address without its parameters if it is signed, so that it is the same in each export.
func withoutSignature(address string) string {
	file, query, found := strings.Cut(address, "?")
	if !found {
		return address
	}
	parameters, err := url.ParseQuery(query)
	if err != nil || !slices.ContainsFunc(signatures, func(name string) bool { return parameters.Has(name) }) {
		return address
	}
	return file
}

// text returns the text or the number at the first of some paths with a value.
func text(paths []route, v *jsontree.Value) string { return first(paths, v).Text() }
