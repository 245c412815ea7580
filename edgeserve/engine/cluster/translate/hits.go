// This file translates what chooses hits and what they show, in a body, in top_hits and in inner_hits.

package translate

import (
	"maps"
	"slices"
	"strings"

	"contentedge/edgeserve/engine/cluster/layout"
	"contentedge/edgeserve/wire/address"
)

// hits translates the members of a body, of top_hits or of inner_hits. inherited is the query that marks unless the
// hits have one, nil for a body.
func (t *translator) hits(o object, inherited any) object {
	out := maps.Clone(o)
	inside := inherited != nil
	if !inside {
		inherited = o["query"]
	}
	if h, ok := o["highlight"].(object); ok {
		out["highlight"] = t.highlight(h, inherited, inside, o["name"] != nil)
	}
	for name, v := range o {
		switch name {
		case "query", "post_filter":
			out[name] = t.query(v)
		case "rescore":
			out[name] = t.rescore(v)
		case "aggs", "aggregations":
			out[name] = t.aggs(v, inherited)
		case "suggest":
			out[name] = t.suggest(v)
		case "collapse":
			out[name] = t.collapse(v, inherited)
		case "fields", "docvalue_fields":
			if list, ok := v.([]any); ok {
				out[name] = t.retrieved(name, list)
			}
		case "sort":
			out[name] = t.sort(v)
		}
	}
	if t.constantSort && out["search_after"] != nil {
		t.refuse("the hits after a value of _index or _type")
	}
	if t.ties {
		t.order(out)
	}
	return out
}

// order makes the rank the last key of a sort. After a hit are only hits with other values of the sort's own keys, so
// a page that begins after one begins after all ranks.
func (t *translator) order(o object) {
	keys, sorted := o["sort"].([]any)
	if size, ok := o["size"].(interface{ String() string }); ok && size.String() == "0" {
		return // no hits
	}
	if !sorted || len(keys) == 0 {
		keys = []any{"_score"}
		o["track_scores"] = true
	} else if slices.ContainsFunc(keys, isRank) {
		return
	}
	o["sort"] = append(slices.Clone(keys), object{layout.Rank: "asc"})
	if after, ok := o["search_after"].([]any); ok {
		o["search_after"] = append(slices.Clone(after), afterAll)
	}
}

// afterAll is a rank that no item has.
const afterAll = int64(1) << 62

// isRank reports whether a key of a sort is the rank.
func isRank(key any) bool {
	o, ok := key.(object)
	return key == layout.Rank || ok && o[layout.Rank] != nil
}

func (t *translator) rescore(v any) any {
	switch v := v.(type) {
	case object:
		out := maps.Clone(v)
		if q, ok := v["query"].(object); ok {
			out["query"] = t.inner(q, "rescore_query")
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = t.rescore(v[i])
		}
		return out
	}
	return v
}

// collapse translates a collapse, whose hits inside may be an object or a list.
func (t *translator) collapse(v any, inherited any) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	o = maps.Clone(o)
	if field, ok := o["field"].(string); ok {
		o["field"] = t.value(field)
		t.shown = append(t.shown, t.value(field))
	}
	if inherited == nil {
		inherited = object{"match_all": object{}}
	}
	switch inner := o["inner_hits"].(type) {
	case object:
		o["inner_hits"] = t.hits(inner, inherited)
	case []any:
		list := make([]any, len(inner))
		for i, e := range inner {
			list[i] = e
			if e, ok := e.(object); ok {
				list[i] = t.hits(e, inherited)
			}
		}
		o["inner_hits"] = list
	}
	return o
}

// sort translates keys. Text is sorted by its whole values, and paths that no item has tie.
func (t *translator) sort(v any) any {
	keys, ok := v.([]any)
	if !ok {
		keys = []any{v}
	}
	out := make([]any, len(keys))
	for i, key := range keys {
		out[i] = key
		switch key := key.(type) {
		case string:
			name, unmapped := t.sortName(key)
			switch value, shared := t.shared(key); {
			case shared:
				t.constantSort = true
				out[i] = object{layout.None: object{"missing": value}}
			case unmapped:
				out[i] = object{name: object{"unmapped_type": "keyword"}}
			default:
				out[i] = name
			}
		case object:
			out[i] = t.sortKey(key)
		}
	}
	return out
}

// sortKey translates a key with options.
func (t *translator) sortKey(key object) object {
	out := object{}
	for field, order := range key {
		if value, ok := t.shared(field); ok {
			t.constantSort = true
			shared := object{"missing": value}
			if o, ok := order.(object); ok && o["order"] != nil {
				shared["order"] = o["order"]
			} else if !ok {
				shared["order"] = order
			}
			return object{layout.None: shared}
		}
		name, unmapped := t.sortName(field)
		switch o := order.(type) {
		case string:
			if unmapped {
				order = object{"order": o, "unmapped_type": "keyword"}
			}
		case object:
			if unmapped && o["unmapped_type"] == nil {
				o = maps.Clone(o)
				o["unmapped_type"] = "keyword"
				order = o
			}
		}
		out[name] = order
	}
	return out
}

// sortName translates the name of a key. unmapped reports whether only other releases may have the path: one without
// items has none at all.
func (t *translator) sortName(field string) (name string, unmapped bool) {
	if _, ok := t.shared(field); ok {
		return "", false
	}
	switch {
	case field == "_doc" && !t.x.Compared:
		return layout.Rank, false
	}
	if start, ok := t.fields.startOf(field); ok && !t.x.Compared {
		return start, false
	}
	if t.fields.typeOf(field) == "text" {
		return t.value(field + ".keyword"), false
	}
	return t.docValue(field), t.fields.typeOf(field) == "" && (strings.HasPrefix(field, "Data.") || address.IsScalar(field)) && t.fields.ToIndex(field) == field
}

// retrieved is a list of fields whose values are requested.
func (t *translator) retrieved(member string, list []any) (out []any) {
	out = []any{}
	for _, e := range list {
		o, _ := e.(object)
		field, ok := e.(string)
		if o != nil {
			field, ok = o["field"].(string)
		}
		all := []string{t.fields.ToIndex(field)}
		switch {
		case !ok:
			out = append(out, e)
			continue
		case isPattern(field) && member == "docvalue_fields" && (!t.x.Compared || field[0] == '*'):
			all = t.everything(field, false) // as many as it reaches in a release
			if hidden, ok := hiddenPattern(field); ok {
				all = append(all, hidden)
			}
		case isPattern(field):
			all = t.expand(field)
		case !t.x.Compared && strings.HasPrefix(field, "_"):
			t.refuse("the values of " + field)
		}
		if slices.ContainsFunc(all, t.once) {
			t.refuse(shownOnce)
		}
		for _, name := range all {
			t.shown = append(t.shown, name)
			if o == nil {
				out = append(out, name)
				continue
			}
			same := maps.Clone(o)
			same["field"] = name
			out = append(out, same)
		}
	}
	return out
}

// shownOnce is why a body cannot be asked: hits of a release show and mark each value as often as the item has it.
const shownOnce = "all values of a sub-field of numbers, dates or booleans, which the index has once each"

// once reports whether a forwarder's index has each value of a field once. The name, of the index, may be a pattern.
func (t *translator) once(name string) bool {
	return !t.x.Compared && layout.IsHidden(first(name)) && name != layout.Rank && !strings.Contains(name, ".keyword")
}
