// This file gives an index the types that a release's manifest lists, which come from all
// values of a path. Elasticsearch's dynamic mapping would go by the first value.

package layout

import (
	"slices"
	"strings"

	"contentedge/edgeserve/wire/release"
)

// Words is the sub-field that analyzes the text of a number, date or boolean.
const Words = "words"

// ignoreAbove keeps values out of keyword fields that Lucene would refuse: more than 32,766
// bytes of UTF-8.
const ignoreAbove = 8000

// Limits of an index, beyond those of a release: nothing else bounds the fields of an environment.
const (
	limitFields = 1_000_000 // the paths of a release, each with its sub-fields
	limitDepth  = 1000      // brackets of items nest at most 500 deep
	limitName   = 64 << 10  // paths have at most 32 KiB
)

type object = map[string]any

// A pattern such as * reaches every field of an index, but of a release only the paths and
// the keywords of text. So the other sub-fields have names that such a pattern does not match, or
// that Elasticsearch takes for its own: it leaves names that begin with _ out of *.
const (
	appended = "_sub"
	hidden   = appended + "."
	mark     = "·"
)

// Rank is the field with an item's place in default order, from 0: the number of its document in a snapshot. Ties
// of hits go by it, and it is what _seq_no and _doc mean in a release.
const Rank = hidden + "rank" + mark

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
func IsHidden(name string) bool { return strings.HasPrefix(name+".", hidden) || name == original }

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

// Definition is the body that makes an index: its settings and its mapping. Documents lie in default order.
func Definition(env release.Environment, meta Meta, shards int) map[string]any {
	both := Both(env.Fields)
	properties := object{Rank: object{"type": "long"}, original: object{"type": "object", "enabled": false}}
	for _, f := range env.Fields {
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
			"number_of_shards": shards, "number_of_replicas": 0, "refresh_interval": "-1",
			"mapping.total_fields.limit": limitFields, "mapping.depth.limit": limitDepth, "mapping.field_name_length.limit": limitName,
			// Merges must not change the order of documents, which decides ties.
			"sort.field": Rank, "sort.order": "asc",
		},
		"mappings": object{"dynamic": false, "_meta": meta, "properties": properties},
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
