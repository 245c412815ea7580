// This file writes what REST lists and URL parameters ask and no body can.

package translate

import (
	"encoding/json"
	"fmt"
	"slices"

	"contentedge/edgeserve/engine/analysis"
	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/engine/compile"
	"contentedge/edgeserve/engine/query"
	"contentedge/edgeserve/engine/query/encode"
)

// maxClauses bounds the fields that the text of a parameter is looked for in. An engine takes 1,024 clauses in all.
const maxClauses = 900

// Other writes the queries that no body can hold, and sort keys that are paths whatever sub-field has the name, with
// the names of the index. Package encode asks for it. ok is false for other queries.
func (x *Index) Other(n query.Node) (members map[string]any, ok bool) {
	switch n := n.(type) {
	case *compile.KeywordTerm:
		return x.keywordTerm(n), true
	case *compile.TypedOnly:
		return x.typedOnly(n)
	case *compile.WordBelow:
		return x.wordBelow(n)
	case *compile.ElementNamed:
		return x.elementNamed(n)
	case *encode.ExactKey:
		return x.exactKey(&n.Key), true
	}
	return nil, false
}

var noItem = object{"match_none": object{}}

func (x *Index) keywordTerm(n *compile.KeywordTerm) object {
	keyword, ok := x.Fields.Sub(n.Field, "keyword")
	if !ok {
		return noItem
	}
	return object{"constant_score": object{"filter": object{"term": object{keyword: object{"value": n.Text}}}}}
}

// typedOnly writes a match of numbers, dates or booleans.
func (x *Index) typedOnly(n *compile.TypedOnly) (object, bool) {
	if !x.Fields.typed(n.Field) {
		return noItem, true
	}
	b, err := encode.Body(&query.Body{Query: n.Match, Window: query.Window{Size: query.DefaultSize}}, nil)
	if err != nil {
		return nil, false
	}
	of, ok := b["query"].(object)
	return of, ok
}

// wordBelow writes a search for a word in all paths below one.
func (x *Index) wordBelow(n *compile.WordBelow) (object, bool) {
	var clauses []any
	for _, path := range x.below(n.Prefix) {
		field := x.Fields.ToIndex(path)
		if x.Fields.typed(path) {
			_, boolean := analysis.ReadBool(n.Word)
			if boolean != (x.Fields.typeOf(path) == "boolean") || !boolean && (n.Word[0] < '0' || n.Word[0] > '9') {
				continue // the words of numbers and dates begin with a digit
			}
			field, _ = x.Fields.Sub(path, layout.Words)
		}
		clauses = append(clauses, object{"term": object{field: object{"value": n.Word}}})
	}
	if len(clauses) == 0 {
		return noItem, true
	}
	return object{"dis_max": object{"queries": clauses}}, len(clauses) <= maxClauses
}

// below returns the paths that begin with a prefix.
func (x *Index) below(prefix string) (paths []string) {
	for path := range x.Fields.Fields() {
		if len(path) >= len(prefix) && path[:len(prefix)] == prefix {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// elementNamed writes a search for items with a value at an element of a name.
func (x *Index) elementNamed(n *compile.ElementNamed) (object, bool) {
	var clauses []any
	for _, path := range x.below(compile.DataPrefix) {
		if !n.Names(path) {
			continue
		}
		clauses = append(clauses, object{"exists": object{"field": x.Fields.ToIndex(path)}})
		keyword, ok := x.Fields.Sub(path, layout.Start) // which lacks no value
		if !ok {
			keyword, ok = x.Fields.Sub(path, "keyword")
		}
		if ok { // values of no words, or that the type cannot hold
			clauses = append(clauses, object{"exists": object{"field": keyword}})
		}
	}
	if len(clauses) == 0 {
		return noItem, true
	}
	return object{"constant_score": object{"filter": object{"bool": object{"should": clauses}}}}, len(clauses) <= maxClauses
}

// exactKey writes a key of a list: values in the order of lists.
func (x *Index) exactKey(k *query.SortKey) object {
	name, ok := x.Fields.ToIndex(k.Field), false
	switch f, some := x.Fields.Field(k.Field); {
	case !some: // a sub-field is not a path
		name = layout.None
	case f.Type == "text":
		if name, ok = x.Fields.Sub(k.Field, layout.Order); ok {
			break
		}
		if name, ok = x.Fields.Sub(k.Field, layout.Start); !ok {
			name, _ = x.Fields.Sub(k.Field, "keyword")
		}
	case f.Type == "float": // of 32 bits, which lists do not round to
		if double, ok := x.Fields.Sub(k.Field, "double"); ok {
			name = double
		}
	}
	order := object{"order": "desc"}
	if k.Asc {
		order["order"] = "asc"
	}
	if k.Missing != nil {
		order["missing"] = k.Missing.Text
	}
	if k.Mode != "" {
		order["mode"] = k.Mode
	}
	return object{name: order}
}

// seedOf is a seed for an index instead of one for an environment.
func seedOf(seed any, env, index string) json.Number {
	v := &query.Value{Text: fmt.Sprint(seed)}
	if _, ok := seed.(json.Number); ok {
		v.Kind = query.Number
	}
	return json.Number(fmt.Sprint(int32(compile.RandomSeed(v) ^ compile.RandomSalt(env) ^ compile.RandomSalt(index))))
}
