// This file is what the twin knows of metadata fields, and what Elasticsearch finds by them.

package searchtest

import (
	"encoding/json"
	"slices"
	"strconv"

	"contentedge/edgeserve/engine/query"
)

// addMetadata makes the fields that items have without their members.
func (t *twin) addMetadata(env string) {
	n := len(t.ids)
	t.meta = map[string]*twinField{"_id": newField("_id", keywordType, n), "_index": newField("_index", keywordType, n),
		"_type": newField("_type", keywordType, n), "_seq_no": newField("_seq_no", longType, n)}
	for i, id := range t.ids {
		t.meta["_id"].add(i, id)
		t.meta["_index"].add(i, env)
		t.meta["_type"].add(i, "_doc")
		t.meta["_seq_no"].add(i, json.Number(strconv.Itoa(i)))
	}
	for _, f := range t.meta {
		f.keyword = f
		f.count()
	}
}

// metadata reports whether a field is not a path of items.
func (t *twin) metadata(f *twinField) bool { return t.meta[f.path] == f }

// sealed reports whether a metadata field cannot be searched by queries of values or by exists.
func sealed(field string, exists bool) bool {
	return slices.Contains([]string{"_source", map[bool]string{true: "_field_names", false: "_version"}[exists]}, field)
}

// sealedIn reports whether a list names a field that no query of values can search.
func sealedIn(list []query.FieldBoost) bool {
	return slices.ContainsFunc(list, func(f query.FieldBoost) bool { return sealed(f.Field, false) })
}

// wordless tells a query that looks at the text of values, which the numbers of documents lack.
func (t *twin) wordless(n query.Node) bool {
	field := ""
	switch n := n.(type) {
	case *query.Term:
		if n.CaseInsensitive {
			field = n.Field
		}
	case *query.Prefix:
		field = n.Field
	case *query.Wildcard:
		field = n.Field
	case *query.Regexp:
		field = n.Field
	case *query.Fuzzy:
		field = n.Field
	case *query.MatchBoolPrefix:
		field = n.Field
	case *query.MatchPhrasePrefix:
		field = n.Field
	}
	f := t.meta[field]
	return f != nil && f.typ == longType
}

// lacks reports whether a metadata field differs from a wanted value, which is known before any document is.
func (t *twin) lacks(field string, texts ...string) bool {
	return (field == "_index" || field == "_type") && len(t.ids) > 0 && !slices.Contains(texts, t.meta[field].whole[0])
}

// metadataQueries are queries and the items that they find: ENV is the environment, CAPITALS its name in
// them, BEGIN how it begins. A real Elasticsearch finds
// as many, and refuses the same, but for ranges and patterns of _index and _type: it refuses these too.
var metadataQueries = []typeCase{
	{"_index: term", `{"term":{"_index":"ENV"}}`, "A B C D"},
	{"_index: another", `{"term":{"_index":"other"}}`, ""},
	{"_index: in capitals", `{"term":{"_index":"CAPITALS"}}`, ""},
	{"_index: without regard to case", `{"term":{"_index":{"value":"CAPITALS","case_insensitive":true}}}`, "A B C D"},
	{"_index: terms", `{"terms":{"_index":["x","ENV"]}}`, "A B C D"},
	{"_index: other terms", `{"terms":{"_index":["x","y"]}}`, ""},
	{"_index: match", `{"match":{"_index":"ENV"}}`, "A B C D"},
	{"_index: match_phrase", `{"match_phrase":{"_index":"ENV"}}`, "A B C D"},
	{"_index: prefix", `{"prefix":{"_index":"BEGIN"}}`, "A B C D"},
	{"_index: another prefix", `{"prefix":{"_index":"xBEGIN"}}`, ""},
	{"_index: wildcard", `{"wildcard":{"_index":"BEGIN*"}}`, "A B C D"},
	{"_index: another wildcard", `{"wildcard":{"_index":"*x"}}`, ""},
	{"_index: multi_match", `{"multi_match":{"query":"ENV","fields":["_index","Name"]}}`, "A B C D"},
	{"_index: exists", `{"exists":{"field":"_index"}}`, "A B C D"},
	{"_index: without bounds", `{"range":{"_index":{}}}`, "A B C D"},
	{"_index: query_string", `{"query_string":{"query":"_index:ENV AND a"}}`, "A C D"},
	{"_index: any value", `{"query_string":{"query":"_index:*"}}`, "A B C D"},
	{"_index: _exists_", `{"query_string":{"query":"_exists_:_index"}}`, "A B C D"},
	{"_index: simple_query_string", `{"simple_query_string":{"query":"ENV","fields":["_index"]}}`, "A B C D"},
	{"_index: not among all fields", `{"query_string":{"query":"ENV"}}`, ""},
	{"_index: a boost", `{"bool":{"must":[{"term":{"_index":{"value":"ENV","boost":3}}}]}}`, "A B C D"},
	{"_index: another hides an error", `{"bool":{"filter":[{"term":{"_index":"other"}},{"term":{"Data.rank":"abc"}}]}}`, ""},
	{"_type: another hides an error", `{"bool":{"must":[{"terms":{"_type":["x"]}},{"term":{"Data.rank":"abc"}}]}}`, ""},
	{"_type: term", `{"term":{"_type":"_doc"}}`, "A B C D"},
	{"_type: another", `{"term":{"_type":"doc"}}`, ""},
	{"_type: terms", `{"terms":{"_type":["_doc"]}}`, "A B C D"},
	{"_type: match", `{"match":{"_type":"_doc"}}`, "A B C D"},
	{"_type: prefix", `{"prefix":{"_type":"_d"}}`, "A B C D"},
	{"_type: wildcard", `{"wildcard":{"_type":"*oc"}}`, "A B C D"},
	{"_type: exists", `{"exists":{"field":"_type"}}`, "A B C D"},
	{"_type: query_string", `{"query_string":{"query":"_type:_doc"}}`, "A B C D"},
	{"_seq_no: term", `{"term":{"_seq_no":2}}`, "B"},
	{"_seq_no: a text", `{"term":{"_seq_no":"0"}}`, "D"},
	{"_seq_no: an integer with a fraction", `{"term":{"_seq_no":3.0}}`, "A"},
	{"_seq_no: none", `{"term":{"_seq_no":-1}}`, ""},
	{"_seq_no: terms", `{"terms":{"_seq_no":[1,"2",99]}}`, "B C"},
	{"_seq_no: range", `{"range":{"_seq_no":{"gte":"1","lt":3}}}`, "B C"},
	{"_seq_no: range without an end", `{"range":{"_seq_no":{"gt":-5}}}`, "A B C D"},
	{"_seq_no: match", `{"match":{"_seq_no":"3"}}`, "A"},
	{"_seq_no: exists", `{"exists":{"field":"_seq_no"}}`, "A B C D"},
	{"_seq_no: query_string", `{"query_string":{"query":"_seq_no:[2 TO 3] OR _seq_no:<1"}}`, "A B D"},
	{"_seq_no: no number", `{"term":{"_seq_no":"abc"}}`, refused},
	{"_seq_no: no bound", `{"range":{"_seq_no":{"gte":"abc"}}}`, refused},
	{"_seq_no: prefix", `{"prefix":{"_seq_no":"1"}}`, refused},
	{"_seq_no: wildcard", `{"wildcard":{"_seq_no":"1*"}}`, refused},
	{"_seq_no: regexp", `{"regexp":{"_seq_no":"1.*"}}`, refused},
	{"_seq_no: fuzzy", `{"fuzzy":{"_seq_no":"1"}}`, refused},
	{"_seq_no: any case", `{"term":{"_seq_no":{"value":"1","case_insensitive":true}}}`, refused},
	{"_version: exists", `{"exists":{"field":"_version"}}`, "A B C D"},
	{"_version: any value", `{"query_string":{"query":"_version:*"}}`, "A B C D"},
	{"_version: term", `{"term":{"_version":1}}`, refused},
	{"_version: terms", `{"terms":{"_version":[1]}}`, refused},
	{"_version: range", `{"range":{"_version":{"gte":1}}}`, refused},
	{"_version: match", `{"match":{"_version":1}}`, refused},
	{"_version: prefix", `{"prefix":{"_version":"1"}}`, refused},
	{"_version: multi_match", `{"multi_match":{"query":"1","fields":["_version","Name"]}}`, refused},
	{"_version: multi_match, lenient", `{"multi_match":{"query":"a","fields":["_version","Name"],"lenient":true}}`, "A"},
	{"_version: query_string", `{"query_string":{"query":"_version:1"}}`, ""},
	{"_version: query_string, not lenient", `{"query_string":{"query":"_version:1","default_field":"Name"}}`, refused},
	{"_version: query_string, in a list", `{"query_string":{"query":"1","fields":["_version"]}}`, refused},
	{"_version: simple_query_string", `{"simple_query_string":{"query":"1","fields":["_version"]}}`, refused},
	{"_source: exists", `{"exists":{"field":"_source"}}`, refused},
	{"_source: _exists_", `{"query_string":{"query":"_exists_:_source"}}`, refused},
	{"_source: term", `{"term":{"_source":"x"}}`, refused},
	{"_source: range", `{"range":{"_source":{"gt":"x"}}}`, refused},
	{"_source: next to what matches nothing", `{"bool":{"filter":[{"exists":{"field":"_source"}},{"match_none":{}}]}}`, ""},
	{"_field_names: exists", `{"exists":{"field":"_field_names"}}`, refused},
	{"_field_names: term", `{"term":{"_field_names":"Data.title"}}`, ""},
	{"_routing: exists", `{"exists":{"field":"_routing"}}`, ""},
	{"_routing: term", `{"term":{"_routing":"x"}}`, ""},
	{"_ignored: exists", `{"exists":{"field":"_ignored"}}`, ""},
	{"_primary_term: term", `{"term":{"_primary_term":1}}`, ""},
}

// metadataSorts are whole bodies, whose order counts.
var metadataSorts = []typeCase{
	{"by _seq_no", `{"sort":[{"_seq_no":"desc"}]}`, "A B C D"},
	{"by _index, then by ids", `{"sort":["_index",{"ContentID":"desc"}]}`, "D C B A"},
	{"by _type, then by ids", `{"sort":[{"_type":"desc"},"ContentID"]}`, "A B C D"},
	{"by _version", `{"sort":["_version"]}`, refused},
	{"by _version of a type", `{"sort":[{"_version":{"unmapped_type":"long"}}]}`, refused},
	{"by _source", `{"sort":["_source"]}`, refused},
	{"by _routing", `{"sort":["_routing"]}`, refused},
}
