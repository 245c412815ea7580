// This file gives an index the types that a release's manifest lists, which come from all
// values of a path. Elasticsearch's dynamic mapping would go by the first value.

package layout

import (
	"slices"

	"contentedge/edgeserve/wire/release"
)

// Lengths of values in an index. Lucene refuses values of keyword fields with more than 32,766 bytes.
const (
	maxTerm = 32766
	// MaxKeyword is the length of the longest value in keyword fields, in code units of UTF-16, which have up to three
	// bytes. Longer texts are found by their words, and ordered by their beginnings (Start).
	MaxKeyword = maxTerm / 3
	// MaxStart is the length of the longest beginning, in characters, which have up to four bytes: one character is left
	// for what Order adds. Beginnings have equally many characters, so that they are in the order of the texts.
	MaxStart = maxTerm/4 - 1
	// maxOrder is the length of the longest value of Order and Start, in code units: a character has up to two. Only a
	// number can be longer.
	maxOrder = 2*MaxStart + 1
)

// Limits of an index, beyond the limits of a release: nothing else bounds the fields of an environment.
const (
	limitFields = 1_000_000 // the paths of a release, each with its sub-fields
	limitDepth  = 1000      // brackets of items nest at most 500 deep
	limitName   = 64 << 10  // paths have at most 32 KiB
	limitText   = 1 << 30   // the longest text that is marked
)

// Window is the number of hits that an index orders for a page, or inside a hit. A page needs memory of a node for each
// hit before it, some 10 MB for a whole window.
const Window = 100_000

type object = map[string]any

// Definition is the body that makes an index: its settings and its mapping. Documents are in default order.
func Definition(env release.Environment, meta Meta, shards int) map[string]any {
	names := NewNames(env.Fields, meta.Long...)
	properties := object{Rank: object{"type": "long"}, None: valueOf("keyword"), original: object{"type": "object", "enabled": false}}
	for _, f := range env.Fields {
		properties[names.ToIndex(f.Path)] = property(f)
		for _, s := range names.subs(f) {
			properties[Hidden(legal(f.Path), s)] = subField(f, s)
		}
	}
	return object{
		"settings": object{
			"number_of_shards": shards, "number_of_replicas": 0, "refresh_interval": "-1",
			"mapping.total_fields.limit": limitFields, "mapping.depth.limit": limitDepth, "mapping.field_name_length.limit": limitName,
			// Merges must not change the order of documents, which decides ties.
			"sort.field": Rank, "sort.order": "asc",
			// The edge has limits of its own, and refuses before it asks.
			"max_result_window": Window, "max_inner_result_window": Window, "max_docvalue_fields_search": limitFields, "max_terms_count": limitFields, "max_regex_length": limitFields, "highlight.max_analyzed_offset": limitText,
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

// subField is the definition of a sub-field.
func subField(f release.Field, sub string) object {
	if sub == Own {
		p := valueOf(f.Type)
		p["index"] = false // queries look at the path
		return p
	}
	return valueOf(sub)
}

// valueOf is the definition of a field of a type.
func valueOf(typ string) object {
	switch typ {
	case Words:
		return object{"type": "text"}
	case "keyword":
		return object{"type": typ, "ignore_above": MaxKeyword}
	case Order, Start:
		return object{"type": "keyword", "ignore_above": maxOrder, "index": false}
	case "long", "double", "float", "date":
		return object{"type": typ, "ignore_malformed": true}
	}
	return object{"type": typ}
}
