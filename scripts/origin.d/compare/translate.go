// This file turns a body into what Elasticsearch must be asked where our interface differs
// from it on purpose, so that the difference is compared too instead of being left out.

package compare

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"contentedge/edgeserve/release"

	"origin/index"
)

// Fields are the paths of an environment with their types.
type Fields map[string]release.Field

// leftOut is the type of a path that an index cannot have.
const leftOut = "left out"

// NewFields returns the fields of an environment.
func NewFields(fields []release.Field) Fields {
	out := index.LeftOut(fields)
	all := Fields{}
	for _, f := range fields {
		if slices.Contains(out, f.Path) {
			f.Type = leftOut
		}
		all[f.Path] = f
	}
	return all
}

// misses tells whether a body names a path that is left out, or may find a value there because
// it asks for all fields.
func (f Fields) misses(body string, all bool) bool {
	for path, field := range f {
		if field.Type == leftOut && all && truth.MatchString(body) {
			return true
		}
		if field.Type == leftOut && regexp.MustCompile(regexp.QuoteMeta(path)+`(["^: ]|\.(keyword|long|double|date)\b)`).MatchString(body) {
			return true
		}
	}
	return false
}

// question is a body for Elasticsearch.
type question struct {
	body    []byte
	kind    index.Kind
	refused string // why it cannot be asked
}

// translate makes the question of a body. A wildcard on a path looks at whole values without
// regard to case; queries about letters look at the text of numbers, dates and booleans; text
// is sorted by its values; totals are exact unless the body says else, or exact does.
func (f Fields) translate(env string, body []byte, exact bool) question {
	var members object
	if decode(body, &members) != nil || members == nil {
		return question{body: body, kind: index.Plain}
	}
	t := translator{fields: f}
	marks := t.marks(members)
	delete(members, "highlight")
	t.walk(members)
	t.sort(members)
	if collapse, ok := members["collapse"].(object); ok {
		if inner, ok := collapse["inner_hits"].(object); ok {
			t.sort(inner)
		}
	}
	if marks != nil {
		members["highlight"] = marks
	}
	if _, ok := members["track_total_hits"]; !ok || exact {
		members["track_total_hits"] = true
	}
	if _, ok := members["_source"]; !ok {
		members["_source"] = false
	}
	q := question{kind: index.Plain}
	if text, err := json.Marshal(members); err == nil && (t.subField || subFields.Match(text)) {
		q.kind = index.Full
	}
	for _, o := range t.lookup {
		if o["index"] == env {
			o["index"] = index.Name(env, q.kind)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return question{body: body, kind: index.Plain}
	}
	q.body = text
	if booleans.Match(text) {
		q.refused = "no boolean of Elasticsearch 7 skips values that are none"
	}
	if f.misses(string(text), t.pattern) {
		q.refused = "a path is a value here and an object there"
	}
	if q.kind == index.Full && t.pattern {
		q.refused = "it has a sub-field and a pattern"
	}
	return q
}

// truth finds what a boolean may be found by; no other paths are left out so far.
var truth = regexp.MustCompile(`(?i)true|false`)

// subFields finds names of sub-fields that the plain index lacks.
var subFields = regexp.MustCompile(`\.(long|double|boolean|date|words)\b`)

// booleans finds sub-fields of booleans.
var booleans = regexp.MustCompile(`\.boolean\b`)

type translator struct {
	words    bool     // a wildcard on text looks at words
	lookup   []object // terms that stand in an item
	fields   Fields
	subField bool // of a number, date or boolean
	pattern  bool // it asks for all fields, or for those of a pattern
}

// walk visits everything in a body.
func (t *translator) walk(v any) {
	switch v := v.(type) {
	case object:
		for name, inner := range v {
			t.walk(name)
			if o, ok := inner.(object); ok {
				t.member(name, o)
			}
			t.walk(v[name])
		}
	case []any:
		for _, inner := range v {
			t.walk(inner)
		}
	case string:
		for _, at := range keyword.FindAllStringIndex(v, -1) {
			path := v[:at[0]]
			path = path[strings.LastIndexAny(path, " +-!(:^\"")+1:]
			t.subField = t.subField || t.typed(path) || strings.HasSuffix(path, "*")
		}
	}
}

// keyword finds names of keywords, also in query strings.
var keyword = regexp.MustCompile(`\.keyword\b`)

// unmapped tells whether a path may exist in other releases.
func (t *translator) unmapped(path string) bool {
	return t.fields[path].Path == "" && strings.HasPrefix(path, "Data.")
}

func (t *translator) typed(path string) bool {
	f, ok := t.fields[path]
	return ok && f.Type != "text" && f.Type != leftOut
}

// member looks at a member that may be a query or an aggregation.
func (t *translator) member(name string, of object) {
	switch name {
	case "wildcard", "prefix", "regexp", "fuzzy", "term":
		t.letters(name, of)
	case "match":
		t.eachField(of, func(path string, options object) string {
			if _, fuzzy := options["fuzziness"]; fuzzy && t.typed(path) {
				return path + ".keyword"
			}
			return path
		})
	case "match_phrase_prefix":
		t.eachField(of, func(path string, _ object) string {
			if t.typed(path) {
				return path + "." + index.Words
			}
			return path
		})
	case "query_string", "simple_query_string", "multi_match", "more_like_this", "exists":
		t.patterns(of)
	case "terms":
		for _, v := range of {
			if o, ok := v.(object); ok && o["index"] != nil {
				t.lookup = append(t.lookup, o)
			}
		}
	case "cardinality":
		if _, ok := of["precision_threshold"]; !ok {
			of["precision_threshold"] = 40000
		}
	}
}

// escapedLetters are backslashes that mean nothing here. There they ask for this case.
var escapedLetters = regexp.MustCompile(`\\(\pL)`)

// letters is for queries that look at whole values.
func (t *translator) letters(name string, of object) {
	t.eachField(of, func(path string, options object) string {
		if _, ok := t.fields[path]; !ok {
			return path
		}
		_, said := options["case_insensitive"]
		switch {
		case name == "wildcard" && t.words && t.fields[path].Type == "text":
			return path
		case name == "wildcard":
			if !said {
				options["case_insensitive"] = true
			}
			if text, ok := options["value"].(string); ok {
				options["value"] = escapedLetters.ReplaceAllString(text, "$1")
			}
			return path + ".keyword"
		case t.typed(path) && (name != "term" || options["case_insensitive"] == true):
			return path + ".keyword"
		}
		return path
	})
}

// eachField gives the field of a query, with the long form of its options, another name.
func (t *translator) eachField(of object, rename func(path string, options object) string) {
	for path, value := range of {
		options, ok := value.(object)
		if !ok {
			options = object{"value": value}
		}
		to := rename(path, options)
		if to == path {
			continue
		}
		t.subField = t.subField || t.typed(path)
		delete(of, path)
		if !ok && len(options) == 1 {
			of[to] = value
		} else {
			of[to] = options
		}
		return
	}
}

// patterns tells whether a query asks for more fields than it names.
func (t *translator) patterns(of object) {
	names, some := of["fields"].([]any)
	for _, name := range []string{"field", "default_field"} {
		if n, ok := of[name]; ok {
			names, some = append(names, n), true
		}
	}
	text, _ := of["query"].(string)
	star := func(name any) bool { s, _ := name.(string); return strings.Contains(s, "*") }
	t.pattern = t.pattern || !some || slices.ContainsFunc(names, star) || strings.Contains(text, "*:") || strings.Contains(text, "* :")
}

// sort makes text be sorted by its whole values, and lets paths that no item has tie.
func (t *translator) sort(members object) {
	keys, ok := members["sort"].([]any)
	if !ok {
		keys = []any{members["sort"]}
	}
	for i, key := range keys {
		switch key := key.(type) {
		case string:
			if t.fields[key].Type == "text" {
				keys[i] = key + ".keyword"
			} else if t.unmapped(key) {
				keys[i] = object{key: object{"unmapped_type": "keyword"}}
			}
		case object:
			for path, order := range key {
				if t.fields[path].Type == "text" {
					delete(key, path)
					key[path+".keyword"] = order
					break
				}
				switch order := order.(type) {
				case string:
					if t.unmapped(path) {
						key[path] = object{"order": order, "unmapped_type": "keyword"}
					}
				case object:
					if t.unmapped(path) && order["unmapped_type"] == nil {
						order["unmapped_type"] = "keyword"
					}
				}
			}
		}
	}
	if members["sort"] != nil {
		members["sort"] = keys
	}
}
