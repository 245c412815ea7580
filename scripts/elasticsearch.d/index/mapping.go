// This file gives an index the types that a release's manifest lists, which come from all
// values of a path. Elasticsearch's dynamic mapping would go by the first value.

package index

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"contentedge/edgeserve/wire/release"
)

// Words is the sub-field that analyzes the text of a number, date or boolean.
const Words = "words"

// ignoreAbove keeps values out of keyword fields that Lucene would refuse: more than 32,766
// bytes of UTF-8.
const ignoreAbove = 8000

// Name is the name of an index: of lower case, as Elasticsearch wants it. It is that of the
// environment, because random scores depend on it.
func Name(env string) string {
	name := strings.ToLower(env)
	if name != env {
		name += fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(env)))
	}
	return name
}

type object = map[string]any

// A pattern such as * reaches every field of an index, but of a release only the paths and
// the keywords of text. So the other sub-fields have names that such a pattern does not match, or
// that Elasticsearch takes for its own: it leaves names that begin with _ out of *.
const (
	hidden = "_sub."
	mark   = "·"
)

// Hidden is the name of a sub-field that patterns do not reach. The path may be a pattern.
func Hidden(path, sub string) string { return hidden + path + "." + sub + mark }

// Aside is the name of a path that is a value in one item and an object in another: a field
// cannot be both.
func Aside(path string) string { return path + mark }

// Shown is the name that a field has in a release. ok is false for one that has the name already.
func Shown(field string) (name string, ok bool) {
	name, ok = strings.CutPrefix(field, hidden)
	if !ok && !strings.Contains(field, mark) {
		return field, false
	}
	return strings.Replace(name, mark, "", 1), true
}

// IsHidden tells whether a field, or a member of an item, is not in a release.
func IsHidden(name string) bool { return strings.HasPrefix(name+".", hidden) }

// Both returns the paths that are values in one item and objects in another.
func Both(fields []release.Field) (paths []string) {
	for _, f := range fields {
		if slices.ContainsFunc(fields, func(o release.Field) bool { return strings.HasPrefix(o.Path, f.Path+".") }) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// Subs returns the names of a path's sub-fields that patterns do not reach.
func Subs(f release.Field) (names []string) {
	for _, s := range f.SubFields {
		if s != "keyword" || f.Type != "text" {
			names = append(names, s)
		}
	}
	if f.Type != "text" {
		names = append(names, Words)
	}
	return names
}

// definition is the body that makes an index.
func definition(build string, fields []release.Field) object {
	both := Both(fields)
	properties := object{}
	for _, f := range fields {
		name := f.Path
		if slices.Contains(both, name) {
			name = Aside(name)
		}
		properties[name] = property(f)
		for _, s := range Subs(f) {
			properties[Hidden(f.Path, s)] = valueOf(s)
		}
	}
	return object{
		"settings": object{
			"number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1",
			"mapping.total_fields.limit": 100000, "mapping.depth.limit": 1000, "mapping.field_name_length.limit": 10000,
			// Merges must not change the order of documents, which decides ties.
			"sort.field": []string{"CreatedAt", "ContentID.keyword"}, "sort.order": []string{"desc", "asc"},
		},
		"mappings": object{"dynamic": false, "_meta": object{"build": build}, "properties": properties},
	}
}

// property is the definition of a path.
func property(f release.Field) object {
	p := valueOf(f.Type)
	if f.Type == "text" && slices.Contains(f.SubFields, "keyword") {
		p["fields"] = object{"keyword": valueOf("keyword")}
	}
	return p
}

// valueOf is the definition of a field of a type.
func valueOf(typ string) object {
	switch typ {
	case Words:
		return object{"type": "text"}
	case "keyword":
		return object{"type": typ, "ignore_above": ignoreAbove}
	case "long", "double", "float", "date":
		return object{"type": typ, "ignore_malformed": true}
	}
	return object{"type": typ}
}
