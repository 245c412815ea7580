// This file gives an index the types that a release's manifest lists, which come from all
// values of a path. Elasticsearch's dynamic mapping would go by the first value.

package index

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"contentedge/edgeserve/release"
)

// Kind is one of the two indices of an environment.
type Kind int

// A pattern such as * reaches every field of an index, but of a release only the paths and
// the keywords of text. The plain index has just these. The other one has all sub-fields.
const (
	Plain Kind = iota
	Full
)

// Words is the sub-field of the full index that analyzes the text of a number, date or boolean.
const Words = "words"

// ignoreAbove keeps values out of keyword fields that Lucene would refuse: more than 32,766
// bytes of UTF-8.
const ignoreAbove = 8000

// Name is the name of an index: of lower case, as Elasticsearch wants it. The plain index has that
// of the environment, because random scores depend on it.
func Name(env string, kind Kind) string {
	name := strings.ToLower(env)
	if name != env {
		name += fmt.Sprintf("-%08x", crc32.ChecksumIEEE([]byte(env)))
	}
	if kind == Full {
		name += ".full" // no environment has a dot
	}
	return name
}

type object = map[string]any

// LeftOut returns the paths that an index cannot have, because they are values in one item
// and objects in another.
func LeftOut(fields []release.Field) (paths []string) {
	for _, f := range fields {
		if slices.ContainsFunc(fields, func(o release.Field) bool { return strings.HasPrefix(o.Path, f.Path+".") }) {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// definition is the body that makes an index.
func definition(build string, fields []release.Field, kind Kind) object {
	out := LeftOut(fields)
	properties := object{}
	for _, f := range fields {
		if !slices.Contains(out, f.Path) {
			properties[f.Path] = property(f, kind)
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

func property(f release.Field, kind Kind) object {
	p := valueOf(f.Type)
	subs := object{}
	for _, s := range f.SubFields {
		if s == "boolean" && f.Type != "boolean" {
			continue // it refuses items whose value is none
		}
		if kind == Full || s == "keyword" && f.Type == "text" {
			subs[s] = valueOf(s)
		}
	}
	if kind == Full && f.Type != "text" {
		subs[Words] = object{"type": "text"}
	}
	if len(subs) > 0 {
		p["fields"] = subs
	}
	return p
}

// valueOf is the definition of a field of a type.
func valueOf(typ string) object {
	switch typ {
	case "keyword":
		return object{"type": typ, "ignore_above": ignoreAbove}
	case "long", "double", "float", "date":
		return object{"type": typ, "ignore_malformed": true}
	}
	return object{"type": typ}
}
