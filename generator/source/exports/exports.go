// Package exports recognises exports of content management systems by their beginnings. Users put such exports into
// content folders and expect a build to read them, but generator import does that.
package exports

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/address"
	"contentedge/edgeserve/wire/jsoncursor"
)

// Peek is how many bytes of a file Of needs: the comments at the beginning of WordPress' exports have 2 KiB.
const Peek = 64 << 10

// The systems, by their names on the command line of generator import.
const (
	Contentful = "contentful"
	Sanity     = "sanity"
	Strapi     = "strapi"
	WordPress  = "wordpress"
	Ghost      = "ghost"
)

// Export describes the system that seems to have written a file.
type Export struct {
	System string // one of the constants
	Title  string // as its makers write it
	below  int    // how many folders above the file the export is, which has several files
}

var (
	contentful = &Export{System: Contentful, Title: "Contentful"}
	sanity     = &Export{System: Sanity, Title: "Sanity"}
	strapi     = &Export{System: Strapi, Title: "Strapi"}
	strapiPart = &Export{System: Strapi, Title: "Strapi", below: 2}
	strapiMeta = &Export{System: Strapi, Title: "Strapi", below: 1}
	wordpress  = &Export{System: WordPress, Title: "WordPress"}
	ghost      = &Export{System: Ghost, Title: "Ghost"}
)

// Message says what a file seems to be.
func (e *Export) Message() string { return "this looks like an export of " + e.Title + ", not content" }

// Hint returns the command that imports a file of an environment. The file has a name as the user would
// type it.
func (e *Export) Hint(file, env, content string) string {
	for range e.below {
		file = filepath.Dir(file)
	}
	return fmt.Sprintf("move it out of %s, and run: generator import %s %s --env %s --content %s", content, e.System, quoted(filepath.Base(file)), env, quoted(content))
}

// quoted returns a name as shells read it.
func quoted(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// Of recognises a file by its beginning. It returns nil if the file does not look like an export.
func Of(start []byte) *Export {
	text := bytes.TrimPrefix(start, []byte("\xef\xbb\xbf"))
	text = text[jsoncursor.SkipSpace(text, 0):]
	switch {
	case len(text) == 0:
		return nil
	case text[0] == '{':
		return object(text)
	case text[0] == '<' && bytes.Contains(text, []byte("<rss")) && bytes.Contains(text, []byte("wordpress.org/export/")):
		return wordpress
	case bytes.HasPrefix(start, []byte{0x1f, 0x8b}):
		return zipped(start)
	}
	return archive(bytes.NewReader(start))
}

// zipped recognises a compressed file.
func zipped(start []byte) *Export {
	z, err := gzip.NewReader(bytes.NewReader(start))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(z, Peek)) // the beginning ends too early
	if bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return nil
	}
	return Of(text)
}

// archive recognises a tar archive by the names in it.
func archive(r io.Reader) *Export {
	members := tar.NewReader(r)
	for {
		h, err := members.Next()
		if err != nil {
			return nil
		}
		name := path.Clean(h.Name)
		switch {
		case path.Base(name) == "data.ndjson":
			return sanity
		case StrapiPart(name) != "":
			return strapi
		}
	}
}

// The folders of an export of Strapi that are read. Their files, as links/links_00001.jsonl, have a JSON
// object a line. Of the folder of assets nothing is read.
const (
	StrapiSchemas       = "schemas"
	StrapiEntities      = "entities"
	StrapiLinks         = "links"
	StrapiConfiguration = "configuration"
)

// StrapiPart returns the folder that a file of an export belongs to; "" for files that are not read. The
// folders may lie in another one.
func StrapiPart(name string) string {
	folder, base := path.Split(name)
	switch part := path.Base(folder); part {
	case StrapiSchemas, StrapiEntities, StrapiLinks, StrapiConfiguration:
		if strings.HasPrefix(base, part+"_") && path.Ext(base) == ".jsonl" {
			return part
		}
	}
	return ""
}

// member is a member of the first object of a text, whose value may be cut off.
type member struct{ value []byte }

// members returns the first members of the object at the beginning of a text, which may be no JSON.
func members(text []byte) map[string]member {
	const most = 100
	all := map[string]member{}
	jsoncursor.Children(text, 0, func(name []byte, at int) int {
		if len(all) == most {
			return len(text)
		}
		end := jsoncursor.ValueEnd(text, at)
		if name != nil {
			all[string(name[1:len(name)-1])] = member{text[at:end]}
		}
		return end
	})
	return all
}

func (m member) is(bracket byte) bool { return len(m.value) > 0 && m.value[0] == bracket }

func (m member) text() string { return string(bytes.Trim(m.value, `"`)) }

// object recognises an object: a whole export, or a line of one.
func object(text []byte) *Export {
	m := members(text)
	has := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return m[name].value == nil })
	}
	switch {
	case has(address.FieldContentID):
		return nil // an item, which has other members too
	case m["contentTypes"].is('[') && (has("entries") || has("locales") || has("editorInterfaces") || len(m) == 1 && isSys(m["contentTypes"].value)):
		return contentful
	case m["entries"].is('[') && isSys(m["entries"].value):
		return contentful
	case m["db"].is('['):
		inner := bytes.TrimLeft(m["db"].value[1:], " \t\r\n")
		if len(inner) > 0 && inner[0] == '{' && isGhost(members(inner)) {
			return ghost
		}
	case isGhost(m):
		return ghost
	case has("_id", "_type"):
		return sanity
	case has("type", "id", "data") && strings.Contains(m["type"].text(), "::"),
		has("kind", "left", "right") && strings.HasPrefix(m["kind"].text(), "relation."),
		has("uid", "modelType", "attributes"), m["type"].text() == "core-store":
		return strapiPart
	case m["strapi"].is('{') && has("createdAt"):
		return strapiMeta
	}
	return nil
}

// isSys reports whether an array begins with an object of Contentful's interfaces.
func isSys(array []byte) bool {
	inner := bytes.TrimLeft(array[1:], " \t\r\n")
	return len(inner) > 0 && inner[0] == '{' && members(inner)["sys"].is('{')
}

func isGhost(m map[string]member) bool {
	return m["data"].is('{') && (m["meta"].is('{') && members(m["meta"].value)["version"].value != nil) && bytes.Contains(m["data"].value, []byte(`"posts"`))
}
