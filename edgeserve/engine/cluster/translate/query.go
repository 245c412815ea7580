// This file translates queries.

package translate

import (
	"maps"
	"slices"
	"strings"
)

// query translates a query, or an array of queries.
func (t *translator) query(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for kind, of := range v {
			kind, of := t.queryOf(kind, of)
			out[kind] = of
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = t.query(v[i])
		}
		return out
	}
	return v
}

// inner translates the queries that are members of a query.
func (t *translator) inner(of any, members ...string) any { return changed(of, members, t.query) }

// changed returns an object with some of its members changed.
func changed(of any, members []string, change func(any) any) any {
	o, ok := of.(object)
	if !ok {
		return of
	}
	o = maps.Clone(o)
	for _, name := range members {
		if v, ok := o[name]; ok {
			o[name] = change(v)
		}
	}
	return o
}

// queryOf translates a query of a kind, which may become one of another.
func (t *translator) queryOf(kind string, of any) (string, any) {
	o, _ := of.(object)
	if o != nil && !t.x.Compared {
		if of, ok := t.constant(kind, o); ok {
			return of, t.options(o)
		}
	}
	switch kind {
	case "bool":
		return kind, t.inner(of, "must", "filter", "should", "must_not")
	case "dis_max":
		return kind, t.inner(of, "queries")
	case "constant_score":
		return kind, t.inner(of, "filter")
	case "boosting":
		return kind, t.inner(of, "positive", "negative")
	case "span_near", "span_or":
		return kind, t.inner(of, "clauses")
	case "span_first", "span_multi":
		return kind, t.inner(of, "match")
	case "span_not":
		return kind, t.inner(of, "include", "exclude")
	case "span_containing", "span_within":
		return kind, t.inner(of, "little", "big")
	case "field_masking_span": // a span's field is not a pattern
		return kind, t.named(t.inner(of, "query"), "field")
	case "function_score":
		return kind, t.functionScore(of)
	case "match_all", "match_none", "ids":
		return kind, of
	}
	if o == nil {
		return kind, of
	}
	return t.leaf(kind, o)
}

// leaf translates a query without queries inside.
func (t *translator) leaf(kind string, o object) (string, any) {
	switch kind {
	case "term", "wildcard", "prefix", "regexp", "fuzzy":
		return t.letters(kind, o)
	case "match", "match_phrase", "match_phrase_prefix":
		return t.match(kind, o)
	case "match_bool_prefix", "span_term", "span_gap":
		return kind, t.keyed(o)
	case "range":
		if exists := t.unbounded(o); exists != nil {
			return t.exists(exists)
		}
		return kind, t.keyed(o)
	case "terms":
		return t.terms(o)
	case "terms_set":
		out := t.keyed(o)
		for path, options := range out {
			out[path] = t.least(options)
		}
		return kind, out
	case "intervals":
		out := t.keyed(o)
		for path, rule := range out {
			out[path] = t.rule(rule)
		}
		return kind, out
	case "exists":
		return t.exists(o)
	case "distance_feature":
		return kind, t.named(o, "field")
	case "query_string", "simple_query_string", "multi_match":
		return kind, t.textQuery(kind, o)
	case "more_like_this":
		return kind, t.moreLikeThis(o)
	}
	if !t.x.Compared {
		t.refuse("a query " + kind)
	}
	return kind, o
}

// keyed translates the names of members that are fields.
func (t *translator) keyed(o object) object {
	out := object{}
	for field, v := range o {
		out[t.value(field)] = v
	}
	return out
}

// named translates the values of members that are names of fields.
func (t *translator) named(of any, members ...string) any {
	return changed(of, members, func(v any) any {
		if field, ok := v.(string); ok {
			return t.value(field)
		}
		return v
	})
}

// options are the options that all queries have.
func (t *translator) options(of object) object {
	out := object{}
	for _, o := range append(slices.Collect(maps.Values(of)), any(of)) {
		o, _ := o.(object)
		for _, name := range []string{"boost", "_name"} {
			if v := o[name]; v != nil {
				out[name] = v
			}
		}
	}
	return out
}

// Why a body cannot be asked.
const (
	constantField = "_index or _type in another query than term, terms, match and exists"
	constantValue = "the values of _index or _type"
)

// constant returns match_all or match_none for a query about a name that all items share.
func (t *translator) constant(kind string, of object) (all string, ok bool) {
	if field, _ := of["field"].(string); kind == "exists" {
		_, ok := t.shared(field)
		return "match_all", ok
	}
	for field, v := range of {
		shared, ok := t.shared(field)
		if !ok {
			continue
		}
		list, _ := v.([]any)
		switch o, long := v.(object); {
		case kind == "term" && long:
			list = []any{o["value"]}
		case kind == "match" && long:
			list = []any{o["query"]}
		case kind == "term" || kind == "match":
			list = []any{v}
		case kind != "terms" || list == nil:
			t.refuse(constantField)
		}
		if slices.Contains(list, any(shared)) {
			return "match_all", true
		}
		return "match_none", true
	}
	return "", false
}

// unbounded returns the exists that a range without bounds is, of a path that an index has otherwise than a release.
func (t *translator) unbounded(ranges object) object {
	for path, options := range ranges {
		options, ok := options.(object)
		for _, bound := range []string{"gt", "gte", "lt", "lte", "from", "to"} {
			ok = ok && options[bound] == nil
		}
		if !ok || !t.fields.Aside(path) && (t.x.Compared || !t.fields.typed(path) && !t.typedKeyword(path)) {
			return nil
		}
		exists := t.options(options)
		exists["field"] = path
		return exists
	}
	return nil
}

// typedKeyword reports whether a name belongs to the keyword of numbers, dates or booleans. In a release no value
// exists there.
func (t *translator) typedKeyword(field string) bool {
	path, ok := strings.CutSuffix(field, ".keyword")
	return ok && t.fields.typed(path) && t.fields.typeOf(field) == ""
}

// exists translates an exists query, whose field may be a pattern. Numbers that the type of a path cannot hold exist
// as well.
func (t *translator) exists(o object) (string, any) {
	o = maps.Clone(o)
	switch field, ok := o["field"].(string); {
	case !ok:
	case t.fields.Aside(field):
		return t.existsTwice(field, o)
	case isPattern(field):
		o["field"] = t.one(field)
	case !t.x.Compared && t.typedKeyword(field):
		return "match_none", t.options(o)
	case !t.x.Compared && t.fields.typed(field):
		o["field"], _ = t.fields.Sub(field, "keyword")
	default:
		o["field"] = t.value(field)
	}
	return "exists", o
}

// existsTwice asks for the values of a path, and for the values in its objects. A pattern of both would reach other
// paths that begin alike.
func (t *translator) existsTwice(field string, o object) (string, any) {
	value := t.value(field)
	if !t.x.Compared && t.fields.typed(field) {
		value, _ = t.fields.Sub(field, "keyword")
	}
	of := t.options(o)
	of["filter"] = object{"bool": object{"should": []any{object{"exists": object{"field": value}}, object{"exists": object{"field": field + ".*"}}}}}
	return "constant_score", of
}

// least translates the field with the number of terms that an item needs.
func (t *translator) least(options any) any {
	o, ok := options.(object)
	if !ok {
		return options
	}
	o = maps.Clone(o)
	if field, ok := o["minimum_should_match_field"].(string); ok {
		o["minimum_should_match_field"] = t.docValue(field)
	}
	return o
}

// terms translates a terms query, whose terms may be in an item.
func (t *translator) terms(o object) (string, any) {
	for _, v := range o {
		of, ok := v.(object)
		if !ok || of["index"] == nil {
			continue
		}
		if of["index"] == t.x.Env {
			of["index"] = t.x.Name
		}
		if path, ok := of["path"].(string); ok && !t.x.Compared {
			if _, ok := t.fields.Field(path); !ok {
				return "match_none", t.options(o) // a path of objects has no terms
			}
			of["path"] = t.fields.ToIndex(path)
		}
	}
	return "terms", t.keyed(o)
}

// rule translates the fields in a rule of intervals.
func (t *translator) rule(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for name, inner := range v {
			if field, ok := inner.(string); ok && name == "use_field" {
				inner = t.value(field)
			}
			out[name] = t.rule(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = t.rule(v[i])
		}
		return out
	}
	return v
}

// functionScore translates a function_score, which may have one function without a list.
func (t *translator) functionScore(of any) any {
	o, ok := t.inner(of, "query").(object)
	if !ok {
		return of
	}
	if list, ok := o["functions"].([]any); ok {
		out := make([]any, len(list))
		for i, f := range list {
			if out[i] = f; t.isObject(f) {
				out[i] = t.function(t.inner(f, "filter").(object))
			}
		}
		o["functions"] = out
	}
	return t.function(o)
}

func (t *translator) isObject(v any) bool {
	_, ok := v.(object)
	return ok
}

// function translates the function among members.
func (t *translator) function(o object) object {
	for kind, of := range o {
		f, ok := of.(object)
		if !ok {
			continue
		}
		switch kind {
		case "field_value_factor":
			o[kind] = t.counted(f)
		case "random_score":
			o[kind] = t.random(f)
		case "gauss", "linear", "exp":
			out := object{}
			for field, v := range f {
				out[t.docValue(field)] = v
			}
			o[kind] = out
		}
	}
	return o
}

// random translates a random_score with a seed. An engine mixes the name of the index and the number of the shard
// into the seed, and a release the environment. The seed changes so that the first shard has the numbers of a release.
func (t *translator) random(o object) object {
	if t.x.Compared || o["seed"] == nil {
		return t.named(o, "field").(object)
	}
	o = maps.Clone(o)
	field, _ := o["field"].(string)
	if field == "" {
		field = "_id"
	}
	o["field"] = t.docValue(field)
	o["seed"] = seedOf(o["seed"], t.x.Env, t.x.Name)
	return o
}

// moreLikeThis translates the fields of a more_like_this.
func (t *translator) moreLikeThis(o object) object {
	o = t.fieldList(o, "fields")
	for _, name := range []string{"like", "unlike"} {
		list, ok := o[name].([]any)
		if !ok {
			continue
		}
		out := make([]any, len(list))
		for i, e := range list {
			out[i] = e
			if example, ok := e.(object); ok {
				out[i] = t.fieldList(example, "fields")
			}
		}
		o[name] = out
	}
	return o
}

// fieldList translates a member that is a list of names.
func (t *translator) fieldList(o object, member string) object {
	o = maps.Clone(o)
	if list, ok := o[member].([]any); ok {
		out := []any{}
		for _, v := range list {
			field, ok := v.(string)
			switch {
			case !ok:
				out = append(out, v)
			case isPattern(field) && !t.x.Compared:
				for _, name := range t.expand(field) {
					out = append(out, name)
				}
			default:
				out = append(out, t.name(field))
			}
		}
		o[member] = out
	}
	return o
}
